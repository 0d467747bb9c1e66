package arith

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// undefined says that an expression has no value: it divides by zero.
type undefined struct{}

// evalAll computes the lanes of an integer or bool expression. It panics with undefined for
// a division by zero.
func evalAll(e tir.Expr, at map[*tir.Var]int64) []int64 {
	switch e := e.(type) {
	case *tir.IntImm:
		return []int64{e.Value}
	case *tir.Var:
		v, ok := at[e]
		if !ok {
			panic("unbound " + e.Name)
		}
		return []int64{v}
	case *tir.Binary:
		x, y := evalAll(e.A, at), evalAll(e.B, at)
		out := make([]int64, len(x))
		for i := range x {
			v, ok := tir.FoldInt(e.Op, operandType(e).Elem(), x[i], y[i])
			if !ok {
				panic(undefined{})
			}
			out[i] = v
		}
		return out
	case *tir.Not:
		x := evalAll(e.A, at)
		out := make([]int64, len(x))
		for i := range x {
			out[i] = 1 - x[i]
		}
		return out
	case *tir.Cast:
		x := evalAll(e.Value, at)
		out := make([]int64, len(x))
		for i := range x {
			c, ok := tir.CastTo(e.Type.Elem(), tir.Const(e.Value.DType().Elem(), x[i])).(*tir.IntImm)
			if !ok {
				panic("cast to " + e.Type.String())
			}
			out[i] = c.Value
		}
		return out
	case *tir.Select:
		c := evalAll(e.Cond, at)
		if c[0] != 0 {
			return evalAll(e.True, at)
		}
		return evalAll(e.False, at)
	case *tir.Ramp:
		x, s := evalAll(e.Start, at)[0], evalAll(e.Stride, at)[0]
		out := make([]int64, e.Lanes)
		for i := range out {
			out[i] = x + s*int64(i)
		}
		return out
	case *tir.Broadcast:
		x := evalAll(e.Value, at)[0]
		out := make([]int64, e.Lanes)
		for i := range out {
			out[i] = x
		}
		return out
	case *tir.Let:
		inner := map[*tir.Var]int64{e.Var: evalAll(e.Value, at)[0]}
		for k, v := range at {
			inner[k] = v
		}
		return evalAll(e.Body, inner)
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
			if evalAll(e.Args[0], at)[0] != 0 {
				return evalAll(e.Args[1], at)
			}
			return evalAll(e.Args[2], at)
		}
		if isOp(e, tir.OpVScale) {
			return []int64{at[nil]}
		}
		x, y := evalAll(e.Args[0], at)[0], evalAll(e.Args[1], at)[0]
		switch {
		case isOp(e, tir.OpShiftRight):
			return []int64{x >> uint(y)}
		case isOp(e, tir.OpShiftLeft):
			return []int64{x << uint(y)}
		case isOp(e, tir.OpBitwiseAnd):
			return []int64{x & y}
		}
	}
	panic(fmt.Sprintf("eval: %s", show(e)))
}

// evalOK is evalAll with ok false where the expression has no value.
func evalOK(e tir.Expr, at map[*tir.Var]int64) (lanes []int64, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(undefined); !is {
				panic(r)
			}
			lanes, ok = nil, false
		}
	}()
	return evalAll(e, at), true
}

// evalScalar is evalOK of a scalar, without the lists of lanes: proofs evaluate hundreds of millions of them. known is
// false for what only evalAll knows.
func evalScalar(e tir.Expr, at map[*tir.Var]int64) (v int64, ok, known bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value, true, true
	case *tir.Var:
		v, ok = at[e]
		return v, ok, ok
	case *tir.Binary:
		x, okX, knownX := evalScalar(e.A, at)
		y, okY, knownY := evalScalar(e.B, at)
		if !knownX || !knownY {
			return 0, false, false
		}
		if !okX || !okY {
			return 0, false, true
		}
		v, ok = tir.FoldInt(e.Op, operandType(e), x, y)
		return v, ok, true
	case *tir.Not:
		v, ok, known = evalScalar(e.A, at)
		return 1 - v, ok, known
	case *tir.Select:
		c, ok, known := evalScalar(e.Cond, at)
		switch {
		case !ok || !known:
			return 0, false, known
		case c != 0:
			return evalScalar(e.True, at)
		}
		return evalScalar(e.False, at)
	}
	return 0, false, false
}

// evalEqual evaluates two expressions of the same type. defined says that the first one has a value, equal that the other
// one has that value, too.
func evalEqual(x, y tir.Expr, at map[*tir.Var]int64) (defined, equal bool) {
	if x.DType().IsScalar() {
		v, ok, known := evalScalar(x, at)
		if known && !ok {
			return false, false
		}
		if known {
			if w, ok, known := evalScalar(y, at); known {
				return true, ok && v == w
			}
		}
	}
	v, ok := evalOK(x, at)
	if !ok {
		return false, false
	}
	w, ok := evalOK(y, at)
	return true, ok && slices.Equal(v, w)
}
