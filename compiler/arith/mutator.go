package arith

import (
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Mutator rewrites PrimFuncs with an analyzer that knows what holds at each place, as TVM's
// IRMutatorWithAnalyzer does: the ranges of loop variables, threads and iteration variables of
// blocks, the values of pure lets, the conditions of branches and assertions. A pass sets the hooks
// that it needs:
//
//	m := arith.NewMutator(c.Budget())
//	m.Expr = func(e tir.Expr) tir.Expr {
//		if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpMax && m.An.CanProve(tir.GE(b.A, b.B)) {
//			return m.MutateExpr(b.A)
//		}
//		return m.VisitExpr(e)
//	}
//	return f.WithBody(m.MutateStmt(f.Body))
//
// What did not change is the same pointer. Nothing is memoized, since what holds differs from place
// to place. Variables are bound to their ranges and values as they were before the rewrite, but
// lets to what became of their values.
type Mutator struct {
	// An knows what holds at the statement that is visited. A variable stays bound after its
	// scope: it means nothing there.
	An *Analyzer
	// Expr is given each outermost expression and returns what takes its place. To go on below, it
	// returns VisitExpr(e). nil keeps expressions as they are.
	Expr func(tir.Expr) tir.Expr
	// Stmt is given each statement, blocks included, which stay blocks, and returns what takes its
	// place. To go on below, it returns VisitStmt(s), which also is what a nil Stmt does.
	Stmt func(tir.Stmt) tir.Stmt
	// Buffer is given each buffer where it is defined or used. nil keeps buffers.
	Buffer func(*tir.Buffer) *tir.Buffer
	// Rewrote, if set, hears of what VisitStmt does itself: of branches that it drops.
	Rewrote func(rule string, before, after ir.Node)

	mapper *tir.Mapper
}

// NewMutator returns a mutator without hooks, whose analyzer works under a budget, which may be nil.
func NewMutator(b *budget.Budget) *Mutator { return &Mutator{An: Bounded(b)} }

// MutateStmt returns what becomes of s by the hooks.
func (m *Mutator) MutateStmt(s tir.Stmt) tir.Stmt {
	m.An.Budget.Spend(1)
	if m.Stmt != nil {
		return m.Stmt(s)
	}
	return m.VisitStmt(s)
}

// MutateExpr returns what becomes of e by the hooks.
func (m *Mutator) MutateExpr(e tir.Expr) tir.Expr {
	if m.Expr == nil {
		return e
	}
	return m.Expr(e)
}

// MapStmt returns s with its children as the hooks make them, in no scope but the one around s.
func (m *Mutator) MapStmt(s tir.Stmt) tir.Stmt { return m.children().MapStmt(s) }

// VisitExpr returns e with its children as the hooks make them. In the body of a let its variable
// has its value.
func (m *Mutator) VisitExpr(e tir.Expr) tir.Expr {
	if l, ok := e.(*tir.Let); ok {
		m.bindLet(l.Var, l.Value)
	}
	return m.children().MapExpr(e)
}

func (m *Mutator) children() *tir.Mapper {
	if m.mapper == nil {
		m.mapper = &tir.Mapper{Stmt: m.MutateStmt, Expr: m.Expr, Buffer: m.Buffer}
	}
	return m.mapper
}

// VisitStmt returns s with its children as the hooks make them, in the scope that s opens. Branches
// that cannot run are dropped.
func (m *Mutator) VisitStmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		m.BindLoop(s)
	case *tir.Block:
		for _, iv := range s.IterVars {
			m.An.BindRange(iv.Var, iv.Dom)
		}
	case *tir.AttrStmt:
		if iv := s.BoundThread(); iv != nil {
			m.An.BindRange(iv.Var, &tir.Range{Min: tir.Const(s.Value.DType(), 0), Extent: s.Value})
		}
	case *tir.LetStmt:
		value := m.MutateExpr(s.Value)
		m.bindLet(s.Var, value)
		return s.WithValue(value).WithBody(m.MutateStmt(s.Body))
	case *tir.AssertStmt:
		s = s.WithCond(m.MutateExpr(s.Cond)).WithMessage(m.MutateExpr(s.Message))
		defer m.Assume(s.Cond)()
		return s.WithBody(m.MutateStmt(s.Body))
	case *tir.IfThenElse:
		return m.Branch(s, m.MutateExpr(s.Cond))
	case *tir.SeqStmt:
		out := m.MapStmt(s)
		if seq, ok := out.(*tir.SeqStmt); ok && seq != s {
			return tir.Seq(seq.Seq...)
		}
		return out
	}
	return m.MapStmt(s)
}

func (m *Mutator) bindLet(v *tir.Var, value tir.Expr) {
	if SideEffect(value) <= tir.Pure {
		m.An.Bind(v, value)
	}
}

// Assume lets the analyzer take cond as true until exit is called, but for the parts of it that
// read memory: what was read may be overwritten before it is read again.
func (m *Mutator) Assume(cond tir.Expr) (exit func()) {
	if lasting := lastingPart(cond); lasting != nil {
		return m.An.EnterConstraint(lasting)
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
	if SideEffect(cond) > tir.Pure {
		return nil
	}
	return cond
}

// BindLoop gives the variable of a loop its range. Of bounds that are read from memory it knows
// only what they can be at most.
func (m *Mutator) BindLoop(s *tir.For) {
	if SideEffect(s.Min) <= tir.Pure && SideEffect(s.Extent) <= tir.Pure {
		m.An.BindRange(s.LoopVar, &tir.Range{Min: s.Min, Extent: s.Extent})
		return
	}
	lo, end := m.An.ConstIntBound(s.Min), m.An.ConstIntBound(tir.Add(s.Min, s.Extent))
	if end.Max < PosInf {
		end.Max--
	}
	m.An.UpdateBound(s.LoopVar, Bound{Min: lo.Min, Max: end.Max})
}

// Branch visits both sides of s, whose condition became cond, each knowing the condition, and drops
// what cannot run.
func (m *Mutator) Branch(s *tir.IfThenElse, cond tir.Expr) tir.Stmt {
	known := cond
	if c, ok := tir.IsCallTo(cond, tir.OpLikely); ok {
		known = c.Args[0]
	}
	if v, ok := tir.AsInt(known); ok {
		out := tir.NoOp()
		switch {
		case v != 0:
			out = m.MutateStmt(s.Then)
		case s.Else != nil:
			out = m.MutateStmt(s.Else)
		}
		if m.Rewrote != nil {
			m.Rewrote("drop a branch whose condition is known", s, out)
		}
		return out
	}
	exit := m.Assume(known)
	s = s.WithCond(cond).WithThen(m.MutateStmt(s.Then))
	exit()
	if s.Else == nil {
		return s
	}
	defer m.Assume(m.An.RewriteSimplify(tir.LogicalNot(known)))()
	return s.WithElse(m.MutateStmt(s.Else))
}

// MarkShapes notes that the extents of a function's buffers are not negative.
func (a *Analyzer) MarkShapes(f *tir.PrimFunc) {
	for _, b := range f.Buffers {
		if b == nil {
			continue
		}
		for _, n := range b.Shape {
			a.MarkNonNegative(n)
		}
	}
}
