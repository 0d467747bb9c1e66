package transform_test

import (
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
)

func TestLazyTransformParamsPairs(t *testing.T) {
	const bundled = `
@R.function
def transform_params(params: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))):
    R.func_attr({"relax.force_pure": True})
    a = params[0]
    b = params[1]
    c = R.add(a, a)
    d = R.multiply(c, b)
    e = (c, d, a, R.const(1.0, "float32"), c)
    return e
`
	runPairs(t, transform.LazyTransformParams,
		pair{name: "fields of a tuple, constants, and a result in two places", before: bundled, after: `
@R.function(pure=False)
def transform_params() -> R.Tuple:
    gv: R.Object = R.call_packed("get_item", R.prim_value(0), sinfo_args=(R.Object,))
    gv1 = R.match_cast(gv, R.Tensor((4,), "float32"))
    a: R.Tensor((4,), "float32") = gv1
    gv2: R.Object = R.call_packed("get_item", R.prim_value(1), sinfo_args=(R.Object,))
    gv3 = R.match_cast(gv2, R.Tensor((4,), "float32"))
    b: R.Tensor((4,), "float32") = gv3
    c = R.add(a, a)
    _: R.Object = R.call_packed("set_item", R.prim_value(2), a, sinfo_args=(R.Object,))
    R.vm.kill_object(a)
    d = R.multiply(c, b)
    _1: R.Object = R.call_packed("set_item", R.prim_value(0), c, sinfo_args=(R.Object,))
    _2: R.Object = R.call_packed("set_item", R.prim_value(4), c, sinfo_args=(R.Object,))
    R.vm.kill_object(b)
    _3: R.Object = R.call_packed("set_item", R.prim_value(1), d, sinfo_args=(R.Object,))
    gv4: R.Tuple = R.tuple()
    _4: R.Object = R.call_packed("set_item", R.prim_value(3), R.const(1.0, "float32"), sinfo_args=(R.Object,))
    return gv4
`},
		pair{name: "results that are returned, and other names", before: bundled, args: ir.NewAttrs("fget_item", "load", "fset_item", "", "extra_get_item_params", []string{"loader"}), after: `
@R.function(pure=False)
def transform_params(loader: R.Object):
    gv: R.Object = R.call_packed("load", loader, R.prim_value(0), sinfo_args=(R.Object,))
    gv1 = R.match_cast(gv, R.Tensor((4,), "float32"))
    a: R.Tensor((4,), "float32") = gv1
    gv2: R.Object = R.call_packed("load", loader, R.prim_value(1), sinfo_args=(R.Object,))
    gv3 = R.match_cast(gv2, R.Tensor((4,), "float32"))
    b: R.Tensor((4,), "float32") = gv3
    c = R.add(a, a)
    d = R.multiply(c, b)
    e = (c, d, a, R.const(1.0, "float32"), c)
    return e
`},
		pair{name: "results that are returned since null names no function", before: bundled, args: ir.NewAttrs("fset_item", nil, "fget_item", nil), after: `
@R.function(pure=False)
def transform_params():
    gv: R.Object = R.call_packed("get_item", R.prim_value(0), sinfo_args=(R.Object,))
    gv1 = R.match_cast(gv, R.Tensor((4,), "float32"))
    a: R.Tensor((4,), "float32") = gv1
    gv2: R.Object = R.call_packed("get_item", R.prim_value(1), sinfo_args=(R.Object,))
    gv3 = R.match_cast(gv2, R.Tensor((4,), "float32"))
    b: R.Tensor((4,), "float32") = gv3
    c = R.add(a, a)
    d = R.multiply(c, b)
    e = (c, d, a, R.const(1.0, "float32"), c)
    return e
`},
		pair{name: "parameters, inputs, branches, and an extent that a later weight defines", before: `
@R.function
def main_transform_params(p: R.Tensor((), "bool"), s: R.Shape(["k"]), v: R.Tensor(("n",), "float32"), w: R.Tensor(("n",), "float32")):
    n = T.int64()
    k = T.int64()
    R.func_attr({"num_input": 1})
    z = R.zeros(R.shape([n]), "float32")
    if p:
        r = R.add(z, w)
    else:
        r = w
    return (r, p, z, v)
`, args: ir.NewAttrs("extra_set_item_params", []string{"setter"}), after: `
@R.function(pure=False)
def main_transform_params(p: R.Tensor((), "bool"), setter: R.Object, symbolic_var_holder: R.Shape(["k"])) -> R.Tuple:
    n = T.int64()
    k = T.int64()
    R.func_attr({"num_input": 1})
    gv1: R.Object = R.call_packed("get_item", R.prim_value(1), sinfo_args=(R.Object,))
    v = R.match_cast(gv1, R.Tensor((n,), "float32"))
    z = R.zeros(R.shape([n]), "float32")
    gv2: R.Object = R.call_packed("get_item", R.prim_value(2), sinfo_args=(R.Object,))
    w = R.match_cast(gv2, R.Tensor((n,), "float32"))
    if p:
        gv = R.add(z, w)
        r = gv
    else:
        r = w
    _: R.Object = R.call_packed("set_item", setter, R.prim_value(1), p, sinfo_args=(R.Object,))
    _1: R.Object = R.call_packed("set_item", setter, R.prim_value(2), z, sinfo_args=(R.Object,))
    _2: R.Object = R.call_packed("set_item", setter, R.prim_value(0), r, sinfo_args=(R.Object,))
    _3: R.Object = R.call_packed("set_item", setter, R.prim_value(3), v, sinfo_args=(R.Object,))
    gv3: R.Tuple = R.tuple()
    return gv3
`},
		pair{name: "all weights as they are", before: `
@R.function
def transform_params(params: R.Tuple(R.Tensor((4,), "float32"))):
    return params
`, after: `
@R.function(pure=False)
def transform_params() -> R.Tuple:
    gv: R.Object = R.call_packed("get_item", R.prim_value(0), sinfo_args=(R.Object,))
    gv1 = R.match_cast(gv, R.Tensor((4,), "float32"))
    lv: R.Tensor((4,), "float32") = gv1
    _: R.Object = R.call_packed("set_item", R.prim_value(0), lv, sinfo_args=(R.Object,))
    R.vm.kill_object(lv)
    gv2: R.Tuple = R.tuple()
    return gv2
`},
		pair{name: "other functions", before: `
@R.function
def main(x: R.Tensor((4,), "float32")):
    return (x, x)
`},
		pair{name: "one result", before: `
@R.function
def transform_params(x: R.Tensor((4,), "float32")):
    y = R.add(x, x)
    return y
`, err: "transform_params: expected a function that returns a tuple which it makes, to hand over its fields by set_item"},
		pair{name: "weights that are passed on", before: `
@R.function
def transform_params(params: R.Tuple(R.Tensor((4,), "float32"))):
    x = R.call_pure_packed("f", params, sinfo_args=(R.Object,))
    return (x,)
`, err: "transform_params: expected fields of the tuple params of weights, which is used as a whole"},
		pair{name: "no name", before: bundled, args: ir.NewAttrs("fget_item", ""), err: "fget_item: expected the name of a packed function, got an empty one"},
	)
}

// TestLazyTransformKeepsMeaning runs random functions before and after, with get_item and set_item replaced by what they stand for.
func TestLazyTransformKeepsMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := runPass(t, passtest.NewContext(), transform.ToNonDataflow, drawModule(t))
		main := ir.MustLookup[*relax.Function](m, "main")
		if _, ok := main.Body.Body.(*relax.Tuple); !ok {
			main = main.WithBody(main.Body.WithBody(&relax.Tuple{Fields: []relax.Expr{main.Body.Body, main.Body.Body}})).WithRet(nil)
		}
		n := rapid.IntRange(0, len(main.Params)-1).Draw(t, "num_input")
		main = must(op.NewBlockBuilder(m).NormalizeFunction(main.WithAttrs(main.Attrs.With("num_input", n))))
		m = m.With("main", main)
		inputs, err := graphrun.Inputs(main, 2, 7)
		if err != nil {
			t.Fatal(err)
		}
		want := outputs(t, m, 2, false)
		const name = "main_transform_params"
		lazy := m.With(name, relax.CopyFunction(main.WithAttrs(main.Attrs.With(ir.AttrGlobalSymbol, name))))
		c := passtest.NewContext(pass.OptLevel(3))
		lazy, _ = check(t, c, transform.LazyTransformParams, lazy)
		plain := m.With("main", eager(t, lazy, ir.MustLookup[*relax.Function](lazy, name), main, n))
		ready := runPass(t, c, transform.LegalizeOps, runPass(t, c, transform.DecomposeOps, plain))
		got, err := passtest.Outputs(ready, ir.MustLookup[*relax.Function](ready, "main"), inputs)
		if err != nil {
			t.Fatalf("%v in\n%s", err, passtest.Text(lazy))
		}
		sameOutputs(t, want, got)
	})
}

// eager returns f with the weights of from, behind the first n parameters, and the results in its signature again.
func eager(t passtest.Failer, m *ir.Module, f, from *relax.Function, n int) *relax.Function {
	results := map[int]relax.Expr{}
	mu := op.NewExprMutator(m)
	index := func(e relax.Expr) int { i, _ := tir.AsInt(e.(*relax.PrimValue).Value); return int(i) }
	mu.Call = func(c *relax.Call) relax.Expr {
		switch e, _ := c.Op.(*relax.ExternFunc); {
		case e != nil && e.Symbol == "get_item":
			return from.Params[n+index(c.Args[0])]
		case e != nil && e.Symbol == "set_item":
			results[index(c.Args[0])] = c.Args[1]
			return &relax.Tuple{}
		}
		return c
	}
	params := append(f.Params[:n:n], from.Params[n:]...) // f has no other parameters behind the inputs, and those are its own
	out, err := mu.Function(f.WithParams(params).WithRet(nil))
	if err != nil {
		t.Fatalf("%v", err)
	}
	list := &relax.Tuple{}
	for i := range len(results) {
		list.Fields = append(list.Fields, results[i])
	}
	out, err = op.NewBlockBuilder(m).NormalizeFunction(relax.CopyFunction(out.WithBody(out.Body.WithBody(list)).WithRet(nil).WithAttrs(from.Attrs)))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return out
}
