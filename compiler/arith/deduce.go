package arith

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Loop partitioning asks for which values of a loop variable a condition certainly holds, whatever inner
// loops do: for i*4 + j < 30 with j in [0, 4) the answer is i <= 6.
//
// The other variables are relaxed to their intervals on the side that makes the condition hardest, here
// j = 3. Then the variable is isolated by undoing what was done to it from the outside in: an addition
// is subtracted on the other side, a factor divided away with rounding towards the safe side, a negative
// one turning the comparison around. The result may be smaller than all solutions, never larger.
//
// A variable that occurs twice is refused, since undoing works on one path only. After TVM's
// src/arith/bound_deducer.cc.

// deducer solves a comparison for one variable by undoing what is done to it, from the
// outside in: target OP result.
type deducer struct {
	a      *Analyzer
	v      *tir.Var
	hint   map[*tir.Var]IntSet
	result tir.Expr
	op     tir.BinaryOp // OpGE, OpLE or OpEQ
}

// DeduceBound returns values of v for which cond certainly holds whatever values the
// variables in relax take; hint bounds variables that stay, which tells signs. It returns
// the empty set where it finds none.
func DeduceBound(v *tir.Var, cond tir.Expr, hint, relax map[*tir.Var]IntSet) IntSet {
	b := bin(cond)
	if !b.Op.IsCompare() || b.Op == tir.OpNE || !operandType(b).IsInteger() || countUses(cond, v) != 1 {
		return Nothing()
	}
	d := &deducer{a: NewAnalyzer(), v: v, hint: hint, op: b.Op, result: b.B}
	target := b.A
	if countUses(target, v) == 0 {
		target, d.result, d.op = b.B, b.A, mirror(b.Op)
	}
	switch d.op {
	case tir.OpLT:
		d.op, d.result = tir.OpLE, tir.Sub(d.result, one(d.result))
	case tir.OpGT:
		d.op, d.result = tir.OpGE, tir.Add(d.result, one(d.result))
	}
	lhs, rhs := EvalSet(target, relax), EvalSet(d.result, relax)
	switch {
	case lhs.Empty || rhs.Empty:
		return Nothing()
	case d.op == tir.OpEQ:
		if !lhs.CanProvePoint(d.a) || !rhs.CanProvePoint(d.a) {
			return Nothing()
		}
		target, d.result = lhs.Max, rhs.Min
	case d.op == tir.OpGE:
		target, d.result = lhs.Min, rhs.Max
	default:
		target, d.result = lhs.Max, rhs.Min
	}
	if d.result == nil || countUses(target, v) != 1 || countUses(d.result, v) != 0 || !d.solve(target) {
		return Nothing()
	}
	d.result = d.a.Simplify(d.result)
	switch d.op {
	case tir.OpEQ:
		return Point(d.result)
	case tir.OpGE:
		return Interval(d.result, nil)
	}
	return Interval(nil, d.result)
}

// countUses counts the places in which v stands in e.
func countUses(e tir.Expr, v *tir.Var) int {
	n := 0
	ir.Walk(e, func(x ir.Node) bool {
		if x == ir.Node(v) {
			n++
		}
		return true
	})
	return n
}

// sign tells the sign of e where all its values have the same.
func (d *deducer) sign(e tir.Expr) (negative, known bool) {
	b := EvalSet(e, d.hint).ConstBound(d.a)
	return b.Max < 0, b.Max < 0 || b.Min > 0 || e.DType().IsUInt()
}

func (d *deducer) negate() {
	d.result = tir.Sub(tir.Const(d.result.DType(), 0), d.result)
}

// solve brings e OP result to v OP result.
func (d *deducer) solve(e tir.Expr) bool {
	if e == tir.Expr(d.v) {
		return true
	}
	b, ok := e.(*tir.Binary)
	if !ok {
		return false
	}
	left := countUses(b.A, d.v) > 0
	target, other := b.A, b.B
	if !left {
		target, other = b.B, b.A
	}
	switch b.Op {
	case tir.OpAdd:
		d.result = tir.Sub(d.result, other)
	case tir.OpSub:
		if left {
			d.result = tir.Add(d.result, other)
		} else {
			d.result = tir.Sub(d.result, other)
			d.negate()
			d.op = mirror(d.op)
		}
	case tir.OpMul:
		negative, known := d.sign(other)
		if !known {
			return false
		}
		if negative {
			d.op = mirror(d.op)
		}
		exact := d.a.CanProve(tir.EQ(tir.FloorMod(d.result, other), tir.Const(other.DType(), 0)))
		d.result = tir.FloorDiv(d.result, other)
		if !exact {
			switch d.op {
			case tir.OpEQ:
				return false
			case tir.OpGE: // round up
				d.result = tir.Add(d.result, one(d.result))
			}
		}
	case tir.OpFloorDiv:
		negative, known := d.sign(other)
		if !left || !known || d.op == tir.OpEQ {
			return false
		}
		if negative {
			d.op = mirror(d.op)
			other = tir.Sub(tir.Const(other.DType(), 0), other)
			d.negate()
		}
		d.result = tir.Mul(d.result, other)
		slack := tir.Sub(other, one(other))
		if d.op == tir.OpLE { // x//6 <= 4: x <= 4*6 + 5
			d.result = tir.Add(d.result, slack)
		}
		if negative { // x // -6 is -((x + 5) // 6)
			d.result = tir.Sub(d.result, slack)
		}
	default:
		return false
	}
	return d.solve(target)
}
