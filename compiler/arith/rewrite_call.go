package arith

import (
	"math"
	"math/bits"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// visitSelect simplifies each value knowing the condition.
func (s *simplifier) visitSelect(e *tir.Select) tir.Expr {
	cond := s.visit(e.Cond)
	if c, ok := cst(cond); ok {
		if c != 0 {
			return s.visit(e.True)
		}
		return s.visit(e.False)
	}
	yes, no := s.visitUnder(cond, e.True), s.visitUnder(s.notResult(cond), e.False)
	if cond != e.Cond || yes != e.True || no != e.False {
		e = &tir.Select{Base: e.Base, Cond: cond, True: yes, False: no}
	}
	if out := s.tryRules(opSelect, e, yes.DType(), cond, yes, no); out != nil {
		return out
	}
	return e
}

// visitUnder simplifies e where cond, which is simplified, holds.
func (s *simplifier) visitUnder(cond, e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return e
	case *tir.Var:
		if !e.DType().IsBool() {
			return s.visitVar(e)
		}
	}
	exit := s.a.enter(cond, LargerThan(cond, maxAgain))
	defer exit()
	return s.visit(e)
}

// maxAgain bounds the nodes of a condition that is simplified once more, by the rules alone, where it is assumed: the
// conditions in a condition would double what that takes with each level.
const maxAgain = 24

// visitLet inlines the binding of a constant or a variable and keeps others.
func (s *simplifier) visitLet(e *tir.Let) tir.Expr {
	value := s.visit(e.Value)
	switch value.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.Var:
		s.a.Bind(e.Var, value)
		return s.visit(e.Body)
	}
	body := s.visit(e.Body)
	if value == e.Value && body == e.Body {
		return e
	}
	return &tir.Let{Base: e.Base, Var: e.Var, Value: value, Body: body}
}

func (s *simplifier) visitCall(e *tir.Call) tir.Expr {
	op, ok := e.Op.(*ir.Op)
	if !ok {
		return s.mapChildren(e)
	}
	if op.Name == tir.OpIfThenElse.Name && len(e.Args) == 3 {
		return s.visitIfThenElse(e)
	}
	out := s.mapChildren(e)
	c, ok := out.(*tir.Call)
	if !ok || len(c.Args) == 0 {
		return out
	}
	switch op.Name {
	case tir.OpLikely.Name:
		if _, ok := cst(c.Args[0]); ok {
			return c.Args[0]
		}
		if t := s.literal(c.Args[0]); t != nil {
			return t
		}
	case tir.OpShiftLeft.Name, tir.OpShiftRight.Name:
		return foldShift(c, op.Name == tir.OpShiftLeft.Name)
	case tir.OpCeil.Name:
		return foldCeil(c)
	case tir.OpClz.Name:
		if v, ok := c.Args[0].(*tir.IntImm); ok && v.Value >= 0 {
			return tir.Const(c.Type, int64(bits.LeadingZeros64(uint64(v.Value))-64+int(v.Type.Bits)))
		}
	}
	return c
}

func foldShift(c *tir.Call, left bool) tir.Expr {
	if len(c.Args) != 2 {
		return c
	}
	if by, ok := c.Args[1].(*tir.Broadcast); c.Args[0].DType() == c.Type && (ok && tir.IsConst(by.Value, 0) || tir.IsConst(c.Args[1], 0)) {
		return c.Args[0]
	}
	x, ok := c.Args[0].(*tir.IntImm)
	y, ok2 := c.Args[1].(*tir.IntImm)
	if !ok || !ok2 || y.Value < 0 || y.Value >= int64(x.Type.Bits) {
		return c
	}
	if left {
		return tir.Const(c.Type, x.Value<<uint(y.Value))
	}
	if x.Type.IsUInt() {
		return tir.Const(c.Type, int64(uint64(x.Value)>>uint(y.Value)))
	}
	return tir.Const(c.Type, x.Value>>uint(y.Value))
}

// foldCeil folds the ceiling of a constant and of its logarithm; the latter computes loop
// extents (ceil_log2).
func foldCeil(c *tir.Call) tir.Expr {
	switch x := c.Args[0].(type) {
	case *tir.IntImm:
		return tir.CastTo(c.Type, x)
	case *tir.FloatImm:
		return tir.FloatConst(c.Type, math.Ceil(x.Value))
	case *tir.Call:
		if log, ok := tir.IsCallTo(x, tir.OpLog2); ok {
			if f, ok := log.Args[0].(*tir.FloatImm); ok && f.Value > 0 {
				return tir.FloatConst(c.Type, math.Ceil(math.Log2(f.Value)))
			}
		}
	}
	return c
}

// visitIfThenElse simplifies the lazy conditional; nested ones with one constant for both
// failures become a conjunction.
func (s *simplifier) visitIfThenElse(e *tir.Call) tir.Expr {
	cond := s.visit(e.Args[0])
	if c, ok := cst(cond); ok {
		if c != 0 {
			return s.visit(e.Args[1])
		}
		return s.visit(e.Args[2])
	}
	yes, no := s.visitUnder(cond, e.Args[1]), s.visitUnder(s.notResult(cond), e.Args[2])
	if in, ok := tir.IsCallTo(yes, tir.OpIfThenElse); ok && isNumber(no) && Equal(in.Args[2], no) {
		return &tir.Call{Base: e.Base, Type: e.Type, Op: e.Op, Args: []tir.Expr{andOf(cond, in.Args[0]), in.Args[1], no}}
	}
	if cond == e.Args[0] && yes == e.Args[1] && no == e.Args[2] {
		return e
	}
	return &tir.Call{Base: e.Base, Type: e.Type, Op: e.Op, Args: []tir.Expr{cond, yes, no}}
}

func isNumber(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	case *tir.Broadcast:
		return isNumber(e.Value)
	}
	return false
}
