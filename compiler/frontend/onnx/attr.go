package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// attr returns an attribute if the node has it, and stops if it has another type.
func (n *node) attr(name string, t onnxpb.AttrType) *onnxpb.Attribute {
	a := n.pb.Attribute(name)
	if a == nil {
		return nil
	}
	if a.RefAttrName != "" {
		n.fail("attribute %q refers to the attribute %q of a function, but the node is not in a function", name, a.RefAttrName)
	}
	if a.Type != t {
		n.fail("attribute %q is of type %v, expected %v", name, a.Type, t)
	}
	return a
}

func (n *node) int(name string, def int64) int64 {
	if a := n.attr(name, onnxpb.AttrInt); a != nil {
		return a.I
	}
	return def
}

func (n *node) bool(name string, def bool) bool {
	v := int64(0)
	if def {
		v = 1
	}
	return n.int(name, v) != 0
}

func (n *node) float(name string, def float64) float64 {
	if a := n.attr(name, onnxpb.AttrFloat); a != nil {
		return float64(a.F)
	}
	return def
}

// ints returns a list attribute, nil where it is left out.
func (n *node) ints(name string) []int64 {
	if a := n.attr(name, onnxpb.AttrInts); a != nil {
		return a.Ints
	}
	return nil
}

// str returns a string attribute, which must be one of the allowed values.
func (n *node) str(name, def string, allowed ...string) string {
	a := n.attr(name, onnxpb.AttrString)
	if a == nil {
		return def
	}
	if !slices.Contains(allowed, string(a.S)) {
		n.fail("attribute %q is %q, supported are %s", name, a.S, quoteList(allowed))
	}
	return string(a.S)
}

// want stops unless an integer attribute has the one value that is supported.
func (n *node) want(name string, v int64, why string) {
	if got := n.int(name, v); got != v {
		n.fail("attribute %q is %d, supported is %d: %s", name, got, v, why)
	}
}

// checkAttrs refuses attributes that the operator does not have.
func (n *node) checkAttrs() {
	for i := range n.pb.Attributes {
		name := n.pb.Attributes[i].Name
		if !slices.Contains(n.row.attrs, name) {
			if len(n.row.attrs) == 0 {
				n.fail("unknown attribute %q; %s has none", name, n.pb.OpType)
			}
			n.fail("unknown attribute %q; %s has %s", name, n.pb.OpType, quoteList(n.row.attrs))
		}
	}
}
