package arith

import (
	"math/bits"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The modular set of an expression says what it is congruent to: Coeff*k + Base for some integer k. With
// it x*4 + 2 is known to be even, and an access at x*4 is known to be aligned for a vector of four lanes
// whatever x is; intervals cannot say either.
//
// The sets are closed under what index arithmetic does: sums add bases and take the gcd of coefficients,
// products multiply out, both branches of a conditional are joined by the gcd of their differences
// (union), and two facts about one variable combine by the Chinese remainder theorem (intersect).
//
// Arithmetic that would overflow gives up precision (Coeff 1, every integer), never correctness. Cost as
// that of bounds. After TVM's src/arith/modular_set.cc.

// Modular is the set of integers Coeff*k + Base for integers k. Coeff 0 is the constant
// Base; otherwise 0 <= Base < Coeff. Coeff 1 is every integer.
type Modular struct{ Coeff, Base int64 }

var anyModular = Modular{1, 0}

func newModular(coeff, base int64) Modular {
	if coeff < 0 {
		coeff = -coeff
	}
	if coeff != 0 {
		base = floorModInt(base, coeff)
	}
	return Modular{coeff, base}
}

// union is the smallest modular set that holds both.
func (m Modular) union(o Modular) Modular {
	if diff := m.Base - o.Base; (m.Base^o.Base)&(m.Base^diff) < 0 { // beyond int64
		return anyModular
	}
	return newModular(GCD(GCD(m.Coeff, o.Coeff), m.Base-o.Base), m.Base)
}

// intersect is the set of common values; m itself where there are none, since then nothing
// that is asked in this scope matters.
func (m Modular) intersect(o Modular) Modular {
	if m.Coeff == 0 {
		return m
	}
	if o.Coeff == 0 {
		return o
	}
	g, x, _ := extGCD(m.Coeff, o.Coeff)
	diff := o.Base - m.Base
	if diff%g != 0 {
		return m
	}
	coeff := infMul(m.Coeff/g, o.Coeff)
	if coeff == PosInf {
		return m
	}
	// Base + Coeff*p with p = diff/g * x modulo o.Coeff/g solves both congruences.
	period := o.Coeff / g
	if period > 1<<31 {
		return m
	}
	p := floorModInt(floorModInt(diff/g, period)*floorModInt(x, period), period)
	return newModular(coeff, m.Base+m.Coeff*p)
}

// wrapped is what is left of m where values wrap at the ends of a type: factors of the number of its values, a power of two.
func (m Modular) wrapped(d dtype.DType) Modular {
	coeff := int64(1) << min(d.Bits, 62)
	if m.Coeff != 0 {
		coeff = min(coeff, m.Coeff&-m.Coeff)
	}
	return newModular(coeff, m.Base)
}

func (a *Analyzer) modularOf(e tir.Expr) Modular {
	switch e := e.(type) {
	case *tir.IntImm:
		if beyond(e) {
			return Modular{0, e.Value}.wrapped(e.Type)
		}
		return Modular{0, e.Value}
	case *tir.Var:
		if m, ok := a.varModulars[e]; ok {
			return m
		}
		return anyModular
	}
	if a.modWork++; a.modWork <= memoAfter {
		return a.modularNode(e)
	}
	if m, ok := a.memo.mod.Get(e); ok {
		return m
	}
	m := a.modularNode(e)
	a.memo.mod.Put(e, m)
	return m
}

func (a *Analyzer) modularNode(e tir.Expr) Modular {
	switch e := e.(type) {
	case *tir.Binary:
		return a.modularBinary(e)
	case *tir.Broadcast:
		return a.modularOf(e.Value)
	case *tir.Select:
		return a.modularOf(e.True).union(a.modularOf(e.False))
	case *tir.Cast:
		return a.modularCast(e)
	case *tir.Let:
		if _, bound := a.varModulars[e.Var]; bound {
			return a.modularOf(e.Body)
		}
		if a.varModulars == nil {
			a.varModulars = map[*tir.Var]Modular{}
		}
		a.varModulars[e.Var] = a.modularOf(e.Value)
		m := a.modularOf(e.Body)
		delete(a.varModulars, e.Var)
		return m
	case *tir.Call:
		if len(e.Args) != 2 {
			return anyModular
		}
		if isOp(e, tir.OpShiftRight) {
			if y := a.modularOf(e.Args[1]); y.Coeff == 0 {
				return a.modularDiv(e.Args[0], int64(1)<<uint(y.Base), true)
			}
		}
		if isOp(e, tir.OpBitwiseAnd) {
			y := a.modularOf(e.Args[1])
			if y.Coeff == 0 && y.Base < PosInf && bits.OnesCount64(uint64(y.Base+1)) == 1 {
				return a.modularMod(e.Args[0], y.Base+1)
			}
		}
	}
	return anyModular
}

// modularCast keeps what a cast cannot change: everything but a conversion that may wrap or round.
func (a *Analyzer) modularCast(e *tir.Cast) Modular {
	from := e.Value.DType()
	switch {
	case e.Type.IsBool() || from.IsFloat() && bin(e.Value) != noBin, e.Type.IsFloat() && !a.boundOf(e.Value).within(exactInts(e.Type)):
		return anyModular
	case e.Type.IsFloat():
		return a.modularOf(e.Value)
	}
	m := a.modularOf(e.Value)
	if from.IsBool() || fits(a.boundOf(e.Value), from, e.Type) || isIndex(e.Type.Elem()) && isIndex(from.Elem()) && !ir.Any(e.Value, isLoad) {
		return m
	}
	return m.wrapped(e.Type)
}

func (a *Analyzer) modularBinary(e *tir.Binary) Modular {
	if e.Op >= tir.OpEQ {
		return anyModular
	}
	y := a.modularOf(e.B)
	switch e.Op {
	case tir.OpDiv, tir.OpFloorDiv:
		if y.Coeff == 0 {
			return a.modularDiv(e.A, y.Base, e.Op == tir.OpFloorDiv)
		}
		return anyModular
	case tir.OpMod, tir.OpFloorMod:
		if y.Coeff == 0 {
			return a.modularMod(e.A, y.Base)
		}
		return anyModular
	}
	x := a.modularOf(e.A)
	m := modularOfTwo(e.Op, x, y)
	if d := e.DType().Elem(); (e.Op == tir.OpAdd || e.Op == tir.OpSub || e.Op == tir.OpMul) && d.IsInteger() && !isIndex(d) {
		return m.wrapped(d)
	}
	return m
}

// modularOfTwo is the set of what op makes of x and y without limits.
func modularOfTwo(op tir.BinaryOp, x, y Modular) Modular {
	switch op {
	case tir.OpAdd:
		return newModular(GCD(x.Coeff, y.Coeff), x.Base+y.Base)
	case tir.OpSub:
		return newModular(GCD(x.Coeff, y.Coeff), x.Base-y.Base)
	case tir.OpMul:
		// (p*x + n)*(q*y + m) = p*q*xy + p*m*x + q*n*y + n*m
		pq, pm, qn := infMul(x.Coeff, y.Coeff), infMul(x.Coeff, y.Base), infMul(y.Coeff, x.Base)
		nm := infMul(x.Base, y.Base)
		for _, v := range [...]int64{pq, pm, qn, nm} {
			if v == PosInf || v == NegInf {
				return anyModular
			}
		}
		return newModular(GCD(pq, GCD(pm, qn)), nm)
	case tir.OpMin, tir.OpMax:
		return x.union(y)
	}
	return anyModular
}

// modularDiv is x divided by the constant c; it is exact where c divides the coefficient
// and either the base as well or the division rounds down.
func (a *Analyzer) modularDiv(x tir.Expr, c int64, floor bool) Modular {
	m := a.modularOf(x)
	if c == 0 || m.Coeff%c != 0 {
		return anyModular
	}
	if m.Base%c == 0 {
		return newModular(m.Coeff/c, m.Base/c)
	}
	if c > 0 && (floor || m.Base > 0 && a.boundOf(x).Min >= 0) {
		return newModular(m.Coeff/c, floorDivInt(m.Base, c))
	}
	return anyModular
}

// modularMod is the remainder of x by the constant c. Whatever way the division rounds, the
// remainder differs from x by a multiple of c.
func (a *Analyzer) modularMod(x tir.Expr, c int64) Modular {
	m := a.modularOf(x)
	return newModular(GCD(m.Coeff, c), m.Base)
}

// modularConstraints notes constraints such as x % 4 == 1 and returns how to take them back.
func (a *Analyzer) modularConstraints(cond tir.Expr) (undo func()) {
	eq := bin(cond)
	if eq.Op == tir.OpAnd {
		first := a.modularConstraints(eq.A)
		second := a.modularConstraints(eq.B)
		if first == nil || second == nil {
			if first == nil {
				return second
			}
			return first
		}
		return func() { second(); first() }
	}
	if eq.Op != tir.OpEQ {
		return nil
	}
	lhs, base, ok := eq.A, int64(0), false
	if base, ok = cst(eq.B); !ok {
		if base, ok = cst(eq.A); !ok {
			return nil
		}
		lhs = eq.B
	}
	set := Modular{0, base}
	v, isVar := lhs.(*tir.Var)
	if mod := bin(lhs); mod.Op == tir.OpMod || mod.Op == tir.OpFloorMod {
		c, isConst := cst(mod.B)
		if v, isVar = mod.A.(*tir.Var); !isConst || c == 0 {
			return nil
		}
		set = newModular(c, base)
	}
	if !isVar {
		return nil
	}
	old, had := a.varModulars[v]
	if !had {
		old = anyModular
	}
	if a.varModulars == nil {
		a.varModulars = map[*tir.Var]Modular{}
	}
	a.varModulars[v] = old.intersect(set)
	return func() {
		if had {
			a.varModulars[v] = old
		} else {
			delete(a.varModulars, v)
		}
	}
}
