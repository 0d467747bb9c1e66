package topi

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// CollapseSum sums x over the axes that broadcasting from shape to that of x made: those that shape
// has not, and those that have extent 1 there.
func CollapseSum(x *te.Tensor, shape []tir.Expr) (*te.Tensor, error) {
	if len(shape) > x.NDim() {
		return nil, fmt.Errorf("a tensor of %d dimensions is no sum of one with %d", len(shape), x.NDim())
	}
	lead := x.NDim() - len(shape)
	r := &reduction{x: x, shape: shape}
	for k, d := range x.Shape {
		switch {
		case k < lead:
			r.over = append(r.over, k)
		case sameExpr(d, shape[k-lead]):
			r.keep = append(r.keep, k)
		case tir.IsConst(shape[k-lead], 1):
			r.over = append(r.over, k)
		default:
			return nil, fmt.Errorf("axis %d of the input can not be summed to the extent of the result: it is neither equal nor 1", k)
		}
	}
	if len(r.over) == 0 {
		return te.Compute("tensor", x.Shape, func(i []tir.Expr) tir.Expr { return x.At(i...) }), nil
	}
	axes := r.axes()
	return te.Compute(x.Name+"_red", shape, func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, x.NDim())
		for _, a := range r.keep {
			at[a] = i[a-lead]
		}
		for k, a := range r.over {
			at[a] = axes[k].Var
		}
		return te.Sum(x.At(at...), axes...)
	}), nil
}

// Meshgrid spreads vectors and scalars over grids of all their coordinates. The first two axes are
// swapped if indexing is "xy".
func Meshgrid(xs []*te.Tensor, indexing string) []*te.Tensor {
	axis := func(i int) int {
		if indexing == "xy" && len(xs) > 1 && i < 2 {
			return 1 - i
		}
		return i
	}
	shape := make([]tir.Expr, len(xs))
	for i := range xs {
		shape[i] = tir.Int(1)
		if s := xs[axis(i)].Shape; len(s) > 0 {
			shape[i] = s[0]
		}
	}
	out := make([]*te.Tensor, len(xs))
	for i, x := range xs {
		out[i] = te.Compute("T_meshgrid", shape, func(at []tir.Expr) tir.Expr {
			if x.NDim() == 0 {
				return x.At()
			}
			return x.At(at[axis(i)])
		})
	}
	return out
}

// IndexTensor takes the elements of x at indices, which broadcast to shape and stand for the first
// axes of x: x[i0, i1, ...] of NumPy. TVM takes no negative indices; what is tuned counts them from the end.
func IndexTensor(x *te.Tensor, indices []*te.Tensor, shape []tir.Expr) (*te.Tensor, error) {
	if len(indices) == 0 || len(indices) > x.NDim() {
		return nil, fmt.Errorf("%d indices for a tensor of %d dimensions", len(indices), x.NDim())
	}
	common := shape[:len(shape)-(x.NDim()-len(indices))]
	gather := func(spread func(*te.Tensor) *te.Tensor, index func(at, n tir.Expr) tir.Expr) *te.Tensor {
		own := make([]*te.Tensor, len(indices))
		for k, t := range indices {
			own[k] = spread(t)
		}
		return te.Compute("advanced_index", shape, func(i []tir.Expr) tir.Expr {
			var at []tir.Expr
			for k, t := range own {
				at = append(at, index(t.At(i[:len(common)]...), x.Shape[k]))
			}
			return x.At(append(at, i[len(common):]...)...)
		})
	}
	spread := func(t *te.Tensor) *te.Tensor {
		if len(indices) == 1 {
			return t
		}
		return BroadcastTo(t, common)
	}
	return te.Better(gather(spread, plainIndex), func() []*te.Tensor { return []*te.Tensor{gather(spread, fromEnd)} }), nil
}

// SliceScatter is x with the elements start, start + step, ... before end of axis replaced by those of src.
func SliceScatter(x, src *te.Tensor, start, end, step tir.Expr, axis int) *te.Tensor {
	return te.Compute("slice_scatter", x.Shape, func(i []tir.Expr) tir.Expr {
		at := i[axis]
		inside := tir.And(tir.And(tir.GE(at, start), tir.LT(at, end)), tir.EQ(tir.FloorMod(tir.Sub(at, start), step), tir.Int(0)))
		from := append([]tir.Expr{}, i...)
		from[axis] = tir.FloorDiv(tir.Sub(at, start), step)
		return tir.IfThenElseExpr(inside, src.At(from...), x.At(i...))
	})
}

// HammingWindow is alpha - beta cos(2 pi i / (n - 1)) for i from 0 to n - 1, and with n + 1 for n in the
// quotient where the window is periodic. The window of one element is 1.
func HammingWindow(n tir.Expr, periodic bool, alpha, beta float64, d dtype.DType) *te.Tensor {
	span := tir.Sub(n, tir.Int(1))
	if periodic {
		span = n
	}
	wide := d
	if d.Bits < 32 {
		wide = dtype.Float32T
	}
	return te.Compute("hamming_window", []tir.Expr{n}, func(i []tir.Expr) tir.Expr {
		if tir.IsConst(n, 1) {
			return tir.Const(d, 1)
		}
		angle := tir.Div(tir.Mul(tir.FloatConst(wide, 2*math.Pi), tir.CastTo(wide, i[0])), tir.CastTo(wide, tir.Max(span, tir.Int(1))))
		v := tir.Sub(tir.FloatConst(wide, alpha), tir.Mul(tir.FloatConst(wide, beta), call(tir.OpCos, angle)))
		return tir.CastTo(d, &tir.Select{Cond: tir.GT(n, tir.Int(1)), True: v, False: tir.FloatConst(wide, 1)})
	})
}

// IndexPut is x with values written, or added if accumulate, at indices, one for each axis of x, which
// broadcast to shape; so do values. Indices below zero count from the end. Later elements win: TVM
// writes in parallel, and leaves open which does.
func IndexPut(x *te.Tensor, indices []*te.Tensor, values *te.Tensor, shape []tir.Expr, accumulate bool) *te.Tensor {
	d := x.DType
	if accumulate {
		d = scatterType(d, "add")
	}
	spread := func(b *tir.Buffer, at []tir.Expr) tir.Expr {
		own := append([]tir.Expr{}, at[len(at)-len(b.Shape):]...)
		for k, n := range b.Shape {
			if tir.IsConst(n, 1) {
				own[k] = tir.Int(0)
			}
		}
		return tir.Load(b, own...)
	}
	body := func(in, out []*tir.Buffer) tir.Stmt {
		n := newLoops("k", shape)
		var at []tir.Expr
		for k := range indices {
			at = append(at, fromEnd(spread(in[1+k], n.vars), x.Shape[k]))
		}
		v := tir.CastTo(d, spread(in[len(in)-1], n.vars))
		if accumulate {
			v = tir.Add(tir.Load(out[0], at...), v)
		}
		return tir.Seq(copyAll(out[0], in[0]), n.wrap(tir.Store(out[0], v, at...)))
	}
	ins := append(append([]*te.Tensor{x}, indices...), values)
	return castTensor(te.Extern("index_put_generic", []te.Out{{DType: d, Shape: x.Shape}}, ins, body)[0], x.DType)
}

// SearchSorted returns for each value how many of the sorted boundaries are less than it, or, if right, not greater:
// where it would be inserted before, or after, those that are equal. TVM searches by halves.
func SearchSorted(boundaries, values *te.Tensor, right bool, d dtype.DType) *te.Tensor {
	k := te.ReduceAxis("k", boundaries.Shape[0])
	return te.Compute("searchsorted", values.Shape, func(i []tir.Expr) tir.Expr {
		a, b := boundaries.At(k.Var), values.At(i...)
		less := tir.LT(a, b)
		if right {
			less = tir.LE(a, b)
		}
		return te.Sum(tir.CastTo(d, less), k)
	})
}
