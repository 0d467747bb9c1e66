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
		a := s.visit(e.A)
		if a != e.A {
			e = &tir.Not{Base: e.Base, A: a}
		}
		if c, ok := cst(a); ok {
			return truth(e.DType(), c == 0)
		}
		if t := s.literal(e); t != nil {
			return t
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
	n := e
	if (e.Op == tir.OpAnd || e.Op == tir.OpOr) && s.a.Extensions&ApplyConstraintsToBooleanBranches != 0 && !s.canonical {
		n = s.visitBranches(e)
	} else if a, b := s.visit(e.A), s.visit(e.B); a != e.A || b != e.B {
		n = tir.BinaryAt(e.Base, e.Op, a, b)
	}
	if f := fold(n.Op, n.A, n.B); f != nil {
		return f
	}
	if n.Op >= tir.OpEQ {
		if t := s.literal(n); t != nil {
			return t
		}
	}
	return s.rules(n)
}

// rules applies the rules for n, whose operands are simplified and fold no further.
func (s *simplifier) rules(n *tir.Binary) tir.Expr {
	d := operandType(n)
	if d.Lanes > 1 {
		if e := s.vectorRules(n, d); e != nil {
			return e
		}
	}
	index := isIndex(d)
	switch n.Op {
	case tir.OpEQ:
		return s.eqRules(n, index)
	case tir.OpNE:
		return s.neRules(n, index)
	case tir.OpLT:
		return s.ltRules(n, index)
	case tir.OpLE:
		return s.leRules(n)
	case tir.OpAnd:
		return s.andRules(n)
	case tir.OpOr:
		return s.orRules(n)
	}
	var e tir.Expr
	if index {
		switch n.Op {
		case tir.OpAdd:
			e = s.addRules(n, d)
		case tir.OpSub:
			e = s.subRules(n, d)
		case tir.OpMul:
			e = s.mulRules(n, d)
		case tir.OpDiv:
			e = s.truncDivRules(n, d)
		case tir.OpMod:
			e = s.truncModRules(n, d)
		case tir.OpFloorDiv:
			e = s.floorDivRules(n, d)
		case tir.OpFloorMod:
			e = s.floorModRules(n, d)
		case tir.OpMin, tir.OpMax:
			e = s.minMaxRules(n, d)
		}
	} else if n.Op == tir.OpSub && !d.IsFloat() {
		e = cancelRules(n, d)
	}
	if e != nil {
		return e
	}
	if e := selectRules(n); e != nil {
		return e
	}
	return n
}

// cancelRules cancels terms of integers that are no index, where computing the term has no
// effect. (TVM cancels floats too, but NaN - NaN is not 0, and a sum may have been rounded.)
func cancelRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b := n.A, n.B
	pure := func(e tir.Expr) bool { return SideEffect(e) <= tir.ReadState }
	if Equal(a, b) && pure(a) {
		return num(d, 0)
	}
	if A := bin(a); A.Op == tir.OpAdd {
		if Equal(A.B, b) && pure(b) {
			return A.A
		}
		if Equal(A.A, b) && pure(b) {
			return A.B
		}
	}
	if B := bin(b); B.Op == tir.OpAdd && (Equal(B.B, a) || Equal(B.A, a)) && pure(a) {
		rest := B.A
		if Equal(B.A, a) {
			rest = B.B
		}
		return sub(num(d, 0), rest)
	}
	return nil
}

// selectRules pulls an operation on two choices by one condition into the choice.
func selectRules(n *tir.Binary) tir.Expr {
	x, ok := n.A.(*tir.Select)
	if !ok || n.Op > tir.OpMax {
		return nil
	}
	if y, ok := n.B.(*tir.Select); ok && (n.Op == tir.OpAdd || n.Op == tir.OpSub || n.Op == tir.OpMin || n.Op == tir.OpMax) && Equal(x.Cond, y.Cond) {
		return &tir.Select{Cond: x.Cond, True: mk(n.Op, x.True, y.True), False: mk(n.Op, x.False, y.False)}
	}
	if n.Op == tir.OpSub && !n.B.DType().IsFloat() {
		zero := num(n.B.DType(), 0)
		if Equal(x.False, n.B) {
			return &tir.Select{Cond: x.Cond, True: sub(x.True, n.B), False: zero}
		}
		if Equal(x.True, n.B) {
			return &tir.Select{Cond: x.Cond, True: zero, False: sub(x.False, n.B)}
		}
	}
	return nil
}
