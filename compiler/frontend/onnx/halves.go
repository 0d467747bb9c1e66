package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// Operators that become several nodes compute those on halves in float32, as ONNX Runtime
// does, and round their result once.

// widened is x, of type d, in the type in which such an operator computes.
func (n *node) widened(x relax.Expr, d dtype.DType) relax.Expr {
	if w := d.Accumulator(); w != d {
		return n.emit("relax.astype", args(x), "dtype", w)
	}
	return x
}

// rounded converts y from the type that widened gives for d back to d.
func (n *node) rounded(y relax.Expr, d dtype.DType) relax.Expr {
	if d.Accumulator() != d {
		return n.emit("relax.astype", args(y), "dtype", d)
	}
	return y
}

// roundedResult makes a call of an operator on widened operands the node's first result,
// rounded to d.
func (n *node) roundedResult(d dtype.DType, name string, as []relax.Expr, kv ...any) {
	if d.Accumulator() == d {
		n.result(name, as, kv...)
		return
	}
	n.result("relax.astype", args(n.emit(name, as, kv...)), "dtype", d)
}
