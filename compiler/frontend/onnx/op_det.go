package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// maxDet bounds the rows of a matrix whose determinant is taken: each adds operators.
const maxDet = 32

// det is the determinant of matrices by elimination, for which each time the row with the greatest first element is taken.
func det(n *node) {
	dims := n.dims(0)
	d := n.dtype(0)
	x := n.widened(n.floats(0), d)
	rank := len(dims)
	if rank < 2 || !sameDims(dims[rank-2:rank-1], dims[rank-1:]) {
		n.fail("input 0 has shape %s, expected square matrices", relax.FormatDims(dims))
	}
	rows, ok := tir.AsInt(dims[rank-1])
	if !ok || rows < 1 || rows > maxDet {
		n.fail("the matrices have %s rows, expected a constant from 1 to %d", relax.FormatPrim(dims[rank-1]), maxDet)
	}
	batch := product(dims[:rank-2])
	wide := d.Accumulator()
	x = n.reshape(x, []tir.Expr{batch, tir.Int(rows), tir.Int(rows)})
	one, zero, minus := n.constant(wide, 1), n.constant(wide, 0), n.constant(wide, -1)
	var result relax.Expr
	times := func(y relax.Expr) {
		if result != nil {
			y = n.emit("relax.multiply", args(result, y))
		}
		result = y
	}
	for m := rows; m > 1; m-- {
		shape := func(list ...int64) []tir.Expr { return append([]tir.Expr{batch}, relax.Ints(list)...) }
		first := n.reshape(n.part(x, 2, tir.Int(0), tir.Int(1)), shape(m))
		at := n.emit("relax.argmax", args(n.emit("relax.abs", args(first))), "axis", int64(1), "keepdims", true)
		chosen := n.emit("relax.equal", args(at, n.counting(0, tir.Int(m)))) // (batch, m)
		row := n.emit("relax.sum", args(n.emit("relax.where", args(n.reshape(chosen, shape(m, 1)), x, zero))), "axis", []int64{1}, "keepdims", true)
		// The first row goes where the chosen one was.
		others := n.emit("relax.where", args(
			n.reshape(n.part(chosen, 1, tir.Int(1), tir.Int(m)), shape(m-1, 1)), n.part(x, 1, tir.Int(0), tir.Int(1)), n.part(x, 1, tir.Int(1), tir.Int(m)),
		))
		pivot := n.part(row, 2, tir.Int(0), tir.Int(1)) // (batch, 1, 1)
		times(n.reshape(pivot, shape()))
		times(n.emit("relax.where", args(n.reshape(n.part(chosen, 1, tir.Int(0), tir.Int(1)), shape()), one, minus)))
		factor := n.emit("relax.divide", args(n.part(others, 2, tir.Int(0), tir.Int(1)), pivot))
		factor = n.emit("relax.where", args(n.emit("relax.equal", args(pivot, zero)), zero, factor))
		product := n.emit("relax.multiply", args(factor, n.part(row, 2, tir.Int(1), tir.Int(m))))
		x = n.emit("relax.subtract", args(n.part(others, 2, tir.Int(1), tir.Int(m)), product))
	}
	times(n.reshape(x, []tir.Expr{batch}))
	n.set(0, n.rounded(n.reshape(result, dims[:rank-2]), d))
}
