package arith

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/irscope/irscope/compiler/tir"
)

func truthInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// conditions adds the parts of a conjunction, which are checked in order.
func (c *ruleCompiler) conditions(t *term) error {
	if t.kind == termBinary && t.op == tir.OpAnd {
		if err := c.conditions(t.args[0]); err != nil {
			return err
		}
		return c.conditions(t.args[1])
	}
	f, err := c.int(t)
	c.alt.conds = append(c.alt.conds, f)
	return err
}

// int returns the function that computes t, a number or a condition, of a match. Overflow and division by
// zero make the match bad.
func (c *ruleCompiler) int(t *term) (func(*match) int64, error) {
	switch t.kind {
	case termNum:
		v := t.val
		return func(*match) int64 { return v }, nil
	case termConst:
		k, ok := c.consts[t.name]
		if !ok {
			return nil, fmt.Errorf("%s is not in the pattern", t.name)
		}
		return func(m *match) int64 { return m.c[k] }, nil
	case termNeg, termNot:
		a, err := c.int(t.args[0])
		if err != nil {
			return nil, err
		}
		if t.kind == termNot {
			return func(m *match) int64 { return 1 - a(m) }, nil
		}
		return func(m *match) int64 { return m.compute(tir.OpSub, 0, a(m)) }, nil
	case termBinary:
		return c.intBinary(t)
	case termCall:
		if f := numberCalls(t.name); f != nil && len(t.args) == 1 {
			x, err := c.build(t.args[0], false)
			return func(m *match) int64 { return f(m, x(m)) }, err
		}
		return c.predicate(t)
	}
	return nil, fmt.Errorf("%s is no number", t.name)
}

func (c *ruleCompiler) intBinary(t *term) (func(*match) int64, error) {
	a, err := c.int(t.args[0])
	if err != nil {
		return nil, err
	}
	b, err := c.int(t.args[1])
	if err != nil {
		return nil, err
	}
	op := t.op
	switch op {
	case tir.OpAnd:
		return func(m *match) int64 { return truthInt(a(m) != 0 && b(m) != 0) }, nil
	case tir.OpOr:
		return func(m *match) int64 { return truthInt(a(m) != 0 || b(m) != 0) }, nil
	}
	// Most compare or combine constants of the pattern and numbers, which takes no more calls then.
	x, y := t.args[0], t.args[1]
	switch {
	case x.kind == termConst && y.kind == termNum && op.IsCompare():
		k, v := c.consts[x.name], y.val
		return func(m *match) int64 { return compareInts(op, m.c[k], v) }, nil
	case x.kind == termConst && y.kind == termConst && op.IsCompare():
		k, l := c.consts[x.name], c.consts[y.name]
		return func(m *match) int64 { return compareInts(op, m.c[k], m.c[l]) }, nil
	case op.IsCompare() && y.kind == termNum:
		v := y.val
		return func(m *match) int64 { return compareInts(op, a(m), v) }, nil
	case op.IsCompare():
		return func(m *match) int64 { return compareInts(op, a(m), b(m)) }, nil
	case x.kind == termConst && y.kind == termConst:
		k, l := c.consts[x.name], c.consts[y.name]
		return func(m *match) int64 { return m.compute(op, m.c[k], m.c[l]) }, nil
	}
	return func(m *match) int64 { return m.compute(op, a(m), b(m)) }, nil
}

func compareInts(op tir.BinaryOp, x, y int64) int64 {
	switch op {
	case tir.OpEQ:
		return truthInt(x == y)
	case tir.OpNE:
		return truthInt(x != y)
	case tir.OpLT:
		return truthInt(x < y)
	case tir.OpLE:
		return truthInt(x <= y)
	case tir.OpGT:
		return truthInt(x > y)
	}
	return truthInt(x >= y)
}

// compute applies op to numbers. A result beyond 64 bits, or none, makes the match bad.
func (m *match) compute(op tir.BinaryOp, x, y int64) int64 {
	switch op {
	case tir.OpAdd, tir.OpSub:
		if op == tir.OpSub {
			if y == math.MinInt64 {
				m.bad = true
				return 0
			}
			y = -y
		}
		s := x + y
		m.bad = m.bad || (x^s)&(y^s) < 0
		return s
	case tir.OpMul:
		hi, lo := bits.Mul64(absU(x), absU(y))
		m.bad = m.bad || hi != 0 || lo>>63 != 0
		return x * y
	case tir.OpMin:
		return min(x, y)
	case tir.OpMax:
		return max(x, y)
	}
	if y == 0 || x == math.MinInt64 {
		m.bad = true
		return 0
	}
	switch op {
	case tir.OpDiv:
		return x / y
	case tir.OpMod:
		return x % y
	case tir.OpFloorDiv:
		return floorDivInt(x, y)
	}
	return floorModInt(x, y)
}
