package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// rotaryEmbedding turns pairs of elements of each head by the angles of its position, whose cosines and sines are operands: of all positions, with
// position_ids that select from them, or of those of the sequence.
func rotaryEmbedding(n *node) {
	x, dims := n.floats(0), n.dims(0)
	n.sameDType(0, 1, 2)
	switch len(dims) {
	case 4: // heads in front of the sequence
		x = n.emit("relax.permute_dims", args(x), "axes", []int64{0, 2, 1, 3})
		dims = []tir.Expr{dims[0], dims[2], dims[1], dims[3]}
	case 3:
		heads := n.int("num_heads", 0)
		if heads < 1 {
			n.fail("attribute \"num_heads\" is %d, expected 1 or more where input 0 has 3 dimensions", heads)
		}
		dims = []tir.Expr{dims[0], dims[1], tir.Int(heads), n.divided(dims[2], heads, 2)}
		x = n.reshape(x, dims)
	default:
		n.fail("input 0 has %d dimensions, expected 3 or 4", len(dims))
	}
	size, ok := tir.AsInt(dims[3])
	turned := n.int("rotary_embedding_dim", 0)
	if turned == 0 {
		turned = size
	}
	if !ok || turned < 2 || turned%2 != 0 || turned > size {
		n.fail("of the %s elements of a head %d are turned, expected an even number of a constant", relax.FormatPrim(dims[3]), turned)
	}
	half := tir.Int(turned / 2)
	angles := func(i int) relax.Expr {
		e, d := n.expr(i), n.dims(i)
		if n.has(3) {
			e = n.emit("relax.take", args(e, n.expr(3)), "axis", int64(0))
		}
		if t := relax.SInfoOf(e).(*relax.TensorStructInfo); t.NDim != 3 {
			n.fail("input %d has %d dimensions, expected 2 with position_ids (input 3), and 3 without", i, len(d))
		}
		if !n.equal(d[len(d)-1], half) {
			e = n.part(e, 2, tir.Int(0), half)
		}
		return n.reshape(e, []tir.Expr{dims[0], dims[1], tir.Int(1), half})
	}
	cos, sin := angles(1), angles(2)
	rest := relax.Expr(nil)
	if turned < size {
		rest = n.part(x, 3, tir.Int(turned), dims[3])
		x = n.part(x, 3, tir.Int(0), tir.Int(turned))
	}
	// The elements of a pair are half the elements apart, or neighbours.
	apart, axis := []tir.Expr{dims[0], dims[1], dims[2], tir.Int(2), half}, 3
	if n.bool("interleaved", false) {
		apart[3], apart[4], axis = half, tir.Int(2), 4
	}
	pairs, one := n.reshape(x, apart), append([]tir.Expr{}, dims...)
	one[3] = half
	first := n.reshape(n.part(pairs, axis, tir.Int(0), tir.Int(1)), one)
	second := n.reshape(n.part(pairs, axis, tir.Int(1), tir.Int(2)), one)
	times := func(a, b relax.Expr) relax.Expr { return n.emit("relax.multiply", args(a, b)) }
	split := append([]tir.Expr{}, apart...)
	split[axis] = tir.Int(1)
	real := n.reshape(n.emit("relax.subtract", args(times(cos, first), times(sin, second))), split)
	imaginary := n.reshape(n.emit("relax.add", args(times(sin, first), times(cos, second))), split)
	whole := append([]tir.Expr{}, dims...)
	whole[3] = tir.Int(turned)
	y := n.reshape(n.emit("relax.concat", args(tuple(args(real, imaginary))), "axis", int64(axis)), whole)
	if rest != nil {
		y = n.emit("relax.concat", args(tuple(args(y, rest))), "axis", int64(3))
	}
	if n.rank(0) == 4 {
		n.result("relax.permute_dims", args(y), "axes", []int64{0, 2, 1, 3})
		return
	}
	n.reshapeResult(y, n.dims(0))
}
