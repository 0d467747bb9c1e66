package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native/asm"
)

// Conditions are not computed to bools where they decide a jump or a choice: the comparison sets the flags, and the jump behind it reads them. Nothing
// but moves comes between the two.

// compareConds are the conditions of comparisons of integers.
var compareConds = map[lower.Fn]asm.Cond{
	lower.Eqz: asm.Equal, lower.Eq: asm.Equal, lower.Ne: asm.NotEqual,
	lower.LtS: asm.Less, lower.LeS: asm.LessEq, lower.GtS: asm.Greater, lower.GeS: asm.GreaterEq,
	lower.LtU: asm.Below, lower.LeU: asm.BelowEq, lower.GtU: asm.Above, lower.GeU: asm.AboveEq,
}

// isCondition reports whether a node is a comparison whose result stands in flags.
func isCondition(n *node) bool {
	_, ok := compareConds[fnOf(n.Op)]
	return ok || orderedCompare(n)
}

// orderedCompare reports whether n compares floats by order: other comparisons of floats need the flag of unordered ones as well.
func orderedCompare(n *node) bool {
	if c := code(n.Op); c != pCompare32 && c != pCompare64 {
		return false
	}
	switch n.Imm {
	case cmpLt, cmpLe, cmpGt, cmpGe:
		return true
	}
	return false
}

// isBool reports whether n is a condition, or conditions combined, that is computed where it is used.
func isBool(n *node) bool {
	if n.Held || !n.Inlined() {
		return false
	}
	if fn := fnOf(n.Op); fn == lower.And || fn == lower.Or {
		return !wide(n.Op) && isTruth(n.Args[0]) && isTruth(n.Args[1])
	}
	return isCondition(n)
}

// isTruth reports whether a node is 0 or 1.
func isTruth(n *node) bool {
	if fn := fnOf(n.Op); (fn == lower.And || fn == lower.Or || fn == lower.Xor) && !wide(n.Op) {
		return isTruth(n.Args[0]) && isTruth(n.Args[1])
	}
	c := code(n.Op)
	_, ok := compareConds[fnOf(n.Op)]
	return ok || c == pCompare32 || c == pCompare64
}

// flags writes a comparison and returns the condition under which it holds.
func (l *linear) flags(n *node) asm.Cond {
	i := inst{op: sized(cCompare, 32), dst: none, args: [3]vreg{none, none, none}, index: none}
	if orderedCompare(n) {
		a, b, cond := n.Args[0], n.Args[1], asm.Above
		if n.Imm == cmpLt || n.Imm == cmpLe {
			a, b = b, a
		}
		if n.Imm == cmpLe || n.Imm == cmpGe {
			cond = asm.AboveEq
		}
		i.op = sized(cFloatFlag, 8*bytesOf(a.Type))
		i.args[0] = l.value(a)
		if !l.operand(&i, b, bytesOf(a.Type)) {
			i.args[1] = l.value(b)
		}
		l.add(i)
		return cond
	}
	fn := fnOf(n.Op)
	cond := compareConds[fn]
	size := 4
	if wide(n.Op) {
		size = 8
	}
	i.op = sized(cCompare, 8*size)
	a := n.Args[0]
	if fn == lower.Eqz {
		return l.zeroFlag(a, cond)
	}
	b := n.Args[1]
	v, ok := b.Int()
	if ok && v == 0 && (fn == lower.Eq || fn == lower.Ne) {
		return l.zeroFlag(a, cond)
	}
	if a.IsConst() && !ok {
		a, b, cond = b, a, swapped(cond)
		v, ok = b.Int()
	}
	i.args[0] = l.value(a)
	switch {
	case ok && v == int64(int32(v)):
		i.imm, i.Imm = true, v
	case l.operand(&i, b, size):
	default:
		i.args[1] = l.value(b)
	}
	l.add(i)
	return cond
}

// zeroFlag compares with zero; the negation of a condition is the opposite one.
func (l *linear) zeroFlag(a *node, cond asm.Cond) asm.Cond {
	if !a.Held && a.Inlined() && isCondition(a) {
		if cond == asm.Equal {
			return opposite(l.flags(a))
		}
		return l.flags(a)
	}
	i := inst{op: cTest, dst: none, args: [3]vreg{l.value(a), none, none}, index: none}
	if a.Type == tI64 {
		i.op = sized(cTest, 64)
	}
	l.add(i)
	return cond
}

// swapped is the condition of exchanged operands.
func swapped(c asm.Cond) asm.Cond {
	switch c {
	case asm.Less:
		return asm.Greater
	case asm.Greater:
		return asm.Less
	case asm.LessEq:
		return asm.GreaterEq
	case asm.GreaterEq:
		return asm.LessEq
	case asm.Below:
		return asm.Above
	case asm.Above:
		return asm.Below
	case asm.BelowEq:
		return asm.AboveEq
	case asm.AboveEq:
		return asm.BelowEq
	}
	return c
}

// branch jumps to a label where n is not 0, or, if not want, where it is 0. Parts of conjunctions and disjunctions jump by themselves.
func (l *linear) branch(n *node, to int32, want bool) {
	fn := fnOf(n.Op)
	switch {
	case !isBool(n):
		i := inst{op: cTest, dst: none, args: [3]vreg{l.value(n), none, none}, index: none}
		if n.Type == tI64 {
			i.op = sized(cTest, 64)
		}
		l.add(i)
		cond := asm.NotEqual
		if !want {
			cond = asm.Equal
		}
		l.control(cJumpIf, cond, to)
	case fn == lower.And || fn == lower.Or:
		if (fn == lower.Or) == want { // either decides
			l.branch(n.Args[0], to, want)
			l.branch(n.Args[1], to, want)
			return
		}
		past := l.label()
		l.branch(n.Args[0], past, !want)
		l.branch(n.Args[1], to, want)
		l.bind(past)
	default:
		cond := l.flags(n)
		if !want {
			cond = opposite(cond)
		}
		l.control(cJumpIf, cond, to)
	}
}

// conditionInto computes a comparison to 0 or 1.
func (l *linear) conditionInto(n *node, d vreg) {
	cond := l.flags(n)
	l.add(inst{op: cSet, dst: d, args: [3]vreg{none, none, none}, index: none, cond: cond})
}

// selectInto computes a choice: of integers by a conditional move, of others by a jump.
func (l *linear) selectInto(n *node, d vreg) {
	a, b, c := n.Args[0], n.Args[1], n.Args[2]
	x, y := l.value(a), l.value(b)
	i := inst{op: cMoveIf, dst: d, args: [3]vreg{x, y, none}, index: none}
	if isVector(n.Type) {
		i.op = cSelect
	} else if n.Type == tI64 {
		i.op = sized(cMoveIf, 64)
	}
	if !c.Held && c.Inlined() && isCondition(c) {
		i.cond = l.flags(c)
	} else {
		t := inst{op: cTest, dst: none, args: [3]vreg{l.value(c), none, none}, index: none}
		if c.Type == tI64 {
			t.op = sized(cTest, 64)
		}
		l.add(t)
		i.cond = asm.NotEqual
	}
	l.add(i)
}
