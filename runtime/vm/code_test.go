package vm

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// wire writes the encoding as its documentation states it, on its own: uvarints for counts, varints for numbers.
type wire []byte

func (w wire) u(vs ...uint64) wire {
	for _, v := range vs {
		w = binary.AppendUvarint(w, v)
	}
	return w
}

func (w wire) i(vs ...int64) wire {
	for _, v := range vs {
		w = binary.AppendVarint(w, v)
	}
	return w
}

func (w wire) s(s string) wire  { return append(w.u(uint64(len(s))), s...) }
func (w wire) b(b ...byte) wire { return append(w, b...) }

// wired are the bytes of an executable with one function, f(x) = x, and the given constants.
func wired(consts uint64, w wire) []byte {
	head := wire("irscVM\x00\x01").u(1, 1).s("f").i(0, 1, 1, 1).u(1).s("x").u(consts)
	return append(head, w...)
}

// tailOf are the instructions of wired: ret %0.
func tailOf() wire { return wire{}.u(1).i(0).u(2).i(2, 0) }

func TestEncodingIsAsDocumented(t *testing.T) {
	f32 := []byte{byte(dtype.Float), 32, 1, 0}
	w := wire{}.
		b(0).b(f32...).u(1).i(2).u(0, 8). // tensor: type, shape, place, length
		b(0).b(byte(dtype.Int), 8, 0x02, 0x01).u(1).i(0).u(64, 0).
		b(1).b(f32...).u(2).i(3, 4).s("abcd").
		b(2).u(2).i(1<<40, 5).
		b(3).s("text").
		b(4).i(-7).
		b(5).u(math.Float64bits(-0.5)).
		b(6).b(byte(dtype.Float), 16, 1, 0)
	code := wired(8, append(w, tailOf()...))
	blob := append(vec(1, 2).Data, make([]byte, 56)...)
	e, err := Decode(code, blob)
	if err != nil {
		t.Fatal(err)
	}
	want := &Executable{
		Funcs: []FuncInfo{{Kind: VMFunc, Name: "f", Start: 0, End: 1, NumArgs: 1, RegisterFileSize: 1, ParamNames: []string{"x"}}},
		Consts: []Const{
			{Kind: ConstTensor, Tensor: vec(1, 2)},
			{Kind: ConstTensor, Tensor: &tensor.Tensor{DType: dtype.DType{Code: dtype.Int, Bits: 8, Lanes: 0x102}, Shape: []int64{0}, Data: []byte{}}},
			{Kind: ConstSplat, Tensor: &tensor.Tensor{DType: dtype.Float32T, Shape: []int64{3, 4}, Data: []byte("abcd")}},
			{Kind: ConstShape, Shape: []int64{1 << 40, 5}},
			{Kind: ConstString, Str: "text"},
			{Kind: ConstInt, Int: -7},
			{Kind: ConstFloat, Float: -0.5},
			{Kind: ConstDType, DType: dtype.Float16T},
		},
		InstrOffset: []int64{0},
		InstrData:   []int64{2, 0},
	}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v, want %+v", e, want)
	}
	again, chunks := e.Encode()
	if !bytes.Equal(again, code) || !bytes.Equal(bytes.Join(chunks, nil), blob) {
		t.Errorf("written again: %x and %x, want %x and %x", again, chunks, code, blob)
	}
}

// TestDecodeRefuses damages each field; messages name the place.
func TestDecodeRefuses(t *testing.T) {
	f32 := []byte{byte(dtype.Float), 32, 1, 0}
	const at = 20 // the length of what wired writes before the constants
	one := func(w wire) []byte { return wired(1, append(w, tailOf()...)) }
	data := func(place, length uint64) []byte { return one(wire{}.b(0).b(f32...).u(1).i(2).u(place, length)) }
	blob := make([]byte, 64)
	for _, c := range []struct {
		name string
		code []byte
		want string
	}{
		{"nothing", nil, "decoding a VM executable: it does not begin with irscVM"},
		{"only the name", []byte("irscVM\x00"), "decoding a VM executable: it does not begin with irscVM"},
		{"another name", []byte("irscVN\x00\x01\x00"), "decoding a VM executable: it does not begin with irscVM"},
		{"version 2", []byte("irscVM\x00\x02"), "decoding a VM executable: encoding version 2, but this program reads 1"},
		{"no table", []byte("irscVM\x00\x01"), "decoding a VM executable: it is truncated or damaged near byte 8"},
		{"a byte after the end", append(wired(0, tailOf()), 0), "decoding a VM executable: 1 extra bytes at the end"},
		{"as it should be", wired(0, tailOf()), ""},
		{"more functions than bytes", wire("irscVM\x00\x01").u(2).b(make([]byte, 13)...), "decoding a VM executable: it is truncated or damaged near byte 9"},
		{"a long name", wire("irscVM\x00\x01").u(1, 1, 40).b(make([]byte, 39)...), "decoding a VM executable: it is truncated or damaged near byte 11"},
		{"kind 2^40", wire("irscVM\x00\x01").u(1, 1<<40).s("f").i(0, 1, 1, 1).u(0, 0).b(tailOf()...), "decoding a VM executable: function f has the unknown kind 2147483647"},
		{"more constants than bytes", wired(3, wire{}.b(2, 0, 2, 0, 2)), "decoding a VM executable: it is truncated or damaged near byte 20"},
		{"data to the end", data(56, 8), ""},
		{"data beyond the end", data(57, 8), "decoding constant 0 of a VM executable: its data at byte 57, of 8 bytes, ends beyond the 64 bytes of data"},
		{"data after the end", data(65, 0), "decoding constant 0 of a VM executable: its data at byte 65, of 0 bytes, ends beyond the 64 bytes of data"},
		{"data whose end overflows", data(8, math.MaxUint64-7), "decoding constant 0 of a VM executable: its data at byte 8, of 18446744073709551608 bytes, ends beyond the 64 bytes of data"},
		{"data that begins far beyond", data(math.MaxUint64, 8), "decoding constant 0 of a VM executable: its data at byte 18446744073709551615, of 8 bytes, ends beyond the 64 bytes of data"},
		{"empty data at the end", one(wire{}.b(0).b(f32...).u(1).i(0).u(64, 0)), ""},
		{"data of another length", data(0, 7), "decoding constant 0 of a VM executable: "},
		{"a constant of kind 7", one(wire{}.b(7)), "decoding a VM executable: constant 0: unknown kind 7"},
		{"a splat of three bytes", one(wire{}.b(1).b(f32...).u(0).s("abc")), "decoding a VM executable: constant 0: float32[] holds 3 bytes, expected 4"},
		{"a cut type", wired(1, wire{}.b(6, 2)), "decoding constant 0 of a VM executable: it is truncated or damaged near byte 22"},
		{"a cut place", wired(1, wire{}.b(0).b(f32...).u(0)), "decoding constant 0 of a VM executable: it is truncated or damaged near byte 26"},
		{"a varint without end", wired(1, wire{}.b(4).b(bytes.Repeat([]byte{0x80}, 11)...)), "decoding constant 0 of a VM executable: it is truncated or damaged near byte 21"},
		{"an offset too few", wired(0, wire{}.u(0, 2).i(2, 0)), "decoding a VM executable: 2 words of code, of which instructions use 0"},
	} {
		if n := len(wired(0, nil)); n != at {
			t.Fatalf("constants begin at byte %d", n)
		}
		_, err := Decode(c.code, blob)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.HasSuffix(c.want, ": ") && err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestEncodeDense writes tables whose entries are as small as entries can be.
func TestEncodeDense(t *testing.T) {
	e := &Executable{
		Funcs:       []FuncInfo{{Kind: VMFunc, Name: "f", End: 1, NumArgs: 60, RegisterFileSize: 60, ParamNames: make([]string, 60)}},
		InstrOffset: []int64{0},
		InstrData:   []int64{2, 0},
	}
	for range 100 {
		e.Consts = append(e.Consts, Const{Kind: ConstShape})
	}
	e.Consts = append(e.Consts, Const{Kind: ConstString, Str: strings.Repeat("long", 300)})
	for i := range 200 {
		e.Funcs = append(e.Funcs, FuncInfo{Name: string(rune('Ā' + i))})
	}
	code, chunks := e.Encode()
	d, err := Decode(code, nil)
	if err != nil || !reflect.DeepEqual(d, e) || len(chunks) != 0 {
		t.Errorf("the executable changed: %v", err)
	}
	e.InstrData, e.InstrOffset, e.Funcs = []int64{1, 0, 1}, []int64{0, 104}, e.Funcs[:3]
	e.Funcs[0].End = 2
	e.InstrData = append(append(e.InstrData, 100), make([]int64, 100)...)
	e.InstrData = append(e.InstrData, 2, 0)
	code, _ = e.Encode()
	if d, err = Decode(code, nil); err != nil || !reflect.DeepEqual(d, e) {
		t.Errorf("the executable changed: %v", err)
	}
}

// TestBlob places tensors at multiples of 64 bytes, with nothing between them where none is needed.
func TestBlob(t *testing.T) {
	e := &Executable{}
	sizes := []int64{3, 64, 1, 65, 128, 0, 7}
	places := []int{0, 64, 128, 192, 320, 448, 448}
	for _, n := range sizes {
		e.Consts = append(e.Consts, Const{Kind: ConstTensor, Tensor: tensor.MustOf([]int64{n}, bytes.Repeat([]byte{1}, int(n)))})
	}
	_, chunks := e.Encode()
	want := bytes.Repeat([]byte{0}, 455)
	for i, p := range places {
		copy(want[p:], e.Consts[i].Tensor.Data)
	}
	if got := bytes.Join(chunks, nil); !bytes.Equal(got, want) {
		t.Errorf("the blob is %v, want %v", got, want)
	}
	if len(chunks) != len(sizes)+3 {
		t.Errorf("%d chunks, want %d and three of padding", len(chunks), len(sizes))
	}
}
