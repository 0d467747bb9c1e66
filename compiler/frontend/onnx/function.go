package onnx

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// Functions of the model are inlined where nodes call them: a body is a graph that sees nothing but its inputs, written in the operator sets that the
// function imports, in which attributes may stand for those of the call.

// functionID is what a node calls a function by.
type functionID struct{ domain, name, overload string }

func (f functionID) String() string {
	s := f.name
	if f.domain != "" {
		s = f.domain + "." + s
	}
	if f.overload != "" {
		s += ":" + f.overload
	}
	return s
}

// functions are those of a model by what they are called by.
func functions(m *onnxpb.Model) (map[functionID]*onnxpb.Function, error) {
	out := map[functionID]*onnxpb.Function{}
	for i := range m.Functions {
		f := &m.Functions[i]
		id := functionID{onnxpb.CanonicalDomain(f.Domain), f.Name, f.Overload}
		if out[id] != nil {
			return nil, fmt.Errorf("functions[%d]: the function %s is defined twice", i, id)
		}
		out[id] = f
	}
	return out, nil
}

// function returns the function that a node calls, nil if that is an operator. A function comes before an operator of the same name.
func (g *graph) function(pb *onnxpb.Node) (functionID, *onnxpb.Function) {
	id := functionID{onnxpb.CanonicalDomain(pb.Domain), pb.OpType, pb.Overload}
	return id, g.functions[id]
}

// What is inlined is bounded: the nodes of all bodies, and how deep these are in each other.
const (
	maxInlined = 2 * maxNodes
	maxNested  = 100
)

// inlining counts nodes of bodies.
func (g *graph) inlining(nodes int) error {
	if g.inlined += nodes; g.inlined > maxInlined {
		return fmt.Errorf("the bodies of functions, branches and loops have more than %d nodes when they stand where they are used", maxInlined)
	}
	return nil
}

// callFunction converts the body of the function that the node calls.
func (n *node) callFunction(id functionID, f *onnxpb.Function) {
	g := n.g
	if at := slices.Index(g.calls, id); at >= 0 {
		n.fail("the function %s calls itself%s", id, through(g.calls[at+1:]))
	}
	if len(n.in) > len(f.Inputs) {
		n.fail("has %d inputs, but the function %s takes %d", len(n.in), id, len(f.Inputs))
	}
	if len(n.pb.Outputs) > len(f.Outputs) {
		n.fail("has %d outputs, but the function %s computes %d", len(n.pb.Outputs), id, len(f.Outputs))
	}
	for i := range n.pb.Attributes {
		name := n.pb.Attributes[i].Name
		declared := slices.Contains(f.Attributes, name) || slices.ContainsFunc(f.AttributeDefaults, func(a onnxpb.Attribute) bool { return a.Name == name })
		if !declared {
			n.fail("unknown attribute %q: the function %s does not declare it", name, id)
		}
	}
	opset, err := g.functionOpset(f)
	n.check(err)
	s := &specializer{n: n, f: f, absent: map[string]bool{}}
	values := map[string]*value{}
	for i, name := range f.Inputs {
		switch {
		case name == "" || values[name] != nil || s.absent[name]:
			n.fail("the name %q of input %d of the function %s is empty or taken", name, i, id)
		case n.has(i):
			values[name] = n.in[i]
		default:
			s.absent[name] = true
		}
	}
	body := &onnxpb.Graph{Nodes: s.nodes(f.Nodes)}
	for _, name := range f.Outputs {
		body.Outputs = append(body.Outputs, onnxpb.ValueInfo{Name: name})
	}
	saved := *g
	defer func() { g.values, g.opset, g.calls, g.prefix = saved.values, saved.opset, saved.calls, saved.prefix }()
	g.values, g.opset, g.calls, g.prefix = values, opset, append(g.calls, id), n.within()
	outs, err := g.inline(body, n.path+"."+identifier(f.Name))
	n.check(err)
	for i := range n.pb.Outputs {
		n.setValue(i, outs[i])
	}
}

// within is what the names of nodes of a body begin with: that of the node that the body belongs to.
func (n *node) within() string { return n.g.prefix + identifier(n.label()) + "/" }

func through(calls []functionID) string {
	s := ""
	for i, id := range calls {
		switch {
		case i == 5:
			return s + " and others"
		case i == 0:
			s = ", through " + id.String()
		default:
			s += ", " + id.String()
		}
	}
	return s
}

// functionOpset is the version of the default operator set that a body is written in, 0 if it has no node of it.
func (g *graph) functionOpset(f *onnxpb.Function) (int64, error) {
	opset, ok := f.Opset("")
	if ok && (opset < MinOpset || opset > MaxOpset) {
		return 0, fmt.Errorf("function %s: operator set %d is not supported; %d to %d are", f.Name, opset, MinOpset, MaxOpset)
	}
	for i := range f.Nodes {
		if _, callee := g.function(&f.Nodes[i]); !ok && callee == nil && onnxpb.CanonicalDomain(f.Nodes[i].Domain) == "" {
			return 0, fmt.Errorf("function %s: it does not import the default operator set, which node %d is of", f.Name, i)
		}
	}
	return opset, nil
}

// specializer makes the nodes of a body those of one call: references to attributes become their values, and inputs that the call leaves out are left
// out where nodes read them.
type specializer struct {
	n      *node // the call
	f      *onnxpb.Function
	absent map[string]bool
}

func (s *specializer) nodes(nodes []onnxpb.Node) []onnxpb.Node {
	s.n.check(s.n.g.inlining(len(nodes)))
	out := slices.Clone(nodes)
	for i := range out {
		pb := &out[i]
		for k, name := range pb.Inputs {
			if s.absent[name] {
				pb.Inputs = slices.Clone(pb.Inputs)
				pb.Inputs[k] = ""
			}
		}
		pb.Attributes = s.attributes(pb.Attributes)
	}
	return out
}

func (s *specializer) attributes(list []onnxpb.Attribute) []onnxpb.Attribute {
	var out []onnxpb.Attribute
	for i := range list {
		a := list[i]
		if a.RefAttrName != "" {
			v := s.attribute(a.RefAttrName)
			if v == nil {
				continue // a call that leaves it out leaves out what refers to it
			}
			if a.Type != onnxpb.AttrUndefined && v.Type != a.Type {
				s.n.fail("attribute %q is of type %v, but the function %s uses it as %v", v.Name, v.Type, s.f.Name, a.Type)
			}
			name := a.Name
			a = *v
			a.Name = name
			out = append(out, a)
			continue
		}
		if a.G != nil {
			g := *a.G
			g.Nodes = s.nodes(g.Nodes)
			a.G = &g
		}
		out = append(out, a)
	}
	return out
}

// attribute returns what an attribute of the function stands for in the call.
func (s *specializer) attribute(name string) *onnxpb.Attribute {
	if a := s.n.pb.Attribute(name); a != nil {
		return a
	}
	for i := range s.f.AttributeDefaults {
		if a := &s.f.AttributeDefaults[i]; a.Name == name {
			return a
		}
	}
	return nil
}
