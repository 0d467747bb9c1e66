package arith

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// numberCalls returns the function that a condition or result calls for a number: the least and greatest
// values of an expression by its constant bound, and its modular set. nil if there is none of the name.
func numberCalls(name string) func(*match, tir.Expr) int64 {
	switch name {
	case "lo":
		return func(m *match, e tir.Expr) int64 { return m.s.a.boundOf(e).Min }
	case "hi":
		return func(m *match, e tir.Expr) int64 { return m.s.a.boundOf(e).Max }
	case "coeff":
		return func(m *match, e tir.Expr) int64 { return m.s.a.modularOf(e).Coeff }
	case "base":
		return func(m *match, e tir.Expr) int64 { return m.s.a.modularOf(e).Base }
	}
	return nil
}

// predicate returns the function that a condition calls, whose second argument has the number given, if it
// has one: an expression or, of below, a number. What a rule made is simplified first.
func (c *ruleCompiler) predicate(t *term) (func(*match) int64, error) {
	arg := func(i int) (func(*match) tir.Expr, error) {
		if i >= len(t.args) {
			return nil, fmt.Errorf("%s needs more operands", t.name)
		}
		return c.build(t.args[i], false)
	}
	x, err := arg(0)
	if err != nil {
		return nil, err
	}
	made := t.args[0].kind != termVar
	one := func(f func(m *match, e tir.Expr) bool) (func(*match) int64, error) {
		return func(m *match) int64 { return truthInt(f(m, x(m))) }, nil
	}
	switch t.name {
	case "const":
		return one(func(_ *match, e tir.Expr) bool { _, ok := cst(e); return ok })
	case "scaled":
		return one(func(_ *match, e tir.Expr) bool { _, _, ok := opConst(e, tir.OpMul); return ok })
	case "minmax":
		return one(func(_ *match, e tir.Expr) bool { return isMinMax(bin(e)) })
	case "float":
		return one(func(_ *match, e tir.Expr) bool { return e.DType().IsFloat() })
	case "total":
		return one(func(_ *match, e tir.Expr) bool { return !e.DType().IsFloat() })
	case "pure":
		return one(func(_ *match, e tir.Expr) bool { return SideEffect(e) <= tir.ReadState })
	case "floatzero":
		return one(func(_ *match, e tir.Expr) bool { f, ok := e.(*tir.FloatImm); return ok && f.Value == 0 })
	case "vscale":
		return one(func(m *match, e tir.Expr) bool { return m.s.a.containsVscale(e) })
	case "proves":
		return one(func(m *match, e tir.Expr) bool { return m.s.provesNow(e) })
	case "zero":
		return one(func(m *match, e tir.Expr) bool { return isCst(m.s.aside(e), 0) })
	case "nonneg":
		return one(func(m *match, e tir.Expr) bool {
			if made {
				e = m.s.aside(e)
			}
			return m.s.a.boundOf(e).Min >= 0
		})
	case "below":
		if len(t.args) != 2 {
			return nil, fmt.Errorf("below takes an expression and a number")
		}
		limit, err := c.int(t.args[1])
		if err != nil {
			return nil, err
		}
		return one(func(m *match, e tir.Expr) bool { b := m.s.a.boundOf(e); return b.Min >= 0 && b.Max < limit(m) })
	}
	y, err := arg(1)
	if err != nil {
		return nil, err
	}
	switch t.name {
	case "equal":
		return one(func(m *match, e tir.Expr) bool { return m.s.recur < maxRecur && m.s.sameValue(e, y(m)) })
	case "among":
		return one(func(m *match, e tir.Expr) bool { return among(bin(m.n).Op, e, y(m)) })
	}
	return nil, fmt.Errorf("there is no predicate %s", t.name)
}

// among reports whether e is one of the operands of x, of which the first may be nested a few deep.
func among(op tir.BinaryOp, e, x tir.Expr) bool {
	for range 4 {
		b := bin(x)
		if b.Op != op {
			return false
		}
		if Equal(b.A, e) || Equal(b.B, e) {
			return true
		}
		x = b.A
	}
	return false
}

// aside simplifies what a condition asks about; it is no part of what the expression becomes.
func (s *simplifier) aside(e tir.Expr) tir.Expr {
	s.a.quiet++
	defer func() { s.a.quiet-- }()
	return s.again(e)
}

// sameValue reports whether x - y simplifies to zero.
func (s *simplifier) sameValue(x, y tir.Expr) bool { return isCst(s.aside(sub(x, y)), 0) }

// provesNow reports whether the comparison e, made by a rule, simplifies to true.
func (s *simplifier) provesNow(e tir.Expr) bool { return s.recur < maxRecur && isCst(s.aside(e), 1) }

// containsVscale reports whether e depends on the unknown factor of vector lengths. It is asked of each node of a chain:
// beyond a few nodes the answers are remembered.
func (a *Analyzer) containsVscale(e tir.Expr) bool {
	found, left := scanVscale(e, 32)
	if found || left >= 0 {
		return found
	}
	found, ok := a.memo.vscale.Get(e)
	if ok {
		return found
	}
	if b, ok := e.(*tir.Binary); ok {
		found = a.containsVscale(b.A) || a.containsVscale(b.B)
	} else {
		found, _ = scanVscale(e, math.MaxInt)
	}
	a.memo.vscale.Put(e, found)
	return found
}

// scanVscale looks for the factor in up to n nodes of e. left is negative where there are more.
func scanVscale(e tir.Expr, n int) (found bool, left int) {
	if n--; n < 0 {
		return false, n
	}
	switch e := e.(type) {
	case *tir.Var, *tir.IntImm:
		return false, n
	case *tir.Binary:
		if found, n = scanVscale(e.A, n); found || n < 0 {
			return found, n
		}
		return scanVscale(e.B, n)
	}
	return walkVscale(e, n)
}

func walkVscale(e tir.Expr, n int) (found bool, left int) {
	ir.Walk(e, func(x ir.Node) bool {
		if c, ok := x.(tir.Expr); ok && !found {
			_, found = tir.IsCallTo(c, tir.OpVScale)
		}
		n--
		return !found && n >= 0
	})
	return found, n
}
