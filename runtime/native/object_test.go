package native

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/native/asm"
)

func sample() *Object {
	return &Object{
		Blob:     asm.Blob{Bytes: []byte{0x31, 0xc0, 0xc3, 0x31, 0xc0, 0xc3, 0xcc, 0xcc, 1, 2, 3, 4}, Text: 6, Entries: []int{0, 3}},
		Symbols:  []Symbol{{"add", 1}, {"relu", 0}},
		Messages: []abi.Message{{Kind: "TypeError", Text: "num_args should be 3", Fact: "it is $0"}},
		Data:     []byte("weights"),
	}
}

func TestObjectRoundTrip(t *testing.T) {
	for name, o := range map[string]*Object{"full": sample(), "empty": {}} {
		b, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b)
		if err != nil || !reflect.DeepEqual(got, o) {
			t.Errorf("%s: %+v, %v; wrote %+v", name, got, err, o)
		}
	}
}

// resealed is an encoded object with a checksum that fits.
func resealed(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, sum(b)) }

func TestDecodeRefuses(t *testing.T) {
	good, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	body := good[:len(good)-4]
	after := func(b ...byte) []byte { return resealed(slices.Concat([]byte(magic), b)) }
	for _, c := range []struct {
		want string
		b    []byte
	}{
		{"does not begin with irscX86", nil},
		{"does not begin with irscX86", []byte("\x7fELF and more")},
		{"version 2, but this program reads 1", []byte("irscX86\x02and more")},
		{"ends too early", []byte(magic)},
		{"extra bytes", resealed(slices.Concat(body, []byte{0}))},
		{"ends too early", after(0, 100)},                        // a length beyond the end
		{"out of range", after(0xff, 0xff, 0xff, 0xff, 0x7f, 0)}, // a number of 35 bits
		{"are said to be instructions, of 0", after(9, 0, 0, 0, 2, '[', ']', 0)},
		{"entry 0 is at 0x1", after(1, 1, 0xc3, 1, 1, 0, 2, '[', ']', 0)},
		{"section irscope.messages", after(0, 0, 0, 0, 1, '[', 0)},
	} {
		if _, err := Decode(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, expected %q", c.b, err, c.want)
		}
	}
	for i := range good {
		b := append([]byte{}, good...)
		b[i] ^= 0x10
		if _, err := Decode(b); err == nil {
			t.Errorf("a damaged byte %d was not seen", i)
		}
	}
	for i := range good {
		if _, err := Decode(good[:i]); err == nil {
			t.Errorf("the first %d bytes of %d were taken for all", i, len(good))
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for want, change := range map[string]func(o *Object){
		"are said to be":           func(o *Object) { o.Blob.Text = 99 },
		"entry 1 is at 0x6":        func(o *Object) { o.Blob.Entries[1] = 6 },
		"relu begins at entry 2":   func(o *Object) { o.Symbols[1].Entry = 2 },
		"has no name":              func(o *Object) { o.Symbols[0].Name = "" },
		"are not sorted":           func(o *Object) { o.Symbols[0].Name = "z" },
		"two kernels have the nam": func(o *Object) { o.Symbols[0].Name = "relu" },
	} {
		o := sample()
		change(o)
		if _, err := o.Encode(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// FuzzDecode decodes any bytes under a checksum that fits: what is accepted encodes to the same object again.
func FuzzDecode(f *testing.F) {
	for _, o := range []*Object{sample(), {}} {
		b, err := o.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:len(b)-4])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := Decode(resealed(append([]byte{}, b...)))
		if err != nil {
			return
		}
		again, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if p, err := Decode(again); err != nil || !reflect.DeepEqual(o, p) {
			t.Fatalf("%+v\n%+v, %v", o, p, err)
		}
	})
}
