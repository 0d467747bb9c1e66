package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// combiners say how a scatter combines a new value with the one that is there.
var combiners = map[string]binary{
	"update": func(_, v tir.Expr) tir.Expr { return v },
	"add":    tir.Add, "mul": tir.Mul, "min": tir.Min, "max": tir.Max,
	"mean": func(a, v tir.Expr) tir.Expr { return tir.Div(tir.Add(a, v), tir.Const(a.DType(), 2)) },
}

// scatterType is the element type in which a scatter combines elements of type d where it is
// exact: many updates may meet in one element.
func scatterType(d dtype.DType, reduction string) dtype.DType {
	if reduction == "add" || reduction == "mul" {
		return d.Accumulator()
	}
	return d
}

// IsScatterReduction reports whether the scatters know the reduction.
func IsScatterReduction(kind string) bool { return combiners[kind] != nil }

// ScatterElements is x with each element of updates written (or combined by reduction) at
// its own place but for axis, where indices says. Later elements win.
//
// TVM runs over the elements as they lie in memory, along the other axes in parallel; what is tuned
// over the axes.
func ScatterElements(x, indices, updates *te.Tensor, axis int, reduction string) *te.Tensor {
	combine := combiners[reduction]
	extents := func(shape []tir.Expr) (before, after tir.Expr) {
		return product(shape[:axis]), product(shape[axis+1:])
	}
	body := func(in, out []*tir.Buffer) tir.Stmt {
		before, after := extents(indices.Shape)
		_, behind := extents(x.Shape)
		n := tir.CastTo(indices.DType, x.Shape[axis])
		i, fused, k := tir.NewVar("i", dtype.Int64T), tir.NewVar("fused", dtype.Int64T), tir.NewVar("k", dtype.Int64T)
		outer, inner := tir.FloorDiv(fused, after), tir.FloorMod(fused, after)
		from := tir.Add(tir.Add(tir.Mul(outer, tir.Mul(indices.Shape[axis], after)), inner), tir.Mul(k, after))
		entry := flat(in[1], from)
		entry = tir.Add(entry, tir.Mul(tir.CastTo(indices.DType, tir.LT(entry, tir.Const(indices.DType, 0))), n))
		to := tir.Add(tir.Add(tir.Mul(outer, tir.Mul(x.Shape[axis], behind)), inner), tir.Mul(tir.CastTo(dtype.Int64T, entry), behind))
		store := tir.Store(out[0], combine(flat(out[0], to), flat(in[2], from)), flatIndex(out[0], to)...)
		return tir.Seq(
			copyFlat("i", i, out[0], in[0], tir.Parallel),
			&tir.For{LoopVar: fused, Min: tir.Int(0), Extent: tir.Mul(before, after), Kind: tir.Parallel, Body: &tir.For{
				LoopVar: k, Min: tir.Int(0), Extent: indices.Shape[axis], Body: store,
			}},
		)
	}
	own := func() *te.Tensor {
		d := scatterType(x.DType, reduction)
		body := func(in, out []*tir.Buffer) tir.Stmt {
			n := newLoops("i", indices.Shape)
			at := append([]tir.Expr{}, n.vars...)
			at[axis] = fromEnd(tir.Load(in[1], n.vars...), x.Shape[axis])
			v := combine(tir.Load(out[0], at...), tir.CastTo(d, tir.Load(in[2], n.vars...)))
			return tir.Seq(copyAll(out[0], in[0]), n.wrap(tir.Store(out[0], v, at...)))
		}
		wide := te.Extern("scatter_elements", []te.Out{{DType: d, Shape: x.Shape}}, []*te.Tensor{x, indices, updates}, body)[0]
		return castTensor(wide, x.DType)
	}
	for k, d := range x.Shape {
		if k != axis && k > 0 && !sameExpr(d, indices.Shape[k]) {
			return own() // TVM's positions would be those of a tensor of the indices' extents
		}
	}
	out := externFlat("scatter_elements_generic", x, []*te.Tensor{x, indices, updates}, body)
	return te.Better(out, func() []*te.Tensor { return []*te.Tensor{own()} })
}

// ScatterND is x with slices of updates written (or combined by reduction) at the tuples of
// indices that stand along the last axis of indices. Of the forms that of TVM runs over the
// elements as they lie in memory.
func ScatterND(x, indices, updates *te.Tensor, reduction string) *te.Tensor {
	combine := combiners[reduction]
	last := indices.NDim() - 1
	depth, _ := tir.AsInt(indices.Shape[last])
	turned := PermuteDims(indices, lastFirst(indices.NDim()))
	body := func(in, out []*tir.Buffer) tir.Stmt {
		tuples, slice := product(turned.Shape[1:]), product(updates.Shape[last:])
		c, i, j := tir.NewVar("i", dtype.Int64T), tir.NewVar("i", dtype.Int64T), tir.NewVar("j", dtype.Int64T)
		at, offset := tir.Expr(j), slice
		for l := depth - 1; l >= 0; l-- {
			entry := tir.CastTo(dtype.Int64T, flat(in[1], tir.Add(i, tir.Mul(tir.Int(l), tuples))))
			at = tir.Add(at, tir.Mul(offset, entry))
			offset = tir.Mul(offset, x.Shape[l])
		}
		v := flat(in[2], tir.Add(tir.Mul(i, slice), j))
		store := tir.Store(out[0], combine(flat(out[0], at), v), flatIndex(out[0], at)...)
		return tir.Seq(
			copyFlat("i", c, out[0], in[0], tir.Serial),
			&tir.For{LoopVar: i, Min: tir.Int(0), Extent: tuples, Body: &tir.For{
				LoopVar: j, Min: tir.Int(0), Extent: slice, Kind: tir.Parallel, Body: store,
			}},
		)
	}
	out := externFlat("scatter_nd_generic", x, []*te.Tensor{x, turned, updates}, body)
	return te.Better(out, func() []*te.Tensor {
		d := scatterType(x.DType, reduction)
		body := func(in, out []*tir.Buffer) tir.Stmt {
			n := newLoops("i", updates.Shape)
			var at []tir.Expr
			for k := range depth {
				entry := tir.Load(in[1], append(append([]tir.Expr{}, n.vars[:last]...), tir.Int(k))...)
				at = append(at, fromEnd(entry, x.Shape[k]))
			}
			at = append(at, n.vars[last:]...)
			v := combine(tir.Load(out[0], at...), tir.CastTo(d, tir.Load(in[2], n.vars...)))
			return tir.Seq(copyAll(out[0], in[0]), n.wrap(tir.Store(out[0], v, at...)))
		}
		wide := te.Extern("scatter_nd", []te.Out{{DType: d, Shape: x.Shape}}, []*te.Tensor{x, indices, updates}, body)[0]
		return []*te.Tensor{castTensor(wide, x.DType)}
	})
}
