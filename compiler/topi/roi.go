package topi

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ROIOpts are the parameters of ROIAlign and ROIPool, with the names that TVM gives them.
type ROIOpts struct {
	Layout        string
	Height, Width int64 // of the result
	Scale         float64
	Samples       int64 // of a bin in each direction; as many as it has elements if not positive
	Aligned       bool
	Max           bool // of samples
	MaxWeighted   bool // of the elements around samples times their weights
}

// region is what a row of rois says: the image and the corners as x and y, scaled.
func (o ROIOpts) region(rois *tir.Buffer, r tir.Expr) (batch tir.Expr, corner func(k int64) tir.Expr) {
	f := coordinateType(rois.DType)
	at := func(k int64) tir.Expr { return tir.CastTo(f, tir.Load(rois, r, tir.Int(k))) }
	return tir.CastTo(dtype.Int64T, at(0)), func(k int64) tir.Expr { return tir.Mul(at(1+k), tir.FloatConst(f, o.Scale)) }
}

// inside guards an element of x, whose image the region names: 0 where there is no such image.
func inside(batch tir.Expr, n, e tir.Expr) tir.Expr {
	return tir.IfThenElseExpr(tir.And(tir.GE(batch, tir.Int(0)), tir.LT(batch, n)), e, tir.Const(e.DType(), 0))
}

// ROIAlign divides regions (rows of batch, x, y, x, y) of images into bins, samples each at regular places, interpolated linearly, and takes the mean
// or the maximum of the samples (He et al., Mask R-CNN, 2017). It computes what TVM's roi_align does. Without Aligned a region has at least the extent 1;
// TVM moves regions by half an element in neither case, so ONNX's half_pixel has to be added to the corners. MaxWeighted is ONNX's maximum, and 0 without samples.
func ROIAlign(x, rois *te.Tensor, o ROIOpts) (*te.Tensor, error) {
	pos, err := positions(o.Layout, "NC", 2)
	if err != nil {
		return nil, err
	}
	f := coordinateType(rois.DType)
	number := func(v float64) tir.Expr { return tir.FloatConst(f, v) }
	shape := arrange(pos, rois.Shape[0], x.Shape[pos[1]], tir.Int(o.Height), tir.Int(o.Width))
	outs := []te.Out{{DType: f, Shape: shape}}
	wide := te.Extern("roi_align", outs, []*te.Tensor{x, rois}, func(in, out []*tir.Buffer) tir.Stmt {
		// The channels are innermost: what a sample reads, and with which weights, is found out once for all of them.
		nest := newLoops("i", []tir.Expr{shape[pos[0]], shape[pos[2]], shape[pos[3]]})
		r, bins := nest.vars[0], nest.vars[1:]
		batch, corner := o.region(in[1], r)
		// axis returns the samples of a bin, and the place of one.
		axis := func(k int64, bin tir.Expr, bins int64) (samples tir.Expr, place func(s tir.Expr) tir.Expr) {
			size := tir.Sub(corner(k+2), corner(k))
			if !o.Aligned {
				size = tir.Max(size, number(1))
			}
			extent := tir.Div(size, number(float64(bins)))
			if samples = tir.Int(o.Samples); o.Samples <= 0 {
				samples = tir.CastTo(dtype.Int64T, tir.Max(tir.Min(call(tir.OpCeil, extent), number(1<<16)), number(0)))
			}
			return samples, func(s tir.Expr) tir.Expr {
				low := tir.Add(corner(k), tir.Mul(tir.CastTo(f, bin), extent))
				return tir.Add(low, tir.Div(tir.Mul(tir.Add(tir.CastTo(f, s), number(0.5)), extent), tir.CastTo(f, samples)))
			}
		}
		nh, y := axis(1, bins[0], o.Height)
		nw, z := axis(0, bins[1], o.Width)
		channels := func(value func(c, old tir.Expr) tir.Expr) tir.Stmt {
			return count0("c", shape[pos[1]], func(c tir.Expr) tir.Stmt {
				at := arrange(pos, r, c, bins[0], bins[1])
				return tir.Store(out[0], value(c, tir.Load(out[0], at...)), at...)
			})
		}
		first, most := number(0), o.Max || o.MaxWeighted
		if most {
			first = te.Lowest(f)
		}
		if o.MaxWeighted {
			first = &tir.Select{Cond: tir.And(tir.GT(nh, tir.Int(0)), tir.GT(nw, tir.Int(0))), True: first, False: number(0)}
		}
		// Samples beyond the image are 0: they add nothing.
		image := tir.And(tir.GE(batch, tir.Int(0)), tir.LT(batch, x.Shape[pos[0]]))
		var beyond tir.Stmt
		if most {
			beyond = channels(func(_, old tir.Expr) tir.Expr { return tir.Max(old, number(0)) })
		}
		count := tir.CastTo(f, tir.Mul(nh, nw))
		sample := func(h, w tir.Expr) tir.Stmt {
			return let("y", y(h), func(y tir.Expr) tir.Stmt {
				return let("x", z(w), func(z tir.Expr) tir.Stmt {
					var axes []taps
					conds := []tir.Expr{image}
					for k, v := range []tir.Expr{y, z} {
						n := x.Shape[pos[2+k]]
						size := tir.CastTo(f, n)
						conds = append(conds, tir.GE(v, number(-1)), tir.LE(v, size))
						v = tir.Min(tir.Max(v, number(0)), tir.Sub(size, number(1)))
						base := floor(v)
						t, low := tir.Sub(v, base), tir.CastTo(dtype.Int64T, base)
						high := tir.Min(tir.Add(low, tir.Int(1)), tir.Sub(n, tir.Int(1)))
						axes = append(axes, taps{[]tir.Expr{low, high}, []tir.Expr{tir.Sub(number(1), t), t}})
					}
					read := bindTaps(axes, func(axes []taps) tir.Stmt {
						return channels(func(c, old tir.Expr) tir.Expr {
							element := func(at []tir.Expr) tir.Expr {
								return tir.CastTo(f, tir.Load(in[0], arrange(pos, batch, c, at[0], at[1])...))
							}
							switch {
							case o.MaxWeighted:
								for i, y := range axes[0].at {
									for k, x := range axes[1].at {
										weight := tir.Mul(axes[0].weights[i], axes[1].weights[k])
										old = tir.Max(old, tir.Mul(weight, element([]tir.Expr{y, x})))
									}
								}
								return old
							case o.Max:
								return tir.Max(old, interpolate(axes, nil, element))
							}
							return tir.Add(old, tir.Div(interpolate(axes, nil, element), count))
						})
					})
					return &tir.IfThenElse{Cond: all(conds), Then: read, Else: beyond}
				})
			})
		}
		start := channels(func(_, _ tir.Expr) tir.Expr { return first })
		loop := count0("h", nh, func(h tir.Expr) tir.Stmt {
			return count0("w", nw, func(w tir.Expr) tir.Stmt { return sample(h, w) })
		})
		return nest.wrap(tir.Seq(start, loop))
	})[0]
	return castTensor(wide, x.DType), nil
}

// ROIPool divides regions of images into bins and takes the greatest element of each, 0 of a bin without any (Girshick, Fast R-CNN, 2015; ONNX's
// MaxRoiPool). Corners are rounded to elements, halves up.
func ROIPool(x, rois *te.Tensor, o ROIOpts) (*te.Tensor, error) {
	pos, err := positions(o.Layout, "NC", 2)
	if err != nil {
		return nil, err
	}
	f := coordinateType(rois.DType)
	number := func(v float64) tir.Expr { return tir.FloatConst(f, v) }
	shape := arrange(pos, rois.Shape[0], x.Shape[pos[1]], tir.Int(o.Height), tir.Int(o.Width))
	return te.Extern("roi_pool", []te.Out{{DType: x.DType, Shape: shape}}, []*te.Tensor{x, rois}, func(in, out []*tir.Buffer) tir.Stmt {
		nest := newLoops("i", shape)
		i := nest.vars
		batch, corner := o.region(in[1], i[pos[0]])
		rounded := func(k int64) tir.Expr {
			v := tir.Max(tir.Min(floor(tir.Add(corner(k), number(0.5))), number(1<<30)), number(-(1 << 30)))
			return tir.CastTo(dtype.Int64T, v)
		}
		// span is the first element of a bin and how many it has.
		span := func(k int64, p int, bins int64) (from, n tir.Expr) {
			size := tir.CastTo(f, tir.Max(tir.Add(tir.Sub(rounded(k+2), rounded(k)), tir.Int(1)), tir.Int(1)))
			bin := tir.Div(size, number(float64(bins)))
			edge := func(round *ir.Op, at tir.Expr) tir.Expr {
				e := tir.CastTo(dtype.Int64T, call(round, tir.Mul(tir.CastTo(f, at), bin)))
				return tir.Min(tir.Max(tir.Add(e, rounded(k)), tir.Int(0)), x.Shape[p])
			}
			from = edge(tir.OpFloor, i[p])
			return from, tir.Max(tir.Sub(edge(tir.OpCeil, tir.Add(i[p], tir.Int(1))), from), tir.Int(0))
		}
		y, nh := span(1, pos[2], o.Height)
		z, nw := span(0, pos[3], o.Width)
		best := tir.Load(out[0], i...)
		none := tir.Or(tir.LT(nh, tir.Int(1)), tir.LT(nw, tir.Int(1)))
		first := &tir.Select{Cond: none, True: tir.Const(x.DType, 0), False: te.Lowest(x.DType)}
		loop := count0("h", nh, func(h tir.Expr) tir.Stmt {
			return count0("w", nw, func(w tir.Expr) tir.Stmt {
				e := tir.Load(in[0], arrange(pos, batch, i[pos[1]], tir.Add(y, h), tir.Add(z, w))...)
				return tir.Store(out[0], tir.Max(best, inside(batch, x.Shape[pos[0]], e)), i...)
			})
		})
		return nest.wrap(tir.Seq(tir.Store(out[0], first, i...), loop))
	})[0], nil
}
