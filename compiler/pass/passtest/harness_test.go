package passtest_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/target"
)

// eachGraph and eachLoop make passes of rewrites of one node.
func eachGraph(rewrite func(relax.Expr) relax.Expr) pass.RunFunc {
	return pass.EachRelax(func(_ *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := &relax.Mapper{}
		m.Expr = func(e relax.Expr) relax.Expr { return rewrite(m.MapExpr(e)) }
		return m.MapFunction(f), nil
	})
}

func eachLoop(rewrite func(tir.Stmt) tir.Stmt) pass.RunFunc {
	return pass.EachPrimFunc(func(_ *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return f.WithBody(tir.RewriteStmt(f.Body, rewrite, nil)), nil
	})
}

// wrongPasses are passes with one fault each, and what the harness must say.
var wrongPasses = []struct {
	p    *pass.Pass
	says string
}{
	{&pass.Pass{Name: "WrongBranch", Kind: pass.Function, Run: eachGraph(func(e relax.Expr) relax.Expr {
		if x, ok := e.(*relax.If); ok && relax.SInfoOf(x.Cond) != nil {
			return x.WithThen(x.Else).WithElse(x.Then)
		}
		return e
	})}, "WrongBranch"},
	{&pass.Pass{Name: "tir.WrongExtent", Kind: pass.PrimFunc, Run: eachLoop(func(s tir.Stmt) tir.Stmt {
		if f, ok := s.(*tir.For); ok {
			if n, ok := tir.AsInt(f.Extent); ok && n == 3 {
				return f.WithExtent(tir.Const(f.Extent.DType(), 2))
			}
		}
		return s
	})}, "tir.WrongExtent"},
	{&pass.Pass{Name: "tir.Copies", Kind: pass.PrimFunc, Run: eachLoop(func(s tir.Stmt) tir.Stmt {
		if f, ok := s.(*tir.For); ok {
			out := *f
			return &out
		}
		return s
	})}, "tir.Copies made a copy of a module that it did not change"},
	{&pass.Pass{Name: "tir.Forgets", Kind: pass.PrimFunc, Run: eachLoop(func(s tir.Stmt) tir.Stmt {
		switch x := s.(type) {
		case *tir.For:
			out := *x
			out.Base, out.Annotations = ir.Base{}, nil
			out.LoopVar = tir.NewVar(x.LoopVar.Name+"_", x.LoopVar.DType())
			out.Body = tir.SubstStmt(x.Body, map[*tir.Var]tir.Expr{x.LoopVar: out.LoopVar})
			return &out
		case *tir.Block:
			return ir.WithOrigin(x, 0)
		}
		return s
	})}, "says where it comes from after tir.Forgets"},
	{&pass.Pass{Name: "tir.NeverDone", Kind: pass.PrimFunc, Run: eachLoop(func(s tir.Stmt) tir.Stmt {
		if _, ok := s.(*tir.BufferStore); ok {
			return tir.Seq(s, s)
		}
		return s
	})}, "a second run of tir.NeverDone changed the module"},
	{&pass.Pass{Name: "Panics", Kind: pass.Module, Run: func(*pass.Context, *ir.Module) (*ir.Module, error) { panic("out of order") }}, "out of order"},
}

// TestWrongPassesAreFound registers passes with a fault, in the default pipeline and outside of it: the harness must object to each.
func TestWrongPassesAreFound(t *testing.T) {
	onLoops := func(p *pass.Pass) bool { return strings.HasPrefix(p.Name, "tir.") }
	whole, err := pipeline.Lookup("default", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range wrongPasses {
		registered := append(pipeline.All(), c.p)
		outside := passtest.NewSuite(whole, registered, onLoops, prepare)
		outside.GraphAny = slices.DeleteFunc(outside.GraphAny, func(p *pass.Pass) bool { return p != c.p })
		outside.LoopAny = slices.DeleteFunc(outside.LoopAny, func(p *pass.Pass) bool { return p != c.p })
		inside := passtest.NewSuite(put(whole, c.p), registered, onLoops, prepare)
		inside.GraphAny, inside.LoopAny = nil, nil
		for name, s := range map[string]*passtest.Suite{"outside": outside, "inside": inside} {
			t.Run(c.p.Name+"/"+name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				for range 60 {
					if said := passtest.Objections(func(o passtest.Failer) { s.Walk(o, r) }); said != "" {
						if !strings.Contains(said, c.says) {
							t.Errorf("it says %s\nwant %s", said, c.says)
						}
						return
					}
				}
				t.Error("60 programs passed")
			})
		}
	}
}

// put returns a pipeline with p behind the first pass of its level.
func put(whole, p *pass.Pass) *pass.Pass {
	out := *whole
	out.Children = nil
	done := false
	for _, q := range whole.Children {
		switch {
		case done:
		case len(q.Children) > 0 && pipeline.NewRegistry().Lookup(q.Name) == nil:
			q = put(q, p)
			done = slices.Contains(q.Children, p)
		case strings.HasPrefix(q.Name, "tir.") == strings.HasPrefix(p.Name, "tir."):
			out.Children, done = append(out.Children, q), true
			q = p
		}
		out.Children = append(out.Children, q)
	}
	return &out
}

var prepare = pass.NewSequential("prepare", transform.DecomposeOps, transform.LegalizeOps)
