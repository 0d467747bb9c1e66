package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// accessSimplifier rewrites accesses to buffers with what is known at their place: the iterators around them, and conditions on these.
type accessSimplifier struct {
	an    *arith.Analyzer
	iters map[*tir.Var]*tir.Range
	preds []tir.Expr
	m     *tir.Mapper
	// load, store and block are given what was rewritten inside and return what takes its place, where not nil.
	load  func(*tir.BufferLoad) tir.Expr
	store func(*tir.BufferStore) tir.Stmt
	block func(old, now *tir.Block) *tir.Block
	// touches says of an outermost loop whether there is anything to rewrite in it; nil looks into all.
	touches func(tir.Stmt) bool
	stmt    func(tir.Stmt) tir.Stmt // takes the place of a statement before it is looked into; nil keeps it
}

func newAccessSimplifier(an *arith.Analyzer) *accessSimplifier {
	a := &accessSimplifier{an: an, iters: map[*tir.Var]*tir.Range{}}
	a.m = &tir.Mapper{Stmt: a.visit, Expr: a.expr}
	return a
}

// indices simplifies indices as an iteration map. A variable stays one (TVM's IterMapSimplifyWithContext).
func (a *accessSimplifier) indices(list []tir.Expr) []tir.Expr {
	pred := tir.Expr(tir.Bool(true))
	for _, p := range a.preds {
		pred = tir.And(pred, p)
	}
	out := append([]tir.Expr(nil), arith.IterMapSimplify(list, a.iters, pred, arith.Surjective, a.an, true)...)
	for i, e := range out {
		_, isConst := tir.AsInt(e)
		if _, isVar := list[i].(*tir.Var); isVar && isConst {
			out[i] = list[i]
		}
	}
	return out
}

// where calls f for what runs if a condition on iterators holds.
func (a *accessSimplifier) where(cond tir.Expr, f func()) {
	if c, ok := tir.IsCallTo(cond, tir.OpLikely); ok {
		cond = c.Args[0]
	}
	if arith.SideEffect(cond) > tir.Pure {
		f()
		return
	}
	exit := a.an.EnterConstraint(cond)
	n := len(a.preds)
	if arith.UsesVar(cond, func(v *tir.Var) bool { return a.iters[v] != nil }) {
		a.preds = append(a.preds, cond)
	}
	f()
	a.preds = a.preds[:n]
	exit()
}

func (a *accessSimplifier) expr(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.BufferLoad:
		out := a.m.MapExpr(x).(*tir.BufferLoad)
		if a.load != nil {
			return a.load(out)
		}
		return out
	case *tir.Call:
		if x.Op == tir.OpIfThenElse && len(x.Args) == 3 {
			args := []tir.Expr{a.expr(x.Args[0]), x.Args[1], x.Args[2]}
			a.where(args[0], func() { args[1] = a.expr(args[1]) })
			a.where(tir.LogicalNot(args[0]), func() { args[2] = a.expr(args[2]) })
			return x.WithArgs(args)
		}
	}
	return a.m.MapExpr(e)
}

func (a *accessSimplifier) visit(s tir.Stmt) tir.Stmt {
	if a.stmt != nil {
		s = a.stmt(s)
	}
	switch x := s.(type) {
	case *tir.For:
		if a.touches != nil && len(a.iters) == 0 && !a.touches(x) {
			return x
		}
		a.bind(x.LoopVar, rangeOf(x))
		defer delete(a.iters, x.LoopVar)
		return a.m.MapStmt(x)
	case *tir.IfThenElse:
		cond := a.expr(x.Cond)
		out := x.WithCond(cond)
		a.where(cond, func() { out = out.WithThen(a.m.Stmt(x.Then)) })
		if x.Else != nil {
			a.where(tir.LogicalNot(cond), func() { out = out.WithElse(a.m.Stmt(x.Else)) })
		}
		return out
	case *tir.BufferStore:
		out := a.m.MapStmt(x).(*tir.BufferStore)
		if a.store != nil {
			return a.store(out)
		}
		return out
	case *tir.Block:
		for _, iv := range x.IterVars {
			a.bind(iv.Var, iv.Dom)
			defer delete(a.iters, iv.Var)
		}
		out := a.m.MapStmt(x).(*tir.Block)
		if a.block != nil {
			out = a.block(x, out)
		}
		return out
	}
	return a.m.MapStmt(s)
}

func (a *accessSimplifier) bind(v *tir.Var, r *tir.Range) {
	a.an.BindRange(v, r)
	a.iters[v] = r
}

// simplifyAccesses simplifies the indices and regions at which a block accesses buffers (TVM's BlockBufferAccessSimplifier). became says what became
// of the blocks inside.
func simplifyAccesses(b *tir.Block, an *arith.Analyzer) (out *tir.Block, became reuse) {
	a := newAccessSimplifier(an)
	became = reuse{}
	a.load = func(l *tir.BufferLoad) tir.Expr {
		return &tir.BufferLoad{Base: l.Base, Buffer: l.Buffer, Indices: a.indices(l.Indices), Predicate: l.Predicate}
	}
	a.store = func(x *tir.BufferStore) tir.Stmt { return x.WithIndices(a.indices(x.Indices)) }
	a.block = func(old, now *tir.Block) *tir.Block {
		now = now.WithReads(a.regions(now.Reads)).WithWrites(a.regions(now.Writes))
		if now != old {
			became[old] = now
		}
		return now
	}
	return a.visit(b).(*tir.Block), became
}

func (a *accessSimplifier) regions(list []*tir.BufferRegion) []*tir.BufferRegion {
	out := make([]*tir.BufferRegion, len(list))
	for i, r := range list {
		mins := make([]tir.Expr, len(r.Region))
		for k, x := range r.Region {
			mins[k] = x.Min
		}
		mins = a.indices(mins)
		region := make([]*tir.Range, len(mins))
		for k, x := range r.Region {
			region[k] = &tir.Range{Base: x.Base, Min: mins[k], Extent: a.an.Simplify(x.Extent)}
		}
		out[i] = r.WithRegion(region)
	}
	return out
}
