package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// AffineGrid makes the grids that GridSample takes of affine matrices (batch, n, n+1), for images of n = 2 or 3 extents: the coordinates x, y, z of
// each place, from -1 to 1, are mapped by the matrix. With corners -1 and 1 are the centers of the first and the last element, not their edges.
// It is ONNX's AffineGrid with the axes of the result in another order.
func AffineGrid(theta *te.Tensor, size []tir.Expr, corners bool) *te.Tensor {
	n := len(size)
	shape := append([]tir.Expr{theta.Shape[0], tir.Int(int64(n))}, size...)
	f := coordinateType(theta.DType)
	number := func(v float64) tir.Expr { return tir.FloatConst(f, v) }
	return te.Compute("affine_grid", shape, func(i []tir.Expr) tir.Expr {
		at := func(k int) tir.Expr { return tir.CastTo(f, theta.At(i[0], i[1], tir.Int(int64(k)))) }
		sum := at(n)
		for k := range n {
			extent, j := tir.CastTo(f, size[k]), tir.CastTo(f, i[2+k])
			var x tir.Expr
			if corners {
				x = tir.Sub(tir.Div(tir.Mul(number(2), j), tir.Max(tir.Sub(extent, number(1)), number(1))), number(1))
				x = &tir.Select{Cond: tir.GT(size[k], tir.Int(1)), True: x, False: number(0)}
			} else {
				x = tir.Sub(tir.Div(tir.Add(tir.Mul(number(2), j), number(1)), extent), number(1))
			}
			sum = tir.Add(sum, tir.Mul(at(n-1-k), x))
		}
		return tir.CastTo(theta.DType, sum)
	}, te.AxisPrefix("i"))
}

// coordinateType is what places in tensors of type d are computed in.
func coordinateType(d dtype.DType) dtype.DType {
	if d == dtype.Float64T {
		return d
	}
	return dtype.Float32T
}

// GridOpts are the parameters of GridSample, with the names that TVM's grid_sample gives them.
type GridOpts struct {
	Layout  string
	Method  string // "nearest", "bilinear" (trilinear for volumes), "bicubic" (tricubic for volumes, which TVM refuses)
	Padding string // what is outside: "zeros", "border", "reflection"
	Corners bool   // whether -1 and 1 are the centers of the first and the last element
}

// GridSample samples images at the places that grid has: x and y, or x, y and z, along its second axis.
func GridSample(x, grid *te.Tensor, o GridOpts) (*te.Tensor, error) {
	n := x.NDim() - 2
	pos, err := positions(o.Layout, "NC", n)
	if err != nil {
		return nil, err
	}
	shape := append([]tir.Expr{}, x.Shape...)
	for k := range n {
		shape[pos[2+k]] = grid.Shape[2+k]
	}
	out := te.Compute("grid_sample", shape, func(i []tir.Expr) tir.Expr {
		axes := o.taps(pos, x.Shape, i, func(at []tir.Expr) tir.Expr { return grid.At(at...) }, grid.DType)
		return tir.CastTo(x.DType, interpolate(axes, nil, func(at []tir.Expr) tir.Expr {
			index := arrange(pos, append([]tir.Expr{i[pos[0]], i[pos[1]]}, at...)...)
			return tir.IfThenElseExpr(inImage(x.Shape, index, pos), tir.CastTo(coordinateType(grid.DType), x.At(index...)), tir.FloatConst(coordinateType(grid.DType), 0))
		}))
	}, te.AxisPrefix("i"))
	return te.Better(out, func() []*te.Tensor { return []*te.Tensor{o.byPlaces(x, grid, pos, shape)} }), nil
}

// byPlaces is the same with the channels innermost: what a place reads, and with which weights, is found out once for all of them.
func (o GridOpts) byPlaces(x, grid *te.Tensor, pos []int, shape []tir.Expr) *te.Tensor {
	f := coordinateType(grid.DType)
	return te.Extern("grid_sample", []te.Out{{DType: x.DType, Shape: shape}}, []*te.Tensor{x, grid}, func(in, out []*tir.Buffer) tir.Stmt {
		places := make([]tir.Expr, 0, len(pos)-1)
		for k, p := range pos {
			if k != 1 {
				places = append(places, shape[p])
			}
		}
		nest := newLoops("i", places)
		i := arrange(pos, append([]tir.Expr{nest.vars[0], nil}, nest.vars[1:]...)...)
		axes := o.taps(pos, x.Shape, i, func(at []tir.Expr) tir.Expr { return tir.Load(in[1], at...) }, grid.DType)
		return nest.wrap(bindTaps(axes, func(axes []taps) tir.Stmt {
			channels := func(guarded bool) tir.Stmt {
				return count0("c", shape[pos[1]], func(c tir.Expr) tir.Stmt {
					v := interpolate(axes, nil, func(at []tir.Expr) tir.Expr {
						index := arrange(pos, append([]tir.Expr{i[pos[0]], c}, at...)...)
						e := tir.CastTo(f, tir.Load(in[0], index...))
						if guarded {
							e = tir.IfThenElseExpr(inImage(x.Shape, index, pos), e, tir.FloatConst(f, 0))
						}
						return e
					})
					return tir.Store(out[0], tir.CastTo(x.DType, v), arrange(pos, append([]tir.Expr{i[pos[0]], c}, nest.vars[1:]...)...)...)
				})
			}
			var inside []tir.Expr
			for k, a := range axes {
				for _, e := range a.at {
					inside = append(inside, tir.GE(e, tir.Int(0)), tir.LT(e, x.Shape[pos[2+k]]))
				}
			}
			return &tir.IfThenElse{Cond: all(inside), Then: channels(false), Else: channels(true)}
		}))
	})[0]
}

// taps are what the place of a result reads along the axes of x, whose grid load reads.
func (o GridOpts) taps(pos []int, extents, i []tir.Expr, load func(at []tir.Expr) tir.Expr, d dtype.DType) []taps {
	n := len(pos) - 2
	place := []tir.Expr{i[pos[0]], nil}
	for k := range n {
		place = append(place, i[pos[2+k]])
	}
	axes := make([]taps, n)
	for k := range n {
		place[1] = tir.Int(int64(n - 1 - k))
		axes[k] = o.gridTaps(extents[pos[2+k]], load(append([]tir.Expr{}, place...)))
	}
	return axes
}

// inImage says that an index is of an element as to its spatial axes.
func inImage(extents, index []tir.Expr, pos []int) tir.Expr {
	var inside []tir.Expr
	for _, p := range pos[2:] {
		inside = append(inside, tir.GE(index[p], tir.Int(0)), tir.LT(index[p], extents[p]))
	}
	return all(inside)
}

// gridTaps is what a place, from -1 to 1, reads along an axis of an extent.
func (o GridOpts) gridTaps(extent, place tir.Expr) (a taps) {
	f := coordinateType(place.DType())
	number := func(v float64) tir.Expr { return tir.FloatConst(f, v) }
	size := tir.CastTo(f, extent)
	v := tir.Add(tir.CastTo(f, place), number(1))
	low, span := tir.Expr(number(-0.5)), size
	if o.Corners {
		low, span = number(0), tir.Sub(size, number(1))
		v = tir.Div(tir.Mul(v, span), number(2))
	} else {
		v = tir.Sub(tir.Div(tir.Mul(v, span), number(2)), number(0.5))
	}
	// outside moves what is outside to where the padding says that it is.
	outside := func(v tir.Expr) tir.Expr {
		if o.Padding == "reflection" {
			far := call(tir.OpFabs, tir.Sub(v, low))
			wide := tir.Max(span, number(1)) // an axis of one element reflects all to it, which the clipping below does
			turns := floor(tir.Div(far, wide))
			extra := tir.Sub(far, tir.Mul(turns, wide))
			odd := tir.NE(tir.Mul(floor(tir.Div(turns, number(2))), number(2)), turns)
			v = tir.Add(&tir.Select{Cond: odd, True: tir.Sub(wide, extra), False: extra}, low)
		}
		return tir.Max(tir.Min(v, tir.Sub(size, number(1))), number(0))
	}
	if o.Padding != "zeros" && o.Method != "bicubic" {
		v = outside(v)
	}
	// What no int32 holds is as far outside as can be; a NaN is outside too.
	v = tir.Max(tir.Min(v, number(1<<30)), number(-(1 << 30)))
	index := func(e tir.Expr) tir.Expr { return tir.CastTo(dtype.Int64T, e) }
	if o.Method == "nearest" {
		a.at = []tir.Expr{index(call(tir.OpNearbyint, v))}
		return a
	}
	base := floor(v)
	t := tir.Sub(v, base)
	if o.Method == "bilinear" {
		a.at = []tir.Expr{index(base), tir.Add(index(base), tir.Int(1))}
		a.weights = []tir.Expr{tir.Sub(number(1), t), t}
		return a
	}
	for k := range 4 {
		e := tir.Add(base, number(float64(k-1)))
		if o.Padding != "zeros" {
			e = outside(e)
		}
		a.at = append(a.at, index(e))
	}
	a.weights = cubicWeights(t, -0.75)
	return a
}
