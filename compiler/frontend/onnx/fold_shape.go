package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// withShape is k under another shape, nil if that does not fit.
func (k *known) withShape(dims []tir.Expr) *known {
	shape, ok := relax.StaticInts(dims)
	if !ok {
		return nil
	}
	if c, err := ir.CheckedElements(shape); err != nil || c != int64(len(k.elems)) {
		return nil
	}
	return &known{dtype: k.dtype, shape: shape, elems: k.elems}
}

// shapeOnly says whether a view of a constant is better left to the converter, which views
// the whole constant: nothing is computed then.
func (n *node) shapeOnly() bool {
	_, isConst := n.value(0).expr.(*relax.Constant)
	return isConst
}

func foldReshape(n *node, in []*known) *known {
	if n.shapeOnly() {
		return nil
	}
	return in[0].withShape(n.target(relax.Ints(in[0].shape), n.shapeOperand(1, "the shape")))
}

func foldSqueeze(n *node, in []*known) *known {
	if n.shapeOnly() {
		return nil
	}
	return in[0].withShape(n.squeezed(relax.Ints(in[0].shape)))
}

func foldUnsqueeze(n *node, in []*known) *known {
	if n.shapeOnly() {
		return nil
	}
	dims, _ := n.unsqueezed(relax.Ints(in[0].shape))
	return in[0].withShape(dims)
}

func foldExpand(n *node, in []*known) *known {
	to, ok := relax.StaticInts(n.shapeOperand(1, "the shape"))
	if !ok || !in[0].dtype.IsInteger() {
		return nil
	}
	shape, ok := broadcastShape(in[0].shape, to)
	if !ok {
		return nil
	}
	c, err := ir.CheckedElements(shape)
	if err != nil || c > maxKnownInts {
		return nil
	}
	at := broadcastIndex(in[0].shape, shape)
	out := &known{dtype: in[0].dtype, shape: shape, elems: make([]tir.Expr, c)}
	for i := range out.elems {
		out.elems[i] = in[0].elems[at(i)]
	}
	return out
}

// foldSplit is not a fold function: Split has several results.
func (n *node) foldSplit(k *known, sizes []int64) bool {
	if k == nil || len(k.shape) != 1 {
		return false
	}
	start := int64(0)
	for i, s := range sizes {
		n.setValue(i, &value{known: vector(k.dtype, slices.Clone(k.elems[start:start+s]))})
		start += s
	}
	return true
}
