package op

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestConstantSums sums up bytes along all axes there are, and compares with sums of the elements one by one.
func TestConstantSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		shape, axes []int64
	}{{[]int64{5}, []int64{0}}, {[]int64{3, 7}, []int64{0}}, {[]int64{3, 7}, []int64{1}}, {[]int64{4, 2, 3, 5}, []int64{1, 2, 3}}, {[]int64{4, 2, 3}, []int64{1}}, {[]int64{3, 0}, []int64{1}}, {[]int64{3, 0}, []int64{0}}, {[]int64{3, 1}, []int64{1}}} {
		for _, d := range []dtype.DType{dtype.Int8T, dtype.UInt8T} {
			n := int64(1)
			for _, x := range c.shape {
				n *= x
			}
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			blob, err := ir.NewBlob(d, c.shape, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, keep := range []bool{false, true} {
				var kept []int64
				for i, x := range c.shape {
					if !slices.Contains(c.axes, int64(i)) {
						kept = append(kept, x)
					} else if keep {
						kept = append(kept, 1)
					}
				}
				want := map[int64]int32{}
				for i := range n {
					rest, at, stride := i, int64(0), int64(1)
					for k := len(c.shape) - 1; k >= 0; k-- {
						if !slices.Contains(c.axes, int64(k)) {
							at += rest % c.shape[k] * stride
							stride *= c.shape[k]
						}
						rest /= c.shape[k]
					}
					if d.IsInt() {
						want[at] += int32(int8(data[i]))
					} else {
						want[at] += int32(data[i])
					}
				}
				got := constantSums(&relax.Constant{Data: blob}, c.axes, keep)
				if got == nil || !slices.Equal(got.Data.Shape(), kept) {
					t.Fatalf("%v along %v: %v", c.shape, c.axes, got)
				}
				for i := range got.Data.NumElements() {
					if x := int32(binary.LittleEndian.Uint32(got.Data.Elem(i))); x != want[i] {
						t.Errorf("%s%v along %v: sum %d is %d, want %d", d, c.shape, c.axes, i, x, want[i])
					}
				}
			}
		}
	}
	words, err := ir.NewBlob(dtype.Int32T, []int64{1}, make([]byte, 4))
	if err != nil || constantSums(&relax.Constant{Data: words}, []int64{0}, false) != nil {
		t.Errorf("sums of words (%v)", err)
	}
}
