package onnx

import (
	"fmt"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/tir"
)

// controlRows are the operators that have graphs as attributes.
func controlRows() []operator {
	return []operator{{name: "If", minIn: 1, maxIn: 1, attrs: []string{"else_branch", "then_branch"}, convert: branch}}
}

// branch takes the branch that a condition selects which is known during the import, as those are that ask whether a shape has one axis more.
func branch(n *node) {
	k := n.known(0)
	if k == nil || len(k.elems) != 1 {
		n.value(0)
		n.fail("the condition (input 0, %q) depends on data; it must be known during the import: a constant of one element, or computed from fixed shapes", n.pb.Inputs[0])
	}
	v, ok := tir.AsInt(k.elems[0])
	if !ok {
		n.fail("the condition (input 0, %q) depends on symbolic dimensions; give the inputs fixed shapes", n.pb.Inputs[0])
	}
	attr := "else_branch"
	if v != 0 {
		attr = "then_branch"
	}
	a := n.attr(attr, onnxpb.AttrGraph)
	if a == nil {
		n.fail("attribute %q is missing", attr)
	}
	if len(a.G.Outputs) < len(n.pb.Outputs) || len(a.G.Inputs) > 0 {
		n.fail("attribute %q has %d inputs and %d outputs, expected none and %d, as the node has", attr, len(a.G.Inputs), len(a.G.Outputs), len(n.pb.Outputs))
	}
	outs, err := n.g.inline(a.G, n.path+"."+attr)
	n.check(err)
	for i := range n.pb.Outputs {
		n.setValue(i, outs[i])
	}
}

// inline converts a graph in which the values of this one are visible, and returns its outputs. Its names are gone behind it: the other branch of the
// node may have the same.
func (g *graph) inline(pb *onnxpb.Graph, path string) ([]*value, error) {
	saved := *g
	defer func() {
		g.pb, g.path, g.uses, g.outputs, g.nested = saved.pb, saved.path, saved.uses, saved.outputs, saved.nested
	}()
	g.pb, g.path = pb, path
	if g.nested++; g.nested > maxNested {
		return nil, fmt.Errorf("%s: functions, branches and loops are more than %d deep in each other", path, maxNested)
	}
	if err := g.inlining(len(pb.Nodes)); err != nil {
		return nil, err
	}
	g.countUses()
	g.outputs = map[string]bool{} // none is one of main
	if err := g.supported(); err != nil {
		return nil, err
	}
	if err := g.initializers(); err != nil {
		return nil, err
	}
	if err := g.nodes(); err != nil {
		return nil, err
	}
	var outs []*value
	for i, out := range pb.Outputs {
		v := g.values[out.Name]
		if v == nil {
			return nil, fmt.Errorf("%s.output[%d]: %q is not defined", path, i, out.Name)
		}
		outs = append(outs, v)
	}
	for i := range pb.Initializers {
		delete(g.values, pb.Initializers[i].Name)
	}
	for i := range pb.Nodes {
		for _, name := range pb.Nodes[i].Outputs {
			delete(g.values, name)
		}
	}
	return outs, nil
}
