package tensorintrin_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tensorintrin"
	"github.com/irscope/irscope/compiler/tir"
)

// TestAllIntrinsics reads all intrinsics, whose functions are well-formed and take the same buffers.
func TestAllIntrinsics(t *testing.T) {
	names := tensorintrin.Names()
	if len(names) < 90 {
		t.Errorf("%d intrinsics", len(names))
	}
	for _, name := range names {
		in, err := tensorintrin.Lookup(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, b := range in.Desc.Buffers {
			c := in.Impl.Buffers[i]
			if b.DType != c.DType || b.Scope() != c.Scope() || len(b.Shape) != len(c.Shape) {
				t.Errorf("%s: buffer %d is %s %s here and %s %s there", name, i, b.DType, b.Scope(), c.DType, c.Scope())
			}
			for k := range b.Shape {
				if !tir.Equal(b.Shape[k], c.Shape[k]) {
					t.Errorf("%s: buffer %d has two shapes", name, i)
				}
			}
		}
		for _, f := range []*tir.PrimFunc{in.Desc, in.Impl} {
			for _, d := range tir.Verify(name, f) {
				t.Errorf("%s: %s", name, d.Message)
			}
		}
	}
	if _, err := tensorintrin.Lookup("none"); err == nil {
		t.Error("there is an intrinsic called none")
	}
}
