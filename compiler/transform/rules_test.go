package transform_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func TestRemoveRedundantReshapePairs(t *testing.T) {
	runPairs(t, transform.RemoveRedundantReshape,
		pair{name: "back to where it was, with a symbolic extent", before: `
@R.function
def main(x: R.Tensor(("n", 6), "float32")) -> R.Tensor(("n", 6), "float32"):
    n = T.int64()
    a = R.reshape(x, R.shape([n * 6]))
    b = R.reshape(a, R.shape([n, 2, 3]))
    c = R.reshape(b, R.shape([n, 6]))
    d = R.exp(c)
    return d
`, after: `
@R.function
def main(x: R.Tensor(("n", 6), "float32")) -> R.Tensor(("n", 6), "float32"):
    n = T.int64()
    d = R.exp(x)
    return d
`},
		pair{name: "the one between is used too", before: `
@R.function
def main(x: R.Tensor((2, 6), "float32")):
    with R.dataflow():
        a = R.reshape(x, R.shape([12]))
        b = R.reshape(a, R.shape([3, 4]))
        R.output(a, b)
    return (a, b)
`, after: `
@R.function
def main(x: R.Tensor((2, 6), "float32")):
    with R.dataflow():
        a = R.reshape(x, R.shape([12]))
        b = R.reshape(x, R.shape([3, 4]))
        R.output(a, b)
    return (a, b)
`},
		pair{name: "a reshape", before: `
@R.function
def main(x: R.Tensor((2, 6), "float32")):
    a = R.reshape(x, R.shape([12]))
    return a
`},
	)
}

func TestOptimizeLayoutTransformPairs(t *testing.T) {
	runPairs(t, transform.OptimizeLayoutTransform,
		pair{name: "there and back", before: `
@R.function
def main(x: R.Tensor((16,), "float32")):
    with R.dataflow():
        a = R.layout_transform(x, index_map=lambda i: (i // 4, i % 4))
        b = R.layout_transform(a, index_map=lambda i, j: (i * 4 + j,))
        c = R.exp(b)
        R.output(c)
    return c
`, after: `
@R.function
def main(x: R.Tensor((16,), "float32")):
    with R.dataflow():
        c = R.exp(x)
        R.output(c)
    return c
`},
		pair{name: "of one shape, but another order", before: `
@R.function
def main(x: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.layout_transform(x, index_map=lambda i, j: (j, i))
        b = R.layout_transform(a, index_map=lambda i, j: (i, j))
        R.output(b)
    return b
`},
	)
}

const normed = `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        w = R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32")
        a = R.nn.conv2d(x, w)
        b = R.nn.batch_norm(a, R.const([2.0, 3.0], "float32"), R.const([1.0, -1.0], "float32"), R.const([0.5, 1.5], "float32"), R.const([4.0, 9.0], "float32"), axis=1)
        c = b[0]
        R.output(c)
    return c
`

func TestFoldBatchnormToConv2DPairs(t *testing.T) {
	runPairs(t, transform.FoldBatchnormToConv2D,
		pair{name: "constants", before: normed, after: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        w = R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32")
        lv = R.add(R.const([4.0, 9.0], "float32"), R.const(1e-5, "float32"))
        lv1 = R.sqrt(lv)
        lv2 = R.divide(R.const([2.0, 3.0], "float32"), lv1)
        lv3 = R.reshape(lv2, R.shape([2, 1, 1, 1]))
        lv4 = R.multiply(w, lv3)
        lv5 = R.nn.conv2d(x, lv4)
        lv6 = R.multiply(R.const([0.5, 1.5], "float32"), lv2)
        lv7 = R.subtract(R.const([1.0, -1.0], "float32"), lv6)
        lv8 = R.reshape(lv7, R.shape([1, 2, 1, 1]))
        c = R.add(lv5, lv8)
        R.output(c)
    return c
`},
		pair{name: "parameters that are not constant", before: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), g: R.Tensor((2,), "float32")):
    with R.dataflow():
        w = R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32")
        a = R.nn.conv2d(x, w)
        b = R.nn.batch_norm(a, g, g, g, g, axis=1)
        c = b[0]
        R.output(c)
    return c
`},
	)
}

// drawRules returns a function of reshapes, layouts there and back, and normalized convolutions.
func drawRules(t *rapid.T) *ir.Module {
	pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	bb := op.NewBlockBuilder(nil)
	n := tir.Expr(tir.Int(2))
	if pick(2, "symbolic") == 1 {
		n = tir.NewVar("n", dtype.Int64T)
	}
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, n, tir.Int(2), tir.Int(4), tir.Int(4))}
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	emit := func(e relax.Expr) *relax.Var { return must(bb.Emit(e, "")) }
	v := x
	for range 2 + pick(6, "steps") {
		switch dims := v.SInfo.(*relax.TensorStructInfo); {
		case dims.NDim == 4 && pick(2, "conv") == 1:
			p := func(i int) *relax.Constant { return weight(uint64(100*i+pick(50, "weight")), 2) }
			layout := []string{"OIHW", "IOHW"}[pick(2, "layout")]
			conv := op.Conv2D(v, weight(uint64(pick(50, "kernel")), 2, 2, 3, 3), op.Conv2DAttrs{Padding: []int64{1}})
			conv.Attrs = conv.Attrs.With("kernel_layout", layout)
			variance := emit(op.Multiply(p(4), p(4)))
			norm := op.BatchNorm(emit(conv), p(1), p(2), p(3), variance, 1, 1e-2)
			if pick(3, "constant") > 0 {
				norm = op.BatchNorm(emit(conv), p(1), p(2), p(3), positive(2), 1, 1e-2)
			}
			norm.Attrs = norm.Attrs.With("scale", pick(2, "scale") == 1).With("center", pick(2, "center") == 1)
			v = emit(&relax.TupleGetItem{Tuple: emit(norm), Index: 0})
		case dims.NDim == 4 && pick(2, "join") == 1:
			v = emit(op.Reshape(v, n, tir.Int(32)))
		case dims.NDim == 4:
			i, j, k, l := index("i"), index("j"), index("k"), index("l")
			final := [][]tir.Expr{{i, j, l, k}, {i, j, k, l}}[pick(2, "map")]
			v = emit(must(op.New(opLayout, []relax.Expr{v}, ir.NewAttrs("index_map", &tir.IndexMap{Initial: []*tir.Var{i, j, k, l}, Final: final}))))
		default:
			v = emit(op.Reshape(v, n, tir.Int(2), tir.Int(4), tir.Int(4)))
		}
	}
	must(bb.EndFunction(v))
	return bb.Module()
}

const opLayout = "relax.layout_transform"

func index(name string) *tir.Var { return tir.NewVar(name, dtype.Int64T) }

// positive returns n positive numbers.
func positive(n int64) *relax.Constant {
	x := tensor.MustNew(dtype.Float32T, n)
	for i := range int(n) {
		x.SetFloat(i, float64(i)+0.5)
	}
	return &relax.Constant{Data: must(ir.NewBlob(dtype.Float32T, []int64{n}, x.Data))}
}

func TestRulesKeepMeaning(t *testing.T) {
	passes := []*pass.Pass{transform.RemoveRedundantReshape, transform.OptimizeLayoutTransform, transform.FoldBatchnormToConv2D}
	seed.Check(t, func(t *rapid.T) {
		m := drawRules(t)
		want := outputs(t, m, 2, false)
		for _, p := range passes {
			out, _ := check(t, passtest.NewContext(), p, m)
			if d := differInSums(outputs(t, out, 2, false), want); d != "" {
				t.Fatalf("%s: %s made\n%s\nof\n%s", d, p.Name, passtest.Text(out), passtest.Text(m))
			}
			m = out
		}
	})
}

func TestDecomposeOpsForTrainingPairs(t *testing.T) {
	runPairs(t, transform.DecomposeOpsForTraining,
		pair{name: "layer_norm", before: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), g: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
    y = R.nn.layer_norm(x, g, b, axes=[-1])
    return y
`, after: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), g: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
    gv = R.mean(x, axis=[-1], keepdims=True)
    gv1 = R.subtract(x, gv)
    gv2 = R.variance(x, axis=[-1], keepdims=True)
    gv3 = R.add(gv2, R.const(1e-5, "float32"))
    gv4 = R.sqrt(gv3)
    gv5 = R.divide(gv1, gv4)
    gv6 = R.multiply(gv5, g)
    y = R.add(gv6, b)
    return y
`},
		pair{name: "another function", args: (&ir.Attrs{}).With("func_name", "other"), before: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), g: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
    y = R.nn.layer_norm(x, g, b, axes=[-1])
    return y
`},
		pair{name: "an unknown rank", before: `
@R.function
def main(x: R.Tensor(dtype="float32"), g: R.Tensor((4,), "float32")):
    y = R.nn.layer_norm(x, g, g, axes=[-1])
    return y
`, err: "relax.nn.layer_norm of a tensor of unknown rank or element type: Tensor(ndim=?, \"float32\")"},
	)
}

// TestBatchNormTraining compares a batch_norm in training with plain loops.
func TestBatchNormTraining(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor((3, 2, 5), "float32"), g: R.Tensor((2,), "float32"), b: R.Tensor((2,), "float32"), m: R.Tensor((2,), "float32"), v: R.Tensor((2,), "float32")):
    y = R.nn.batch_norm(x, g, b, m, v, axis=1, epsilon=0.01, momentum=0.25)
    return y
`)
	args, err := graphrun.Inputs(ir.MustLookup[*relax.Function](m, "main"), 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	in := make([]*tensor.Tensor, len(args))
	for i, a := range args {
		in[i] = a.(*tensor.Tensor)
	}
	out, _ := check(t, passtest.NewContext(), transform.DecomposeOpsForTraining, m)
	got := outputs(t, out, 1, false)
	for c := range 2 {
		var sum, squares float64
		at := func(n, i int) int { return (n*2+c)*5 + i }
		for n := range 3 {
			for i := range 5 {
				sum += in[0].Float(at(n, i))
			}
		}
		mean := sum / 15
		for n := range 3 {
			for i := range 5 {
				squares += math.Pow(in[0].Float(at(n, i))-mean, 2)
			}
		}
		variance := squares / 15
		for i, want := range []float64{
			(in[0].Float(at(1, 3))-mean)/math.Sqrt(variance+0.01)*in[1].Float(c) + in[2].Float(c),
			0.75*in[3].Float(c) + 0.25*mean,
			0.75*in[4].Float(c) + 0.25*variance,
		} {
			place := c
			if i == 0 {
				place = at(1, 3)
			}
			if have := got[i].Float(place); math.Abs(have-want) > 1e-5 {
				t.Errorf("channel %d, result %d: %v, want %v", c, i, have, want)
			}
		}
	}
}
