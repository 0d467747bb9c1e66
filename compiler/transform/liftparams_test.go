package transform_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

const twoUsers = `
@I.ir_module
class Module:
    @R.function
    def f(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.exp(w)
            b = R.matmul(x, a)
            c = R.sin(v)
            d = R.matmul(b, c)
            R.output(d)
        return d

    @R.function
    def g(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32"), u: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            c = R.exp(w)
            b = R.matmul(x, c)
            d = R.matmul(b, u)
            R.output(d)
        return d
`

func TestLiftTransformParamsPairs(t *testing.T) {
	shared := (&ir.Attrs{}).With("shared_transform", true)
	runPairs(t, transform.LiftTransformParams,
		pair{name: "what follows from nothing is computed twice, stop_lift_params stops", before: `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32"), v: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        o = R.ones((4,), "float32")
        a = R.add(w, o)
        b = R.add(x, o)
        s = R.builtin.stop_lift_params(a)
        c = R.exp(s)
        d = R.multiply(b, c)
        e = R.multiply(d, v)
        R.output(e)
    return e
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), v: R.Tensor((4,), "float32"), a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            o = R.ones((4,), "float32")
            b = R.add(x, o)
            c = R.exp(a)
            d = R.multiply(b, c)
            e = R.multiply(d, v)
            R.output(e)
        return e

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 0})
        with R.dataflow():
            o = R.ones((4,), "float32")
            w = model_params[0]
            a = R.add(w, o)
            v = model_params[1]
            output_tuple = (v, a)
            R.output(output_tuple)
        return output_tuple
`},
		pair{name: "the weight itself is the result, and weights are freed", opts: []pass.ContextOption{pass.Configure(map[string]any{"relax.lift_transform_params.consume_params": true})}, before: `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.exp(w)
        b = R.add(w, a)
        R.output(b)
    return (b, w)
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        return (b, w)

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), "float32"))):
        R.func_attr({"num_input": 0})
        with R.dataflow():
            w = model_params[0]
            _ = R.call_pure_packed("vm.builtin.tuple_reset_item", model_params, R.prim_value(T.int32(0)), sinfo_args=(R.Tuple([]),))
            a = R.exp(w)
            w1 = w
            b = R.add(w1, a)
            w2 = w
            output_tuple = (w2, b)
            R.output(output_tuple)
        return output_tuple
`},
		pair{name: "for two functions", args: shared, before: twoUsers, after: `
@I.ir_module
class Module:
    @R.function
    def f(x: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32"), a: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            b = R.matmul(x, a)
            c = R.sin(v)
            d = R.matmul(b, c)
            R.output(d)
        return d

    @R.function
    def g(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32"), u: R.Tensor((4, 4), "float32"), c: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            b = R.matmul(x, c)
            d = R.matmul(b, u)
            R.output(d)
        return d

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((4, 4), "float32"), R.Tensor((4, 4), "float32"))):
        R.func_attr({"num_input": 0})
        with R.dataflow():
            w = model_params[0]
            a = R.exp(w)
            v = model_params[1]
            output_tuple = (v, a)
            R.output(output_tuple)
        return output_tuple
`},
		pair{name: "a function that is not there", args: (&ir.Attrs{}).With("shared_transform", []ir.Value{"f", "h"}), before: twoUsers, err: "the module has no Relax function called h"},
		pair{name: "no weights", before: `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(w)
        b = R.add(x, a)
        R.output(b)
    return b
`},
	)
}

func TestSharedTransformTypes(t *testing.T) {
	for _, v := range []ir.Value{true, false, []ir.Value{}, []ir.Value{"f", "g"}} {
		if _, err := transform.LiftTransformParams.With(ir.NewAttrs("shared_transform", v)); err != nil {
			t.Error(err)
		}
	}
	for _, v := range []ir.Value{int64(3), "f", []ir.Value{int64(1)}} {
		_, err := transform.LiftTransformParams.With(ir.NewAttrs("shared_transform", v))
		if err == nil || !strings.Contains(err.Error(), "bool or list of str") {
			t.Errorf("%v is taken: %v", v, err)
		}
	}
}

// TestLiftedParamsKeepMeaning runs random functions whose weights were transformed, twice too: what is lifted again follows what was lifted.
func TestLiftedParamsKeepMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		if rapid.Bool().Draw(t, "products") {
			m = drawProducts(t)
		}
		main := ir.MustLookup[*relax.Function](m, "main")
		n := rapid.IntRange(0, len(main.Params)).Draw(t, "num_input")
		m = m.With("main", main.WithAttrs(main.Attrs.With("num_input", n)))
		inputs, err := graphrun.Inputs(main, 3, 7)
		if err != nil {
			t.Fatal(err)
		}
		want := outputs(t, m, 3, false)
		var args *ir.Attrs
		transformName := "main_transform_params"
		if rapid.Bool().Draw(t, "shared") {
			args, transformName = args.With("shared_transform", true), "transform_params"
		}
		p := must(transform.LiftTransformParams.With(args))
		out, _ := check(t, passtest.NewContext(), p, m)
		out, _ = check(t, passtest.NewContext(), p, out)
		ready := runPass(t, passtest.NewContext(), transform.LegalizeOps, runPass(t, passtest.NewContext(), transform.DecomposeOps, out))
		weights, err := graphrun.Run(context.Background(), ready, transformName, graphrun.Tuple(inputs[n:]))
		if err != nil {
			t.Fatalf("%v in\n%s", err, passtest.Text(out))
		}
		all := append(append([]graphrun.Value{}, inputs[:n]...), weights.(graphrun.Tuple)...)
		got, err := graphrun.Run(context.Background(), ready, "main", all...)
		if err != nil {
			t.Fatalf("%v in\n%s", err, passtest.Text(out))
		}
		sameOutputs(t, want, graphrun.Tensors(got))
	})
}
