package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// broadcastDims returns the extents that a and b have after broadcasting by NumPy's rules.
// ok is false where two symbolic extents may or may not agree, which is an error only at
// run time; bad is the first axis of the result, counted from the last, that cannot agree,
// or -1.
func broadcastDims(ctx *relax.InferContext, a, b []tir.Expr) (out []tir.Expr, ok bool, bad int) {
	n := max(len(a), len(b))
	out = make([]tir.Expr, n)
	for i := 1; i <= n; i++ {
		switch {
		case i > len(a):
			out[n-i] = b[len(b)-i]
			continue
		case i > len(b):
			out[n-i] = a[len(a)-i]
			continue
		}
		x, y := a[len(a)-i], b[len(b)-i]
		switch {
		case tir.IsConst(x, 1):
			out[n-i] = y
		case tir.IsConst(y, 1):
			out[n-i] = x
		default:
			switch ctx.Equal(x, y) {
			case relax.True:
				out[n-i] = x
			case relax.False:
				if _, isConst := tir.AsInt(x); isConst {
					if _, isConst := tir.AsInt(y); isConst {
						return nil, false, i - 1
					}
				}
				return nil, false, -1
			default:
				return nil, false, -1
			}
		}
	}
	return out, true, -1
}

// broadcastTensors returns the struct info of the broadcast of the tensor arguments with the
// given numbers, of element type dt.
func (c *InferContext) broadcastTensors(dt dtype.DType, args []int, ts []*relax.TensorStructInfo) (relax.StructInfo, error) {
	ndim, known := 0, true
	for _, t := range ts {
		if t.NDim < 0 {
			return rankOf(dt, -1, ts...), nil
		}
		ndim = max(ndim, t.NDim)
		_, ok := c.dimsOf(t)
		known = known && ok
	}
	if !known {
		// Two tensors that share one shape variable keep it.
		if v, ok := ts[0].Shape.(*relax.Var); ok {
			same := true
			for _, t := range ts[1:] {
				same = same && t.Shape == relax.Expr(v)
			}
			if same {
				return withDType(ts[0], dt), nil
			}
		}
		return rankOf(dt, ndim, ts...), nil
	}
	out, _ := c.dimsOf(ts[0])
	for i, t := range ts[1:] {
		d, _ := c.dimsOf(t)
		next, ok, bad := broadcastDims(c.InferContext, out, d)
		if bad >= 0 {
			return nil, c.argErr(args[i+1], dims(d), "a shape that broadcasts with %s", dims(out))
		}
		if !ok {
			return rankOf(dt, ndim, ts...), nil
		}
		out = next
	}
	return tensorOf(dt, out, ts...), nil
}

// dimsOf returns the extents of t if they are known, also those of a shape held by a variable.
func (c *InferContext) dimsOf(t *relax.TensorStructInfo) ([]tir.Expr, bool) {
	switch s := t.Shape.(type) {
	case *relax.ShapeExpr:
		return s.Values, true
	case *relax.Var:
		if info, ok := s.SInfo.(*relax.ShapeStructInfo); ok && info.Values != nil {
			return info.Values, true
		}
	}
	return nil, false
}
