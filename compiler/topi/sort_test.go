package topi

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// sortedIndices is the reference: a stable sort with NaN last.
func sortedIndices(t *tensor.Tensor, at []int, descending bool) []int {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		c := compareElements(t, at[i], at[j])
		if descending && t.DType.IsFloat() && (math.IsNaN(t.Float(at[i])) || math.IsNaN(t.Float(at[j]))) {
			return c
		}
		if descending {
			return -c
		}
		return c
	})
	return order
}

// compareElements orders elements i and j of t, NaN behind all numbers.
func compareElements(t *tensor.Tensor, i, j int) int {
	less := func(i, j int) bool {
		switch {
		case t.DType.IsFloat():
			x, y := t.Float(i), t.Float(j)
			return x < y || y != y && x == x
		case t.DType.IsUInt() && t.DType.Bits == 64:
			return uint64(t.Int(i)) < uint64(t.Int(j))
		}
		return t.Int(i) < t.Int(j)
	}
	switch {
	case less(i, j):
		return -1
	case less(j, i):
		return 1
	}
	return 0
}

// awkward fills t with few different values, the extremes of the type among them.
func awkward(t *tensor.Tensor, r *rand.Rand) {
	for i := range t.Len() {
		switch {
		case t.DType.IsFloat():
			t.SetFloat(i, []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1, 0.5, -2.5, 3, 6e-8, -6e-8}[r.IntN(12)])
		case t.DType.IsBool():
			t.SetInt(i, int64(r.IntN(2)))
		default:
			lo, hi := int64(math.MinInt64)>>(64-t.DType.Bits), int64(math.MaxInt64)>>(64-t.DType.Bits)
			if t.DType.IsUInt() { // all ones is the greatest
				lo, hi = 0, -1
			}
			t.SetInt(i, []int64{lo, hi, 0, 1, hi - 1, lo + 1, 7, 5, hi / 2, hi>>1 + 2}[r.IntN(10)])
		}
	}
}

// TestSortIsStable compares all kinds of sorts with the reference: elements of all types,
// rows of 0 to some hundred elements along each axis, all or some of them kept, either
// direction, with fixed and symbolic extents.
func TestSortIsStable(t *testing.T) {
	types := []dtype.DType{
		dtype.Float32T, dtype.Float64T, dtype.Float16T, dtype.BFloat16T, dtype.Int8T, dtype.Int16T, dtype.Int32T, dtype.Int64T,
		dtype.UInt8T, dtype.UInt16T, dtype.UInt32T, dtype.UInt64T, dtype.BoolT,
	}
	r := newRand(3)
	for _, d := range types {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 16, 17, 40, 131} {
			for _, symbolic := range []bool{false, true} {
				for _, keep := range []int{n, 1, 3, n + 2, n / 2} {
					axis, descending := r.IntN(3), r.IntN(2) == 0
					name := fmt.Sprintf("%s, %d elements along axis %d, symbolic %v, keep %d, descending %v", d, n, axis, symbolic, keep, descending)
					checkSort(t, r, name, d, n, axis, symbolic, keep, descending)
				}
			}
		}
		// Rows whose keys are computed in vectors, ahead or by groups.
		for _, n := range []int{32, 40, 131, 300} {
			for _, keep := range []int{1, 2, 4, 9} {
				for _, symbolic := range []bool{false, true} {
					descending := r.IntN(2) == 0
					name := fmt.Sprintf("%s, rows of %d elements, symbolic %v, keep %d, descending %v", d, n, symbolic, keep, descending)
					checkSort(t, r, name, d, n, 2, symbolic, keep, descending)
				}
			}
		}
	}
}

func checkSort(t *testing.T, r *rand.Rand, name string, d dtype.DType, n, axis int, symbolic bool, keep int, descending bool) {
	t.Helper()
	shape, result := []int64{2, 3, 2}, []int64{2, 3, 2}
	shape[axis], result[axis] = int64(n), int64(keep)
	dims := make([]tir.Expr, 3)
	for i, v := range shape {
		if dims[i] = tir.Int(v); symbolic {
			dims[i] = tir.NewSizeVar(fmt.Sprintf("n%d", i), dtype.Int64T)
		}
	}
	x := te.Placeholder("x", d, dims...)
	o := SortOpts{Axis: axis, Descending: descending, Keep: tir.Int(int64(keep)), Indices: dtype.Int64T}
	if keep == n {
		o.Keep = dims[axis]
	}
	values, indices := Sort(x, o)
	fn, err := te.CreatePrimFunc([]*te.Tensor{x, values, indices}, te.FuncOpts{})
	if err != nil {
		t.Fatal(err)
	}
	if found := tir.Verify("sort", fn); len(found) > 0 {
		t.Fatalf("%s: not well formed: %v", name, found)
	}
	in, v, ix := tensor.MustNew(d, shape...), tensor.MustNew(d, result...), tensor.MustNew(dtype.Int64T, result...)
	awkward(in, r)
	if err := interp.Run(context.Background(), fn, []any{in, v, ix}, nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	stride := 1
	for _, e := range shape[axis+1:] {
		stride *= int(e)
	}
	for outer := range 12 / int([]int64{2, 3, 2}[axis]) {
		first := func(n int) int { return outer/stride*stride*n + outer%stride }
		at := make([]int, n)
		for i := range at {
			at[i] = first(n) + i*stride
		}
		order := sortedIndices(in, at, descending)
		for i := range keep {
			got := first(keep) + i*stride
			if i >= n {
				if ix.Int(got) != 0 {
					t.Fatalf("%s: index %d behind the end is %d, want 0", name, i, ix.Int(got))
				}
				continue
			}
			if int(ix.Int(got)) != order[i] {
				t.Fatalf("%s: element %d comes from %d, want %d", name, i, ix.Int(got), order[i])
			}
			if w := at[order[i]]; v.Format(got, 17) != in.Format(w, 17) {
				t.Fatalf("%s: element %d is %s, want %s", name, i, v.Format(got, 17), in.Format(w, 17))
			}
		}
	}
}
