package models

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func (h *harness) script(text string) *ir.Module {
	h.tb.Helper()
	m, found := parse.Module("test.py", text, parse.Options{})
	if len(found) > 0 {
		h.tb.Fatalf("%v\n%s", found, text)
	}
	return m
}

// TestSorts compiles sort, argsort and topk and compares them with Go's stable sort, NaN last
// and no element lost, for rows, columns and a long vector, at the lowest and the highest level.
func TestSorts(t *testing.T) {
	h := newHarness(t)
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T, dtype.Float16T, dtype.Int32T, dtype.Int64T, dtype.UInt8T} {
		for axis := range 2 {
			for _, descending := range []bool{false, true} {
				h.checkSorts(d, axis, descending, [][2]int{{1, 5000}, {40, 33}, {300, 3}, {3, 1}, {2, 0}})
			}
		}
	}
}

// checkSorts compiles one module for all shapes.
func (h *harness) checkSorts(d dtype.DType, axis int, descending bool, shapes [][2]int) {
	h.tb.Helper()
	const k = 5 // of some rows more than there is
	title := map[bool]string{false: "False", true: "True"}[descending]
	text := fmt.Sprintf(`# from tvm.script import relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "%s")):
        with R.dataflow():
            a = R.sort(x, axis=%d, descending=%s)
            b = R.argsort(x, axis=%d, descending=%s)
            c = R.topk(x, k=%d, axis=%d, largest=%s)
            v = c[0]
            i = c[1]
            z = (a, b, v, i)
            R.output(z)
        return z
`, d, axis, title, axis, title, k, axis, title)
	var sets [][]*tensor.Tensor
	for _, shape := range shapes {
		sets = append(sets, []*tensor.Tensor{sortInput(d, shape)})
	}
	for _, level := range []int{0, 3} {
		plain := d == dtype.Float32T && axis == 1
		outs, err := h.compileAndRun(h.script(text), settings{level: level, verify: plain, readBack: plain}, sets)
		if err != nil {
			h.tb.Fatalf("%s along %d, descending %v, level %d: %v", d, axis, descending, level, err)
		}
		for i, shape := range shapes {
			what := fmt.Sprintf("%s %v along %d, descending %v, level %d", d, shape, axis, descending, level)
			h.checkSorted(what, sets[i][0], outs[i], shape, axis, k, descending)
		}
	}
}

// sortInput has equal elements and, of floats, NaNs.
func sortInput(d dtype.DType, shape [2]int) *tensor.Tensor {
	x := tensor.MustNew(d, int64(shape[0]), int64(shape[1]))
	for i := range x.Len() {
		v := float64((i*7919)%101) - 50
		switch {
		case d.IsFloat() && i%17 == 3:
			v = math.NaN()
		case d.IsUInt():
			v += 50
		}
		if d.IsFloat() {
			x.SetFloat(i, v)
		} else {
			x.SetInt(i, int64(v))
		}
	}
	return x
}

// checkSorted compares the results of sort, argsort and topk of x with the reference.
func (h *harness) checkSorted(what string, x *tensor.Tensor, outs []*tensor.Tensor, shape [2]int, axis, k int, descending bool) {
	h.tb.Helper()
	d := x.DType
	stride, rows := 1, shape[0]
	if axis == 0 {
		stride, rows = shape[1], shape[1]
	}
	for row := range rows {
		first := func(n int) int {
			if axis == 0 {
				return row
			}
			return row * n
		}
		n := shape[axis]
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		at := func(i int) float64 {
			if d.IsFloat() {
				return x.Float(first(n) + i*stride)
			}
			return float64(x.Int(first(n) + i*stride))
		}
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := at(i), at(j)
			switch {
			case a != a || b != b:
				return cmp.Compare(b, a) // cmp has NaN first
			case descending:
				return cmp.Compare(b, a)
			}
			return cmp.Compare(a, b)
		})
		for o, length := range []int{n, n, k, k} {
			for i := range min(length, n) {
				p := first(length) + i*stride
				got, want := 0.0, at(order[i])
				if o%2 == 1 {
					got, want = float64(outs[o].Int(p)), float64(order[i])
				} else if got = outs[o].Float(p); !d.IsFloat() {
					got = float64(outs[o].Int(p))
				}
				if got != want && (got == got || want == want) {
					h.tb.Fatalf("%s: result %d, row %d, element %d is %v, want %v", what, o, row, i, got, want)
				}
			}
		}
	}
}
