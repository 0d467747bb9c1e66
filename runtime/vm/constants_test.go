package vm

import (
	"math"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestConstantsAreEqualByAllOfTheirParts compares each of a list with each: they differ in one part, and a copy is equal.
func TestConstantsAreEqualByAllOfTheirParts(t *testing.T) {
	ints := func(d dtype.DType, shape []int64, values ...int64) *tensor.Tensor {
		x := tensor.MustNew(d, shape...)
		for i, v := range values {
			x.SetInt(i, v)
		}
		return x
	}
	list := func() []Const {
		return []Const{
			{Kind: ConstTensor, Tensor: ints(dtype.Int32T, []int64{2}, 1, 2)},
			{Kind: ConstTensor, Tensor: ints(dtype.Int32T, []int64{2}, 1, 3)},
			{Kind: ConstTensor, Tensor: ints(dtype.Int32T, []int64{2, 1}, 1, 2)},
			{Kind: ConstTensor, Tensor: ints(dtype.UInt32T, []int64{2}, 1, 2)},
			{Kind: ConstTensor},
			{Kind: ConstSplat, Tensor: ints(dtype.Int32T, []int64{2}, 1, 2)},
			{Kind: ConstShape, Shape: []int64{1, 2}},
			{Kind: ConstShape, Shape: []int64{1, 3}},
			{Kind: ConstShape, Shape: []int64{1}},
			{Kind: ConstString, Str: "a"},
			{Kind: ConstString, Str: "b"},
			{Kind: ConstInt, Int: 1},
			{Kind: ConstInt, Int: 2},
			{Kind: ConstFloat, Float: 0},
			{Kind: ConstFloat, Float: math.Copysign(0, -1)},
			{Kind: ConstFloat, Float: math.NaN()},
			{Kind: ConstDType, DType: dtype.Int8T},
			{Kind: ConstDType, DType: dtype.UInt8T},
		}
	}
	a, b := list(), list()
	for i := range a {
		for j := range b {
			if got := a[i].equal(b[j]); got != (i == j) {
				t.Errorf("%+v and %+v are equal: %t", a[i], b[j], got)
			}
		}
	}
}
