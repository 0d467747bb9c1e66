package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Static memory planning lets the tensors of a block share storage: those whose lives do not overlap can
// use the same bytes one after the other. A network of hundreds of layers then needs the memory of its few
// largest neighbours.
//
//	a = alloc(1 MB); f(x, a)         s = storage(1 MB)
//	b = alloc(1 MB); g(a, b)         t = storage(1 MB)
//	c = alloc(1 MB); h(b, c)         a on s, b on t, c on s again: a is dead
//
// Three steps: findTensors (planliveness.go) finds the allocations that do not outlive their block, and counts the
// arguments of calls that each is part of, through other names, views and fields of tuples; assignTokens
// (plantokens.go) walks the bindings in order and gives each tensor a free token, which is free again when that
// many arguments have been passed; and the block is written with one storage for each token. KillAfterLastUse frees
// storage and tensors.
//
// Invariant: at each binding, no two live tensors hold one token. Optimal sharing of blocks of different
// sizes is NP-hard, so the choice is greedy. A symbolic size is planned by its upper bound, if the function
// states one, else by itself (planbounds.go). After TVM's src/relax/transform/static_plan_block_memory.cc.

// StaticPlanBlockMemory lets tensors whose sizes are known share memory.
var StaticPlanBlockMemory = &pass.Pass{
	Name: "StaticPlanBlockMemory", Kind: pass.Function,
	Doc: "Plans the memory of tensors that do not outlive their block: allocates storage and lets tensors use it one after the other. tir_var_upper_bound on a function gives symbolic extents a size, tensors of other symbolic sizes share storage if their sizes are equal. With relax.memory_plan_dynamic_func_output, tensors that leave the function get storage of the size of their bound.",
	Run: pass.EachRelax(func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		warnNotRewritten(c, gv, f)
		return planMemory(c, c.Step().Input, f)
	}),
}

// plannedTensor is an allocation that the plan gives memory of a token.
type plannedTensor struct {
	v     *relax.Var
	size  tokenSize
	kind  tokenKind
	refs  int // arguments of calls that it is part of and that are not passed yet
	token *storageToken
}

// tokenKind is what tensors must have in common to share memory.
type tokenKind struct {
	device int64
	scope  string
	dtype  dtype.DType
}

// memoryPlanner plans the sequences of one function.
type memoryPlanner struct {
	c       *pass.Context
	m       *ir.Module
	names   *names
	stated  map[*tir.Var]bool // variables whose largest value the attributes give
	bounds  *arith.Analyzer   // knows what the attributes of the function say of its symbolic variables
	outputs bool              // give what leaves a block memory of its largest size
}

// planOutputs is the attribute that asks for static memory of results whose shapes are symbolic.
const planOutputs = "relax.memory_plan_dynamic_func_output"

func planMemory(c *pass.Context, mod *ir.Module, f *relax.Function) (*relax.Function, error) {
	bounds, stated, err := statedBounds(f)
	if err != nil {
		return nil, err
	}
	p := &memoryPlanner{c: c, m: mod, names: namesOf(f), bounds: bounds, stated: stated, outputs: f.Attrs.Bool(planOutputs, false)}
	out := mapBlocks(f, p.block)
	if p.outputs {
		out = out.WithAttrs(out.Attrs.Without(planOutputs))
	}
	return out, nil
}

func (p *memoryPlanner) block(b *relax.BindingBlock, outer map[*relax.Var]bool) *relax.BindingBlock {
	tensors, uses := p.findTensors(b, outer)
	if len(tensors) == 0 && !p.outputs {
		return b
	}
	p.assignTokens(b, tensors, uses)
	var out []relax.Binding
	for _, x := range b.Bindings {
		switch t := tensors[x.Bound()]; {
		case t == nil:
			out = append(out, p.output(x)...)
		case t.token.first == x:
			out = append(out, rewrote(p.c, "allocate storage", x, p.allocBindings(x.(*relax.VarBinding), t.token))...)
		default:
			out = append(out, rewrote(p.c, ruleReuse, x, p.allocBindings(x.(*relax.VarBinding), t.token))...)
		}
	}
	return b.WithBindings(out)
}

// allocBindings allocates a tensor on a token, which is given its storage where that is the first one.
func (p *memoryPlanner) allocBindings(x *relax.VarBinding, tok *storageToken) []relax.Binding {
	c := x.Value.(*relax.Call)
	var out []relax.Binding
	if tok.v == nil {
		nb := allocStorage(c.Base, p.names.fresh("storage"), tok.size.expr(), c.Args[2], c.Args[3], c.Args[1])
		tok.v = nb.Var
		out = append(out, nb)
	}
	return append(out, x.WithValue(allocTensor(c, tok.v)))
}

// output gives a tensor of a symbolic shape that is not planned storage of its largest size, if the function asks for that.
func (p *memoryPlanner) output(x relax.Binding) []relax.Binding {
	list := []relax.Binding{x}
	c := callsOp(x.BoundValue(), opBuiltinAlloc)
	if c == nil || !p.outputs {
		return list
	}
	shape, ok := c.Args[0].(*relax.ShapeExpr)
	if !ok || !slices.ContainsFunc(shape.Values, func(e tir.Expr) bool { _, known := tir.AsInt(e); return !known }) {
		return list
	}
	size, ok := p.size(c)
	if !ok {
		return list
	}
	return rewrote(p.c, "allocate the largest size", x, p.allocBindings(x.(*relax.VarBinding), &storageToken{size: size}))
}
