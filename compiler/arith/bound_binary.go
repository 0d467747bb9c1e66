package arith

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func isOp(c *tir.Call, op *ir.Op) bool {
	o, ok := c.Op.(*ir.Op)
	return ok && o.Name == op.Name
}

// corners is the hull of f at the corners of a box on which f is monotonic in each argument.
func corners(x, y Bound, f func(x, y int64) int64) Bound {
	a, b, c, d := f(x.Min, y.Min), f(x.Min, y.Max), f(x.Max, y.Min), f(x.Max, y.Max)
	return Bound{min(a, b, c, d), max(a, b, c, d)}
}

// nonZero drops zero from the ends of the bound of a divisor; it is empty if nothing is left.
func nonZero(b Bound) Bound {
	if b.Min == 0 {
		b.Min = 1
	}
	if b.Max == 0 {
		b.Max = -1
	}
	return b
}

func (a *Analyzer) boundBinary(e *tir.Binary) Bound {
	if e.Op >= tir.OpEQ {
		return Bound{0, 1}
	}
	x, y := a.boundOf(e.A), a.boundOf(e.B)
	switch e.Op {
	case tir.OpAdd:
		return wrapped(e, Bound{infAdd(x.Min, y.Min), infAdd(x.Max, y.Max)})
	case tir.OpSub:
		return wrapped(e, Bound{infAdd(x.Min, -y.Max), infAdd(x.Max, -y.Min)})
	case tir.OpMul:
		return wrapped(e, corners(x, y, infMul))
	case tir.OpDiv:
		if !e.DType().IsInteger() {
			return Bound{NegInf, PosInf}
		}
		return wrapped(e, divBound(x, y, infDiv))
	case tir.OpFloorDiv:
		return wrapped(e, divBound(x, y, infFloorDiv))
	case tir.OpMod:
		return a.truncModBound(e, x, nonZero(y))
	case tir.OpFloorMod:
		return a.floorModBound(e, x, nonZero(y))
	case tir.OpMin:
		return Bound{min(x.Min, y.Min), min(x.Max, y.Max)}
	case tir.OpMax:
		return Bound{max(x.Min, y.Min), max(x.Max, y.Max)}
	}
	return DTypeBound(e.DType())
}

// wrapped is the bound b of a sum, product, or quotient: one that may be beyond its type could be anything, but for indices.
func wrapped(e *tir.Binary, b Bound) Bound {
	d := e.DType().Elem()
	if isIndex(d) || !d.IsInteger() {
		return b
	}
	if all := DTypeBound(d); !b.within(all) || b.Max == PosInf {
		return all
	}
	return b
}

// divBound splits a divisor that may have both signs, since division is monotonic on each
// side of zero only.
func divBound(x, y Bound, f func(x, y int64) int64) Bound {
	y = nonZero(y)
	switch {
	case y.Min > y.Max:
		return Bound{NegInf, PosInf} // nothing gets here
	case y.Min < 0 && y.Max > 0:
		return corners(x, Bound{y.Min, -1}, f).union(corners(x, Bound{1, y.Max}, f))
	}
	return corners(x, y, f)
}

// multiples returns the bound of what is congruent to x in 0 to m-1.
func (a *Analyzer) multiples(x tir.Expr, m int64) Bound {
	if bin(x) == noBin {
		return Bound{0, m - 1} // a variable or a call rarely has a known factor
	}
	mod := a.modularOf(x)
	g := GCD(mod.Coeff, m)
	base := floorModInt(mod.Base, g)
	return Bound{base, m - g + base}
}

func (a *Analyzer) floorModBound(e *tir.Binary, x, y Bound) Bound {
	switch {
	case y.Min > y.Max:
		return Bound{NegInf, PosInf} // nothing gets here
	case y.Min < 0:
		return Bound{infAdd(y.Min, 1), max(0, infAdd(y.Max, -1))}
	}
	r := Bound{0, infAdd(y.Max, -1)}
	if x.Min >= 0 {
		r.Max = min(r.Max, x.Max)
		if x.Max < y.Min {
			r.Min = x.Min
		}
	}
	if y.Const() {
		if x.Min != NegInf && x.Max != PosInf && floorDivInt(x.Min, y.Min) == floorDivInt(x.Max, y.Min) {
			return Bound{floorModInt(x.Min, y.Min), floorModInt(x.Max, y.Min)} // all have one quotient
		}
		return r.intersect(a.multiples(e.A, y.Min))
	}
	return r
}

func (a *Analyzer) truncModBound(e *tir.Binary, x, y Bound) Bound {
	if y.Min > y.Max {
		return Bound{NegInf, PosInf} // nothing gets here
	}
	least, most := max(y.Min, -y.Max, 1), max(-y.Min, y.Max) // magnitudes of the divisor
	if x.Min > -least && x.Max < least {
		return x
	}
	m := infAdd(most, -1)
	r := Bound{max(min(x.Min, 0), -m), min(max(x.Max, 0), m)}
	if x.Min >= 0 && y.Const() {
		return r.intersect(a.multiples(e.A, most))
	}
	return r
}

func pickInt(c bool, yes, no int64) int64 {
	if c {
		return yes
	}
	return no
}

// boundConstraints adds the constant bounds that cond implies.
func (a *Analyzer) boundConstraints(cond tir.Expr) {
	if b := bin(cond); b.Op == tir.OpAnd {
		a.boundConstraints(b.A)
		a.boundConstraints(b.B)
		return
	} else if b == noBin || !b.Op.IsCompare() {
		return
	}
	b := bin(cond)
	x, op := b.A, b.Op
	c, ok := cst(b.B)
	if !ok {
		if c, ok = cst(b.A); !ok {
			return
		}
		x = b.B
		op = mirror(op)
	}
	if _, both := cst(x); both {
		return
	}
	all, k := Bound{NegInf, PosInf}, boundOfConst(c)
	switch op {
	case tir.OpLE:
		all.Max = k.Max
	case tir.OpLT:
		all.Max = infAdd(c, -1)
	case tir.OpGE:
		all.Min = k.Min
	case tir.OpGT:
		all.Min = infAdd(c, 1)
	case tir.OpEQ:
		all = k
	default:
		return
	}
	a.boundInfos = append(a.boundInfos, boundInfo{x, all})
}

// mirror is the comparison with its operands swapped.
func mirror(op tir.BinaryOp) tir.BinaryOp {
	switch op {
	case tir.OpLT:
		return tir.OpGT
	case tir.OpLE:
		return tir.OpGE
	case tir.OpGT:
		return tir.OpLT
	case tir.OpGE:
		return tir.OpLE
	}
	return op
}
