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

// foldConcat joins vectors.
func foldConcat(n *node, in []*known) *known {
	out := &known{}
	for i, k := range in {
		if k == nil || len(k.shape) != 1 || i > 0 && k.dtype != out.dtype {
			return nil
		}
		out.dtype = k.dtype
		out.elems = append(out.elems, k.elems...)
	}
	n.axis(n.int("axis", 0), 1)
	out.shape = []int64{int64(len(out.elems))}
	return out
}

// foldGather picks elements of a vector.
func foldGather(n *node, in []*known) *known {
	at, ok := in[1].ints()
	if !ok || len(in[0].shape) != 1 {
		return nil
	}
	n.axis(n.int("axis", 0), 1)
	out := &known{dtype: in[0].dtype, shape: in[1].shape, elems: make([]tir.Expr, len(at))}
	for i, a := range at {
		out.elems[i] = in[0].elems[n.axis(a, len(in[0].elems))]
	}
	return out
}

// foldSlice cuts a piece out of a vector.
func foldSlice(n *node, in []*known) *known {
	k := in[0]
	if len(k.shape) != 1 {
		return nil
	}
	s := n.sliceArgs(1)
	if len(s.axes) != 1 {
		return nil
	}
	begin, end, step := s.begin[0], s.end[0], s.step[0]
	b, bok := tir.AsInt(begin)
	e, eok := tir.AsInt(end)
	if !bok || !eok {
		return nil
	}
	b, e = clampSlice(b, e, step, k.shape[0])
	out := &known{dtype: k.dtype}
	for i := b; step > 0 && i < e || step < 0 && i > e; i += step {
		out.elems = append(out.elems, k.elems[i])
	}
	out.shape = []int64{int64(len(out.elems))}
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
