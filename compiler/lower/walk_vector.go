package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// native is the lanes of a part of vectors of type d that are not masks.
func (w *Walker) native(d dtype.DType) int {
	if d.IsBool() {
		return 0
	}
	return w.gen.Native(d, 0)
}

// LaneOf returns lane i as a scalar; a lane of a mask becomes 0 or 1.
func (w *Walker) LaneOf(v Value, i int) *Node {
	if !v.Packed() {
		return v.Parts[i]
	}
	return w.gen.Extract(v, i)
}

// Scalars returns all lanes as scalars.
func (w *Walker) Scalars(v Value) []*Node {
	if !v.Packed() {
		return v.Parts
	}
	out := make([]*Node, v.Lanes())
	for i := range out {
		out[i] = w.gen.Extract(v, i)
	}
	return out
}

// Pack makes a value of type d out of scalars, a vector in parts where it fits.
func (w *Walker) Pack(d dtype.DType, xs []*Node) Value {
	k := w.native(d)
	if k == 0 {
		return Value{DType: d, Parts: xs}
	}
	return Each(d, 0, len(xs)/k, func(i int) *Node { return w.gen.PackPart(d, xs[i*k:(i+1)*k]) })
}

// Splat repeats a scalar.
func (w *Walker) Splat(d dtype.DType, x *Node) Value {
	k, p := w.native(d), x
	if k > 0 {
		p = w.gen.SplatPart(d, x, k)
	}
	return Each(d, 0, int(d.Lanes)/max(1, k), func(int) *Node { return p })
}

// spread is v, repeated if it is a scalar and lanes are more than one.
func (w *Walker) spread(v Value, lanes int) Value {
	if v.Lanes() == 1 && lanes > 1 {
		return w.Splat(v.DType.WithLanes(lanes), v.Scalar())
	}
	return v
}

// ramp is Start, Start+Stride, ...: one vector constant added to a splat where Stride is constant.
func (w *Walker) ramp(e *tir.Ramp) Value {
	const what = "Ramp"
	start := w.Expr(e.Start)
	dt := e.DType()
	if start.Lanes() > 1 {
		stride := w.Expr(e.Stride)
		var xs []*Node
		for i := range e.Lanes {
			k := w.Splat(start.DType, w.IntConst(start.DType.Elem(), int64(i), what))
			xs = append(xs, w.Scalars(w.arith(tir.OpAdd, start, w.arith(tir.OpMul, stride, k, what), what))...)
		}
		return w.Pack(dt, xs)
	}
	elem := dt.Elem()
	steps := make([]*Node, e.Lanes)
	if k, ok := tir.AsInt(e.Stride); ok {
		for i := range steps {
			steps[i] = w.IntConst(elem, int64(i)*k, what)
		}
	} else {
		stride := w.Expr(e.Stride)
		for i := range steps {
			steps[i] = w.arith(tir.OpMul, stride, One(elem, w.IntConst(elem, int64(i), what)), what).Scalar()
		}
	}
	return w.arith(tir.OpAdd, w.Splat(dt, start.Scalar()), w.Pack(dt, steps), what)
}

// broadcast repeats a scalar or a vector; whole parts are not taken apart.
func (w *Walker) broadcast(e *tir.Broadcast) Value {
	_, read := e.Value.(*tir.BufferLoad)
	was := w.spreads
	w.spreads = read
	v := w.Expr(e.Value)
	w.spreads = was
	dt := e.DType()
	if v.Lanes() == 1 {
		return w.Splat(dt, v.Scalar())
	}
	out := Value{DType: dt, Mask: v.Mask}
	if v.Packed() && w.gen.Native(dt, v.Mask) == w.gen.Native(v.DType, v.Mask) {
		for range e.Lanes {
			out.Parts = append(out.Parts, v.Parts...)
		}
		return out
	}
	var xs []*Node
	for range e.Lanes {
		xs = append(xs, w.Scalars(v)...)
	}
	return w.Pack(dt, xs)
}

// shuffle picks lanes of the concatenated vectors.
func (w *Walker) shuffle(e *tir.Shuffle) Value {
	var xs []*Node
	var d dtype.DType
	for _, x := range e.Vectors {
		v := w.Expr(x)
		d = v.DType.Elem()
		xs = append(xs, w.Scalars(v)...)
	}
	out := make([]*Node, len(e.Indices))
	for i, x := range e.Indices {
		k, ok := tir.AsInt(x)
		if !ok || k < 0 || int(k) >= len(xs) {
			w.Fail("Shuffle", "index %d must be a constant below %d", i, len(xs))
		}
		out[i] = xs[k]
	}
	return w.Pack(d.WithLanes(len(out)), out)
}

// vectorHalves translates vector_low, vector_high and vector_combine.
func (w *Walker) vectorHalves(name string, e *tir.Call) Value {
	xs := w.Scalars(w.Expr(e.Args[0]))
	switch name {
	case tir.OpVectorLow.Name:
		xs = xs[:len(xs)/2]
	case tir.OpVectorHigh.Name:
		xs = xs[len(xs)/2:]
	default:
		xs = append(append([]*Node(nil), xs...), w.Scalars(w.Expr(e.Args[1]))...)
	}
	return w.Pack(e.Type.WithLanes(len(xs)), xs)
}
