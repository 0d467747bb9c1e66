package tirpass_test

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// mutant is a pass with a fault: after the pass has done its work, a wrong rewrite changes
// one place of the function.
type mutant struct {
	name string
	pass string
	stmt func(tir.Stmt) tir.Stmt
	expr func(tir.Expr) tir.Expr
}

func binary(from, to tir.BinaryOp) func(tir.Expr) tir.Expr {
	return func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok && b.Op == from {
			return &tir.Binary{Op: to, A: b.A, B: b.B}
		}
		return e
	}
}

func serialLoop(change func(*tir.For)) func(tir.Stmt) tir.Stmt {
	return func(s tir.Stmt) tir.Stmt {
		f, ok := s.(*tir.For)
		if !ok || f.Kind != tir.Serial {
			return s
		}
		out := *f
		change(&out)
		return &out
	}
}

func minus(e tir.Expr, n int64) tir.Expr { return tir.Sub(e, tir.Const(e.DType(), n)) }

// mutants are faults that have been made in compilers: limits that are one off, branches and
// operands that are mixed up, initial values, stores and casts that are forgotten.
func mutants() []mutant {
	store := func(change func(*tir.BufferStore)) func(tir.Stmt) tir.Stmt {
		return func(s tir.Stmt) tir.Stmt {
			b, ok := s.(*tir.BufferStore)
			if !ok || b.Predicate != nil {
				return s
			}
			out := *b
			change(&out)
			return &out
		}
	}
	return []mutant{
		{name: "a loop ends early", pass: "tir.CanonicalizeLoop", stmt: serialLoop(func(f *tir.For) { f.Extent = minus(f.Extent, 1) })},
		{name: "a loop begins late", pass: "tir.CanonicalizeLoop", stmt: serialLoop(func(f *tir.For) { f.Min, f.Extent = tir.Const(f.Min.DType(), 1), minus(f.Extent, 1) })},
		{name: "a loop goes on too long", pass: "tir.LowerOpaqueBlock", stmt: serialLoop(func(f *tir.For) { f.Extent = minus(f.Extent, -1) })},
		{name: "a loop is unrolled once too often", pass: "tir.UnrollLoop", stmt: func(s tir.Stmt) tir.Stmt {
			if b, ok := s.(*tir.BufferStore); ok && reads(b.Value, b.Buffer) {
				return tir.Seq(b, b)
			}
			return s
		}},
		{name: "the start of a reduction is forgotten", pass: "tir.LowerInitBlock", stmt: func(s tir.Stmt) tir.Stmt {
			if x, ok := s.(*tir.IfThenElse); ok && x.Else == nil {
				if _, ok := x.Then.(*tir.BufferStore); ok {
					return tir.NoOp()
				}
			}
			return s
		}},
		{name: "a reduction starts again", pass: "tir.LowerInitBlock", stmt: func(s tir.Stmt) tir.Stmt {
			if x, ok := s.(*tir.IfThenElse); ok && x.Else == nil {
				return x.Then
			}
			return s
		}},
		{name: "a predicate is dropped", pass: "tir.ConvertBlocksToOpaque", stmt: func(s tir.Stmt) tir.Stmt {
			if r, ok := s.(*tir.BlockRealize); ok {
				if v, ok := tir.AsInt(r.Predicate); !ok || v != 1 {
					return r.WithPredicate(tir.Bool(true))
				}
			}
			return s
		}},
		{name: "an else is lost", pass: "tir.Simplify", stmt: func(s tir.Stmt) tir.Stmt {
			if x, ok := s.(*tir.IfThenElse); ok && x.Else != nil {
				return &tir.IfThenElse{Cond: x.Cond, Then: x.Then}
			}
			return s
		}},
		{name: "a condition is negated", pass: "tir.Simplify", stmt: func(s tir.Stmt) tir.Stmt {
			if x, ok := s.(*tir.IfThenElse); ok {
				return &tir.IfThenElse{Cond: &tir.Not{A: x.Cond}, Then: x.Then, Else: x.Else}
			}
			return s
		}},
		{name: "less becomes less or equal", pass: "tir.Simplify", expr: binary(tir.OpLT, tir.OpLE)},
		{name: "plus becomes minus", pass: "tir.Simplify", expr: binary(tir.OpAdd, tir.OpSub)},
		{name: "times becomes plus", pass: "tir.FlattenBuffer", expr: binary(tir.OpMul, tir.OpAdd)},
		{name: "a quotient becomes a remainder", pass: "tir.RenormalizeSplitPattern", expr: binary(tir.OpFloorDiv, tir.OpFloorMod)},
		{name: "the larger becomes the smaller", pass: "tir.CommonSubexprElimTIR", expr: binary(tir.OpMax, tir.OpMin)},
		{name: "operands are swapped", pass: "tir.CommonSubexprElimTIR", expr: func(e tir.Expr) tir.Expr {
			if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpSub {
				return &tir.Binary{Op: b.Op, A: b.B, B: b.A}
			}
			return e
		}},
		{name: "values of a choice are swapped", pass: "tir.RewriteUnsafeSelect", expr: func(e tir.Expr) tir.Expr {
			switch x := e.(type) {
			case *tir.Select:
				return &tir.Select{Cond: x.Cond, True: x.False, False: x.True}
			case *tir.Call:
				if len(x.Args) == 3 && x.Op == tir.OpIfThenElse {
					return &tir.Call{Type: x.Type, Op: x.Op, Args: []tir.Expr{x.Args[0], x.Args[2], x.Args[1]}}
				}
			}
			return e
		}},
		{name: "a constant is one off", pass: "tir.NarrowDataType", expr: func(e tir.Expr) tir.Expr {
			if c, ok := e.(*tir.FloatImm); ok {
				return &tir.FloatImm{Type: c.Type, Value: c.Value + 1}
			}
			return e
		}},
		{name: "a cast is dropped", pass: "tir.NarrowDataType", expr: func(e tir.Expr) tir.Expr {
			if c, ok := e.(*tir.Cast); ok {
				return c.Value
			}
			return e
		}},
		{name: "a store is taken for one without effect", pass: "tir.RemoveNoOp", stmt: func(s tir.Stmt) tir.Stmt {
			if _, ok := s.(*tir.BufferStore); ok {
				return tir.NoOp()
			}
			return s
		}},
		{name: "all elements are stored to the first place", pass: "tir.FlattenBuffer", stmt: store(func(b *tir.BufferStore) {
			b.Indices = []tir.Expr{tir.Const(b.Indices[0].DType(), 0)}
		})},
		{name: "all lanes are the first", pass: "tir.VectorizeLoop", expr: func(e tir.Expr) tir.Expr {
			if r, ok := e.(*tir.Ramp); ok {
				return &tir.Broadcast{Value: r.Start, Lanes: r.Lanes}
			}
			return e
		}},
		{name: "all loads are of the first element", pass: "tir.StorageRewrite", expr: func(e tir.Expr) tir.Expr {
			if l, ok := e.(*tir.BufferLoad); ok && len(l.Indices) == 1 && l.Indices[0].DType().Lanes == 1 {
				return &tir.BufferLoad{Buffer: l.Buffer, Indices: []tir.Expr{tir.Const(l.Indices[0].DType(), 0)}}
			}
			return e
		}},
		{name: "a variable is used where there is none", pass: "tir.LoopPartition", stmt: serialLoop(func(f *tir.For) { f.LoopVar = tir.NewVar("other", f.LoopVar.DType()) })},
		{name: "the body of a loop is lost", pass: "tir.LoopPartition", stmt: serialLoop(func(f *tir.For) { f.Body = tir.NoOp() })},
	}
}

// reads tells whether a value is computed from a buffer.
func reads(e tir.Expr, b *tir.Buffer) (found bool) {
	ir.Walk(e, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok && l.Buffer == b {
			found = true
		}
		return !found
	})
	return found
}

// seed returns the passes with the fault in its place. The fault is made once, at a place
// that at chooses among those where it applies; applied tells whether there was one.
func (m mutant) seed(passes []*pass.Pass, at int) (list []*pass.Pass, applied *bool) {
	applied = new(bool)
	i := slices.IndexFunc(passes, func(p *pass.Pass) bool { return p.Name == m.pass })
	if i < 0 {
		return nil, nil
	}
	list = slices.Clone(passes)
	list[i] = passtest.Wrong(list[i], func(in *ir.Module) *ir.Module {
		out := passtest.Fault{Name: m.name, Expr: m.expr, Stmt: m.stmt}.Change(in, at)
		*applied = *applied || out != in
		return out
	})
	return list, applied
}

// firstWrong searches for the shortest prefix of passes whose result is not well formed or
// computes something else, and returns the name of its last pass.
func firstWrong(t passtest.Failer, fresh func() []*pass.Pass, f *tir.PrimFunc, args []any) string {
	t.Helper()
	want := mustRun(t, f, args)
	wrong := func(n int) bool {
		return passtest.Objections(func(o passtest.Failer) {
			c, g := passtest.NewContext(), f
			var last *pass.Pass
			for _, p := range fresh()[:n] {
				out, err := c.Run(p, moduleOf(g))
				if err != nil {
					o.Fatalf("%v", err)
				}
				g, last = funcOf(out), p
			}
			wellFormed(o, "prefix", g)
			if last != nil {
				sameMeaning(o, last, f, g, args, want)
			}
		}) != ""
	}
	passes := fresh()
	if !wrong(len(passes)) {
		return ""
	}
	return passes[sort.Search(len(passes)-1, func(i int) bool { return wrong(i + 1) })].Name
}

// TestMutants makes one fault after the other in a pass. The checks that all passes go through
// must object, and the search over prefixes must name the pass.
func TestMutants(t *testing.T) {
	seed.Nightly(t)
	const programs = 400
	passes := lowering(t)
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			if list, _ := m.seed(passes, 0); list == nil {
				t.Fatalf("there is no pass %s", m.pass)
			}
			made := 0
			for seed := range uint64(programs) {
				src := rand.New(rand.NewPCG(seed, 25))
				f, args := tirtest.Function(src)
				want := mustRun(t, f, args)
				at := int(seed % 3)
				list, applied := m.seed(passes, at)
				now := ""
				said := passtest.Objections(func(o passtest.Failer) {
					c, g := passtest.NewContext(), f
					for _, p := range list {
						now = p.Name
						h := apply(o, c, p, g)
						if h != g {
							sameMeaning(o, p, g, h, args, want)
						}
						g = h
					}
				})
				if *applied {
					made++
				}
				if said == "" {
					continue // here it does no harm, as in code that is not reached
				}
				if now != m.pass {
					t.Fatalf("program %d: the checks object after %s, not after %s: %s", seed, now, m.pass, said)
				}
				fresh := func() []*pass.Pass { l, _ := m.seed(passes, at); return l }
				named := firstWrong(t, fresh, f, args)
				if named == "" {
					continue // a later pass took what was wrong away
				}
				if named != m.pass {
					t.Fatalf("program %d: the search names %s, not %s: %s", seed, named, m.pass, said)
				}
				t.Logf("found by program %d, made in %d", seed+1, made)
				return
			}
			t.Errorf("made in %d of %d programs, and never found", made, programs)
		})
	}
	if n := len(mutants()); n < 20 {
		t.Errorf("%d mutants are too few", n)
	}
}
