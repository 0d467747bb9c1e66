package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// Keys of AttrStmt that bind the variable of their IterVar node.
const (
	keyThreadExtent  = "thread_extent"
	keyVirtualThread = "virtual_thread"
)

// scopedMapper rewrites statements with an analyzer that knows what holds where it is:
// ranges of loop variables, values of pure lets, conditions of branches.
type scopedMapper struct {
	ctx *pass.Context // hears of branches that are dropped; nil for nobody
	an  *arith.Analyzer
	m   *tir.Mapper
	// expr maps each outermost expression, stmt each statement; stmt calls descend.
	expr func(tir.Expr) tir.Expr
	stmt func(tir.Stmt) tir.Stmt
}

func newScopedMapper(expr func(tir.Expr) tir.Expr) *scopedMapper {
	s := &scopedMapper{an: arith.NewAnalyzer(), expr: expr}
	s.stmt = s.descend
	s.m = &tir.Mapper{Expr: func(e tir.Expr) tir.Expr { return s.expr(e) }, Stmt: func(x tir.Stmt) tir.Stmt { s.an.Budget.Spend(1); return s.stmt(x) }}
	return s
}

// descend maps the children of x in the scopes that x opens.
func (s *scopedMapper) descend(x tir.Stmt) tir.Stmt {
	switch x := x.(type) {
	case *tir.For:
		s.bindLoop(x)
	case *tir.Block:
		for _, iv := range x.IterVars {
			s.an.BindRange(iv.Var, iv.Dom)
		}
	case *tir.AttrStmt:
		if iv, ok := x.Node.(*tir.IterVar); ok && (x.Key == keyThreadExtent || x.Key == keyVirtualThread) {
			s.an.BindRange(iv.Var, &tir.Range{Min: tir.Const(x.Value.DType(), 0), Extent: x.Value})
		}
	case *tir.LetStmt:
		value := s.expr(x.Value)
		if arith.SideEffect(value) <= tir.Pure {
			s.an.Bind(x.Var, value)
		}
		return withLet(x, value, s.stmt(x.Body))
	case *tir.AssertStmt:
		cond, msg := s.expr(x.Cond), s.expr(x.Message)
		exit := s.assume(cond)
		body := s.stmt(x.Body)
		exit()
		if cond == x.Cond && msg == x.Message && body == x.Body {
			return x
		}
		out := *x
		out.Cond, out.Message, out.Body = cond, msg, body
		return &out
	case *tir.IfThenElse:
		return s.branch(x, s.expr(x.Cond))
	case *tir.SeqStmt:
		out := s.m.MapStmt(x)
		if seq, ok := out.(*tir.SeqStmt); ok && out != tir.Stmt(x) {
			return tir.Seq(seq.Seq...)
		}
		return out
	}
	return s.m.MapStmt(x)
}

// assume lets the analyzer take cond as true until exit is called, but for the parts of it that
// read memory: what was read may be overwritten before it is read again.
func (s *scopedMapper) assume(cond tir.Expr) (exit func()) {
	if lasting := lastingPart(cond); lasting != nil {
		return s.an.EnterConstraint(lasting)
	}
	return func() {}
}

// lastingPart is the conjunction of the parts of cond that read no memory, nil if there are none.
func lastingPart(cond tir.Expr) tir.Expr {
	if b, ok := cond.(*tir.Binary); ok && b.Op == tir.OpAnd {
		x, y := lastingPart(b.A), lastingPart(b.B)
		switch {
		case x == nil:
			return y
		case y == nil:
			return x
		}
		return tir.And(x, y)
	}
	if arith.SideEffect(cond) > tir.Pure {
		return nil
	}
	return cond
}

// bindLoop gives the variable of a loop its range. Of bounds that are read from memory it knows
// only what they can be at most.
func (s *scopedMapper) bindLoop(x *tir.For) {
	if arith.SideEffect(x.Min) <= tir.Pure && arith.SideEffect(x.Extent) <= tir.Pure {
		s.an.BindRange(x.LoopVar, &tir.Range{Min: x.Min, Extent: x.Extent})
		return
	}
	lo, end := s.an.ConstIntBound(x.Min), s.an.ConstIntBound(tir.Add(x.Min, x.Extent))
	if end.Max < arith.PosInf {
		end.Max--
	}
	s.an.UpdateBound(x.LoopVar, arith.Bound{Min: lo.Min, Max: end.Max})
}

func withLet(x *tir.LetStmt, value tir.Expr, body tir.Stmt) tir.Stmt {
	if value == x.Value && body == x.Body {
		return x
	}
	out := *x
	out.Value, out.Body = value, body
	return &out
}

// branch maps both sides of x, each knowing cond, and drops what cannot run.
func (s *scopedMapper) branch(x *tir.IfThenElse, cond tir.Expr) tir.Stmt {
	real := cond
	if c, ok := tir.IsCallTo(cond, tir.OpLikely); ok {
		real = c.Args[0]
	}
	if v, ok := tir.AsInt(real); ok {
		out := tir.NoOp()
		switch {
		case v != 0:
			out = s.stmt(x.Then)
		case x.Else != nil:
			out = s.stmt(x.Else)
		}
		s.ctx.Rewrite("drop a branch whose condition is known", x, out)
		return out
	}
	exit := s.assume(real)
	then := s.stmt(x.Then)
	exit()
	els := x.Else
	if els != nil {
		exit = s.assume(s.an.RewriteSimplify(tir.LogicalNot(real)))
		els = s.stmt(els)
		exit()
	}
	if cond == x.Cond && then == x.Then && els == x.Else {
		return x
	}
	out := *x
	out.Cond, out.Then, out.Else = cond, then, els
	return &out
}

// markShapes notes that the extents of a function's buffers are not negative.
func markShapes(an *arith.Analyzer, f *tir.PrimFunc) {
	for _, b := range f.Buffers {
		if b == nil {
			continue
		}
		for _, n := range b.Shape {
			an.MarkNonNegative(n)
		}
	}
}
