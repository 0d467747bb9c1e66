package npy

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func file(head string, data ...byte) []byte {
	return append(append([]byte(magic+"\x01\x00"), byte(len(head)), byte(len(head)>>8)), append([]byte(head), data...)...)
}

func TestRoundTrip(t *testing.T) {
	for _, d := range descr {
		for _, shape := range [][]int64{nil, {0}, {5}, {2, 3}, {1, 2, 3, 4}} {
			x := tensor.MustNew(d.dt, shape...)
			x.Random(1)
			var b bytes.Buffer
			if err := Write(&b, x); err != nil {
				t.Fatal(err)
			}
			if (b.Len()-len(x.Data))%64 != 0 {
				t.Errorf("%v: the data starts at %d, not at a multiple of 64", x, b.Len()-len(x.Data))
			}
			y, err := Read(&b)
			if err != nil {
				t.Fatalf("%v: %v", x, err)
			}
			if y.DType != x.DType || !slices.Equal(x.Shape, y.Shape) || !bytes.Equal(x.Data, y.Data) {
				t.Errorf("%v came back as %v", x, y)
			}
		}
	}
	if err := Write(new(bytes.Buffer), tensor.MustNew(dtype.BFloat16T, 1)); err == nil || !strings.Contains(err.Error(), "bfloat16") {
		t.Errorf("bfloat16: %v", err)
	}
}

func TestFortranAndBigEndian(t *testing.T) {
	x, err := Read(bytes.NewReader(file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }",
		0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 1, 6)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x.Ints(), []int64{1, 2, 3, 4, 5, 262}) || !slices.Equal(x.Shape, []int64{2, 3}) {
		t.Errorf("%v %v", x, x.Ints())
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":     {nil, "not an .npy file"},
		"version":   {[]byte(magic + "\x09\x00"), "version 9"},
		"type":      {file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"), `"<c8" is not supported`},
		"record":    {file("{'descr': [('a','<f4')], 'fortran_order': False, 'shape': (1,)}"), "descr"},
		"order":     {file("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}"), "fortran_order"},
		"no shape":  {file("{'descr': '<f4', 'fortran_order': False}"), "no value for shape"},
		"dimension": {file("{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}"), `"x"`},
		"negative":  {file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), "dimension 0 is -1"},
		"huge":      {file("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}"), "too large"},
		"short":     {file("{'descr': '<f4', 'fortran_order': False, 'shape': (1073741824,)}", 1, 2), "ends after 2"},
	} {
		if _, err := Read(bytes.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, tensor.MustNew(dtype.Float32T, 2, 2)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", make([]byte, 12)...))
	f.Add(file("{'shape': (), 'descr': '|b1', 'fortran_order': False}", 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, x); err != nil {
			t.Fatalf("%v was read but cannot be written: %v", x, err)
		}
		if y, err := Read(&b); err != nil || !bytes.Equal(x.Data, y.Data) {
			t.Fatalf("%v does not round-trip: %v", x, err)
		}
	})
}
