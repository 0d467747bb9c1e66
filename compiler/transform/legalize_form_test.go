package transform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

// TestCopiedKernels lowers calls that differ in a scalar together, so that kernels are copied, and each on its own: the kernels and what they come from are
// the same.
func TestCopiedKernels(t *testing.T) {
	var lines []string
	for _, op := range []string{"add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "less"} {
		for _, args := range []string{"x, $", "$, x", "y, $", "row, $", "half, $", "ints, $", "sym, $"} {
			for _, v := range []string{"0.0", "-0.0", "1.0", "2.0", "0.5", "1.5", "-3.0", "1e-30", "float(\"nan\")", "float(\"inf\")", "1.5"} {
				d := "float32"
				switch {
				case strings.HasPrefix(args, "half"):
					d = "float16"
				case strings.HasPrefix(args, "ints"):
					d, v = "int64", strings.NewReplacer("0.5", "7", "1e-30", "9", "float(\"nan\")", "11", "float(\"inf\")", "-1", ".0", "", "1.5", "3").Replace(v)
				}
				lines = append(lines, "R."+op+"("+strings.Replace(args, "$", fmt.Sprintf("R.const(%s, %q)", v, d), 1)+")")
			}
		}
	}
	for _, kernels := range []string{"topi", "tuned"} {
		p := must(transform.LegalizeOps.With(ir.NewAttrs("kernels", kernels)))
		together := kernelsOf(t, p, lines)
		if len(together) != len(lines) {
			t.Fatal(len(together), "calls of", len(lines))
		}
		for i, line := range lines {
			alone := kernelsOf(t, p, lines[i:i+1])[0]
			if !ir.StructuralEqual(together[i], alone, ir.EqualOpts{}) {
				t.Errorf("%s, kernels %s: lowered beside others\n%s\nalone\n%s", line, kernels, script.Node(together[i], script.Options{}), script.Node(alone, script.Options{}))
			}
		}
	}
}

// kernelsOf returns the kernels that a pass makes of values, which are bound in a function.
func kernelsOf(t *testing.T, p *pass.Pass, values []string) (out []*tir.PrimFunc) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`@R.function
def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32"), row: R.Tensor((1, 3), "float32"), half: R.Tensor((2, 3), "float16"), ints: R.Tensor((2, 3), "int64"), sym: R.Tensor(("n", 3), "float32")):
    n = T.int64()
    with R.dataflow():
`)
	for i, v := range values {
		fmt.Fprintf(&b, "        v%d = %s\n", i, v)
	}
	b.WriteString("        out = R.nn.relu(x)\n        R.output(out)\n    return out\n")
	m := runPass(t, passtest.NewContext(), p, read(t, b.String()))
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if call, ok := b.BoundValue().(*relax.Call); ok && b.Bound().Name != "out" {
			out = append(out, ir.MustLookup[*tir.PrimFunc](m, call.Args[0].(*ir.GlobalVar).Name))
		}
	})
	return out
}

// TestCopiedKernelsAreShared: a kernel that is copied is still found where it is equal to another one, of the module or of an operator before or
// behind it.
func TestCopiedKernelsAreShared(t *testing.T) {
	m := runPass(t, passtest.NewContext(), transform.LegalizeOps, read(t, `
@T.prim_func(private=True)
def own(x: T.Buffer((T.int64(4),), "float32"), y: T.Buffer((T.int64(4),), "float32")):
    T.func_attr({"tir.noalias": True})
    for i in range(T.int64(4)):
        with T.block("T_add"):
            v = T.axis.spatial(T.int64(4), i)
            T.reads(x[v])
            T.writes(y[v])
            y[v] = x[v] + T.float32(3.5)

@R.function
def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
    with R.dataflow():
        a = R.add(x, R.const(1.5, "float32"))
        b = R.add(x, R.const(2.5, "float32"))
        c = R.add(x, R.const(3.5, "float32"))
        d = R.add(y, R.const(2.5, "float32"))
        e = R.multiply(x, R.const(4.5, "float32"))
        f = R.multiply(x, R.const(2.5, "float32"))
        g = R.multiply(y, R.const(2.5, "float32"))
        h = R.add(x, R.const(2.5, "float32"))
        i = R.add(x, R.prim_value(T.float32(2.5)))
        out = (a, b, c, d, e, f, g, h, i)
        R.output(out)
    return out
`))
	var got []string
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if call, ok := b.BoundValue().(*relax.Call); ok {
			got = append(got, call.Args[0].(*ir.GlobalVar).Name)
		}
	})
	if want := []string{"add", "add1", "own", "add1", "multiply", "multiply1", "multiply1", "add1", "add1"}; !slices.Equal(got, want) {
		t.Errorf("the calls are of %v, want %v", got, want)
	}
}

// TestCopiedKernelsHaveOrigins: the loops and blocks of a copied kernel come from the call that it was copied for.
func TestCopiedKernelsHaveOrigins(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor((4,), "float32")):
    with R.dataflow():
        a = R.add(x, R.const(1.5, "float32"))
        b = R.add(x, R.const(2.5, "float32"))
        out = (a, b)
        R.output(out)
    return out
`)
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if vb, ok := b.(*relax.VarBinding); ok {
			vb.Origin = m.Origins().Add(ir.Origin{Pass: "import", Name: vb.Var.Name})
		}
	})
	m = runPass(t, passtest.NewContext(), transform.LegalizeOps, m)
	var seen []ir.OriginID
	for _, name := range []string{"add", "add1"} {
		f := ir.MustLookup[*tir.PrimFunc](m, name)
		places := 0
		ir.Walk(f.Body, func(n ir.Node) bool {
			switch n.(type) {
			case *tir.For, *tir.Block:
				places++
				if n.Meta().Origin != f.Origin {
					t.Errorf("%s: a %s is of origin %d, the kernel of %d", name, ir.TypeName(n), n.Meta().Origin, f.Origin)
				}
			}
			return true
		})
		if places < 2 || f.Origin == 0 || slices.Contains(seen, f.Origin) {
			t.Errorf("%s is of origin %d with %d loops and blocks, the kernels before of %v", name, f.Origin, places, seen)
		}
		seen = append(seen, f.Origin)
	}
}
