package reducer

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// reducers make a reducer for identities, nil if they are not its own.
var reducers = []func(identity []tir.Expr) *tir.CommReducer{
	single(tir.OpAdd, func(e tir.Expr) bool { return isNumber(e, 0) }),
	single(tir.OpMul, func(e tir.Expr) bool { return isNumber(e, 1) }),
	single(tir.OpMin, func(e tir.Expr) bool { return isLimit(e, 1) }),
	single(tir.OpMax, func(e tir.Expr) bool { return isLimit(e, -1) }),
	maxOfNumbers,
	sums,
	extreme(tir.OpGE, false), extreme(tir.OpGT, true), extreme(tir.OpLE, false), extreme(tir.OpLT, true),
}

// reducerOf makes a reducer of types and a combination.
func reducerOf(identity []tir.Expr, combine func(x, y []tir.Expr) []tir.Expr) *tir.CommReducer {
	c := &tir.CommReducer{Identity: identity}
	var x, y []tir.Expr
	for i, e := range identity {
		l, r := tir.NewVar(fmt.Sprintf("x%d", i), e.DType()), tir.NewVar(fmt.Sprintf("y%d", i), e.DType())
		c.LHS, c.RHS = append(c.LHS, l), append(c.RHS, r)
		x, y = append(x, l), append(y, r)
	}
	c.Result = combine(x, y)
	return c
}

func single(op tir.BinaryOp, is func(tir.Expr) bool) func([]tir.Expr) *tir.CommReducer {
	return func(identity []tir.Expr) *tir.CommReducer {
		if len(identity) != 1 || !is(identity[0]) {
			return nil
		}
		return reducerOf(identity, func(x, y []tir.Expr) []tir.Expr { return []tir.Expr{tir.BinaryExpr(op, x[0], y[0])} })
	}
}

// maxOfNumbers is the maximum that leaves out NaN (te.MaxOfNumbers). TVM has no such reducer.
func maxOfNumbers(identity []tir.Expr) *tir.CommReducer {
	if len(identity) != 1 || !isLimit(identity[0], -1) {
		return nil
	}
	return reducerOf(identity, func(x, y []tir.Expr) []tir.Expr {
		return []tir.Expr{&tir.Select{Cond: tir.LT(x[0], y[0]), True: y[0], False: x[0]}}
	})
}

// sums adds two values at once.
func sums(identity []tir.Expr) *tir.CommReducer {
	if len(identity) != 2 || !isNumber(identity[0], 0) || !isNumber(identity[1], 0) {
		return nil
	}
	return reducerOf(identity, func(x, y []tir.Expr) []tir.Expr {
		return []tir.Expr{tir.Add(x[0], y[0]), tir.Add(x[1], y[1])}
	})
}

// extreme finds the greatest or least second value and the first one that belongs to it; with ties,
// of equal ones that with the least first value.
func extreme(op tir.BinaryOp, ties bool) func([]tir.Expr) *tir.CommReducer {
	side := -1
	if op == tir.OpLE || op == tir.OpLT {
		side = 1
	}
	return func(identity []tir.Expr) *tir.CommReducer {
		if len(identity) != 2 || !isNumber(identity[0], -1) || !isLimit(identity[1], side) {
			return nil
		}
		return reducerOf(identity, func(x, y []tir.Expr) []tir.Expr {
			first := tir.BinaryExpr(op, x[1], y[1])
			place := first
			if ties {
				place = tir.Or(first, tir.And(tir.EQ(x[1], y[1]), tir.LT(x[0], y[0])))
			}
			return []tir.Expr{&tir.Select{Cond: place, True: x[0], False: y[0]}, &tir.Select{Cond: first, True: x[1], False: y[1]}}
		})
	}
}

func isNumber(e tir.Expr, n int64) bool {
	if f, ok := e.(*tir.FloatImm); ok {
		return f.Value == float64(n)
	}
	v, ok := tir.AsInt(e)
	return ok && v == n
}

// isLimit reports whether no value of the type of e is beyond it: above for side 1, below for -1.
func isLimit(e tir.Expr, side int) bool {
	d := e.DType()
	if f, ok := e.(*tir.FloatImm); ok {
		return math.IsInf(f.Value, side) || d == dtype.Float32T && f.Value == float64(side)*math.MaxFloat32 ||
			d == dtype.Float64T && f.Value == float64(side)*math.MaxFloat64 || d == dtype.Float16T && f.Value == float64(side)*65504
	}
	v, ok := tir.AsInt(e)
	switch {
	case !ok || d.Bits > 64:
		return false
	case d.IsInt() && side > 0:
		return v == math.MaxInt64>>(64-d.Bits)
	case d.IsInt():
		return v == math.MinInt64>>(64-d.Bits)
	case d.IsUInt() && side < 0:
		return v == 0
	case d.IsUInt() && d.Bits < 64:
		return v == 1<<d.Bits-1
	}
	return false
}

// match returns what c combines the elements loads with if results are its results, else nil.
func match(c *tir.CommReducer, results, loads []tir.Expr) []tir.Expr {
	bound := map[*tir.Var]tir.Expr{}
	for i, v := range c.LHS {
		bound[v] = loads[i]
	}
	for i, r := range c.Result {
		if !matches(r, results[i], bound) {
			return nil
		}
	}
	out := make([]tir.Expr, len(c.RHS))
	for i, v := range c.RHS {
		if out[i] = bound[v]; out[i] == nil {
			return nil
		}
	}
	return out
}

// matches reports whether e is pattern with its variables, all free, replaced as bound says or will say.
func matches(pattern, e tir.Expr, bound map[*tir.Var]tir.Expr) bool {
	switch p := pattern.(type) {
	case *tir.Var:
		if was := bound[p]; was != nil {
			return arith.Equal(was, e)
		}
		bound[p] = e
		return true
	case *tir.Binary:
		b, ok := e.(*tir.Binary)
		return ok && b.Op == p.Op && matches(p.A, b.A, bound) && matches(p.B, b.B, bound)
	case *tir.Select:
		s, ok := e.(*tir.Select)
		return ok && matches(p.Cond, s.Cond, bound) && matches(p.True, s.True, bound) && matches(p.False, s.False, bound)
	}
	return false
}
