package transform_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// example returns the passes of a script that comes with the program.
func example(tb testing.TB, name string) []*pass.Pass {
	tb.Helper()
	for _, e := range starpass.Examples() {
		if e.Name == name {
			p, err := starpass.Compile(name+".star", e.Source, starpass.Limits{})
			if err != nil {
				tb.Fatal(err)
			}
			return p.Passes()
		}
	}
	tb.Fatalf("there is no example %s", name)
	return nil
}

// applied runs a pass and verifies what holds for every pass but that it makes no constants.
func applied(tb passtest.Failer, c *pass.Context, p *pass.Pass, m *ir.Module) *ir.Module {
	tb.Helper()
	before := script.Module(m, script.Options{}).Source
	out := runPass(tb, c, p, m)
	if after := script.Module(m, script.Options{}).Source; after != before {
		tb.Errorf("%s changed its input:\n%s", p.Name, after)
	}
	passtest.WellFormed(tb, "after "+p.Name, out)
	if again := runPass(tb, c, p, out); again != out {
		tb.Errorf("a second run of %s changed the module:\n%s\nto:\n%s", p.Name, passtest.Changed(out, again), passtest.Changed(again, out))
	}
	return out
}

// TestScriptsKeepMeaning runs the passes of the scripts that come with the program on random
// functions and compares what main computes.
func TestScriptsKeepMeaning(t *testing.T) {
	passes := append(example(t, "collapse_if"), example(t, "fold_constant")...)
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		want := outputs(t, m, 2, false)
		c := passtest.NewContext()
		for _, p := range passes {
			m = applied(t, c, p, m)
			sameOutputs(t, want, outputs(t, m, 2, false))
		}
	})
}

// TestScriptRebuilds runs a mutator that makes every call and conditional anew on random
// functions, which must come out equal.
func TestScriptRebuilds(t *testing.T) {
	prog, err := starpass.Compile("rebuild.star", `
def call(self, n):
    n = self.visit_default(n)
    return relax.Call(n.op, n.args, n.attrs, n.sinfo_args)
def cond(self, n):
    n = self.visit_default(n)
    return relax.If(n.cond, n.true_branch, n.false_branch)
rebuild = function_pass(mutator({"Call": call, "If": cond}), opt_level=0, name="Rebuild")
`, starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		out := runPass(t, passtest.NewContext(), prog.Passes()[0], m)
		passtest.WellFormed(t, "after", out)
		if d := ir.FirstModuleMismatch(m, out, ir.EqualOpts{}); d != nil {
			t.Error(d)
		}
		if out.Lookup("main") == m.Lookup("main") {
			t.Error("nothing was made anew")
		}
	})
}

// TestCollapseIf gives the if collapser conditions and branches of which it knows, by
// chance, the result.
func TestCollapseIf(t *testing.T) {
	collapse := example(t, "collapse_if")[0]
	seed.Check(t, func(t *rapid.T) {
		b := newBuilder()
		x, c := f32in("x", 2, 3), boolIn("c")
		cond := rapid.SampledFrom([]relax.Expr{c, constBool(t, true), constBool(t, false)}).Draw(t, "condition")
		same := rapid.Bool().Draw(t, "equal branches")
		b.fn("main", vars(c, x), false, func() relax.Expr {
			v := b.cond(cond, "v", func() relax.Expr { return b.e(op.Relu(x), "") }, func() relax.Expr {
				if same {
					return b.e(op.Relu(x), "")
				}
				return b.e(op.Add(x, x), "")
			})
			return b.e(op.Multiply(v, v), "")
		})
		m := b.module()
		want := outputs(t, m, 2, false)
		out := applied(t, passtest.NewContext(), collapse, m)
		ifs := 0
		ir.Walk(out.Lookup("main"), func(n ir.Node) bool {
			if _, ok := n.(*relax.If); ok {
				ifs++
			}
			return true
		})
		if known := same || cond != relax.Expr(c); known != (ifs == 0) {
			t.Errorf("%d conditionals are left; condition %v, equal branches %v", ifs, cond, same)
		}
		sameOutputs(t, want, outputs(t, out, 2, false))
	})
}

func constBool(t *rapid.T, v bool) relax.Expr {
	data := []byte{0}
	if v {
		data[0] = 1
	}
	b, err := ir.NewBlob(dtype.BoolT, nil, data)
	if err != nil {
		t.Fatal(err)
	}
	return &relax.Constant{Data: b}
}

// TestFoldElementwiseAgrees folds expressions of constants alone by the script and by the
// compiler's own passes, and compares the constants.
func TestFoldElementwiseAgrees(t *testing.T) {
	fold := example(t, "fold_constant")[0]
	seed.Check(t, func(t *rapid.T) {
		b := newBuilder()
		x := f32in("x", 4)
		b.main(vars(x), func() relax.Expr {
			pool := []relax.Expr{weight(1, 4), weight(2, 4), weight(3, 4)}
			for range rapid.IntRange(1, 6).Draw(t, "operators") {
				u, v := rapid.SampledFrom(pool).Draw(t, "u"), rapid.SampledFrom(pool).Draw(t, "v")
				switch name := rapid.SampledFrom([]string{"add", "subtract", "multiply", "negative"}).Draw(t, "operator"); name {
				case "negative":
					pool = append(pool, b.e(op.Unary(name, u), ""))
				default:
					pool = append(pool, b.e(op.Binary(name, u, v), ""))
				}
			}
			return pool[len(pool)-1]
		})
		m := b.module()
		c := passtest.NewContext()
		ours := applied(t, c, fold, m)
		theirs, err := c.Run(pass.NewSequential("", transform.LegalizeOps, transform.FoldConstant), m)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := result(ours), result(theirs); got == "" || got != want {
			t.Errorf("the script makes %s, FoldConstant %s", got, want)
		}
	})
}

// result describes the constant that main yields.
func result(m *ir.Module) string {
	bound := map[*relax.Var]relax.Expr{}
	f := ir.MustLookup[*relax.Function](m, "main")
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { bound[b.Bound()] = b.BoundValue() })
	e := f.Body.Body
	for {
		v, ok := e.(*relax.Var)
		if !ok {
			break
		}
		e = bound[v]
	}
	if c, ok := e.(*relax.Constant); ok {
		return fmt.Sprint(c.Data.DType(), c.Data.Shape(), c.Data.Bytes())
	}
	return ""
}
