package topi

import (
	"math"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Take takes elements of x along axis. Indices out of bounds are an error that is not
// checked in mode "fast"; they are moved to the ends in "clip", counted around in "wrap",
// and give NaN in "nan".
func Take(x, indices *te.Tensor, axis int, mode string) *te.Tensor {
	n := x.Shape[axis]
	shape := append(append(append([]tir.Expr{}, x.Shape[:axis]...), indices.Shape...), x.Shape[axis+1:]...)
	return te.Compute("T_take", shape, func(i []tir.Expr) tir.Expr {
		mid := axis + indices.NDim()
		at := tir.CastTo(n.DType(), indices.At(i[axis:mid]...))
		read := func(at tir.Expr) tir.Expr {
			return x.At(append(append(append([]tir.Expr{}, i[:axis]...), at), i[mid:]...)...)
		}
		last := tir.Sub(n, tir.Int(1))
		switch mode {
		case "clip":
			return read(tir.Min(tir.Max(at, tir.Int(0)), last))
		case "wrap":
			return read(tir.FloorMod(at, n))
		case "nan":
			inside := tir.And(tir.LE(tir.Int(0), at), tir.LT(at, n))
			return tir.IfThenElseExpr(inside, read(at), &tir.FloatImm{Type: x.DType, Value: math.NaN()})
		}
		return read(at)
	})
}

// GatherElements takes for each index of indices the element of x that is at the same
// place but for axis, where the entry says.
func GatherElements(x, indices *te.Tensor, axis int) *te.Tensor {
	return te.Compute("T_gather", indices.Shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		at[axis] = fromEnd(indices.At(i...), x.Shape[axis])
		return x.At(at...)
	})
}

// fromEnd counts negative indices from the end of an axis of extent n.
func fromEnd(at, n tir.Expr) tir.Expr {
	unsigned := at.DType().IsUInt()
	at = tir.CastTo(n.DType(), at)
	if unsigned {
		return at
	}
	return tir.Add(at, &tir.Select{Cond: tir.LT(at, tir.Int(0)), True: n, False: tir.Int(0)})
}

// GatherND takes slices of x by the tuples of indices that stand along the last axis of
// indices; the first batch axes are shared.
func GatherND(x, indices *te.Tensor, batch int) *te.Tensor {
	last := indices.NDim() - 1
	depth, _ := tir.AsInt(indices.Shape[last])
	d := int(depth)
	shape := append(append([]tir.Expr{}, indices.Shape[:last]...), x.Shape[batch+d:]...)
	return te.Compute("T_gather_nd", shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i[:batch]...)
		for k := range d {
			entry := indices.At(append(append([]tir.Expr{}, i[:last]...), tir.Int(int64(k)))...)
			at = append(at, fromEnd(entry, x.Shape[batch+k]))
		}
		return x.At(append(at, i[last:]...)...)
	})
}

// combiners say how a scatter combines a new value with the one that is there.
var combiners = map[string]binary{
	"update": func(_, v tir.Expr) tir.Expr { return v },
	"add":    tir.Add, "mul": tir.Mul, "min": tir.Min, "max": tir.Max,
}

// scatterType is the element type in which a scatter combines elements of type d: many updates
// may meet in one element.
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
func ScatterElements(x, indices, updates *te.Tensor, axis int, reduction string) *te.Tensor {
	d := scatterType(x.DType, reduction)
	body := func(in, out []*tir.Buffer) tir.Stmt {
		n := newLoops("i", indices.Shape)
		at := append([]tir.Expr{}, n.vars...)
		at[axis] = fromEnd(tir.Load(in[1], n.vars...), x.Shape[axis])
		v := combiners[reduction](tir.Load(out[0], at...), tir.CastTo(d, tir.Load(in[2], n.vars...)))
		return tir.Seq(copyAll(out[0], in[0]), n.wrap(tir.Store(out[0], v, at...)))
	}
	return converted(te.Extern("scatter_elements", []te.Out{{DType: d, Shape: x.Shape}}, []*te.Tensor{x, indices, updates}, body)[0], x.DType)
}

// ScatterND is x with slices of updates written (or combined by reduction) at the tuples of
// indices that stand along the last axis of indices.
func ScatterND(x, indices, updates *te.Tensor, reduction string) *te.Tensor {
	last := indices.NDim() - 1
	depth, _ := tir.AsInt(indices.Shape[last])
	d := scatterType(x.DType, reduction)
	body := func(in, out []*tir.Buffer) tir.Stmt {
		n := newLoops("i", updates.Shape)
		var at []tir.Expr
		for k := range depth {
			entry := tir.Load(in[1], append(append([]tir.Expr{}, n.vars[:last]...), tir.Int(k))...)
			at = append(at, fromEnd(entry, x.Shape[k]))
		}
		at = append(at, n.vars[last:]...)
		v := combiners[reduction](tir.Load(out[0], at...), tir.CastTo(d, tir.Load(in[2], n.vars...)))
		return tir.Seq(copyAll(out[0], in[0]), n.wrap(tir.Store(out[0], v, at...)))
	}
	return converted(te.Extern("scatter_nd", []te.Out{{DType: d, Shape: x.Shape}}, []*te.Tensor{x, indices, updates}, body)[0], x.DType)
}

// OneHot writes each index as a vector along a new axis: on at the index, off elsewhere.
func OneHot(indices *te.Tensor, on, off tir.Expr, depth int64, axis int) *te.Tensor {
	shape := with(indices.Shape, axis, tir.Int(depth))
	return te.Compute("T_one_hot", shape, func(i []tir.Expr) tir.Expr {
		at := tir.CastTo(i[axis].DType(), indices.At(without(i, axis)...))
		return &tir.Select{Cond: tir.EQ(at, i[axis]), True: on, False: off}
	})
}
