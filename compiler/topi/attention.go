package topi

import (
	"math"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// AttentionOpts are the parameters of Attention.
type AttentionOpts struct {
	Scale  float64 // factor of the scores; 0 is 1/sqrt(head extent)
	Causal string  // "" for none, "TopLeft" or "BottomRight": which corner the mask starts from
	Window int64   // with Causal, how many keys a query sees; 0 is all
}

// Attention is softmax(q kT scale + bias) v for tensors of (batch, length, heads, extent).
// bias may be nil and broadcasts to (batch, heads, length, keys). Keys and values may have
// fewer heads than queries: each then serves a run of query heads. Scores and weights of
// halves stay in the accumulator type; the result is rounded once.
func Attention(q, k, v, bias *te.Tensor, o AttentionOpts) *te.Tensor {
	elem := q.DType
	q, k, v = converted(q, elem.Accumulator()), converted(k, elem.Accumulator()), converted(v, elem.Accumulator())
	scale := func(e tir.Expr) tir.Expr {
		if o.Scale != 0 {
			return tir.Mul(e, num(e, o.Scale))
		}
		if n, ok := tir.AsInt(q.Shape[3]); ok {
			return tir.Mul(e, num(e, 1/math.Sqrt(float64(n))))
		}
		return tir.Mul(e, call(tir.OpRsqrt, tir.CastTo(e.DType(), q.Shape[3])))
	}
	head := func(h tir.Expr, of *te.Tensor) tir.Expr {
		if sameExpr(q.Shape[2], of.Shape[2]) {
			return h
		}
		return tir.FloorDiv(h, tir.FloorDiv(q.Shape[2], of.Shape[2]))
	}
	shape := []tir.Expr{q.Shape[0], q.Shape[2], q.Shape[1], k.Shape[1]}
	d := te.ReduceAxis("k", q.Shape[3])
	product := te.Compute("attention_scores", shape, func(i []tir.Expr) tir.Expr {
		return dot(tir.Mul(q.At(i[0], i[2], i[1], d.Var), k.At(i[0], i[3], head(i[1], k), d.Var)), d)
	}, inRuns())
	scores := te.Compute("attention_scaled", shape, func(i []tir.Expr) tir.Expr {
		e := scale(tir.CastTo(q.DType, product.At(i...)))
		if bias != nil {
			e = tir.Add(e, tir.CastTo(e.DType(), T(bias).at(i, shape)))
		}
		if seen := o.visible(i[2], i[3], q.Shape[1], k.Shape[1]); seen != nil {
			e = &tir.Select{Cond: seen, True: e, False: te.MinValue(e.DType())}
		}
		return e
	})
	p := Softmax(scores, 3)
	out := []tir.Expr{q.Shape[0], q.Shape[1], q.Shape[2], v.Shape[3]}
	j := te.ReduceAxis("k", v.Shape[1])
	weighted := te.Compute("attention", out, func(i []tir.Expr) tir.Expr {
		return dot(tir.Mul(p.At(i[0], i[2], i[1], j.Var), v.At(i[0], j.Var, head(i[2], v), i[3])), j)
	}, inRuns())
	return converted(weighted, elem)
}

// visible says whether the query at row sees the key at col; nil if all see all.
func (o AttentionOpts) visible(row, col, rows, cols tir.Expr) tir.Expr {
	if o.Causal == "" {
		return nil
	}
	last := row
	if o.Causal == "BottomRight" {
		last = tir.Add(row, tir.Sub(cols, rows))
	}
	seen := tir.LE(col, last)
	if o.Window > 0 {
		seen = tir.And(seen, tir.LT(tir.Sub(last, col), tir.Int(o.Window)))
	}
	return seen
}
