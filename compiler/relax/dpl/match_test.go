package dpl_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

const text = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, "n"), "float32")):
        n = T.int64()
        with R.dataflow():
            c = R.const([1.0, 2.0, 3.0, 4.0], "float32")
            a = R.add(x, c)
            m = R.matmul(a, w)
            t = (a, m)
            f = t[1]
            p = R.permute_dims(f, axes=[1, 0])
            k = R.call_tir(Module.kernel, (x,), out_sinfo=R.Tensor((2, 4), "float32"))
            d = R.subtract(x, x)
            h = R.reshape(x, R.shape([8]))
            q = R.divide(x, x)
            md = R.multiply(x, q)
            e = R.multiply(x, a)
            dm = R.divide(e, x)
            R.output(p, k, d, h, md, dm)
        return p

    @T.prim_func(private=True)
    def kernel(A: T.Buffer((2, 4), "float32"), B: T.Buffer((2, 4), "float32")):
        T.evaluate(0)
`

// read returns the values of the text's variables, and what inference asks.
func read(t *testing.T) (dpl.Bindings, map[string]relax.Expr, *relax.InferContext) {
	t.Helper()
	m, found := parse.Module("text.py", text, parse.Options{})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	f := ir.MustLookup[*relax.Function](m, "main")
	bound, byName := dpl.Bindings{}, map[string]relax.Expr{}
	for _, p := range f.Params {
		byName[p.Name] = p
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		bound[b.Bound()] = b.BoundValue()
		byName[b.Bound().Name] = b.Bound()
	})
	return bound, byName, op.NewBlockBuilder(m).Context()
}

func TestMatch(t *testing.T) {
	bound, vars, ctx := read(t)
	any := dpl.Wildcard
	same := dpl.Wildcard()
	add := func(a, b dpl.Pattern) dpl.Pattern { return dpl.Op("relax.add", a, b) }
	axes := func(list ...int64) *ir.Attrs { return ir.NewAttrs("axes", list) }
	for _, c := range []struct {
		name string
		p    dpl.Pattern
		of   string
		want bool
	}{
		{"anything", any(), "x", true},
		{"an operator", dpl.Op("relax.matmul", any(), any()), "m", true},
		{"another operator", dpl.Op("relax.add", any(), any()), "m", false},
		{"too few operands", dpl.Op("relax.matmul", any()), "m", false},
		{"more operands", dpl.OpVarArgs("relax.matmul", any()), "m", true},
		{"an operand that is bound", dpl.Op("relax.matmul", add(any(), any()), any()), "m", true},
		{"commutative", add(dpl.IsConst(), dpl.IsVar("x")), "a", true},
		{"not commutative", dpl.Op("relax.matmul", any(), add(any(), any())), "m", false},
		{"a field", dpl.GetItem(dpl.Tuple(any(), dpl.Op("relax.matmul", any(), any())), 1), "f", true},
		{"any field", dpl.GetItem(any(), -1), "f", true},
		{"another field", dpl.GetItem(any(), 0), "f", false},
		{"fields in order", dpl.Tuple(dpl.Op("relax.matmul", any(), any()), any()), "t", false},
		{"fields in any order", dpl.UnorderedTuple(dpl.Op("relax.matmul", any(), any()), add(any(), any())), "t", true},
		{"fields of one kind in any order", dpl.UnorderedTuple(add(any(), any()), add(any(), any())), "t", false},
		{"a variable", dpl.IsVar("x"), "x", true},
		{"a variable of another name", dpl.IsVar("y"), "x", false},
		{"a local variable", dpl.IsDataflowVar(""), "a", true},
		{"a parameter is not local", dpl.IsDataflowVar(""), "x", false},
		{"a constant", dpl.IsConst(), "c", true},
		{"no constant", dpl.IsConst(), "x", false},
		{"an attribute", dpl.HasAttrs(any(), axes(1, 0)), "p", true},
		{"another attribute", dpl.HasAttrs(any(), axes(0, 1)), "p", false},
		{"no such attribute", dpl.HasAttrs(any(), ir.NewAttrs("axis", 1)), "p", false},
		{"a shape", dpl.HasShape(any(), tir.Int(2), tir.Int(4)), "x", true},
		{"another shape", dpl.HasShape(any(), tir.Int(4), tir.Int(2)), "x", false},
		{"a symbolic shape", dpl.HasShape(any(), tir.Int(4), tir.Int(2)), "w", false},
		{"an element type", dpl.HasDType(any(), dtype.Float32T), "m", true},
		{"another element type", dpl.HasDType(any(), dtype.Int64T), "m", false},
		{"struct info", dpl.HasSInfo(any(), relax.TensorOfRank(dtype.Float32T, 2)), "m", true},
		{"narrower struct info", dpl.HasSInfo(any(), relax.StaticTensor(dtype.Float32T, 2, 3)), "m", false},
		{"one of two", dpl.Or(dpl.IsConst(), add(any(), any())), "a", true},
		{"none of two", dpl.Or(dpl.IsConst(), dpl.IsVar("y")), "a", false},
		{"both", dpl.And(dpl.HasDType(any(), dtype.Float32T), add(any(), any())), "a", true},
		{"not both", dpl.And(dpl.IsConst(), add(any(), any())), "a", false},
		{"not", dpl.Not(dpl.IsConst()), "a", true},
		{"not not", dpl.Not(add(any(), any())), "a", false},
		{"a kernel", dpl.CallTIR(dpl.IsGlobalVar("kern"), []dpl.Pattern{dpl.IsVar("x")}), "k", true},
		{"another kernel", dpl.CallTIR(dpl.IsGlobalVar("other"), nil), "k", false},
		{"a product for a quotient of it", dpl.Op("relax.divide", dpl.Op("relax.multiply", any(), any()), dpl.IsVar("x")), "md", true},
		{"a quotient for a product with it", dpl.Op("relax.multiply", dpl.IsVar("x"), dpl.Op("relax.divide", any(), any())), "dm", true},
		{"a quotient of another", dpl.Op("relax.multiply", any(), dpl.Op("relax.divide", dpl.IsConst(), any())), "dm", false},
		{"the same twice", dpl.Op("relax.subtract", same, same), "d", true},
		{"a shape expression", dpl.Op("relax.reshape", any(), dpl.IsShape(tir.Int(8))), "h", true},
		{"optional", dpl.Optional(dpl.IsVar("x"), func(p dpl.Pattern) dpl.Pattern { return add(p, any()) }), "a", true},
		{"optional, not there", dpl.Optional(dpl.IsVar("x"), func(p dpl.Pattern) dpl.Pattern { return add(p, any()) }), "x", true},
	} {
		if _, got := dpl.Match(c.p, vars[c.of], bound, ctx, nil); got != c.want {
			t.Errorf("%s matches %s: %v, want %v", c.name, c.of, got, c.want)
		}
	}
	if _, got := dpl.Match(dpl.Op("relax.matmul", same, same), vars["m"], bound, ctx, nil); got {
		t.Error("one pattern matches two values")
	}
}

// TestMatches looks at what the parts of a pattern matched: variables as they stand there, and nothing for the side of an Or that did not match.
func TestMatches(t *testing.T) {
	bound, vars, ctx := read(t)
	x, c := dpl.Wildcard(), dpl.IsConst()
	sum := dpl.Op("relax.add", c, x)
	left, right := dpl.Op("relax.matmul", dpl.Op("relax.exp", x), dpl.Wildcard()), dpl.Op("relax.matmul", sum, dpl.Wildcard())
	m, ok := dpl.Match(dpl.Or(left, right), vars["m"], bound, ctx, nil)
	if !ok || m[x] != vars["x"] || m[c] != vars["c"] || m[sum] != vars["a"] {
		t.Errorf("got %v, %v", m, ok)
	}
	if m.Has(left) || !m.Has(right) {
		t.Error("the wrong side of the Or counts")
	}
	if _, call := bound.Value(m[sum]).(*relax.Call); !call {
		t.Error("a variable is not looked through")
	}
}
