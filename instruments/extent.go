package instruments

import "github.com/irscope/irscope/compiler/tir"

// extent returns what a metric takes an extent for: its value where each variable is 1, and at least 1 where there are any. A loop that
// a symbolic dimension was fused into keeps its other turns so.
func extent(e tir.Expr) int64 {
	if n, ok := tir.AsInt(e); ok {
		return n
	}
	return max(1, atOne(e))
}

// atOne evaluates an expression of integers where each variable is 1, and so is what it does not know.
func atOne(e tir.Expr) int64 {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value
	case *tir.Cast:
		return atOne(e.Value)
	case *tir.Binary:
		a, b := atOne(e.A), atOne(e.B)
		switch {
		case e.Op == tir.OpAdd:
			return a + b
		case e.Op == tir.OpSub:
			return a - b
		case e.Op == tir.OpMul:
			return a * b
		case e.Op == tir.OpMin:
			return min(a, b)
		case e.Op == tir.OpMax:
			return max(a, b)
		case b <= 0:
		case e.Op == tir.OpDiv || e.Op == tir.OpFloorDiv:
			return tir.FloorDivInt(a, b)
		case e.Op == tir.OpMod || e.Op == tir.OpFloorMod:
			return a - b*tir.FloorDivInt(a, b)
		}
	}
	return 1
}
