package onnx

import "github.com/irscope/irscope/compiler/tir"

// depthToSpace moves blocks of channels into height and width.
func depthToSpace(n *node) {
	d, b := n.image(), n.blockSize()
	c := n.divided(d[1], b*b, 1)
	x := n.expr(0)
	if n.str("mode", "DCR", "DCR", "CRD") == "DCR" {
		x = n.reshape(x, []tir.Expr{d[0], tir.Int(b), tir.Int(b), c, d[2], d[3]})
		x = n.emit("relax.permute_dims", args(x), "axes", []int64{0, 3, 4, 1, 5, 2})
	} else {
		x = n.reshape(x, []tir.Expr{d[0], c, tir.Int(b), tir.Int(b), d[2], d[3]})
		x = n.emit("relax.permute_dims", args(x), "axes", []int64{0, 1, 4, 2, 5, 3})
	}
	n.reshapeResult(x, []tir.Expr{d[0], c, tir.Mul(d[2], tir.Int(b)), tir.Mul(d[3], tir.Int(b))})
}

func spaceToDepth(n *node) {
	d, b := n.image(), n.blockSize()
	h, w := n.divided(d[2], b, 2), n.divided(d[3], b, 3)
	x := n.reshape(n.expr(0), []tir.Expr{d[0], d[1], h, tir.Int(b), w, tir.Int(b)})
	x = n.emit("relax.permute_dims", args(x), "axes", []int64{0, 3, 5, 1, 2, 4})
	n.reshapeResult(x, []tir.Expr{d[0], tir.Mul(d[1], tir.Int(b*b)), h, w})
}

// image returns the four extents of operand 0.
func (n *node) image() []tir.Expr {
	d := n.dims(0)
	if len(d) != 4 {
		n.fail("input 0 has %d dimensions, expected 4 (NCHW)", len(d))
	}
	return d
}

func (n *node) blockSize() int64 {
	b := n.int("blocksize", 0)
	if b < 1 || b > 1<<15 {
		n.fail("attribute \"blocksize\" is %d, expected 1 or more", b)
	}
	return b
}

func (n *node) divided(d tir.Expr, by int64, axis int) tir.Expr {
	if v, ok := tir.AsInt(d); ok && v%by != 0 {
		n.fail("extent %d of axis %d is not a multiple of %d", v, axis, by)
	}
	return divideProducts(d, tir.Int(by))
}
