package transform_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// mutant is a pass with a mistake: after the pass has done its work, a wrong rewrite changes
// one place of a Relax function, or of a kernel.
type mutant struct {
	name   string
	pass   *pass.Pass
	graph  func(relax.Expr) relax.Expr // returns what it was given where it does not apply
	kernel func(tir.Expr) tir.Expr
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
	return []mutant{
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
		{name: "a kernel adds the wrong way", pass: transform.LegalizeOps, kernel: minus},
		{name: "a fused kernel adds the wrong way", pass: transform.FuseTIR, kernel: minus},
		{name: "a kernel takes the smaller", pass: transform.LegalizeOps, kernel: func(e tir.Expr) tir.Expr {
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
}

// change applies the mistake at one place of a module, after passing over some where it would
// apply too.
func (m mutant) change(mod *ir.Module, skip int) (*ir.Module, bool) {
	done := false
	here := func(changed bool) bool {
		if !changed || done {
			return false
		}
		skip--
		done = skip < 0
		return done
	}
	for gv, fn := range mod.Funcs() {
		switch f := fn.(type) {
		case *relax.Function:
			if m.graph == nil {
				continue
			}
			r := &relax.Mapper{}
			r.Expr = func(e relax.Expr) relax.Expr {
				e = r.MapExpr(e)
				if out := m.graph(e); here(out != e) {
					return out
				}
				return e
			}
			if g := r.MapFunction(f); done {
				return mod.With(gv.Name, g), true
			}
		case *tir.PrimFunc:
			if m.kernel == nil {
				continue
			}
			g := *f
			g.Body = tir.RewriteStmt(f.Body, nil, func(e tir.Expr) tir.Expr {
				if out := m.kernel(e); here(out != e) {
					return out
				}
				return e
			})
			if done {
				return mod.With(gv.Name, &g), true
			}
		}
	}
	return mod, false
}

// seed returns the lowering with the mistake, which is made once.
func (m mutant) seed(skip int) []*pass.Pass {
	list := slices.Clone(lowering)
	i := slices.Index(list, m.pass)
	list[i] = m.wrong(list[i], skip)
	return list
}

// wrong returns a pass with the mistake at its end; of a sequential its last child makes it.
func (m mutant) wrong(p *pass.Pass, skip int) *pass.Pass {
	out := *p
	if n := len(p.Children); n > 0 {
		out.Children = slices.Clone(p.Children)
		out.Children[n-1] = m.wrong(p.Children[n-1], skip)
		return &out
	}
	done := false
	out.Run = func(c *pass.Context, in *ir.Module) (*ir.Module, error) {
		mod, err := p.Run(c, in)
		if err != nil || done {
			return mod, err
		}
		mod, done = m.change(mod, skip)
		return mod, nil
	}
	return &out
}

// objection is a failer that remembers the first thing it was told.
type objection struct{ text string }

func (*objection) Helper() {}

func (o *objection) note(text string) {
	if o.text == "" {
		o.text = text
	}
}
func (o *objection) Errorf(format string, args ...any) { o.note(fmt.Sprintf(format, args...)) }
func (o *objection) Error(args ...any)                 { o.note(fmt.Sprint(args...)) }
func (o *objection) Fatalf(format string, args ...any) { o.Errorf(format, args...); panic(o) }
func (o *objection) Fatal(args ...any)                 { o.Error(args...); panic(o) }
func (o *objection) Failed() bool                      { return o.text != "" }

// objections returns what a check says first, "" for nothing.
func objections(check func(t failer)) string {
	o := &objection{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(o) {
				panic(p)
			}
		}()
		check(o)
	}()
	return o.text
}

// wrongAfter tells whether the first passes of a list make of m what is not well formed or
// computes something else.
func wrongAfter(passes []*pass.Pass, m *ir.Module) bool {
	return objections(func(t failer) {
		want := outputs(t, m, 2, false)
		c, legalized := newPassContext(t), false
		for _, p := range passes {
			m = runPass(t, c, p, m)
			legalized = legalized || p.Name == transform.LegalizeOps.Name
		}
		checkWellFormed(t, "prefix", m)
		sameOutputs(t, want, outputs(t, m, 2, legalized))
	}) != ""
}

// TestMutants makes one mistake after the other in a pass. The checks that all passes go through
// must object after that pass, and a search over prefixes of the lowering must name it.
func TestMutants(t *testing.T) {
	seed.Nightly(t)
	const modules = 300
	draw := rapid.Custom(drawModule)
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			for seed := range modules {
				start := draw.Example(seed)
				now := ""
				said := objections(func(o failer) {
					mod := start
					want := outputs(o, mod, 2, false)
					c, legalized := newPassContext(o), false
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
				low, high := 0, len(lowering)
				if !wrongAfter(m.seed(seed%4), start) {
					continue // a later pass took what was wrong away
				}
				for high-low > 1 {
					if mid := (low + high) / 2; wrongAfter(m.seed(seed % 4)[:mid], start) {
						high = mid
					} else {
						low = mid
					}
				}
				if got := lowering[low].Name; got != m.pass.Name {
					t.Fatalf("module %d: the search names %s, not %s: %s", seed, got, m.pass.Name, said)
				}
				t.Logf("found by module %d: %.200s", seed, said)
				return
			}
			t.Errorf("never found in %d modules", modules)
		})
	}
}
