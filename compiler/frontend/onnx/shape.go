package onnx

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// product multiplies extents.
func product(dims []tir.Expr) tir.Expr {
	var out tir.Expr = tir.Int(1)
	for _, d := range dims {
		out = tir.Mul(out, d)
	}
	return out
}

// factors splits a product into its constant and its other factors.
func factors(e tir.Expr) (c int64, rest []tir.Expr) {
	if v, ok := tir.AsInt(e); ok {
		return v, nil
	}
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpMul {
		c1, r1 := factors(b.A)
		c2, r2 := factors(b.B)
		if c, ok := tir.FoldInt(tir.OpMul, e.DType(), c1, c2); ok {
			return c, append(r1, r2...)
		}
	}
	return 1, []tir.Expr{e}
}

// divideProducts is a/b for a product a of extents; factors that stand in both cancel, so
// that (batch*256)/256 is batch.
func divideProducts(a, b tir.Expr) tir.Expr {
	ca, fa := factors(a)
	cb, fb := factors(b)
	for _, y := range fb {
		at := -1
		for i, x := range fa {
			if x == y || ir.StructuralEqual(x, y, ir.EqualOpts{}) {
				at = i
				break
			}
		}
		if at < 0 {
			return tir.FloorDiv(a, b)
		}
		fa = append(fa[:at:at], fa[at+1:]...)
	}
	if cb == 0 || ca%cb != 0 {
		return tir.FloorDiv(a, b)
	}
	return tir.Mul(product(fa), tir.Int(ca/cb))
}

// sameDims reports whether two shapes are known to be equal.
func sameDims(a, b []tir.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, xok := tir.AsInt(a[i])
		y, yok := tir.AsInt(b[i])
		switch {
		case a[i] == b[i] || xok && yok && x == y:
		case xok || yok || !ir.StructuralEqual(a[i], b[i], ir.EqualOpts{}):
			return false
		}
	}
	return true
}

func shapeExpr(dims []tir.Expr) relax.Expr {
	if dims == nil {
		dims = []tir.Expr{}
	}
	return &relax.ShapeExpr{Values: dims}
}

// reshape returns x with other extents, as an intermediate result. A constant is only
// looked at differently.
func (n *node) reshape(x relax.Expr, dims []tir.Expr) relax.Expr {
	if e := n.view(x, dims); e != nil {
		return e
	}
	return n.emit("relax.reshape", args(x, shapeExpr(dims)))
}

// reshapeResult makes x with other extents the node's result.
func (n *node) reshapeResult(x relax.Expr, dims []tir.Expr) {
	if e := n.view(x, dims); e != nil {
		n.set(0, e)
		return
	}
	n.result("relax.reshape", args(x, shapeExpr(dims)))
}

// view returns x itself if it has the extents already, or a constant under other extents,
// or nil if that takes an operation.
func (n *node) view(x relax.Expr, dims []tir.Expr) relax.Expr {
	if t, _ := relax.SInfoOf(x).(*relax.TensorStructInfo); t != nil {
		if d, ok := t.Dims(); ok && sameDims(d, dims) {
			return x
		}
	}
	c, ok := x.(*relax.Constant)
	shape, static := relax.StaticInts(dims)
	if !ok || !static {
		return nil
	}
	b, err := c.Data.WithShape(shape)
	n.check(err)
	return &relax.Constant{Base: c.Base, Data: b}
}

// channelShape is the shape that broadcasts a vector over axis 1 of a tensor of the given rank.
func channelShape(channels tir.Expr, rank int) []tir.Expr {
	out := make([]tir.Expr, rank-1)
	for i := range out {
		out[i] = tir.Int(1)
	}
	out[0] = channels
	return append([]tir.Expr{tir.Int(1)}, out...)
}

// tuple is an argument that holds several values.
func tuple(es []relax.Expr) relax.Expr { return &relax.Tuple{Fields: es} }
