package transform_test

import (
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// mutant is a pass with a fault: after the pass has done its work, a wrong rewrite changes
// one place of a Relax function, or of a kernel.
type mutant struct {
	passtest.Fault
	pass *pass.Pass
}

// call rewrites calls of one operator.
func call(name string, rewrite func(c *relax.Call) relax.Expr) func(relax.Expr) relax.Expr {
	return func(e relax.Expr) relax.Expr {
		c, ok := e.(*relax.Call)
		if !ok {
			return e
		}
		if o, ok := c.Op.(*ir.Op); !ok || o.Name != name {
			return e
		}
		if out := rewrite(c); out != nil {
			return out
		}
		return e
	}
}

// sameInfo tells whether two expressions have the same type.
func sameInfo(a, b relax.Expr) bool {
	x, y := relax.SInfoOf(a), relax.SInfoOf(b)
	return x != nil && y != nil && ir.StructuralEqual(x, y, ir.EqualOpts{})
}

func swapped(c *relax.Call) relax.Expr {
	if len(c.Args) < 2 || c.Args[0] == c.Args[1] || !sameInfo(c.Args[0], c.Args[1]) {
		return nil
	}
	return c.WithArgs(append([]relax.Expr{c.Args[1], c.Args[0]}, c.Args[2:]...))
}

func mutants() []mutant {
	tuple := func(e relax.Expr) relax.Expr {
		t, ok := e.(*relax.Tuple)
		if !ok || len(t.Fields) < 2 || t.Fields[0] == t.Fields[1] || !sameInfo(t.Fields[0], t.Fields[1]) {
			return e
		}
		return t.WithFields(append([]relax.Expr{t.Fields[1], t.Fields[0]}, t.Fields[2:]...))
	}
	minus := func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpAdd && e.DType().IsFloat() {
			return &tir.Binary{Op: tir.OpSub, A: b.A, B: b.B}
		}
		return e
	}
	list := []struct {
		name   string
		pass   *pass.Pass
		graph  func(relax.Expr) relax.Expr
		kernel func(tir.Expr) tir.Expr
	}{
		{name: "operands are swapped", pass: transform.CanonicalizeBindings, graph: call("relax.subtract", swapped)},
		{name: "an operator is dropped", pass: transform.DeadCodeElimination, graph: call("relax.nn.relu", func(c *relax.Call) relax.Expr { return c.Args[0] })},
		{name: "an operator is taken for another", pass: transform.EliminateCommonSubexpr, graph: call("relax.add", func(c *relax.Call) relax.Expr {
			out := *c
			out.Op = op.Unary("negative", c.Args[0]).Op
			if !sameInfo(c.Args[0], c) {
				return nil
			}
			out.Args = c.Args[:1]
			return &out
		})},
		{name: "an operand is used twice", pass: transform.EliminateCommonSubexpr, graph: call("relax.multiply", func(c *relax.Call) relax.Expr {
			if c.Args[0] == c.Args[1] || !sameInfo(c.Args[0], c.Args[1]) {
				return nil
			}
			return c.WithArgs([]relax.Expr{c.Args[0], c.Args[0]})
		})},
		{name: "one branch is taken for the other", pass: transform.CanonicalizeBindings, graph: func(e relax.Expr) relax.Expr {
			if x, ok := e.(*relax.If); ok {
				return x.WithThen(x.Else).WithElse(x.Then)
			}
			return e
		}},
		{name: "results are swapped", pass: transform.DeadCodeElimination, graph: tuple},
		{name: "a kernel adds the wrong way", pass: tunedLegalizeOps, kernel: minus},
		{name: "a fused kernel adds the wrong way", pass: transform.FuseTIR, kernel: minus},
		{name: "a kernel takes the smaller", pass: tunedLegalizeOps, kernel: func(e tir.Expr) tir.Expr {
			if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpMax {
				return &tir.Binary{Op: tir.OpMin, A: b.A, B: b.B}
			}
			return e
		}},
		{name: "arguments of a kernel are swapped", pass: transform.FoldConstant, graph: call("relax.call_tir", func(c *relax.Call) relax.Expr {
			t, ok := c.Args[1].(*relax.Tuple)
			if !ok {
				return nil
			}
			args := tuple(t)
			if args == relax.Expr(t) {
				return nil
			}
			return c.WithArgs(append([]relax.Expr{c.Args[0], args}, c.Args[2:]...))
		})},
	}
	var out []mutant
	for _, x := range list {
		out = append(out, mutant{passtest.Fault{Name: x.name, Graph: x.graph, Expr: x.kernel}, x.pass})
	}
	return out
}

// seed returns the lowering with the fault, which is made once.
func (m mutant) seed(skip int) []*pass.Pass {
	list := slices.Clone(lowering)
	i := slices.Index(list, m.pass)
	list[i] = passtest.Wrong(m.pass, func(mod *ir.Module) *ir.Module { return m.Change(mod, skip) })
	return list
}

// wrongAfter tells whether the first passes of a list make of m what is not well formed or
// computes something else.
func wrongAfter(passes []*pass.Pass, m *ir.Module) bool {
	return passtest.Objections(func(t passtest.Failer) {
		want := outputs(t, m, 2, false)
		c, legalized := passtest.NewContext(), false
		for _, p := range passes {
			m = runPass(t, c, p, m)
			legalized = legalized || p.Name == transform.LegalizeOps.Name
		}
		passtest.WellFormed(t, "prefix", m)
		sameOutputs(t, want, outputs(t, m, 2, legalized))
	}) != ""
}

// TestMutants makes one fault after the other in a pass. The checks that all passes go through
// must object after that pass, and a search over prefixes of the lowering must name it.
func TestMutants(t *testing.T) {
	seed.Nightly(t)
	const modules = 300
	draw := rapid.Custom(drawModule)
	for _, m := range mutants() {
		t.Run(m.Name, func(t *testing.T) {
			for seed := range modules {
				start := draw.Example(seed)
				now := ""
				said := passtest.Objections(func(o passtest.Failer) {
					mod := start
					want := outputs(o, mod, 2, false)
					c, legalized := passtest.NewContext(), false
					for _, p := range m.seed(seed % 4) {
						now = p.Name
						mod, _ = check(o, c, p, mod)
						legalized = legalized || p.Name == transform.LegalizeOps.Name
						sameOutputs(o, want, outputs(o, mod, 2, legalized))
						if o.Failed() || now == m.pass.Name {
							return
						}
					}
				})
				if said == "" {
					continue // it does not apply, or does no harm here
				}
				if now != m.pass.Name {
					t.Fatalf("module %d: the checks object after %s: %s", seed, now, said)
				}
				if !wrongAfter(m.seed(seed%4), start) {
					continue // a later pass took what was wrong away
				}
				first := sort.Search(len(lowering)-1, func(i int) bool { return wrongAfter(m.seed(seed % 4)[:i+1], start) })
				if got := lowering[first].Name; got != m.pass.Name {
					t.Fatalf("module %d: the search names %s, not %s: %s", seed, got, m.pass.Name, said)
				}
				t.Logf("found by module %d: %.200s", seed, said)
				return
			}
			t.Errorf("never found in %d modules", modules)
		})
	}
}
