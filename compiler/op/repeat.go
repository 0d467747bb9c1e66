package op

import (
	"strconv"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func inferStack(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, err := c.Tensors(0)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, c.argErr(0, "an empty tuple", "at least one tensor")
	}
	first := ts[0]
	for _, t := range ts[1:] {
		if t.DType != first.DType && !t.DType.IsVoid() && !first.DType.IsVoid() {
			return nil, c.argErr(0, t.DType.String()+" and "+first.DType.String(), "tensors of one element type")
		}
		if c.shapesDiffer(t, first) {
			return nil, c.argErr(0, describe(t)+" and "+describe(first), "tensors of one shape")
		}
		if first.NDim < 0 {
			first = t
		}
	}
	dt := commonDType(ts)
	if first.NDim < 0 {
		return rankOf(dt, -1, ts...), nil
	}
	axis, _ := c.Int("axis")
	a, err := c.axis("axis", axis, first.NDim+1)
	if err != nil {
		return nil, err
	}
	for _, t := range ts {
		if d, ok := c.dimsOf(t); ok {
			out := append(append([]tir.Expr{}, d[:a]...), tir.Int(int64(len(ts))))
			return tensorOf(dt, append(out, d[a:]...), ts...), nil
		}
	}
	return rankOf(dt, first.NDim+1, ts...), nil
}

func inferRepeat(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	n, _ := c.Int("repeats")
	if n < 0 {
		return nil, c.attrErr("repeats", strconv.FormatInt(n, 10), "a number that is not negative")
	}
	axis, given := c.Int("axis")
	if !given {
		d, ok := c.dimsOf(t)
		if !ok {
			return rankOf(t.DType, 1, t), nil
		}
		all, err := c.times("repeats", c.product(d), n)
		if err != nil {
			return nil, err
		}
		return tensorOf(t.DType, []tir.Expr{all}, t), nil
	}
	if t.NDim < 0 {
		return rankOf(t.DType, -1, t), nil
	}
	a, err := c.axis("axis", axis, t.NDim)
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	out := append([]tir.Expr{}, d...)
	if out[a], err = c.times("repeats", d[a], n); err != nil {
		return nil, err
	}
	return tensorOf(t.DType, out, t), nil
}

func inferTile(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	reps, _ := c.Ints("repeats")
	for _, r := range reps {
		if r < 0 {
			return nil, c.attrErr("repeats", formatInts(reps), "numbers that are not negative")
		}
	}
	if t.NDim < 0 {
		return rankOf(t.DType, -1, t), nil
	}
	ndim := max(t.NDim, len(reps))
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, ndim, t), nil
	}
	out := make([]tir.Expr, ndim)
	for i := 1; i <= ndim; i++ {
		var e tir.Expr = tir.Int(1)
		if i <= len(d) {
			e = d[len(d)-i]
		}
		if i <= len(reps) {
			if e, err = c.times("repeats", e, reps[len(reps)-i]); err != nil {
				return nil, err
			}
		}
		out[ndim-i] = e
	}
	return tensorOf(t.DType, out, t), nil
}

func inferFlip(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if axis, _ := c.Int("axis"); t.NDim >= 0 {
		if _, err := c.axis("axis", axis, t.NDim); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// mapExtents returns the extents of the image of a box of the given extents under m, rounded
// up to whole tiles. last are the largest indices.
func (c *InferContext) mapExtents(m *tir.IndexMap, extents, last []tir.Expr) ([]tir.Expr, error) {
	sub := make(map[*tir.Var]int, len(m.Initial))
	for i, v := range m.Initial {
		sub[v] = i
	}
	out := make([]tir.Expr, len(m.Final))
	for i, e := range m.Final {
		if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpFloorMod {
			if n, ok := tir.AsInt(b.B); ok {
				out[i] = tir.Int(n) // the inner part of a tile: all of it, padding included
				continue
			}
		}
		if v, ok := e.(*tir.Var); ok {
			if k, ok := sub[v]; ok {
				out[i] = extents[k]
				continue
			}
		}
		at := (&tir.IndexMap{Initial: m.Initial, Final: []tir.Expr{e}}).Apply(last)[0]
		out[i] = c.Simplify(tir.Add(foldPrim(at), tir.Int(1)))
	}
	return out, nil
}

// foldPrim rebuilds e bottom-up so that constants fold.
func foldPrim(e tir.Expr) tir.Expr {
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok {
			return tir.BinaryExpr(b.Op, b.A, b.B)
		}
		return e
	})
}
