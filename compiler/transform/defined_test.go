package transform_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/op/optest"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

// scaled are operators of a program: one whose rule makes a kernel, and one that is said with it and an operator of the table.
func scaled(t *testing.T) []*op.Op {
	t.Helper()
	same := func(_ *relax.Call, c *op.InferContext) (relax.StructInfo, error) {
		x, err := c.Tensor(0)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	scale := must(op.Define(op.Op{
		Name: "relax.my.scale", Args: []op.Arg{{Name: "x", Doc: "The tensor."}},
		Attrs: []op.Attr{{Name: "by", Type: op.FloatAttr, Default: 2.0, Doc: "The factor."}},
		Infer: same, Pattern: op.ElemWise, Doc: "Multiplies by a number.",
		Legalize: func(bb *relax.BlockBuilder, call *relax.Call) (relax.Expr, error) {
			info := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
			d, ok := info.StaticDims()
			if !ok {
				return call, nil // without extents there is no kernel
			}
			x := te.Placeholder("x", info.DType, relax.Ints(d)...)
			y := te.Compute("y", relax.Ints(d), func(i []tir.Expr) tir.Expr {
				return tir.Mul(x.At(i...), &tir.FloatImm{Type: info.DType, Value: call.Attrs.Float("by", 2)})
			})
			f, err := te.CreatePrimFunc([]*te.Tensor{x, y}, te.FuncOpts{})
			if err != nil {
				return nil, err
			}
			return op.CallTIR(bb.AddFunc("scale", f), call.Args, []relax.StructInfo{info}), nil
		},
	}))
	both := must(op.Define(op.Op{
		Name: "relax.my.plus_scaled", Args: []op.Arg{{Name: "x", Doc: "The tensor."}}, Infer: same, Doc: "Adds three times the tensor to it.",
		Legalize: func(bb *relax.BlockBuilder, call *relax.Call) (relax.Expr, error) {
			three := must(scale.Call(call.Args, ir.NewAttrs("by", 3.0)))
			y, err := bb.Emit(three, "")
			if err != nil {
				return nil, err
			}
			return op.Add(call.Args[0], y), nil
		},
	}))
	loud := must(op.Define(op.Op{
		Name: "relax.my.shout", Args: []op.Arg{{Name: "x", Doc: "The tensor."}}, Infer: same, Impure: true, Doc: "Says something.",
	}))
	return []*op.Op{scale, both, loud}
}

func readDefined(t *testing.T, text string, ops []*op.Op) *ir.Module {
	t.Helper()
	m, found := parse.Module("defined.py", text, parse.Options{Operators: ops})
	for _, d := range found {
		t.Fatalf("%s\n%s", d.Format(), text)
	}
	return m
}

const scaledText = `@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    with R.dataflow():
        a = R.my.scale(x, by=0.5)
        b = R.my.plus_scaled(a)
        c = R.my.scale(b)
        d = R.my.scale(a, by=0.5)
        unused = R.my.scale(x)
        e = R.add(c, d)
        R.output(e)
    return e
`

func TestDefinedOperators(t *testing.T) {
	ops := scaled(t)
	g := optest.New(1)
	for _, o := range ops {
		optest.Documented(t, o)
		if n := g.Inferred(t, o, 500); n < 100 {
			t.Errorf("%s takes %d of 500 calls", o.Name, n)
		}
	}
	m := readDefined(t, scaledText, ops)
	passtest.WellFormed(t, "as it is read", m)
	if again := readDefined(t, passtest.Text(m), ops); !ir.StructuralEqualModule(m, again, ir.EqualOpts{}) {
		t.Fatalf("read back:\n%s", passtest.Text(again))
	}
	c := passtest.NewContext()
	m = runPass(t, c, transform.DeadCodeElimination, m)
	if text := passtest.Text(m); strings.Contains(text, "unused") {
		t.Errorf("a pure operator that nobody uses stays in\n%s", text)
	}
	m = runPass(t, c, transform.LegalizeOps, m)
	if text := passtest.Text(m); strings.Contains(text, "R.my.") || strings.Count(text, "def scale") != 3 {
		t.Errorf("expected a kernel of each of three factors in\n%s", text)
	}
	x := tensor.MustNew(ir.MustLookup[*relax.Function](m, "main").Params[0].SInfo.(*relax.TensorStructInfo).DType, 2, 3)
	for i := range x.Len() {
		x.SetFloat(i, float64(i)-2)
	}
	v, err := graphrun.Run(context.Background(), m, "main", x)
	if err != nil {
		t.Fatal(err)
	}
	y := graphrun.Tensors(v)[0]
	for i := range y.Len() {
		if want := x.Float(i) * (0.5*4*2 + 0.25); y.Float(i) != want {
			t.Errorf("element %d is %v, want %v", i, y.Float(i), want)
		}
	}
}

// TestDefinedOperatorsWithEffects: what shouts stays, and is no part of a dataflow block.
func TestDefinedOperatorsWithEffects(t *testing.T) {
	ops := scaled(t)
	m := readDefined(t, "@R.function(pure=False)\ndef main(x: R.Tensor((2,), \"float32\")):\n    a = R.my.shout(x)\n    return x\n", ops)
	if out := runPass(t, passtest.NewContext(), transform.DeadCodeElimination, m); out != m {
		t.Errorf("dropped from\n%s", passtest.Text(out))
	}
}

// TestLegalizeOpsWith puts rules in the place of those of the table.
func TestLegalizeOpsWith(t *testing.T) {
	m := read(t, `@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.nn.relu(x)
        b = R.tanh(a)
        R.output(b)
    return b
`)
	rules := map[string]op.LegalizeFunc{"relax.nn.relu": func(_ *relax.BlockBuilder, call *relax.Call) (relax.Expr, error) {
		return op.Unary("abs", call.Args[0]), nil
	}}
	out := runPass(t, passtest.NewContext(), transform.LegalizeOpsWith(rules), m)
	if text := passtest.Text(out); strings.Contains(text, "relu") || !strings.Contains(text, "def abs") || !strings.Contains(text, "def tanh") {
		t.Errorf("got\n%s", text)
	}
	for name, f := range map[string]op.LegalizeFunc{
		"main: b: relax.tanh: no kernel today": func(*relax.BlockBuilder, *relax.Call) (relax.Expr, error) { return nil, errors.New("no kernel today") },
		"100 times within each other": func(_ *relax.BlockBuilder, c *relax.Call) (relax.Expr, error) {
			return op.Unary("tanh", c.Args[0]), nil
		},
	} {
		_, err := passtest.NewContext().Run(transform.LegalizeOpsWith(map[string]op.LegalizeFunc{"relax.tanh": f}), m)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

func TestDefineRefuses(t *testing.T) {
	infer := func(*relax.Call, *op.InferContext) (relax.StructInfo, error) { return relax.Object(), nil }
	for want, o := range map[string]op.Op{
		`operator "twice": expected a name like relax.twice`:                              {Name: "twice", Infer: infer},
		"operator relax.add: there is one of that name already":                           {Name: "relax.add", Infer: infer},
		"operator relax.a: it has no Infer, which says what its result is":                {Name: "relax.a"},
		`operator relax.a: the name "x" of attribute 0 is empty or taken`:                 {Name: "relax.a", Infer: infer, Args: []op.Arg{{Name: "x"}}, Attrs: []op.Attr{{Name: "x"}}},
		"operator relax.a: the default of attribute n is \"one\", expected an integer":    {Name: "relax.a", Infer: infer, Attrs: []op.Attr{{Name: "n", Default: "one"}}},
		"operator relax.a: argument y stands behind an optional one, but is not optional": {Name: "relax.a", Infer: infer, Args: []op.Arg{{Name: "x", Optional: true}, {Name: "y"}}},
	} {
		if _, err := op.Define(o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
