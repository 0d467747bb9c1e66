package transform_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// The mutator on random functions: what changes nothing returns the same pointers, and what
// changes struct info or names leaves a function that is well formed and in normal form, with the
// input as it was.
func TestMutatorOnRandomFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mod := drawModule(t)
		f := mod.Lookup("main").(*relax.Function)
		before := passtest.Text(mod)
		mutate := func(set func(*relax.ExprMutator)) (*ir.Module, *relax.Function) {
			m := op.NewExprMutator(mod)
			set(m)
			out, err := m.Module()
			if err != nil {
				t.Fatal(err)
			}
			return out, out.Lookup("main").(*relax.Function)
		}
		if out, _ := mutate(func(m *relax.ExprMutator) { m.Expr, m.Binding, m.Block = m.VisitExpr, m.VisitBinding, m.VisitBlock }); out != mod {
			t.Fatal("a mutator that changes nothing changed the module")
		}
		one, renamed := mutate(func(m *relax.ExprMutator) {
			m.VarDef = func(v *relax.Var) *relax.Var { out := *v; return &out }
		})
		if !ir.StructuralEqual(f, renamed, ir.EqualOpts{MapFreeVars: true}) {
			t.Fatalf("with new variables it became\n%s", passtest.Text(one))
		}
		// Some calls are computed in float64, which all that follows has to take note of.
		k := rapid.IntRange(0, 5).Draw(t, "widened")
		wide, g := mutate(func(m *relax.ExprMutator) {
			n := 0
			m.Call = func(c *relax.Call) relax.Expr {
				if n++; n%6 != k {
					return sameTypes(c)
				}
				return op.AsType(m.Emit(sameTypes(c), "narrow"), dtype.Float64T)
			}
		})
		if n, err := op.NewBlockBuilder(wide).NormalizeFunction(g); err != nil || n != g {
			t.Fatalf("not in normal form: %v", err)
		}
		for _, d := range relax.WellFormed(wide, relax.VerifyOpts{Ops: op.Table(), SInfo: true}) {
			t.Errorf("not well formed: %s\n%s", d.Message, passtest.Text(wide))
		}
		if passtest.Text(mod) != before {
			t.Fatal("the input was mutated")
		}
	})
}

// sameTypes returns c with its floating-point operands in float32.
func sameTypes(c *relax.Call) relax.Expr {
	out := *c
	out.SInfo = nil
	out.Args = ir.MapSame(c.Args, func(a relax.Expr) relax.Expr {
		if info, ok := relax.SInfoOf(a).(*relax.TensorStructInfo); ok && info.DType == dtype.Float64T {
			return op.AsType(a, dtype.Float32T)
		}
		return a
	})
	if len(out.Args) == len(c.Args) && (len(c.Args) == 0 || &out.Args[0] == &c.Args[0]) {
		return c
	}
	return &out
}
