package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
)

// apply runs the converter of an operator of the default domain, in its newest version, on operands of this node's making, and returns its results, at most
// three. An operand that is left out is nil.
func (n *node) apply(op string, in []*value, attrs ...onnxpb.Attribute) []*value {
	s := n.step(op, in, attrs)
	s.row.convert(s)
	return s.out
}

// step is the node that apply converts.
func (n *node) step(op string, in []*value, attrs []onnxpb.Attribute) *node {
	pb := &onnxpb.Node{Name: n.pb.Name, OpType: op, Inputs: make([]string, len(in)), Outputs: []string{n.base, n.base + "_1", n.base + "_2"}, Attributes: attrs, Pos: n.pb.Pos}
	return &node{g: n.g, pb: pb, of: n, row: n.g.tables[""][op], path: n.path, opset: MaxOpset, version: MaxOpset, origin: n.origin, base: n.base, in: in}
}

// applyTo is apply for an operator of one operand and one result.
func (n *node) applyTo(x relax.Expr, op string, attrs ...onnxpb.Attribute) relax.Expr {
	return n.tensor(n.apply(op, values(x), attrs...)[0])
}

// values are operands of apply; a nil expression is one that is left out.
func values(es ...relax.Expr) []*value {
	out := make([]*value, len(es))
	for i, e := range es {
		if e != nil {
			out[i] = &value{expr: e}
		}
	}
	return out
}

// kept are the node's attributes of the given names.
func (n *node) kept(names ...string) []onnxpb.Attribute {
	return slices.DeleteFunc(slices.Clone(n.pb.Attributes), func(a onnxpb.Attribute) bool { return !slices.Contains(names, a.Name) })
}

func intAttr(name string, v int64) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrInt, I: v}
}

func boolAttr(name string, v bool) onnxpb.Attribute {
	if v {
		return intAttr(name, 1)
	}
	return intAttr(name, 0)
}

func floatAttr(name string, v float64) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrFloat, F: float32(v)}
}
