package transform_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"pgregory.net/rapid"
)

func TestToMixedPrecisionPairs(t *testing.T) {
	half := ir.NewAttrs("out_dtype", "float16")
	runPairs(t, transform.ToMixedPrecision,
		pair{name: "sums of float32, and what follows in float16", before: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.nn.relu(a)
        c = R.matmul(b, w)
        d = R.nn.softmax(c)
        R.output(d)
    return d
`, after: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        lv = R.astype(x, dtype="float16")
        lv1 = R.astype(w, dtype="float16")
        lv2 = R.matmul(lv, lv1, out_dtype="float32")
        a = R.astype(lv2, dtype="float16")
        b = R.nn.relu(a)
        lv3 = R.matmul(b, lv1, out_dtype="float32")
        c = R.astype(lv3, dtype="float16")
        lv4 = R.astype(c, dtype="float32")
        d = R.nn.softmax(lv4)
        R.output(d)
    return d
`},
		pair{name: "sums of float16, and a parameter", args: half.With("fp16_input_names", []string{"w"}), before: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.add(a, R.const(2.0, "float32"))
        R.output(b)
    return b
`, after: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float16")):
    with R.dataflow():
        lv = R.astype(x, dtype="float16")
        a = R.matmul(lv, w, out_dtype="float16")
        lv1 = R.astype(R.const(2.0, "float32"), dtype="float16")
        lv2 = R.add(a, lv1)
        b = R.astype(lv2, dtype="float32")
        R.output(b)
    return b
`},
		pair{name: "a constant that is too large", args: half, before: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.add(a, R.const(1e5, "float32"))
        R.output(b)
    return b
`, after: `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        lv = R.astype(x, dtype="float16")
        lv1 = R.astype(w, dtype="float16")
        a = R.matmul(lv, lv1, out_dtype="float16")
        lv2 = R.astype(a, dtype="float32")
        b = R.add(lv2, R.const(1e5, "float32"))
        R.output(b)
    return b
`},
		pair{name: "other types", before: `
@R.function
def main(x: R.Tensor((2, 4), "int8"), w: R.Tensor((4, 4), "int8"), y: R.Tensor((4, 4), "float64")):
    with R.dataflow():
        a = R.matmul(x, w, out_dtype="int32")
        b = R.matmul(y, y)
        R.output(a, b)
    return (a, b)
`},
		pair{name: "outside of dataflow blocks", before: `
@R.function
def main(x: R.Tensor((4, 4), "float32")):
    a = R.matmul(x, x)
    return a
`},
		pair{name: "unknown parameter", args: ir.NewAttrs("fp16_input_names", []string{"v"}), before: trivial, err: "fp16_input_names: no function has a parameter called v; there are x"},
		pair{name: "a parameter of another type", args: ir.NewAttrs("fp16_input_names", []string{"x"}), before: `
@R.function
def main(x: R.Tensor((4, 4), "int8")):
    return x
`, err: `fp16_input_names: parameter x of main is Tensor((4, 4), "int8"), want a tensor of float32`},
	)
	if _, err := transform.ToMixedPrecision.With(ir.NewAttrs("out_dtype", "int8")); err == nil {
		t.Error("out_dtype int8 was accepted")
	}
}

// drawPrecise returns a function of products, what follows them and what does not, in two dataflow blocks.
func drawPrecise(t *rapid.T) *ir.Module {
	pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	bb := op.NewBlockBuilder(nil)
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, relax.Ints([]int64{4, 4})...)}
	y := &relax.Var{Name: "y", SInfo: relax.TensorOf(dtype.Float32T, relax.Ints([]int64{4, 4})...)}
	bb.BeginFunction("main", []*relax.Var{x, y}, relax.FuncOpts{})
	vars := []*relax.Var{x, y}
	any := func() *relax.Var { return vars[pick(len(vars), "value")] }
	for range 2 {
		outer := len(vars)
		bb.BeginDataflow()
		for range 2 + pick(6, "steps") {
			emit := func(e relax.Expr) *relax.Var {
				if pick(4, "output") == 0 {
					return must(bb.EmitOutput(e, ""))
				}
				return must(bb.Emit(e, ""))
			}
			var v *relax.Var
			switch pick(10, "kind") {
			case 0, 1, 2:
				// Products are made small, so that float16 holds what follows.
				v = emit(op.Unary("tanh", emit(op.Matmul(any(), any(), dtype.Void))))
			case 3:
				v = emit(op.Add(any(), any()))
			case 4:
				v = emit(op.Softmax(any(), -1))
			case 5:
				v = emit(op.Multiply(any(), weight(uint64(pick(9, "weight")), 4, 4)))
			case 6:
				s := emit(must(op.New("relax.split", []relax.Expr{emit(op.Concat(0, any(), any()))}, ir.NewAttrs("indices_or_sections", int64(2), "axis", int64(0)))))
				v = emit(&relax.TupleGetItem{Tuple: s, Index: pick(2, "part")})
			case 7:
				v = emit(&relax.TupleGetItem{Tuple: emit(&relax.Tuple{Fields: []relax.Expr{any(), any()}}), Index: pick(2, "field")})
			case 8:
				v = emit(op.PermuteDims(any()))
			case 9:
				v = must(bb.EmitMatchCast(any(), relax.TensorOf(dtype.Float32T, relax.Ints([]int64{4, 4})...), ""))
			}
			vars = append(vars, v)
		}
		last := must(bb.EmitOutput(op.Unary("negative", any()), ""))
		bb.EndDataflow()
		kept := vars[:outer:outer]
		for _, v := range vars[outer:] {
			if !v.Dataflow {
				kept = append(kept, v)
			}
		}
		vars = append(kept, last, must(bb.Emit(op.Unary("tanh", last), "")))
	}
	must(bb.EndFunction(&relax.Tuple{Fields: []relax.Expr{vars[len(vars)-1], vars[len(vars)-2]}}))
	return bb.Module()
}

// TestToMixedPrecisionKeepsMeaning runs random functions before and after, which must agree as far as float16 is exact.
func TestToMixedPrecisionKeepsMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := drawPrecise(t)
		p := must(transform.ToMixedPrecision.With(ir.NewAttrs("out_dtype", rapid.SampledFrom([]string{"float32", "float16"}).Draw(t, "out"))))
		want := outputs(t, m, 2, false)
		out, _ := check(t, passtest.NewContext(), p, m)
		if d := roughlyDiffer(want, outputs(t, out, 2, false)); d != "" {
			t.Fatalf("%s: %s made\n%s\nof\n%s", d, p.Name, passtest.Text(out), passtest.Text(m))
		}
	})
}

// roughlyDiffer says where tensors differ by more than some roundings to float16 do.
func roughlyDiffer(want, got []*tensor.Tensor) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d results, want %d", len(got), len(want))
	}
	for i := range want {
		if want[i].DType != got[i].DType || want[i].Len() != got[i].Len() {
			return fmt.Sprintf("result %d is %s, want %s", i, got[i], want[i])
		}
		for k := range want[i].Len() {
			a, b := want[i].Float(k), got[i].Float(k)
			if math.Abs(a-b) > 0.03*(1+math.Abs(a)) {
				return fmt.Sprintf("element %d of result %d is %g, want %g", k, i, b, a)
			}
		}
	}
	return ""
}
