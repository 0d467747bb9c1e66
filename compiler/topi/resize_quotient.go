package topi

import (
	"math"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// mostCompared bounds the extents for which all indices are compared.
const mostCompared = 1 << 14

// quotient is an index that was computed with floats as a quotient of integers, whose neighbours a schedule knows: (n index + k) // m, moved into the input where it has to be, where
// that is the same for all indices of the result; nil where it is not, or where extents are not known.
func (a *resizeAxis) quotient(e tir.Expr) tir.Expr {
	in, known := tir.AsInt(a.in)
	out, fixed := tir.AsInt(a.out)
	i, variable := a.index.(*tir.Var)
	if !known || !fixed || !variable || in < 1 || out < 1 || in > mostCompared || out > mostCompared {
		return nil
	}
	want := make([]int64, out)
	for k := range want {
		v, ok := evaluated(e, i, int64(k))
		if !ok {
			return nil
		}
		want[k] = int64(v)
	}
	for _, moved := range []bool{false, true} {
		for _, scale := range [][2]int64{{in, out}, {in - 1, out - 1}} { // the latter where corners are aligned
			if scale[0] < 1 || scale[1] < 1 {
				continue
			}
			g := arith.GCD(scale[0], scale[1])
			n, m := scale[0]/g, scale[1]/g
			if k, ok := summand(want, n, m, in-1, moved); ok {
				q := tir.FloorDiv(tir.Add(tir.Mul(i, tir.Int(n)), tir.Int(k)), tir.Int(m))
				if moved {
					q = a.clamp(q)
				}
				return q
			}
		}
	}
	return nil
}

// summand finds the k for which (n i + k) // m is want[i] for all i, or is moved to that into the range from 0 to last. It is 0 if it may be.
func summand(want []int64, n, m, last int64, moved bool) (k int64, ok bool) {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for i, w := range want {
		from := m*w - n*int64(i)
		if !moved || w > 0 {
			low = max(low, from)
		}
		if !moved || w < last {
			high = min(high, from+m-1)
		}
	}
	return min(max(low, 0), high), low <= high
}

// evaluated is the value of an expression of integers and of float32, as kernels compute it, at a value of its only variable; ok is false where it has another part.
func evaluated(e tir.Expr, v *tir.Var, at int64) (x float64, ok bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return float64(e.Value), true
	case *tir.FloatImm:
		return float64(float32(e.Value)), e.Type.Bits == 32
	case *tir.Var:
		return float64(at), e == v
	case *tir.Cast:
		x, ok = evaluated(e.Value, v, at)
		if e.Type.IsInteger() {
			return math.Trunc(x), ok
		}
		return float64(float32(x)), ok && e.Type.Bits == 32
	case *tir.Call:
		if len(e.Args) != 1 {
			return 0, false
		}
		x, ok = evaluated(e.Args[0], v, at)
		switch e.Op {
		case tir.OpFloor:
			return math.Floor(x), ok
		case tir.OpCeil:
			return math.Ceil(x), ok
		}
		return 0, false
	case *tir.Binary:
		a, ok := evaluated(e.A, v, at)
		if !ok {
			return 0, false
		}
		b, ok := evaluated(e.B, v, at)
		if !ok {
			return 0, false
		}
		return combined(e.Op, a, b, e.A.DType().IsInteger())
	}
	return 0, false
}

// combined computes with two integers, which have fewer digits than a float64 holds, or with two float32: what those give is rounded from float64, which is as if it was rounded once.
func combined(op tir.BinaryOp, a, b float64, whole bool) (x float64, ok bool) {
	switch op {
	case tir.OpAdd:
		x = a + b
	case tir.OpSub:
		x = a - b
	case tir.OpMul:
		x = a * b
	case tir.OpDiv:
		if x = a / b; whole {
			x = math.Trunc(x)
		}
	case tir.OpMin:
		x = min(a, b)
	case tir.OpMax:
		x = max(a, b)
	default:
		return 0, false
	}
	if !whole {
		x = float64(float32(x))
	}
	return x, !math.IsNaN(x) && !math.IsInf(x, 0)
}
