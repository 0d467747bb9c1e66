package transform_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// distinct finds the distinct ones of lists, as the text of unique says.
func distinct(lists [][]float64, sorted bool) (index, inverse, counts []int64) {
	for i := range lists {
		if !slices.ContainsFunc(index, func(j int64) bool { return slices.Equal(lists[i], lists[j]) }) {
			index = append(index, int64(i))
		}
	}
	if sorted {
		slices.SortStableFunc(index, func(a, b int64) int { return slices.Compare(lists[a], lists[b]) })
	}
	counts = make([]int64, len(index))
	for _, l := range lists {
		k := slices.IndexFunc(index, func(j int64) bool { return slices.Equal(lists[j], l) })
		inverse = append(inverse, int64(k))
		counts[k]++
	}
	return index, inverse, counts
}

// TestCountedResults lowers nonzero and unique, with symbolic extents, and runs the kernels on random tensors.
func TestCountedResults(t *testing.T) {
	r := seed.Rand(t)
	for _, d := range []string{"float32", "int64", "int8", "uint8", "bool"} {
		m := read(t, `@R.function
def main(x: R.Tensor(("n", "m"), "`+d+`")):
    with R.dataflow():
        a = R.nonzero(x)
        b = R.unique(x, True, True, True, True)
        c = R.unique(x, False, True, True, True)
        d = R.unique(x, True, True, True, True, 0)
        e = R.unique(x, False, True, True, True, -1)
        R.output(a, b, c, d, e)
    return (a, b, c, d, e)
`)
		low := runPass(t, passtest.NewContext(), transform.LegalizeOps, m)
		passtest.WellFormed(t, "after", low)
		for range 20 {
			n, cols := r.Int64N(5), 1+r.Int64N(3)
			dt, err := dtype.Parse(d)
			if err != nil {
				t.Fatal(err)
			}
			x := tensor.MustNew(dt, n, cols)
			fill(r, x)
			checkCounted(t, d, x, graphrun.Tensors(must(graphrun.Run(t.Context(), low, "main", x))))
		}
	}
}

func fill(r *rand.Rand, x *tensor.Tensor) {
	for i := range x.Len() {
		switch v := r.IntN(3); {
		case x.DType.IsFloat():
			x.SetFloat(i, float64(v-1))
		case x.DType.IsBool():
			x.SetInt(i, int64(v&1))
		default:
			x.SetInt(i, int64(v))
		}
	}
}

func checkCounted(t *testing.T, what string, x *tensor.Tensor, got []*tensor.Tensor) {
	t.Helper()
	n, cols := int(x.Shape[0]), int(x.Shape[1])
	at := func(i, j int) float64 { return x.Float(i*cols + j) }
	var rows, columns []int64
	elements := make([][]float64, 0, n*cols)
	byRow, byColumn := make([][]float64, n), make([][]float64, cols)
	for i := range n {
		for j := range cols {
			if at(i, j) != 0 {
				rows, columns = append(rows, int64(i)), append(columns, int64(j))
			}
			elements = append(elements, []float64{at(i, j)})
			byRow[i], byColumn[j] = append(byRow[i], at(i, j)), append(byColumn[j], at(i, j))
		}
	}
	want := func(k int, shape []int64, list []int64) {
		t.Helper()
		if !slices.Equal(got[k].Shape, shape) || len(list) > 0 && !slices.Equal(got[k].Ints(), list) {
			t.Errorf("%s: %v: result %d is %v of shape %v, want %v of %v", what, x.Floats(), k, got[k].Ints(), got[k].Shape, list, shape)
		}
	}
	want(0, []int64{2, int64(len(rows))}, append(rows, columns...))
	next := 1
	for k, lists := range [][][]float64{elements, elements, byRow, byColumn} {
		index, inverse, counts := distinct(lists, k%2 == 0)
		var values []int64
		shape := []int64{int64(len(index))}
		switch k {
		case 2:
			shape = append(shape, int64(cols))
		case 3:
			shape = append([]int64{int64(n)}, shape...)
		}
		for i := range int(shape[0]) {
			switch k {
			case 2:
				for j := range cols {
					values = append(values, int64(byRow[index[i]][j]))
				}
			case 3:
				for _, j := range index {
					values = append(values, int64(at(i, int(j))))
				}
			default:
				values = append(values, int64(elements[index[i]][0]))
			}
		}
		if x.DType.IsFloat() {
			for i, v := range values {
				if got[next].Float(i) != float64(v) {
					t.Errorf("%s: %v: result %d is %v, want %v", what, x.Floats(), next, got[next].Floats(), values)
				}
			}
			values = nil
		}
		want(next, shape, values)
		for i, list := range [][]int64{index, inverse, counts} {
			want(next+1+i, []int64{int64(len(list))}, list)
		}
		next += 4
	}
}
