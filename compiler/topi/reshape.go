package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// Reshape gives x the extents shape, of as many elements, in row-major order. TVM takes the
// position of an element apart for each axis; what is tuned indexes axes that both shapes share
// as they are, and only between them flattens an index and takes it apart again.
func Reshape(x *te.Tensor, shape []tir.Expr) *te.Tensor {
	out := te.Compute("T_reshape", shape, func(i []tir.Expr) tir.Expr {
		p := tir.Expr(tir.Int(0))
		for k := range i {
			p = tir.Add(tir.Mul(p, shape[k]), i[k])
		}
		at := make([]tir.Expr, x.NDim())
		for k := len(at) - 1; k >= 0; k-- {
			at[k] = tir.FloorMod(p, x.Shape[k])
			p = tir.FloorDiv(p, x.Shape[k])
		}
		return x.At(at...)
	})
	return te.Better(out, func() []*te.Tensor { return []*te.Tensor{reshapeByGroups(x, shape)} })
}

func reshapeByGroups(x *te.Tensor, shape []tir.Expr) *te.Tensor {
	return te.Compute("T_reshape", shape, func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, x.NDim())
		for _, g := range reshapeGroups(x.Shape, shape) {
			unravel(at[g.from:g.fromEnd], x.Shape[g.from:g.fromEnd], ravel(i[g.to:g.toEnd], shape[g.to:g.toEnd]))
		}
		return x.At(at...)
	})
}

// group is a run of axes of one shape that holds as many elements as one of the other.
type group struct{ from, fromEnd, to, toEnd int }

// reshapeGroups splits two shapes of as many elements into the shortest groups. Ones that stand last in to are in none.
func reshapeGroups(from, to []tir.Expr) []group {
	var out []group
	i, j := 0, 0
	for i < len(from) {
		g := group{from: i, to: j}
		// Extents that are no constants match only one by one; otherwise the rest is one group.
		if j < len(to) && sameExpr(from[i], to[j]) {
			i, j = i+1, j+1
		} else if a, b, ok := growGroup(from[i:], to[j:]); ok {
			i, j = i+a, j+b
		} else {
			i, j = len(from), len(to)
		}
		g.fromEnd, g.toEnd = i, j
		out = append(out, g)
	}
	return out
}

// growGroup returns how many leading axes of from and to have one product of constants.
func growGroup(from, to []tir.Expr) (a, b int, ok bool) {
	p, q := int64(1), int64(1)
	for a+b == 0 || p != q {
		// The side with the smaller product grows, and a side that has nothing yet.
		left := p <= q && a < len(from) || b >= len(to)
		list, k := to, &b
		if left {
			list, k = from, &a
		}
		if *k >= len(list) {
			return 0, 0, false
		}
		n, _ := tir.AsInt(list[*k])
		if n == 0 { // or no constant
			return 0, 0, false
		}
		*k++
		if left {
			p *= n
		} else {
			q *= n
		}
	}
	return a, b, true
}

// ravel is the position of index i in a box of extents shape.
func ravel(i, shape []tir.Expr) tir.Expr {
	out := tir.Expr(tir.Int(0))
	for k := range i {
		if tir.IsConst(shape[k], 1) {
			continue
		}
		out = tir.Add(tir.Mul(out, shape[k]), i[k])
	}
	return out
}

// unravel sets at to the index of position p in a box of extents shape.
func unravel(at, shape []tir.Expr, p tir.Expr) {
	first := 0
	for first < len(shape) && tir.IsConst(shape[first], 1) {
		first++
	}
	for k := len(shape) - 1; k >= 0; k-- {
		switch {
		case tir.IsConst(shape[k], 1):
			at[k] = tir.Const(shape[k].DType(), 0)
		case k == first:
			at[k] = p
		default:
			at[k] = tir.FloorMod(p, shape[k])
			p = tir.FloorDiv(p, shape[k])
		}
	}
}

// PermuteDims makes axis k of the result axis axes[k] of x.
func PermuteDims(x *te.Tensor, axes []int) *te.Tensor {
	return te.Compute("T_transpose", pick(x.Shape, axes), func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, len(i))
		for k, a := range axes {
			at[a] = i[k]
		}
		return x.At(at...)
	})
}

// ExpandDims inserts axes of extent 1 where the result has the given axes.
func ExpandDims(x *te.Tensor, axes []int) *te.Tensor {
	n := x.NDim() + len(axes)
	keep := rest(n, axes)
	shape := make([]tir.Expr, n)
	for _, a := range axes {
		shape[a] = tir.Int(1)
	}
	for k, a := range keep {
		shape[a] = x.Shape[k]
	}
	return te.Compute("T_expand_dims", shape, func(i []tir.Expr) tir.Expr { return x.At(pick(i, keep)...) })
}

// Squeeze drops the given axes, which have extent 1.
func Squeeze(x *te.Tensor, axes []int) *te.Tensor {
	keep := rest(x.NDim(), axes)
	return te.Compute("T_squeeze", pick(x.Shape, keep), func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, x.NDim())
		for _, a := range axes {
			at[a] = tir.Int(0)
		}
		for k, a := range keep {
			at[a] = i[k]
		}
		return x.At(at...)
	})
}

// Flip reverses the elements along axis.
func Flip(x *te.Tensor, axis int) *te.Tensor {
	return te.Compute("T_flip", x.Shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		at[axis] = tir.Sub(tir.Sub(x.Shape[axis], tir.Int(1)), i[axis])
		return x.At(at...)
	})
}

// PixelShuffle moves channels to space: (*, C r r, H, W) becomes (*, C, H r, W r).
func PixelShuffle(x *te.Tensor, r int64) *te.Tensor {
	n := x.NDim()
	shape := append([]tir.Expr{}, x.Shape...)
	f := tir.Int(r)
	shape[n-3] = tir.FloorDiv(shape[n-3], tir.Int(r*r))
	shape[n-2], shape[n-1] = tir.Mul(shape[n-2], f), tir.Mul(shape[n-1], f)
	return te.Compute("pixel_shuffle", shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		c, y, z := i[n-3], i[n-2], i[n-1]
		at[n-3] = tir.Add(tir.Add(tir.Mul(c, tir.Int(r*r)), tir.Mul(tir.FloorMod(y, f), f)), tir.FloorMod(z, f))
		at[n-2], at[n-1] = tir.FloorDiv(y, f), tir.FloorDiv(z, f)
		return x.At(at...)
	})
}

// LayoutTransform moves the element at index i to m(i) of a result of extents shape;
// elements that none is moved to are pad.
func LayoutTransform(x *te.Tensor, m *tir.IndexMap, shape []tir.Expr, pad tir.Expr) *te.Tensor {
	body := func(in, out []*tir.Buffer) tir.Stmt {
		n := newLoops("ax", x.Shape)
		move := n.wrap(tir.Store(out[0], tir.Load(in[0], n.vars...), m.Apply(n.vars)...))
		if pad == nil {
			return move
		}
		f := newLoops("p", shape)
		return tir.Seq(f.wrap(tir.Store(out[0], tir.CastTo(x.DType, pad), f.vars...)), move)
	}
	return te.Extern("te_layout_transform", []te.Out{{DType: x.DType, Shape: shape}}, []*te.Tensor{x}, body)[0]
}
