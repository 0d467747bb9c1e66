package tirpass

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// quotient is a rounded quotient by a constant that is limited to integers: max(min(nearbyint(x / by) + zero, hi), lo).
type quotient struct {
	x            tir.Expr
	by           float32
	zero, lo, hi float64
	round        *tir.Call
	sum          *tir.Binary // of the rounded quotient and zero, nil where nothing is added
}

// contractQuotient multiplies by the reciprocal of a constant where a rounded and limited quotient is the same so, whatever is divided: quantizations divide each element. nil where n is
// none, or where a number is known that would be rounded otherwise.
//
// The reciprocal is taken in two parts (Brisebarre, Muller and Raina, Accelerating correctly rounded floating-point division when the divisor is known in advance), so that the product is one
// rounding away from the quotient; what is divided is limited in place of the result, as infinity has no such product.
func contractQuotient(n *tir.Binary) (tir.Expr, string) {
	q, ok := quotientOf(n)
	if !ok || !q.exact() {
		return nil, ""
	}
	d := q.x.DType()
	c := func(v float32) tir.Expr { return tir.FloatConst(d, float64(v)) }
	high, low := q.reciprocal()
	v := tir.NewVar("limited", d)
	limited := q.x
	if !bounded(q.x, tir.OpMin, q.limit(q.hi)) {
		limited = tir.Min(limited, c(q.limit(q.hi)))
	}
	if !bounded(q.x, tir.OpMax, q.limit(q.lo)) {
		limited = tir.Max(limited, c(q.limit(q.lo)))
	}
	product := &tir.Call{Type: d, Op: tir.OpFma, Args: []tir.Expr{v, c(high), tir.Mul(v, c(low))}}
	var out tir.Expr = &tir.Call{Base: q.round.Base, Type: d, Op: q.round.Op, Args: []tir.Expr{product}}
	if q.sum != nil {
		out = tir.BinaryAt(q.sum.Meta(), tir.OpAdd, out, q.sum.B)
	}
	return &tir.Let{Base: n.Base, Var: v, Value: limited, Body: out}, "multiply by a reciprocal"
}

// bounded reports whether a number is limited already, as by relu: it is a minimum with one that is not above a limit, or a maximum with one that is not below, or one of these limited at
// the other end to what is within the limit, too.
func bounded(x tir.Expr, by tir.BinaryOp, limit float32) bool {
	m, ok := x.(*tir.Binary)
	if !ok || m.Op != tir.OpMin && m.Op != tir.OpMax {
		return false
	}
	v, ok := floatConst(m.B)
	if ok = ok && (by == tir.OpMin && v <= float64(limit) || by == tir.OpMax && v >= float64(limit)); !ok || m.Op == by {
		return ok
	}
	return bounded(m.A, by, limit)
}

// quotientOf takes apart what has the form.
func quotientOf(n *tir.Binary) (*quotient, bool) {
	if d := n.DType(); d.Elem() != dtype.Float32T {
		return nil, false
	}
	q := &quotient{}
	limits := map[tir.BinaryOp]*float64{tir.OpMin: &q.hi, tir.OpMax: &q.lo}
	inner, ok := n.A.(*tir.Binary)
	if !ok || limits[n.Op] == nil || limits[inner.Op] == nil || n.Op == inner.Op {
		return nil, false
	}
	a, ok := wholeConst(n.B)
	b, also := wholeConst(inner.B)
	*limits[n.Op], *limits[inner.Op] = a, b
	if !ok || !also || q.lo > q.hi {
		return nil, false
	}
	rounded := inner.A
	if sum, isSum := rounded.(*tir.Binary); isSum && sum.Op == tir.OpAdd {
		if q.zero, ok = wholeConst(sum.B); !ok {
			return nil, false
		}
		q.sum, rounded = sum, sum.A
	}
	if q.round, ok = tir.IsCallTo(rounded, tir.OpNearbyint); !ok {
		return nil, false
	}
	div, ok := q.round.Args[0].(*tir.Binary)
	if !ok || div.Op != tir.OpDiv {
		return nil, false
	}
	by, ok := floatConst(div.B)
	q.x, q.by = div.A, float32(by)
	return q, ok
}

// mostQuotients bounds how many integers a limited quotient may be, which are tried one by one.
const mostQuotients = 1024

// exact reports whether the product is rounded to the same integer as the quotient for all numbers within the limits. It can differ only next to those that stand in the middle between
// two integers: elsewhere both are on the same side.
func (q *quotient) exact() bool {
	const least, most = 0x1p-60, 0x1p60
	if !(q.by >= least && q.by <= most) || q.hi-q.lo > mostQuotients || math.Abs(q.zero) > mostQuotients || math.Abs(q.lo) > mostQuotients || math.Abs(q.hi) > mostQuotients {
		return false
	}
	high, low := q.reciprocal()
	for at := q.lo - q.zero - 1; at <= q.hi-q.zero; at++ {
		const near = 4
		x := float32((at + 0.5) * float64(q.by))
		for range near {
			x = math.Nextafter32(x, float32(math.Inf(-1)))
		}
		for range 2*near + 1 {
			sum := float64(x)*float64(high) + float64(x*low)
			if math.Float64bits(sum)<<35 == 1<<63 { // in the middle between two of float32: how the exact sum is rounded is not seen here
				return false
			}
			if math.RoundToEven(float64(float32(sum))) != math.RoundToEven(float64(x/q.by)) {
				return false
			}
			x = math.Nextafter32(x, float32(math.Inf(1)))
		}
	}
	return true
}

// reciprocal is 1 / by in two parts.
func (q *quotient) reciprocal() (high, low float32) {
	high = float32(1 / float64(q.by))
	return high, float32(1/float64(q.by) - float64(high))
}

// limit is a number whose quotient is rounded to a limit less the zero point.
func (q *quotient) limit(at float64) float32 { return float32((at - q.zero) * float64(q.by)) }

// floatConst is the value of a constant, or of all lanes of one.
func floatConst(e tir.Expr) (float64, bool) {
	if b, ok := e.(*tir.Broadcast); ok {
		e = b.Value
	}
	f, ok := e.(*tir.FloatImm)
	if !ok {
		return 0, false
	}
	return f.Value, true
}

// wholeConst is floatConst of an integer.
func wholeConst(e tir.Expr) (float64, bool) {
	v, ok := floatConst(e)
	return v, ok && v == math.Trunc(v)
}
