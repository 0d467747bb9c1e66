package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A sequence is a list of values that the importer keeps while it knows how long it is: the module has only the elements then. One whose length shows at
// run time is a tensor of its elements, which have one shape, along a new first axis (stack.go). An optional value is there or is not, which is known.

// list is what a sequence holds.
type list struct{ of []*value }

func sequenceRows() []operator {
	return []operator{
		{name: "SequenceEmpty", attrs: []string{"dtype"}, convert: func(n *node) { n.setSequence(0, nil) }},
		{name: "SequenceConstruct", minIn: 1, maxIn: -1, convert: func(n *node) {
			for i := range n.in {
				n.info(i)
			}
			n.setSequence(0, n.in)
		}},
		{name: "SequenceInsert", minIn: 2, maxIn: 3, convert: sequenceInsert},
		{name: "SequenceErase", minIn: 1, maxIn: 2, convert: sequenceErase},
		{name: "SequenceAt", minIn: 2, maxIn: 2, convert: func(n *node) {
			if n.stacked(0, n.known(1) == nil) {
				n.stackAt()
				return
			}
			s := n.sequence(0)
			n.setValue(0, s[n.position(1, len(s), len(s)-1)])
		}},
		{name: "SequenceLength", minIn: 1, maxIn: 1, convert: func(n *node) {
			if n.stacked(0, false) {
				n.setValue(0, &value{known: scalar(dtype.Int64T, n.stackDims(0)[0])})
				return
			}
			n.setValue(0, &value{known: scalar(dtype.Int64T, tir.Int(int64(len(n.sequence(0)))))})
		}},
		{name: "SequenceMap", minIn: 1, maxIn: -1, attrs: []string{"body"}, convert: sequenceMap},
		{name: "SplitToSequence", minIn: 1, maxIn: 2, attrs: []string{"axis", "keepdims"}, convert: splitToSequence},
		{name: "ConcatFromSequence", minIn: 1, maxIn: 1, attrs: []string{"axis", "new_axis"}, convert: concatFromSequence},
		{name: "Optional", maxIn: 1, attrs: []string{"type"}, convert: func(n *node) {
			if n.has(0) {
				n.setValue(0, n.value(0))
				return
			}
			n.setValue(0, &value{absent: true})
		}},
		{name: "OptionalHasElement", maxIn: 1, convert: func(n *node) {
			there := n.has(0) && !n.value(0).absent
			n.setValue(0, &value{known: scalar(dtype.BoolT, tir.Bool(there))})
		}},
		{name: "OptionalGetElement", minIn: 1, maxIn: 1, convert: func(n *node) {
			if n.value(0).absent {
				n.fail("input 0 (%q) has no element", n.pb.Inputs[0])
			}
			n.setValue(0, n.value(0))
		}},
	}
}

// sequence returns the elements of operand i.
func (n *node) sequence(i int) []*value {
	v := n.value(i)
	if v.stack != nil {
		n.fail("the length of the sequence (input %d, %q) shows at run time, but must be known during the import here", i, n.pb.Inputs[i])
	}
	if v.list == nil {
		n.fail("input %d (%q) is not a sequence", i, n.pb.Inputs[i])
	}
	return v.list.of
}

func (n *node) setSequence(i int, of []*value) { n.setValue(i, &value{list: &list{slices.Clone(of)}}) }

// position is operand i, a place in a sequence, which counts from the end where it is negative.
func (n *node) position(i, length, last int) int {
	vs := n.intsOperand(i, "the position")
	if len(vs) != 1 {
		n.fail("the position (input %d) has %d elements, expected one", i, len(vs))
	}
	p := vs[0]
	if p < 0 {
		p += int64(length)
	}
	if p < 0 || p > int64(last) {
		n.fail("the position (input %d) is %d in a sequence of %d elements", i, vs[0], length)
	}
	return int(p)
}

func sequenceInsert(n *node) {
	if n.stacked(0, n.has(2) && n.known(2) == nil) {
		n.stackInsert()
		return
	}
	s := n.sequence(0)
	n.info(1)
	at := len(s)
	if n.has(2) {
		at = n.position(2, len(s), len(s))
	}
	if len(s) >= maxOutputs {
		n.fail("the sequence has more than %d elements", maxOutputs)
	}
	n.setSequence(0, slices.Insert(slices.Clone(s), at, n.value(1)))
}

func sequenceErase(n *node) {
	if n.stacked(0, n.has(1) && n.known(1) == nil) {
		n.stackErase()
		return
	}
	s := n.sequence(0)
	at := len(s) - 1
	if n.has(1) {
		at = n.position(1, len(s), len(s)-1)
	}
	if at < 0 {
		n.fail("the sequence has no elements")
	}
	n.setSequence(0, slices.Delete(slices.Clone(s), at, at+1))
}

// splitToSequence cuts a tensor into parts of given sizes, or of one size of which the last may be smaller. Without sizes the parts are of one element
// along the axis, which they need not keep.
func splitToSequence(n *node) {
	dims := n.dims(0)
	axis := n.axis(n.int("axis", 0), len(dims))
	extent, ok := tir.AsInt(dims[axis])
	if !ok && n.splitToStack(dims, axis) {
		return
	}
	if n.has(1) && n.rank(1) == 1 {
		if list := n.extentsOperand(1, "split"); slices.ContainsFunc(list, func(e tir.Expr) bool { _, constant := tir.AsInt(e); return !constant }) {
			n.setSequence(0, n.partsOf(axis, list))
			return
		}
	}
	if !ok && n.has(1) && n.rank(1) == 1 { // it is what the sizes add up to
		for _, s := range n.intsOperand(1, "split") {
			extent += min(max(s, 0), math.MaxInt32)
		}
		ok = n.equal(dims[axis], tir.Int(extent))
	}
	if !ok {
		n.fail("axis %d has the symbolic extent %s, but the number of parts must be known; give the inputs fixed shapes", axis, relax.FormatPrim(dims[axis]))
	}
	var sizes []int64
	keep := true
	each := int64(1)
	if n.has(1) {
		sizes = n.intsOperand(1, "split")
		if n.rank(1) == 0 {
			each, sizes = sizes[0], nil
			if each < 1 {
				n.fail("split (input 1) is %d, expected 1 or more", each)
			}
		}
	} else {
		keep = n.bool("keepdims", true)
	}
	if sizes == nil {
		if extent/each >= maxOutputs {
			n.fail("there are more than %d parts", maxOutputs)
		}
		for at := int64(0); at < extent; at += each {
			sizes = append(sizes, min(each, extent-at))
		}
	}
	if len(sizes) > maxOutputs {
		n.fail("there are more than %d parts", maxOutputs)
	}
	var parts []*value
	at := int64(0)
	for i, s := range sizes {
		if s < 0 || s > extent-at {
			n.fail("part %d of split (input 1) is %d, but the sizes must be 0 or more and add up to %d", i, s, extent)
		}
		x := n.part(n.expr(0), axis, tir.Int(at), tir.Int(at+s))
		at += s
		if !keep {
			x = n.reshape(x, slices.Delete(slices.Clone(dims), axis, axis+1))
		}
		parts = append(parts, &value{expr: x})
	}
	if at != extent {
		n.fail("the sizes of split (input 1) add up to %d, but axis %d has extent %d", at, axis, extent)
	}
	n.setSequence(0, parts)
}

// concatFromSequence joins the elements along an axis, or along a new one.
func concatFromSequence(n *node) {
	if n.stacked(0, false) {
		n.stackConcat()
		return
	}
	s := n.sequence(0)
	if len(s) == 0 {
		n.fail("the sequence has no elements")
	}
	if n.pb.Attribute("axis") == nil {
		n.fail("attribute \"axis\" is missing")
	}
	fresh := n.bool("new_axis", false)
	var es []relax.Expr
	axis := 0
	for i, v := range s {
		x := n.tensor(v)
		t, ok := relax.SInfoOf(x).(*relax.TensorStructInfo)
		dims, known := t.Dims()
		if !ok || !known {
			n.fail("the shape of element %d of the sequence is not known during the import", i)
		}
		rank := len(dims)
		if fresh {
			rank++
		}
		if axis = n.axis(n.int("axis", 0), rank); fresh {
			x = n.reshape(x, slices.Insert(slices.Clone(dims), axis, tir.Expr(tir.Int(1))))
		}
		es = append(es, x)
	}
	if len(es) == 1 {
		n.set(0, es[0])
		return
	}
	n.result("relax.concat", args(tuple(es)), "axis", int64(axis))
}

// sequenceMap converts its body for each element of the first operand. Other operands that are sequences give an element each time, tensors all.
func sequenceMap(n *node) {
	if n.stacked(0, false) {
		n.stackMap()
		return
	}
	first := n.sequence(0)
	body := n.graph("body", len(n.in), len(n.pb.Outputs))
	outs := make([][]*value, len(body.Outputs))
	for k := range first {
		for i := range n.in {
			v := n.value(i)
			if v.list != nil {
				if len(v.list.of) != len(first) {
					n.fail("inputs 0 and %d have %d and %d elements, expected as many", i, len(first), len(v.list.of))
				}
				v = v.list.of[k]
			}
			n.check(n.g.define(body.Inputs[i].Name, v))
		}
		got, err := n.g.inline(body, n.path+".body")
		n.check(err)
		for i := range n.in {
			delete(n.g.values, body.Inputs[i].Name)
		}
		for i, v := range got {
			outs[i] = append(outs[i], v)
		}
	}
	for i := range n.pb.Outputs {
		n.setSequence(i, outs[i])
	}
}

// bitCast reads the bytes of elements as those of another type of the same size.
func bitCast(n *node) {
	d, err := n.elemType("to")
	n.check(err)
	from := n.dtype(0)
	if d.Bytes() != from.Bytes() || d.Bits%8 != 0 && !d.IsBool() || from.Bits%8 != 0 && !from.IsBool() {
		n.fail("elements of type %s are not as large as those of %s", from, d)
	}
	if d == from {
		n.setValue(0, n.value(0))
		return
	}
	if c, ok := n.expr(0).(*relax.Constant); ok && !c.Data.IsSplat() {
		b, err := ir.NewBlob(d, c.Data.Shape(), c.Data.Stored())
		n.check(err)
		n.set(0, &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b})
		return
	}
	none := tuple([]relax.Expr{})
	n.result("relax.memory.view", args(n.expr(0), none, &relax.DataTypeImm{Value: d}, none))
}
