package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
)

// TestAdvancedOperatorsByValues compares operators that index by tensors, undo broadcasts and make grids with what NumPy makes.
func TestAdvancedOperatorsByValues(t *testing.T) {
	const x, cube = "2 3: 0 1 2 3 4 5", "2 2 2: 0 1 2 3 4 5 6 7"
	byValues(t, []valueCase{
		{"R.collapse_sum_to(x, R.shape([1, 3]))", []string{x}, []float64{3, 5, 7}},
		{"R.collapse_sum_to(x, R.shape([2, 1]))", []string{cube}, []float64{10, 18}},
		{"R.collapse_sum_to(x, R.shape([2, 3]))", []string{x}, []float64{0, 1, 2, 3, 4, 5}},
		{"R.collapse_sum_like(x, y)", []string{cube, "2: 0 0"}, []float64{12, 16}},
		{"R.collapse_sum_like(x, y)", []string{cube, ": 0"}, []float64{28}},
		{"R.meshgrid((x, y))", []string{"2: 1 2", "3: 3 4 5"}, []float64{1, 1, 1, 2, 2, 2, 3, 4, 5, 3, 4, 5}},
		{"R.meshgrid((x, y), indexing=\"xy\")", []string{"2: 1 2", "3: 3 4 5"}, []float64{1, 2, 1, 2, 1, 2, 3, 3, 4, 4, 5, 5}},
		{"R.index_tensor(x, (y,))", []string{x, "3 int64: 1 0 -1"}, []float64{3, 4, 5, 0, 1, 2, 3, 4, 5}},
		{"R.index_tensor(x, (y, z))", []string{x, "2 1 int64: 1 0", "2 int32: 2 -3"}, []float64{5, 3, 2, 0}},
		{"R.index_put(x, (y, z), u)", []string{x, "2 int64: 1 0", "2 int64: 2 -3", "2: 7 8"}, []float64{8, 1, 2, 3, 4, 7}},
		{"R.index_put(x, (y, z), u, accumulate=True)", []string{x, "3 int64: 1 1 -1", "1 int64: 2", "1: 1"}, []float64{0, 1, 2, 3, 4, 8}},
		{"R.slice_scatter(x, y, R.prim_value(1), R.prim_value(4), R.prim_value(2))", []string{"5: 0 1 2 3 4", "2: 7 8"}, []float64{0, 7, 2, 8, 4}},
		{"R.slice_scatter(x, y, R.prim_value(-2), R.prim_value(9), R.prim_value(1), axis=1)", []string{x, "2 2: 6 7 8 9"}, []float64{0, 6, 7, 3, 8, 9}},
		{"R.bucketize(x, y)", []string{"4: 0 1 2.5 9", "3: 1 2 3"}, []float64{0, 0, 2, 3}},
		{"R.bucketize(x, y, right=True, out_int32=True)", []string{"4: 0 1 2.5 9", "3: 1 2 3"}, []float64{0, 1, 2, 3}},
		{"R.add(x, R.hamming_window(R.prim_value(3), R.prim_value(0), R.prim_value(T.float32(0.54)), R.prim_value(T.float32(0.46))))", []string{"3: 0 0 0"}, []float64{0.08, 1, 0.08}},
		{"R.add(x, R.hamming_window(R.prim_value(4), R.prim_value(1), R.prim_value(T.float32(0.54)), R.prim_value(T.float32(0.46))))", []string{"4: 0 0 0 0"}, []float64{0.08, 0.54, 1, 0.54}},
		{"R.add(x, R.hamming_window(R.prim_value(1), R.prim_value(0), R.prim_value(T.float32(0.54)), R.prim_value(T.float32(0.46))))", []string{"1: 0"}, []float64{1}},
		{"R.grad.max_pool2d_backward(x, y, (2, 2), (2, 2))", []string{"1 1 1 2: 5 7", "1 1 2 4: 1 2 3 9 4 3 8 0"}, []float64{0, 0, 0, 7, 5, 0, 0, 0}},
		{"R.grad.avg_pool2d_backward(x, y, (2, 2), (2, 2))", []string{"1 1 1 2: 4 8", "1 1 2 4: 1 2 3 9 4 3 8 0"}, []float64{1, 1, 2, 2, 1, 1, 2, 2}},
		{"R.grad.max_pool2d_backward(x, y, (1, 2), (1, 2))", []string{"1 1 1 1: 5", "1 1 1 2: -inf -inf"}, []float64{5, 0}},
	})
}

// TestAdvancedOperatorsLeftAlone: what no kernel takes stays, and the reason is said.
func TestAdvancedOperatorsLeftAlone(t *testing.T) {
	for _, c := range []struct{ params, body, want string }{
		{`x: R.Tensor((2, 3), "float32"), i: R.Tensor((2,), "int64"), v: R.Tensor((2, 3), "float32")`, "R.index_put(x, (i,), v)", "1 indices for 2 axes"},
		{`x: R.Tensor((2, 3), "float32")`, "R.collapse_sum_to(x, R.shape([2, 2]))", "axis 1 of the input can not be summed"},
		{`g: R.Tensor((1, 1, 1, 1), "float32"), x: R.Tensor((1, 1, 3, 3), "float32")`, "R.grad.max_pool2d_backward(g, x, (2, 2), dilation=(2, 2))", "windows without gaps"},
		{`x: R.Tensor((4,), "float32"), b: R.Tensor(("n",), "int64")`, "R.dynamic_strided_slice(x, b, b, b)", "entry for each of the 1 axes"},
	} {
		m := read(t, "@R.function\ndef main("+c.params+"):\n    y = "+c.body+"\n    return y\n")
		_, found := legalize(t, m)
		if len(found) != 1 || !strings.Contains(found[0].Message, c.want) {
			t.Errorf("%s: it says %v, want %q", c.body, found, c.want)
		}
	}
}

// TestDynamicSlices runs slices whose extents follow from values, with steps down, begins behind the end, and what
// uses the result.
func TestDynamicSlices(t *testing.T) {
	for _, c := range []struct {
		use           string
		x, b, e, step string
		want          string
	}{
		{"s", "5: 0 1 2 3 4", "1 int64: 1", "1 int64: 4", "1 int64: 2", "[2] [1 3]"},
		{"s", "5: 0 1 2 3 4", "1 int64: -1", "1 int64: -9", "1 int64: -2", "[3] [4 2 0]"},
		{"s", "5: 0 1 2 3 4", "1 int64: -2", "1 int64: 9", "1 int64: 1", "[2] [3 4]"},
		{"s", "5: 0 1 2 3 4", "1 int64: 3", "1 int64: 2", "1 int64: 1", "[0] []"},
		{"R.permute_dims(R.add(s, s))", "2 3: 0 1 2 3 4 5", "2 int64: 0 1", "2 int64: 2 3", "2 int64: 1 1", "[2 2] [2 8 4 10]"},
	} {
		x := given(c.x)
		n := len(x.Shape)
		shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(x.Shape), " ", ", "), "[]")
		vector := fmt.Sprintf(`R.Tensor((%d,), "int64")`, n)
		m := read(t, fmt.Sprintf("@R.function\ndef main(x: R.Tensor((%s,), \"float32\"), b: %s, e: %s, d: %s):\n    with R.dataflow():\n        s = R.dynamic_strided_slice(x, b, e, d)\n        y = %s\n        R.output(y)\n    return y\n", shape, vector, vector, vector, c.use))
		out, found := legalize(t, m)
		passtest.WellFormed(t, "after", out)
		if len(found) > 0 {
			t.Errorf("%v", found)
		}
		got, err := passtest.Outputs(out, ir.MustLookup[*relax.Function](out, "main"), []graphrun.Value{x, given(c.b), given(c.e), given(c.step)})
		if err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprint(got[0].Shape, got[0].Floats()); s != c.want {
			t.Errorf("%v: it makes %s, want %s", c, s, c.want)
		}
	}
}
