package work

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// interval is the set of values that an integer expression may have, both ends included.
type interval struct{ lo, hi int64 }

// unknown is what nothing is known about; bounds beyond it are cut to it, so that sums of them do not overflow.
var unknown = interval{-math.MaxInt64 / 4, math.MaxInt64 / 4}

func point(n int64) interval { return interval{n, n} }

// isPoint reports whether the value is known.
func (i interval) isPoint() bool { return i.lo == i.hi }

// cut keeps the bounds within those of unknown.
func (i interval) cut() interval {
	return interval{min(max(i.lo, unknown.lo), unknown.hi), max(min(i.hi, unknown.hi), unknown.lo)}
}

func (i interval) union(j interval) interval { return interval{min(i.lo, j.lo), max(i.hi, j.hi)} }

// maxEvals bounds the nodes that eval visits; nodes that are shared count each time. Nothing is known of what comes after.
const maxEvals = 5_000_000

// eval bounds an integer expression by the bounds of its variables. Each occurrence of a variable is bounded by itself, so
// the result may be wider than the set of values (Moore, Interval Analysis, 1966).
func (c *counter) eval(e tir.Expr) interval {
	if c.evals++; c.evals > maxEvals {
		return unknown
	}
	switch e := e.(type) {
	case *tir.IntImm:
		return point(e.Value).cut()
	case *tir.Var:
		if i, ok := c.vars[e]; ok {
			return i
		}
	case *tir.Cast:
		if e.Type.IsInteger() || e.Type.IsBool() {
			return c.eval(e.Value)
		}
	case *tir.Broadcast:
		return c.eval(e.Value)
	case *tir.Ramp:
		return addIntervals(c.eval(e.Start), mulIntervals(c.eval(e.Stride), interval{0, int64(e.Lanes - 1)}))
	case *tir.Not:
		if i := c.eval(e.A); i.isPoint() {
			return point(1 - i.lo)
		}
		return interval{0, 1}
	case *tir.Select:
		return c.evalChoice(e.Cond, e.True, e.False)
	case *tir.Binary:
		return c.evalBinary(e)
	case *tir.Let:
		defer c.bind(e.Var, c.eval(e.Value))()
		return c.eval(e.Body)
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
			return c.evalChoice(e.Args[0], e.Args[1], e.Args[2])
		}
		if _, ok := tir.IsCallTo(e, tir.OpLikely); ok {
			return c.eval(e.Args[0])
		}
		return c.evalBits(e)
	}
	if e.DType().IsBool() {
		return interval{0, 1}
	}
	return unknown
}

func (c *counter) evalChoice(cond, yes, no tir.Expr) interval {
	if p := c.eval(cond); p.isPoint() && p.lo != 0 {
		return c.eval(yes)
	} else if p.isPoint() {
		return c.eval(no)
	}
	return c.eval(yes).union(c.eval(no))
}

// evalBits bounds the shifts and masks that divisions by powers of two become.
func (c *counter) evalBits(e *tir.Call) interval {
	if len(e.Args) != 2 {
		return unknown
	}
	a, b := c.eval(e.Args[0]), c.eval(e.Args[1])
	if !b.isPoint() || b.lo < 0 {
		return unknown
	}
	if _, ok := tir.IsCallTo(e, tir.OpShiftRight); ok && b.lo < 63 {
		return interval{a.lo >> b.lo, a.hi >> b.lo}
	}
	if _, ok := tir.IsCallTo(e, tir.OpShiftLeft); ok && b.lo < 31 {
		return mulIntervals(a, point(1<<b.lo))
	}
	if _, ok := tir.IsCallTo(e, tir.OpBitwiseAnd); ok {
		if a.isPoint() {
			return point(a.lo & b.lo)
		}
		return interval{0, b.lo}
	}
	return unknown
}

func (c *counter) evalBinary(e *tir.Binary) interval {
	if e.A.DType().IsFloat() {
		if e.Op.IsCompare() {
			return interval{0, 1}
		}
		return unknown
	}
	a, b := c.eval(e.A), c.eval(e.B)
	switch e.Op {
	case tir.OpAdd:
		return addIntervals(a, b)
	case tir.OpSub:
		return addIntervals(a, interval{-b.hi, -b.lo})
	case tir.OpMul:
		return mulIntervals(a, b)
	case tir.OpMin:
		return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
	case tir.OpMax:
		return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
	case tir.OpDiv, tir.OpFloorDiv:
		if b.isPoint() && b.lo > 0 && (e.Op == tir.OpFloorDiv || a.lo >= 0) {
			return interval{tir.FloorDivInt(a.lo, b.lo), tir.FloorDivInt(a.hi, b.lo)}
		}
	case tir.OpMod, tir.OpFloorMod:
		return modInterval(a, b, e.Op == tir.OpFloorMod)
	case tir.OpLT:
		return less(a, b, 0)
	case tir.OpLE:
		return less(a, b, 1)
	case tir.OpGT:
		return less(b, a, 0)
	case tir.OpGE:
		return less(b, a, 1)
	case tir.OpEQ, tir.OpNE:
		return equal(a, b, e.Op == tir.OpEQ)
	case tir.OpAnd:
		return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
	case tir.OpOr:
		return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
	}
	return unknown
}

func addIntervals(a, b interval) interval { return interval{a.lo + b.lo, a.hi + b.hi}.cut() }

func mulIntervals(a, b interval) interval {
	p := [4]int64{mul(a.lo, b.lo), mul(a.lo, b.hi), mul(a.hi, b.lo), mul(a.hi, b.hi)}
	return interval{min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3])}
}

// mul multiplies within the bounds of unknown.
func mul(a, b int64) int64 {
	if f := float64(a) * float64(b); f > float64(unknown.hi) {
		return unknown.hi
	} else if f < float64(unknown.lo) {
		return unknown.lo
	}
	return a * b
}

func modInterval(a, b interval, floor bool) interval {
	if !b.isPoint() || b.lo <= 0 || !floor && a.lo < 0 {
		return unknown
	}
	if tir.FloorDivInt(a.lo, b.lo) == tir.FloorDivInt(a.hi, b.lo) {
		return interval{tir.FloorModInt(a.lo, b.lo), tir.FloorModInt(a.hi, b.lo)}
	}
	return interval{0, b.lo - 1}
}

// less bounds a < b + slack.
func less(a, b interval, slack int64) interval {
	switch {
	case a.hi < b.lo+slack:
		return point(1)
	case a.lo >= b.hi+slack:
		return point(0)
	}
	return interval{0, 1}
}

func equal(a, b interval, want bool) interval {
	switch {
	case a.isPoint() && a == b:
		return truth(want)
	case a.hi < b.lo || b.hi < a.lo:
		return truth(!want)
	}
	return interval{0, 1}
}

func truth(b bool) interval {
	if b {
		return point(1)
	}
	return point(0)
}
