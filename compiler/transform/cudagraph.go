package transform

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// A CUDA graph is a sequence of launches that the driver records once and replays with one call: the cost of a launch is paid once for all.
// What is recorded has fixed addresses. So two things move into functions of their own, after TVM's src/relax/transform/rewrite_cuda_graph.cc:
//
//   - the allocation of all planned storage, which the machine calls once (get_cached_alloc), so that addresses stay. Functions share storage, as
//     they do not run at the same time; see cudagraphalloc.go;
//   - each longest run of calls whose tensors all lie in that storage, or are weights (cudagraphplan.go), which it records and replays
//     (run_or_capture), once for each index and value of the symbolic variables.

// configCUDAGraph switches the pass on.
const configCUDAGraph = "relax.backend.use_cuda_graph"

// Rules of RewriteCUDAGraph.
const (
	ruleCapture    = "capture a region"
	ruleAllocGraph = "allocate storage once"
)

// RewriteCUDAGraph moves what CUDA can record and replay into functions.
var RewriteCUDAGraph = &pass.Pass{
	Name: "RewriteCUDAGraph", Kind: pass.Module, Lowering: true,
	Doc:    "With relax.backend.use_cuda_graph: moves the allocation of planned storage to cuda_graph_alloc, which the machine calls once, and calls of kernels that use only that storage and weights (parameters behind the first num_input) to functions NAME_cuda_graph_capture, which CUDA can record as graphs and replay. Symbolic variables of weights may be used there, and those that relax.rewrite_cuda_graph.capture_symbolic_vars names.",
	Config: []string{configCUDAGraph},
	Needs:  []pass.Need{{Form: pass.NoDataflow, Why: "what it records are calls made for their effect", Strict: true}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		if !c.ConfigBool(configCUDAGraph) {
			return m, nil
		}
		g := &graphRewriter{c: c, m: m, bb: op.NewExprMutator(m).Builder()}
		inner := calledGraphs(m)
		var plans []*graphPlan
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok {
				continue
			}
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			p, err := planGraphs(c, m, gv.Name, f, !inner[gv.Name])
			if err != nil {
				return nil, err
			}
			plans = append(plans, p)
		}
		g.allocate(plans)
		for _, p := range plans {
			c.Working(p.name)
			if f := g.function(p); f != p.fn {
				g.bb.UpdateFunc(p.name, f)
			}
		}
		c.Working("")
		return g.bb.Module(), nil
	},
}

// calledGraphs returns the names of the Relax functions that Relax functions use.
func calledGraphs(m *ir.Module) map[string]bool {
	out := map[string]bool{}
	for _, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		ir.Walk(f, func(n ir.Node) bool {
			if gv, ok := n.(*ir.GlobalVar); ok {
				if _, graph := m.Lookup(gv.Name).(*relax.Function); graph {
					out[gv.Name] = true
				}
			}
			_, info := n.(relax.StructInfo)
			return !info
		})
	}
	return out
}

// graphRewriter writes what was planned.
type graphRewriter struct {
	c     *pass.Context
	m     *ir.Module
	bb    *relax.BlockBuilder
	alloc *ir.GlobalVar // allocates the storage of all functions
	index int64         // of the next region
}

// graphWriter writes one function: values are bound where they were, unless a region needs them before.
type graphWriter struct {
	*graphRewriter
	p     *graphPlan
	names *names
	field map[*relax.Var]*relax.TupleGetItem // where storage and results of regions come from, until they are bound
	out   []relax.Binding
}

func (g *graphRewriter) function(p *graphPlan) *relax.Function {
	if len(p.regions) == 0 && len(p.alloc.bindings) == 0 {
		return p.fn
	}
	w := &graphWriter{graphRewriter: g, p: p, names: namesOf(p.fn), field: map[*relax.Var]*relax.TupleGetItem{}}
	return p.fn.WithBody(w.seq(p.fn.Body))
}

func (w *graphWriter) seq(s *relax.SeqExpr) *relax.SeqExpr {
	blocks := make([]*relax.BindingBlock, len(s.Blocks))
	for i, b := range s.Blocks {
		outer := w.out
		w.out = nil
		for _, x := range b.Bindings {
			w.binding(x)
		}
		blocks[i] = b
		if !slices.Equal(w.out, b.Bindings) {
			blocks[i] = b.WithBindings(w.out)
		}
		w.out = outer
	}
	if slices.Equal(blocks, s.Blocks) {
		return s
	}
	return s.WithBlocks(blocks)
}

func (w *graphWriter) binding(b relax.Binding) {
	r := w.p.region[b.Bound()]
	if r != nil && r.bindings[0] == b {
		w.launch(r)
	}
	switch {
	case w.field[b.Bound()] != nil:
		w.define(b.Bound())
	case r != nil: // moved, and bound before or not used here
	default:
		if vb, ok := b.(*relax.VarBinding); ok {
			if e, ok := vb.Value.(*relax.If); ok {
				if then, other := w.seq(e.Then), w.seq(e.Else); then != e.Then || other != e.Else {
					b = vb.WithValue(e.WithThen(then).WithElse(other))
				}
			}
		}
		w.out = append(w.out, b)
	}
}

// define binds a variable that a region or the allocation yields.
func (w *graphWriter) define(v *relax.Var) {
	if item := w.field[v]; item != nil {
		delete(w.field, v)
		w.out = append(w.out, &relax.VarBinding{Base: v.Base, Var: v, Value: item})
	}
}

// launch calls the function of a region in the place of its first binding.
func (w *graphWriter) launch(r *graphRegion) {
	call, rule := w.call(r)
	all := bindNew(call.Base, w.names.fresh("gv"), call.SInfo, call)
	if isVoidInfo(call.SInfo) {
		all.Var.Name = "_"
	}
	w.out = append(w.out, all)
	for i, v := range r.outputs {
		w.field[v] = &relax.TupleGetItem{Base: call.Base, Tuple: all.Var, Index: r.fields[i], SInfo: v.SInfo}
	}
	w.c.RewriteAll(rule, nodesOf(r.bindings), []ir.Node{all})
}

func (w *graphWriter) call(r *graphRegion) (call *relax.Call, rule string) {
	base := ir.Base{Span: r.bindings[0].Meta().Span, Origin: w.originOf(r.bindings)}
	builtin := func(name string, info relax.StructInfo, args ...relax.Expr) *relax.Call {
		return contextCall(&relax.Call{Base: base, SInfo: info}, name, args)
	}
	if r == w.p.alloc {
		info := w.bb.Module().Lookup(w.alloc.Name).(*relax.Function).Ret
		return builtin("vm.builtin.cuda_graph.get_cached_alloc", info, w.alloc, primInt(0)), ruleAllocGraph
	}
	fn := r.function(base)
	args := &relax.Tuple{}
	for _, v := range r.inputs {
		w.define(v)
		args.Fields = append(args.Fields, v)
	}
	info := fn.Ret
	list := []relax.Expr{nil, args, primInt(w.index)}
	w.index++
	if len(r.symbols) > 0 { // passed to the function, and as what tells recordings apart
		shape := shapeOfVars(r.symbols)
		args.Fields, list = append(args.Fields, shape), append(list, shape)
	}
	list[0] = w.bb.AddFunc(w.p.name+"_cuda_graph_capture", relax.CopyFunction(fn))
	return builtin("vm.builtin.cuda_graph.run_or_capture", info, list...), ruleCapture
}

// originOf returns what a list of bindings came from, together.
func (g *graphRewriter) originOf(list []relax.Binding) ir.OriginID {
	ids := map[ir.OriginID]bool{}
	for _, b := range list {
		ids[b.Meta().Origin], ids[b.BoundValue().Meta().Origin] = true, true
	}
	return g.m.Origins().Merge("RewriteCUDAGraph", slices.Sorted(maps.Keys(ids))...)
}
