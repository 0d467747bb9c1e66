package arith

import "github.com/irscope/irscope/compiler/tir"

// UnwrapVectorExpr returns the value of one lane of e, whose number is the expression lane. ok is false
// where e has lanes of a kind that it does not look into: shuffles, and variables and loads of vectors.
// Scalars in e stay. After TVM's src/arith/unwrap_vector_expr.cc.
func UnwrapVectorExpr(e, lane tir.Expr) (scalar tir.Expr, ok bool) {
	ok = true
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if e.DType().Lanes <= 1 && !e.DType().Scalable {
			return e
		}
		switch e := e.(type) {
		case *tir.Ramp:
			step := lane
			if step.DType() != e.Stride.DType() {
				step = tir.CastTo(e.Stride.DType(), lane)
			}
			return tir.Add(e.Start, tir.Mul(step, e.Stride))
		case *tir.Broadcast:
			return e.Value
		case *tir.Binary:
			return tir.NewBinary(e.Op, m.Expr(e.A), m.Expr(e.B))
		case *tir.Not:
			return &tir.Not{A: m.Expr(e.A)}
		case *tir.Cast:
			return &tir.Cast{Type: e.Type.Elem(), Value: m.Expr(e.Value)}
		case *tir.Select:
			return &tir.Select{Cond: m.Expr(e.Cond), True: m.Expr(e.True), False: m.Expr(e.False)}
		case *tir.BufferLoad:
			if e.Buffer.DType.Lanes > 1 || e.Predicate != nil {
				break
			}
			return m.MapExpr(e)
		}
		ok = false
		return e
	}
	scalar = m.Expr(e)
	return scalar, ok
}
