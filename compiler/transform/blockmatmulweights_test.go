package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// floatsOf is a constant of random floats.
func floatsOf(seed uint64, dims ...int64) *relax.Constant {
	x := tensor.MustNew(dtype.Float32T, dims...)
	x.Random(seed)
	return &relax.Constant{Data: must(ir.NewBlob(x.DType, dims, x.Data))}
}

// constantProduct is main with a product by a constant, which is transposed maybe, and what is added to it.
func constantProduct(t *rapid.T) *ir.Module {
	n := func(least, most int, what string) int64 { return int64(rapid.IntRange(least, most).Draw(t, what)) }
	depth, columns := n(1, 9, "depth"), n(1, 40, "columns")
	left := []int64{depth}
	for range n(0, 3, "other dimensions") {
		left = append([]int64{n(0, 4, "rows")}, left...)
	}
	a := &relax.Var{Name: "a", SInfo: relax.TensorOf(dtype.Float32T, relax.Ints(left)...)}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{a}, relax.FuncOpts{})
	bb.BeginDataflow()
	w := relax.Expr(floatsOf(7, depth, columns))
	if rapid.Bool().Draw(t, "transposed") {
		w = must(bb.Emit(op.PermuteDims(floatsOf(7, columns, depth), 1, 0), "w"))
	}
	x := must(bb.Emit(op.Matmul(a, w, dtype.DType{}), "x"))
	y := must(bb.EmitOutput(op.Add(x, floatsOf(3, columns)), "y"))
	bb.EndDataflow()
	must(bb.EndFunction(y))
	return bb.Module()
}

// TestBlockMatmulWeightsKeepsMeaning multiplies random shapes, one row, none, and vectors among them.
func TestBlockMatmulWeightsKeepsMeaning(t *testing.T) {
	blocked, kept := 0, 0
	seed.Check(t, func(t *rapid.T) {
		m := constantProduct(t)
		p := must(transform.BlockMatmulWeights.With(ir.NewAttrs("block", rapid.SampledFrom([]int64{2, 4, 16}).Draw(t, "block"))))
		want := outputs(t, m, 2, false)
		out, _ := check(t, passtest.NewContext(), p, m)
		sameOutputs(t, want, outputs(t, out, 2, false))
		if strings.Contains(passtest.Text(out), "layout_transform") {
			blocked++
		} else {
			kept++
		}
	})
	if (blocked == 0 || kept == 0) && !testing.Short() { // few examples may have one of them only
		t.Errorf("%d products were brought into blocks, %d were not", blocked, kept)
	}
}

// TestBlockMatmulWeightsWhere lists what stays as it is, and why, and how wide blocks are.
func TestBlockMatmulWeightsWhere(t *testing.T) {
	const (
		row        = "one row is multiplied by a matrix that was transposed: its columns are read from end to end"
		square     = `R.const([[1, 2], [3, 4]], "%s")`
		eight      = `R.const([[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]], "%s")`
		transposed = `R.permute_dims(R.const([[1, 2], [3, 4]], "%s"))`
	)
	for _, c := range []struct{ left, right, dtype, want string }{
		{"(3, 2)", square, "float32", "i1 // 2"},
		{"(3, 2)", eight, "float32", "i1 // 2"},
		{"(1, 2)", eight, "float32", "i1 // 8"},
		{"(1, 1, 2)", eight, "float32", "i1 // 8"},
		{"(2,)", eight, "float32", "i1 // 8"},
		{`("n", 2)`, eight, "float32", "i1 // 2"},
		{"(1, 2)", square, "float32", "i1 // 2"},
		{"(3, 2)", transposed, "float32", "i1 // 2"},
		{"(1, 2)", transposed, "float32", row},
		{"(1, 1, 2)", transposed, "float32", row},
		{"(3, 2)", square, "float16", "its tensors are not of type float32"},
		{`(3, "n")`, square, "float32", "how many products are summed up is not known"},
		{"(3, 2)", `R.const([[1, 2, 3], [4, 5, 6]], "%s")`, "float32", "it has 3 columns, which blocks of 2 do not divide"},
		{"(3, 2)", `R.const([1, 2], "%s")`, "float32", "its right factor has 1 dimensions"},
		{"(3, 2)", `R.const([[[1, 2], [3, 4]]], "%s")`, "float32", "its right factor has 3 dimensions"},
		{"(2, 2)", "a", "float32", "its right factor is not constant: it would be brought into blocks at each inference"},
	} {
		t.Run(c.left+c.right+c.dtype, func(t *testing.T) {
			right := c.right
			if strings.Contains(right, "%s") {
				right = fmt.Sprintf(right, c.dtype)
			}
			m := read(t, fmt.Sprintf(`
@R.function
def main(a: R.Tensor(%s, %q)):
    with R.dataflow():
        w = %s
        c = R.matmul(a, w)
        R.output(c)
    return c
`, c.left, c.dtype, right))
			w := &why{}
			out, _ := check(t, passtest.NewContext(pass.Observe(w)), must(transform.BlockMatmulWeights.With(ir.NewAttrs("block", int64(2)))), m)
			got := strings.Join(w.reasons, "; ")
			if text := passtest.Text(out); got == "" && strings.Contains(text, c.want) {
				got = c.want
			}
			if got != c.want {
				t.Errorf("got %q, want %q:\n%s", got, c.want, passtest.Text(out))
			}
		})
	}
}

// transposedConv is main with a transposed convolution by constant weights, and what is added to it.
func transposedConv(t *rapid.T) *ir.Module {
	n := func(least, most int, what string) int64 { return int64(rapid.IntRange(least, most).Draw(t, what)) }
	channels, features := n(1, 5, "channels"), 2*n(1, 3, "features")
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, relax.Ints([]int64{n(0, 2, "batch"), channels, n(1, 5, "height"), n(1, 5, "width")})...)}
	kernel := []int64{n(1, 5, "kernel rows"), n(1, 5, "kernel columns")}
	strides := []int64{n(1, 3, "down"), n(1, 3, "right")}
	pads := make([]int64, 4)
	for i := range pads {
		pads[i] = min(n(0, 2, "pad"), (kernel[i%2]-1)/2)
	}
	more := []int64{n(0, int(strides[0])-1, "rows more"), n(0, int(strides[1])-1, "columns more")}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.BeginDataflow()
	conv := must(op.New("relax.nn.conv2d_transpose", []relax.Expr{x, floatsOf(5, channels, features, kernel[0], kernel[1])}, ir.NewAttrs(
		"strides", strides, "padding", pads, "output_padding", more)))
	y := must(bb.EmitOutput(op.Add(must(bb.Emit(conv, "c")), floatsOf(3, features, 1, 1)), "y"))
	bb.EndDataflow()
	must(bb.EndFunction(y))
	return bb.Module()
}

// TestSmallTransposedConvKeepsMeaning convolves random small images, none among them.
func TestSmallTransposedConvKeepsMeaning(t *testing.T) {
	products, kept := 0, 0
	seed.Check(t, func(t *rapid.T) {
		m := transposedConv(t)
		p := must(transform.BlockMatmulWeights.With(ir.NewAttrs("block", rapid.SampledFrom([]int64{2, 4}).Draw(t, "block"))))
		want := outputs(t, m, 2, false)
		out, _ := check(t, passtest.NewContext(), p, m)
		sameOutputs(t, want, outputs(t, out, 2, false))
		if strings.Contains(passtest.Text(out), "col2im") {
			products++
		} else {
			kept++
		}
	})
	if (products == 0 || kept == 0) && !testing.Short() { // few examples may have one of them only
		t.Errorf("%d convolutions became products, %d did not", products, kept)
	}
}

// TestSmallTransposedConvWhere lists what stays as it is, and why.
func TestSmallTransposedConvWhere(t *testing.T) {
	const (
		two  = `R.const([[[[1]], [[2]]]], "float32")`
		one  = `R.const([[[[1]]]], "float32")`
		half = `R.const([[[[1]], [[2]]]], "float16")`
	)
	for _, c := range []struct{ data, weights, attrs, want string }{
		{`(1, 1, 5, 1), "float32"`, two, "", ""},
		{`(1, 1, 5, 1), "float32"`, two, ", strides=[2]", ""},
		{`(1, 1, 3, 4), "float32"`, two, "", "rows of 4 pixels fill a vector"},
		{`(1, 1, 3, 3), "float32"`, one, "", "it has 1 output channels, which blocks of 4 do not divide"},
		{`(1, 1, 3, 3), "float16"`, half, "", "its tensors are not of type float32"},
		{`("n", 1, 3, 3), "float32"`, two, "", "the shape of its tensors is not known"},
		{`(1, 0, 3, 3), "float32"`, `R.zeros(R.shape([0, 4, 1, 1]), "float32")`, "", "its weights are not constant: they would be brought into blocks at each inference"},
		{`(0, 1, 3, 1), "float32"`, two, "", "a tensor is empty"},
		{`(1, 1, 3, 1), "float32"`, two, ", dilation=[2, 1]", "its windows have holes"},
		{`(1, 3, 3, 1), "float32"`, `R.const([[[[1]], [[2]]], [[[1]], [[2]]], [[[1]], [[2]]]], "float32")`, `, out_layout="NHWC"`, "its out_layout is NHWC, not NCHW"},
	} {
		block := int64(2)
		if strings.Contains(c.want, "blocks of 4") || strings.Contains(c.want, "fill") {
			block = 4
		}
		t.Run(c.data+c.weights+c.attrs, func(t *testing.T) {
			m := read(t, fmt.Sprintf(`
@R.function
def main(x: R.Tensor(%s)):
    with R.dataflow():
        c = R.nn.conv2d_transpose(x, %s%s)
        R.output(c)
    return c
`, c.data, c.weights, c.attrs))
			w := &why{}
			out, _ := check(t, passtest.NewContext(pass.Observe(w)), must(transform.BlockMatmulWeights.With(ir.NewAttrs("block", block))), m)
			if got := strings.Join(w.reasons, "; "); got != c.want || (got == "") != strings.Contains(passtest.Text(out), "col2im") {
				t.Errorf("the reason is %q, want %q:\n%s", got, c.want, passtest.Text(out))
			}
		})
	}
}
