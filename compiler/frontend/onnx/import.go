package onnx

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// Options says how to import a model.
type Options struct {
	// Shapes gives shapes to inputs by name, or sizes to symbolic dimensions: sizes for
	// symbolic dimensions ("batch" to 4), shapes for inputs that declare none.
	Shapes map[string][]Dim
	// Bind gives inputs their values; they become constants and are no parameters then.
	Bind map[string]*onnxpb.Tensor
}

// maxNodes bounds the nodes of a model; the reader has a bound of its own.
const maxNodes = 100_000

// Import turns a model into a module with the function main. The module keeps the bytes of
// the model's weights: the file that they were read from must not change.
//
// Errors of nodes are of type *Error, missing operators of type *UnsupportedError.
func Import(ctx context.Context, m *onnxpb.Model, o Options) (*ir.Module, error) {
	mod, err := importModel(ctx, m, o)
	if err != nil {
		return nil, fmt.Errorf("import ONNX model: %w", err)
	}
	return mod, nil
}

func importModel(ctx context.Context, m *onnxpb.Model, o Options) (*ir.Module, error) {
	if m.Graph == nil {
		return nil, fmt.Errorf("the model has no graph")
	}
	opset, ok := m.Opset("")
	switch {
	case !ok && len(m.OpsetImports) == 0:
		return nil, fmt.Errorf("the model imports no operator set")
	case ok && (opset < MinOpset || opset > MaxOpset):
		return nil, fmt.Errorf("operator set %d is not supported; %d to %d are", opset, MinOpset, MaxOpset)
	case len(m.Graph.Nodes) > maxNodes:
		return nil, fmt.Errorf("the graph has %d nodes; the limit is %d", len(m.Graph.Nodes), maxNodes)
	}
	fs, err := functions(m)
	if err != nil {
		return nil, err
	}
	mod := ir.NewModule()
	prover := arith.NewAnalyzer()
	g := &graph{
		ctx: ctx, model: m, pb: m.Graph, path: "graph", opset: opset, tables: tables(), origins: mod.Origins(),
		bb: relax.NewBlockBuilder(mod, op.Table(), prover), prover: prover, values: map[string]*value{}, fold: maxFolded,
		functions: fs, control: hasControl(m), visible: map[*relax.Var]bool{}, functionNames: names{used: map[string]int{"main": 0}},
	}
	if err := g.supported(); err != nil {
		return nil, err
	}
	params, inputs, err := g.inputs(o)
	if err != nil {
		return nil, err
	}
	g.countUses()
	attrs := ir.NewAttrs("num_input", len(params))
	g.bb.BeginFunction("main", params, relax.FuncOpts{Attrs: attrs})
	if !g.control {
		g.bb.BeginDataflow()
	}
	if err := g.nodes(); err != nil {
		return nil, err
	}
	result, outputs, err := g.results()
	if err != nil {
		return nil, err
	}
	if !g.control {
		g.bb.EndDataflow()
	}
	if _, err := g.bb.EndFunction(result); err != nil {
		return nil, err
	}
	if g.control {
		g.cutAll()
	}
	return g.bb.Module().WithAttrs(ir.NewAttrs(ir.AttrInputNames, inputs, ir.AttrOutputNames, outputs)), nil
}

// supported reports all operators that the importer lacks in one error, those in functions included.
func (g *graph) supported() error {
	u := &unsupported{g: g, found: map[string]int{}, seen: map[*onnxpb.Function]bool{}}
	u.nodes(g.pb.Nodes, g.path, g.opset, 0)
	if u.bad.Ops != nil {
		return &u.bad
	}
	return nil
}

// unsupported collects operators that the importer lacks.
type unsupported struct {
	g     *graph
	bad   UnsupportedError
	found map[string]int // places in bad
	seen  map[*onnxpb.Function]bool
}

func (u *unsupported) nodes(nodes []onnxpb.Node, path string, opset int64, depth int) {
	for i := range nodes {
		pb := &nodes[i]
		if _, f := u.g.function(pb); f != nil {
			if !u.seen[f] && depth < maxNested { // inlining refuses those that are deeper
				u.seen[f] = true
				version, _ := f.Opset("")
				u.nodes(f.Nodes, fmt.Sprintf("%s.node[%d].%s", path, i, identifier(f.Name)), version, depth+1)
			}
			continue
		}
		if u.g.row(pb) != nil {
			continue
		}
		label := opLabel(pb)
		if at, ok := u.found[label]; ok {
			u.bad.Ops[at].Nodes++
			continue
		}
		u.found[label] = len(u.bad.Ops)
		table := u.g.tables[onnxpb.CanonicalDomain(pb.Domain)]
		reason, near := cmp.Or(reasons[label], domainReasons[pb.Domain]), ""
		if reason == "" {
			if reason = "the operator is not supported"; table == nil {
				if reason = fmt.Sprintf("operators of the domain %q are not supported", pb.Domain); len(u.g.functions) > 0 {
					reason += ", and the model has no function of that name"
				}
				table = u.g.tables[""]
			}
			near = nearest.Name(pb.OpType, slices.Values(slices.Sorted(maps.Keys(table))))
		}
		n := u.g.nodeAt(pb, fmt.Sprintf("%s.node[%d]", path, i), opset)
		u.bad.Ops = append(u.bad.Ops, UnsupportedOp{First: n.err(reason, nil), Nodes: 1, Nearest: near})
	}
}

// inputs defines initializers and inputs, and returns the parameters of main and the names
// that they have in the model. Up to IR version 3 initializers are listed among the inputs.
func (g *graph) inputs(o Options) (params []*relax.Var, names []string, err error) {
	if err := g.initializers(); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	g.symbols = newSymbols()
	sym := g.symbols
	if err := sym.bindShapes(g.pb, o.Shapes); err != nil {
		return nil, nil, err
	}
	bound := 0
	for i := range g.pb.Inputs {
		in := &g.pb.Inputs[i]
		path := fmt.Sprintf("graph.input[%d]", i)
		if in.Name == "" || seen[in.Name] {
			return nil, nil, fmt.Errorf("%s: the name %q is empty or taken", path, in.Name)
		}
		seen[in.Name] = true
		if t := o.Bind[in.Name]; t != nil {
			bound++
			delete(g.values, in.Name)
			if err := g.bindInput(in, t); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
			continue
		}
		if g.values[in.Name] != nil {
			continue
		}
		info, err := sym.inputType(in, o.Shapes[in.Name])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		origin := g.origins.Add(ir.Origin{Pass: "import", Name: in.Name, Op: "input"})
		v := &relax.Var{Base: ir.Base{Origin: origin}, Name: g.names.fresh(in.Name), SInfo: info}
		if g.values[in.Name] = (&value{expr: v}); isSequence(in.Type) {
			g.values[in.Name] = &value{stack: v}
		}
		params, names = append(params, v), append(names, in.Name)
	}
	if bound < len(o.Bind) {
		for _, name := range slices.Sorted(maps.Keys(o.Bind)) {
			if !seen[name] {
				return nil, nil, fmt.Errorf("a value is given for %q, which is not an input of the graph", name)
			}
		}
	}
	return params, names, nil
}

func (g *graph) initializers() error {
	for i := range g.pb.Initializers {
		if err := g.initializer(&g.pb.Initializers[i], i); err != nil {
			return err
		}
	}
	return nil
}

func (g *graph) initializer(t *onnxpb.Tensor, i int) error {
	path := fmt.Sprintf("%s.initializer[%d]", g.path, i)
	b, err := blobOf(t)
	if err != nil {
		return fmt.Errorf("%s %q: %w", path, t.Name, err)
	}
	if t.Name == "" {
		return fmt.Errorf("%s: the initializer has no name", path)
	}
	origin := g.origins.Add(ir.Origin{Pass: "import", Name: t.Name, Op: "initializer"})
	c := &relax.Constant{Base: ir.Base{Origin: origin}, Data: b}
	if err := g.define(t.Name, &value{expr: c}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// bindInput makes an input a constant.
func (g *graph) bindInput(in *onnxpb.ValueInfo, t *onnxpb.Tensor) error {
	if in.Type != nil && in.Type.Tensor != nil && in.Type.Tensor.Elem != t.Type {
		return fmt.Errorf("the value given for %q has element type %v, expected %v", in.Name, t.Type, in.Type.Tensor.Elem)
	}
	b, err := blobOf(t)
	if err != nil {
		return err
	}
	origin := g.origins.Add(ir.Origin{Pass: "import", Name: in.Name, Op: "input"})
	return g.define(in.Name, &value{expr: &relax.Constant{Base: ir.Base{Origin: origin}, Data: b}})
}

// results makes the outputs of the graph visible outside of the dataflow block and returns
// the result of main: the output, or a tuple of several.
func (g *graph) results() (relax.Expr, []string, error) {
	var es []relax.Expr
	var names []string
	for i, out := range g.pb.Outputs {
		path := fmt.Sprintf("graph.output[%d]", i)
		v := g.values[out.Name]
		if v == nil {
			return nil, nil, fmt.Errorf("%s: %q is not defined", path, out.Name)
		}
		e, err := g.output(out.Name, v)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if t := v.tensorInfo(); t != nil && out.Type != nil && out.Type.Tensor != nil {
			if want := out.Type.Tensor.Elem; want != onnxpb.Undefined && onnxpb.FromDType(t.DType) != want {
				return nil, nil, fmt.Errorf("%s: %q is declared as %v, but is computed as %s", path, out.Name, want, t.DType)
			}
		}
		es, names = append(es, e), append(names, out.Name)
	}
	switch len(es) {
	case 0:
		return nil, nil, errNoOutput
	case 1:
		return es[0], names, nil
	}
	return &relax.Tuple{Fields: es}, names, nil
}

// output returns the expression of a graph output: its variable if that is visible outside
// of the dataflow block, else a new one.
func (g *graph) output(name string, v *value) (e relax.Expr, err error) {
	origin := g.origins.Add(ir.Origin{Pass: "import", Name: name, Op: "output"})
	if v.list != nil || v.stack != nil {
		n := &node{g: g, pb: &onnxpb.Node{Name: name, OpType: "Identity"}, path: "graph", opset: g.opset, version: g.opset, origin: origin, base: name}
		if v, err = n.oneTensor(v); err != nil {
			return nil, err
		}
	}
	if v.expr == nil {
		// A computed shape as output: a node that only materialises it.
		n := &node{g: g, pb: &onnxpb.Node{Name: name, OpType: "Identity"}, path: "graph", opset: g.opset, version: g.opset, origin: origin, base: name}
		if err := n.materialise(v); err != nil {
			return nil, err
		}
	}
	if x, ok := v.expr.(*relax.Var); ok && g.visible[x] {
		return x, nil
	}
	return g.emit(v.expr, name, true)
}

// oneTensor is a sequence as a tensor.
func (n *node) oneTensor(v *value) (out *value, err error) {
	defer recoverBail(&err)
	if v.stack != nil {
		return &value{expr: v.stack}, nil
	}
	return &value{expr: n.stackOf(v.list.of)}, nil
}

// materialise is tensor outside of a converter.
func (n *node) materialise(v *value) (err error) {
	defer recoverBail(&err)
	n.tensor(v)
	return nil
}

// recoverBail turns the panic of a converter that stopped into its error.
func recoverBail(err *error) {
	if r := recover(); r != nil {
		b, ok := r.(bail)
		if !ok {
			panic(r)
		}
		*err = b.err
	}
}
