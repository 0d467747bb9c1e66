package onnxpb

import (
	"bytes"
	"testing"
)

// FuzzRead checks that no file makes the reader panic, and that what it accepts it writes
// in a form that it reads back to the same bytes.
func FuzzRead(f *testing.F) {
	b := sample().Marshal()
	f.Add(b)
	for i := 0; i < len(b); i += len(b) / 16 {
		f.Add(b[:i])
	}
	f.Add([]byte{0x3a, 0x02, 0x0a, 0x00, 0x42, 0x02, 0x10, 0x09})
	lim := Limits{Memory: 4 << 20, Nodes: 1000}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(data, Options{Limits: lim})
		if err != nil {
			return
		}
		first := m.Marshal()
		again, err := Read(first, Options{Limits: lim})
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		if !bytes.Equal(again.Marshal(), first) {
			t.Fatal("writing is not a fixed point")
		}
	})
}

// FuzzReadTensor does the same for files that hold one tensor.
func FuzzReadTensor(f *testing.F) {
	for typ := Float; typ <= Int2; typ++ {
		for num := 4; num <= 11; num++ {
			f.Add(typed(typ, []int64{3}, 5, num%2 == 0, 1, 2, 3))
		}
	}
	f.Add((&Tensor{Name: "x", Type: Float, Dims: []int64{1, 2}, Data: make([]byte, 8)}).Marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := ReadTensor(data, Options{Limits: Limits{Memory: 4 << 20}})
		if err != nil {
			return
		}
		if x.Type != String && int64(len(x.Data)) != bytesFor(x.Type, x.Elements()) {
			t.Fatalf("%d bytes of data for %v %v", len(x.Data), x.Dims, x.Type)
		}
		x.Unpacked()
		if _, err := ReadTensor(x.Marshal(), Options{}); err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
	})
}
