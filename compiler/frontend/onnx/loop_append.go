package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// appending makes the loop a function. A sequence that it carries is what each turn appends to it, as loops do that collect in a list: it is what there
// was before, then an element for each turn, which the loop collects.
func (l *loop) appending() (carried, collected []*value) {
	before := l.carried
	if !slices.ContainsFunc(before, func(v *value) bool { return v.list != nil || v.stack != nil }) {
		return l.recursive()
	}
	in := *l
	body := *l.body
	in.body, in.carried = &body, nil
	first, yields := 0, 0
	if l.numbered {
		first, yields = 2, 1
	}
	body.Inputs = slices.Clone(l.body.Inputs[:first])
	body.Outputs = slices.Clone(l.body.Outputs[:yields])
	var elements []onnxpb.ValueInfo
	for i, v := range before {
		if v.list == nil && v.stack == nil {
			in.carried = append(in.carried, v)
			body.Inputs = append(body.Inputs, l.body.Inputs[first+i])
			body.Outputs = append(body.Outputs, l.body.Outputs[yields+i])
			continue
		}
		element, nodes := l.appended(body.Nodes, l.body.Inputs[first+i].Name, l.body.Outputs[yields+i].Name)
		body.Nodes = nodes
		elements = append(elements, onnxpb.ValueInfo{Name: element})
	}
	body.Inputs = append(body.Inputs, l.body.Inputs[first+len(before):]...)
	body.Outputs = append(append(body.Outputs, l.body.Outputs[yields+len(before):]...), elements...)
	in.scans += len(elements)
	left, rows := in.recursive()
	collected, rows = rows[:l.scans], rows[l.scans:]
	for _, v := range before {
		if v.list == nil && v.stack == nil {
			carried, left = append(carried, left[0]), left[1:]
			continue
		}
		x := l.tensor(rows[0])
		rows = rows[1:]
		if v.stack == nil && len(v.list.of) > 0 {
			v = &value{stack: l.stackOf(v.list.of)}
		}
		if v.stack != nil {
			a, _ := relax.SInfoOf(v.stack).(*relax.TensorStructInfo).Dims()
			b, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
			if len(a) != len(b) || !sameDims(a[1:], b[1:]) {
				l.fail("the sequence has elements of shape %s, but the loop appends some of shape %s; they must be alike unless the trip count is a small constant", relax.FormatDims(a[1:]), relax.FormatDims(b[1:]))
			}
			y := l.emit("relax.concat", args(tuple(args(v.stack, x))), "axis", int64(0))
			x = l.matchCast(y, append([]tir.Expr{tir.Add(a[0], b[0])}, b[1:]...))
		}
		carried = append(carried, &value{stack: x})
	}
	return carried, collected
}

// appended finds what the nodes of a body append to the sequence in to make it out, and returns that, and the nodes but for the one that appends.
func (l *loop) appended(nodes []onnxpb.Node, in, out string) (element string, rest []onnxpb.Node) {
	reads, at := 0, -1
	for i := range nodes {
		for name := range operandNames(&nodes[i]) {
			if name == in || name == out {
				reads++
			}
		}
		if n := &nodes[i]; n.OpType == "SequenceInsert" && len(n.Inputs) >= 2 && n.Inputs[0] == in && slices.Equal(n.Outputs, []string{out}) && (len(n.Inputs) == 2 || n.Inputs[2] == "") {
			at = i
		}
	}
	if at < 0 || reads != 1 {
		l.fail("the loop carries the sequence %q, to which each turn must append one element (SequenceInsert without a position) and which nothing else in the body may read, unless the trip count is a small constant", in)
	}
	return nodes[at].Inputs[1], slices.Delete(slices.Clone(nodes), at, at+1)
}
