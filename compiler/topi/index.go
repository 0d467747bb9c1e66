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
			return read(tir.TruncMod(tir.Add(tir.TruncMod(at, n), n), n))
		case "nan":
			inside := tir.And(tir.LE(tir.Int(0), at), tir.LT(at, n))
			return tir.IfThenElseExpr(inside, read(at), &tir.FloatImm{Type: x.DType, Value: math.NaN()})
		}
		return read(at)
	})
}

// TakeBackward is the gradient of Take with respect to x, where grad is that of the result: what was taken from an element is added up there. TVM
// runs over the elements as they lie in memory, and only for indices of one dimension.
func TakeBackward(grad, x, indices *te.Tensor, axis int) *te.Tensor {
	body := func(in, out []*tir.Buffer) tir.Stmt {
		before, after := product(grad.Shape[:axis]), product(grad.Shape[axis+1:])
		i, fused, l := tir.NewVar("i", dtype.Int64T), tir.NewVar("parallel", dtype.Int64T), tir.NewVar("serial", dtype.Int64T)
		outer, inner := tir.FloorDiv(fused, after), tir.FloorMod(fused, after)
		along := func(n, at tir.Expr) tir.Expr {
			return tir.Add(tir.Add(tir.Mul(tir.Mul(outer, after), n), tir.Mul(at, after)), inner)
		}
		to := along(x.Shape[axis], tir.CastTo(dtype.Int64T, tir.Load(in[2], l)))
		from := along(indices.Shape[0], l)
		zero := tir.Store(out[0], tir.Const(x.DType, 0), flatIndex(out[0], i)...)
		store := tir.Store(out[0], tir.Add(flat(out[0], to), flat(in[0], from)), flatIndex(out[0], to)...)
		return tir.Seq(
			&tir.For{LoopVar: i, Min: tir.Int(0), Extent: product(x.Shape), Body: zero},
			&tir.For{LoopVar: fused, Min: tir.Int(0), Extent: tir.Mul(before, after), Body: &tir.For{
				LoopVar: l, Min: tir.Int(0), Extent: indices.Shape[0], Body: store,
			}},
		)
	}
	own := func() *te.Tensor {
		d := scatterType(x.DType, "add")
		body := func(in, out []*tir.Buffer) tir.Stmt {
			c, n := newLoops("c", x.Shape), newLoops("i", grad.Shape)
			mid := axis + indices.NDim()
			index := plainIndex(tir.Load(in[2], n.vars[axis:mid]...), x.Shape[axis])
			at := append(append(append([]tir.Expr{}, n.vars[:axis]...), index), n.vars[mid:]...)
			v := tir.Add(tir.Load(out[0], at...), tir.CastTo(d, tir.Load(in[0], n.vars...)))
			return tir.Seq(c.wrap(tir.Store(out[0], tir.Const(d, 0), c.vars...)), n.wrap(tir.Store(out[0], v, at...)))
		}
		wide := te.Extern("take_backward", []te.Out{{DType: d, Shape: x.Shape}}, []*te.Tensor{grad, x, indices}, body)[0]
		return castTensor(wide, x.DType)
	}
	if indices.NDim() != 1 {
		return own()
	}
	out := externFlat("take_backward", x, []*te.Tensor{grad, x, indices}, body)
	return te.Better(out, func() []*te.Tensor { return []*te.Tensor{own()} })
}

// ReverseSequence reverses the first elements along axis seq, as many for index b of axis batch as lengths has there. More than there are count as all.
func ReverseSequence(x, lengths *te.Tensor, seq, batch int) *te.Tensor {
	return te.Compute("T_reverse_sequence", x.Shape, func(i []tir.Expr) tir.Expr {
		n := tir.Min(tir.CastTo(x.Shape[seq].DType(), lengths.At(i[batch])), x.Shape[seq])
		at := append([]tir.Expr{}, i...)
		at[seq] = &tir.Select{Cond: tir.LT(i[seq], n), True: tir.Sub(tir.Sub(n, tir.Int(1)), i[seq]), False: i[seq]}
		return x.At(at...)
	})
}

// GatherElements takes for each index of indices the element of x that is at the same
// place but for axis, where the entry says.
func GatherElements(x, indices *te.Tensor, axis int) *te.Tensor {
	gather := func(index func(at, n tir.Expr) tir.Expr) *te.Tensor {
		return te.Compute("T_gather", indices.Shape, func(i []tir.Expr) tir.Expr {
			at := append([]tir.Expr{}, i...)
			at[axis] = index(indices.At(i...), x.Shape[axis])
			return x.At(at...)
		})
	}
	return te.Better(gather(plainIndex), func() []*te.Tensor { return []*te.Tensor{gather(fromEnd)} })
}

// plainIndex is an index that is not negative, which TVM takes for granted. What is tuned takes
// others too, as ONNX and NumPy do.
func plainIndex(at, n tir.Expr) tir.Expr { return tir.CastTo(n.DType(), at) }

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
	gather := func(entry func(k int64, i []tir.Expr) tir.Expr, index func(at, n tir.Expr) tir.Expr) *te.Tensor {
		shape := append(append([]tir.Expr{}, indices.Shape[:last]...), x.Shape[batch+int(depth):]...)
		return te.Compute("T_gather_nd", shape, func(i []tir.Expr) tir.Expr {
			at := append([]tir.Expr{}, i[:batch]...)
			for k := range depth {
				at = append(at, index(entry(k, i[:last]), x.Shape[batch+int(k)]))
			}
			return x.At(append(at, i[last:]...)...)
		})
	}
	turned := PermuteDims(indices, lastFirst(indices.NDim()))
	out := gather(func(k int64, i []tir.Expr) tir.Expr { return turned.At(with(i, 0, tir.Int(k))...) }, plainIndex)
	return te.Better(out, func() []*te.Tensor {
		return []*te.Tensor{gather(func(k int64, i []tir.Expr) tir.Expr { return indices.At(with(i, last, tir.Int(k))...) }, fromEnd)}
	})
}

// lastFirst is the order of axes that moves the last of n to the front.
func lastFirst(n int) []int {
	axes := []int{n - 1}
	for k := range n - 1 {
		axes = append(axes, k)
	}
	return axes
}

// OneHot writes each index as a vector along a new axis: on at the index, off elsewhere.
func OneHot(indices *te.Tensor, on, off tir.Expr, depth int64, axis int) *te.Tensor {
	shape := with(indices.Shape, axis, tir.Int(depth))
	return te.Compute("T_one_hot", shape, func(i []tir.Expr) tir.Expr {
		at := tir.CastTo(i[axis].DType(), indices.At(without(i, axis)...))
		return &tir.Select{Cond: tir.EQ(at, i[axis]), True: on, False: off}
	})
}
