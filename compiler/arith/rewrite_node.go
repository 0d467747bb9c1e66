package arith

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// visitNode applies the rules; sums in canonical form do not come here.
func (s *simplifier) visitNode(e tir.Expr) tir.Expr {
	if !s.a.spend(1) {
		return e
	}
	switch e := e.(type) {
	case *tir.Binary:
		return s.visitBinary(e)
	case *tir.Not:
		if pushed := s.pushNot(e); pushed != nil {
			return s.visit(pushed)
		}
		a := s.visit(e.A)
		if a != e.A {
			e = &tir.Not{Base: e.Base, A: a}
		}
		if c, ok := cst(a); ok {
			return truth(e.DType(), c == 0)
		}
		if t := s.literal(e); t != nil {
			return s.named(ruleAssumed, e, t)
		}
		return s.notRules(e)
	case *tir.Cast:
		v := s.visit(e.Value)
		if v == e.Value {
			return castFold(e)
		}
		return castFold(&tir.Cast{Base: e.Base, Type: e.Type, Value: v})
	case *tir.Select:
		return s.visitSelect(e)
	case *tir.Let:
		return s.visitLet(e)
	case *tir.Call:
		return s.visitCall(e)
	case *tir.Reduce:
		for _, iv := range e.Axis {
			s.a.BindRange(iv.Var, iv.Dom)
		}
		return s.mapChildren(e)
	}
	return s.mapChildren(e)
}

func (s *simplifier) mapChildren(e tir.Expr) tir.Expr {
	if s.mapper == nil {
		s.mapper = &tir.Mapper{Expr: s.visit}
	}
	return s.mapper.MapExpr(e)
}

// castFold folds the cast of a constant, and a cast to the type at hand.
func castFold(e *tir.Cast) tir.Expr {
	switch v := e.Value.(type) {
	case *tir.FloatImm:
		return castFloat(e, v.Value)
	case *tir.IntImm, *tir.Broadcast:
		out := tir.CastTo(e.Type, e.Value)
		if _, still := out.(*tir.Cast); still {
			break
		}
		return out
	default:
		if v.DType() == e.Type {
			return v
		}
	}
	return e
}

// castFloat folds the cast of a float constant where it is exact whatever the width of the
// types: an integer of at most 11 bits, the precision of float16. Others fold to float32
// and float64 only.
func castFloat(e *tir.Cast, v float64) tir.Expr {
	switch {
	case v != math.Trunc(v) || math.Abs(v) > 1<<11 || v == 0 && math.Signbit(v):
		out := tir.CastTo(e.Type, e.Value)
		if _, still := out.(*tir.Cast); still {
			return e
		}
		return out
	case e.Type.Lanes != 1:
		return e
	case e.Type.IsBool():
		return tir.Bool(v != 0)
	case e.Type.IsInteger():
		if b := DTypeBound(e.Type); v < float64(b.Min) || v > float64(b.Max) {
			return e
		}
		return num(e.Type, int64(v))
	case e.Type.IsFloat() && (e.Type.Bits >= 32 || e.Type == dtype.Float16T):
		return &tir.FloatImm{Type: e.Type, Value: v}
	}
	return e
}

func (s *simplifier) visitBinary(e *tir.Binary) tir.Expr {
	switch e.Op {
	case tir.OpGT:
		return s.visit(ltOf(e.B, e.A))
	case tir.OpGE:
		return s.visit(leOf(e.B, e.A))
	}
	e = s.leftNested(e)
	n := e
	if (e.Op == tir.OpAnd || e.Op == tir.OpOr) && s.a.Extensions&ApplyConstraintsToBooleanBranches != 0 && !s.canonical && s.plain == 0 && s.recur == 0 {
		n = s.visitBranches(e)
	} else if a, b := s.visit(e.A), s.visit(e.B); a != e.A || b != e.B {
		n = tir.BinaryAt(e.Base, e.Op, a, b)
	}
	if f := fold(n.Op, n.A, n.B); f != nil {
		return s.named(ruleFold, n, f)
	}
	if n.Op >= tir.OpEQ {
		if t := s.literal(n); t != nil {
			return s.named(ruleAssumed, n, t)
		}
	}
	return s.rules(n)
}

// rules applies the rules for n, whose operands are simplified and fold no further.
func (s *simplifier) rules(n *tir.Binary) tir.Expr {
	if n.Op >= tir.OpAnd {
		if e := s.cnf(n); e != nil {
			return s.named("logic.and-of-ors", n, e)
		}
	}
	if e := s.tryRules(int(n.Op), n, operandType(n), n.A, n.B, nil); e != nil {
		return e
	}
	switch n.Op {
	case tir.OpNE:
		return s.notEqual(n)
	case tir.OpLE:
		return s.lessEqual(n)
	}
	return n
}
