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
// fewer heads than queries: each then serves a run of query heads.
//
// TVM makes batches of the heads, and with a causal mask takes the scores that it hides for 0 in
// the maximum that is subtracted; what TVM does not take, and what is tuned, indexes the heads.
func Attention(q, k, v, bias *te.Tensor, o AttentionOpts) *te.Tensor {
	own := func() *te.Tensor { return attentionByHeads(q, k, v, bias, o) }
	if o.Window != 0 || !sameExpr(q.Shape[2], k.Shape[2]) || !sameExpr(q.Shape[2], v.Shape[2]) {
		return own()
	}
	return te.Better(attentionByBatches(q, k, v, bias, o), func() []*te.Tensor { return []*te.Tensor{own()} })
}

func attentionByBatches(q, k, v, bias *te.Tensor, o AttentionOpts) *te.Tensor {
	batch, rows, heads, d := q.Shape[0], q.Shape[1], q.Shape[2], q.Shape[3]
	cols, dv := v.Shape[1], v.Shape[3]
	both := tir.Mul(batch, heads)
	swap := []int{0, 2, 1, 3}
	q, k, v = PermuteDims(q, swap), PermuteDims(k, swap), PermuteDims(v, swap)
	q = Reshape(q, []tir.Expr{both, rows, d})
	k = Reshape(k, []tir.Expr{both, cols, d})
	v = Reshape(v, []tir.Expr{both, cols, dv})
	p := batchMatmul(q, k, true)
	if o.Scale != 0 {
		p = mul(T(p), number(p, o.Scale))
	} else {
		p = div(T(p), Operand{Scalar: call(tir.OpSqrt, tir.CastTo(p.DType, d))})
	}
	if bias != nil {
		p = Reshape(p, []tir.Expr{batch, heads, rows, cols})
		p = add(T(p), T(bias))
		p = Reshape(p, []tir.Expr{both, rows, cols})
	}
	if o.Causal == "" {
		p = Softmax(p, 2)
	} else {
		p = o.causalSoftmax(p, rows, cols)
	}
	out := Reshape(batchMatmul(p, v, false), []tir.Expr{batch, heads, rows, dv})
	return PermuteDims(out, swap)
}

// causalSoftmax is the softmax of the scores that a causal mask leaves.
func (o AttentionOpts) causalSoftmax(p *te.Tensor, rows, cols tir.Expr) *te.Tensor {
	offset := tir.Expr(tir.Int(0))
	if o.Causal == "BottomRight" {
		offset = absolute(tir.Sub(rows, cols))
	}
	along := func(x *te.Tensor, g reducer) *te.Tensor {
		return newReduction(x, []int{2}, true).compute(x.Name+"_red", g, same)
	}
	masked := Trilu(p, offset, false)
	exp := elementwise(sub(T(masked), T(along(masked, te.Max))), call1(tir.OpExp))
	seen := Trilu(exp, offset, false)
	return div(T(seen), T(along(seen, te.Sum)))
}

// batchMatmul multiplies the matrices of a and b, those of b as they lie transposed.
func batchMatmul(a, b *te.Tensor, transposed bool) *te.Tensor {
	name, col, row := "T_batch_matmul_NN", 2, 1
	if transposed {
		name, col, row = "T_batch_matmul_NT", 1, 2
	}
	k := te.ReduceAxis("k", a.Shape[2])
	return te.Compute(name, []tir.Expr{a.Shape[0], a.Shape[1], b.Shape[col]}, func(i []tir.Expr) tir.Expr {
		at := []tir.Expr{i[0], nil, nil}
		at[col], at[row] = i[2], k.Var
		return te.Sum(tir.Mul(a.At(i[0], i[1], k.Var), b.At(at...)), k)
	}, te.AxisNames("b", "i", "j"), te.LayoutFree(b))
}

// attentionByHeads computes attention without moving heads.
func attentionByHeads(q, k, v, bias *te.Tensor, o AttentionOpts) *te.Tensor {
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
		return te.Sum(tir.Mul(q.At(i[0], i[2], i[1], d.Var), k.At(i[0], i[3], head(i[1], k), d.Var)), d)
	})
	scores := te.Compute("attention_scaled", shape, func(i []tir.Expr) tir.Expr {
		e := scale(product.At(i...))
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
	return te.Compute("attention", out, func(i []tir.Expr) tir.Expr {
		return te.Sum(tir.Mul(p.At(i[0], i[2], i[1], j.Var), v.At(i[0], j.Var, head(i[2], v), i[3])), j)
	})
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
