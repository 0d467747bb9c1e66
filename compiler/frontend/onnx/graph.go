package onnx

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// graph is the state of importing one graph.
type graph struct {
	ctx     context.Context
	model   *onnxpb.Model
	pb      *onnxpb.Graph
	path    string // of pb in the model
	opset   int64
	tables  map[string]map[string]*operator // of each domain
	bb      *relax.BlockBuilder
	prover  *arith.Analyzer // of bb
	origins *ir.Origins
	names   names
	values  map[string]*value
	uses    map[string]int // how many operands and graph outputs name a value
	outputs map[string]bool
	fold    int // elements that may still be computed during the import

	functions map[functionID]*onnxpb.Function
	calls     []functionID // that the graph is in
	prefix    string       // of the names of nodes: those of the nodes that the graph is in
	inlined   int          // nodes of bodies so far
	nested    int          // how many bodies the graph is in

	symbols       *symbols
	built         []builtFunc // functions that loops became
	functionNames names
	control       bool                // the model has nodes with bodies: no dataflow blocks yet
	visible       map[*relax.Var]bool // variables that are named after outputs of the model
	cached        []*value            // computed shapes that were bound, which is where they are visible
	assumed       []op.Assumption     // what is checked of extents, where it is
}

// define gives a name its value; each name has one.
func (g *graph) define(name string, v *value) error {
	if g.values[name] != nil {
		return fmt.Errorf("value %q is defined twice", name)
	}
	g.values[name] = v
	return nil
}

// countUses notes how often each name is used, in the branches of nodes too.
func (g *graph) countUses() {
	g.uses, g.outputs = map[string]int{}, map[string]bool{}
	for i := range g.pb.Nodes {
		for name := range operandNames(&g.pb.Nodes[i]) {
			g.uses[name]++
		}
	}
	for _, out := range g.pb.Outputs {
		g.uses[out.Name]++
		g.outputs[out.Name] = true
	}
}

// operandNames yields what a node reads: its inputs, and all that nodes of its branches read and that these yield, though it may be of the branch itself.
func operandNames(pb *onnxpb.Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		var node func(pb *onnxpb.Node) bool
		node = func(pb *onnxpb.Node) bool {
			for _, name := range pb.Inputs {
				if !yield(name) {
					return false
				}
			}
			for i := range pb.Attributes {
				b := pb.Attributes[i].G
				if b == nil {
					continue
				}
				for k := range b.Nodes {
					if !node(&b.Nodes[k]) {
						return false
					}
				}
				for _, out := range b.Outputs {
					if !yield(out.Name) {
						return false
					}
				}
			}
			return true
		}
		node(pb)
	}
}

// nodes converts the nodes in an order in which operands come before their uses: that of
// the file if it is one, as ONNX demands, else a topological one.
func (g *graph) nodes() error {
	order, err := g.order()
	if err != nil {
		return err
	}
	for k, i := range order {
		if k%1024 == 0 && g.ctx.Err() != nil {
			return context.Cause(g.ctx)
		}
		if err := g.node(i); err != nil {
			return err
		}
	}
	return nil
}

// node converts one node and defines its outputs.
func (g *graph) node(i int) error {
	pb := &g.pb.Nodes[i]
	n := g.newNode(i)
	for _, name := range pb.Inputs {
		n.in = append(n.in, g.values[name]) // nil for the empty name
	}
	if id, f := g.function(pb); f != nil {
		n.body = func(n *node) { n.callFunction(id, f) }
	}
	if err := n.convert(); err != nil {
		return err
	}
	for k, name := range pb.Outputs {
		switch {
		case name == "":
		case k < len(n.out) && n.out[k] != nil:
			if err := g.define(name, n.out[k]); err != nil {
				return n.err("", err)
			}
		case g.uses[name] > 0:
			return n.err(fmt.Sprintf("output %d (%q) is used, but the importer computes only the first %d", k, name, len(n.out)), nil)
		}
	}
	return nil
}

func (g *graph) newNode(i int) *node {
	return g.nodeAt(&g.pb.Nodes[i], fmt.Sprintf("%s.node[%d]", g.path, i), g.opset)
}

// nodeAt is a node of the model that is written in the given version of the default operator set.
func (g *graph) nodeAt(pb *onnxpb.Node, path string, opset int64) *node {
	n := &node{g: g, pb: pb, path: path, opset: opset, version: opset, row: g.row(pb)}
	if d := onnxpb.CanonicalDomain(pb.Domain); d != "" {
		n.opset = MaxOpset
		n.version, _ = g.model.Opset(d)
	}
	return n
}

// row returns what a node's operator is in the tables, nil for one that they lack.
func (g *graph) row(pb *onnxpb.Node) *operator {
	return g.tables[onnxpb.CanonicalDomain(pb.Domain)][pb.OpType]
}

// convert runs the converter of the node's operator.
func (n *node) convert() (err error) {
	defer recoverBail(&err)
	n.origin = n.g.origins.Add(ir.Origin{Pass: "import", Name: n.g.prefix + n.label(), Op: opLabel(n.pb)})
	n.base = identifier(n.g.prefix + n.variable())
	if n.body != nil {
		n.body(n)
		return nil
	}
	switch {
	case n.opset == 0:
		n.fail("the model does not import the default operator set, which this operator is of")
	case n.opset < sinceNumpy:
		n.upgrade()
	}
	n.checkAttrs()
	if len(n.in) < n.row.minIn || n.row.maxIn >= 0 && len(n.in) > n.row.maxIn {
		n.fail("has %d inputs, expected %s", len(n.in), n.row.arity())
	}
	for i := range n.row.minIn {
		n.value(i)
	}
	if len(n.pb.Outputs) == 0 {
		n.fail("has no outputs")
	}
	if n.row.fold != nil && n.folded() {
		return nil
	}
	n.row.convert(n)
	return nil
}

// variable is what the node's result is called after: the node's name, or the first output's
// where there is none or where that is what users of the model see. A name that is only a
// number is preceded by the operator.
func (n *node) variable() string {
	name := ""
	for _, o := range n.pb.Outputs {
		if name = o; o != "" {
			break
		}
	}
	if n.pb.Name != "" && !n.g.outputs[name] {
		name = n.pb.Name
	}
	if !telling(name) && !n.g.outputs[name] {
		name = n.pb.OpType + "_" + name
	}
	return name
}

// folded computes the node from known elements if all its operands have them.
func (n *node) folded() bool {
	in := make([]*known, len(n.in))
	for i, v := range n.in {
		if v == nil {
			continue
		}
		if in[i] = n.g.elems(v); in[i] == nil {
			return false
		}
	}
	if n.g.fold <= 0 {
		return false
	}
	k := n.row.fold(n, in)
	for _, x := range append(in, k) {
		if x != nil {
			n.g.fold -= len(x.elems)
		}
	}
	if k == nil || int64(len(k.elems)) > maxKnown(k.dtype) {
		return false
	}
	for _, e := range k.elems {
		if !smallExpr(e) {
			return false
		}
	}
	n.setValue(0, &value{known: k})
	return true
}

// emit binds a call and returns its variable; that of a graph output is visible outside of
// the dataflow block.
func (g *graph) emit(e relax.Expr, name string, output bool) (*relax.Var, error) {
	emit := g.bb.Emit
	if output {
		emit = g.bb.EmitOutput
	}
	v, err := emit(e, g.names.fresh(name))
	if err != nil {
		var at *relax.EmitError
		if errors.As(err, &at) {
			err = at.Err // the node says better where
		}
		return nil, err
	}
	if output {
		g.visible[v] = true
	}
	return v, nil
}

var errNoOutput = errors.New("the graph has no output")
