package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Static memory planning lets the tensors of a block share storage: those whose lives do not overlap can
// use the same bytes one after the other. A network of hundreds of layers then needs the memory of its few
// largest neighbours.
//
//	a = alloc(1 MB); f(x, a)         s = storage(1 MB)
//	b = alloc(1 MB); g(a, b)         t = storage(1 MB)
//	c = alloc(1 MB); h(b, c)         a on s, b on t, c on s again: a is dead
//
// Three steps: findTensors (planliveness.go) finds the allocations of known size that do not outlive their
// block, with the last binding that uses each, views and tuples of it included; assignTokens
// (plantokens.go) walks the bindings in order and gives each tensor a free token, which its last use
// frees again; and the block is written with one allocation for each token and kills behind the last uses.
//
// Invariant: at each binding, no two live tensors hold one token. Optimal sharing of blocks of different
// sizes is NP-hard, so the choice is greedy. A symbolic size is planned by its upper bound, if the function
// states one. After TVM's src/relax/transform/static_plan_block_memory.cc.

// StaticPlanBlockMemory lets tensors whose sizes are known share memory.
var StaticPlanBlockMemory = &pass.Pass{
	Name: "StaticPlanBlockMemory", Kind: pass.Function,
	Doc: "Plans the memory of tensors of known size that do not outlive their block: allocates storage and lets tensors use it one after the other. tir_var_upper_bound on a function gives symbolic extents a size.",
	Run: pass.EachRelax(func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		warnNotRewritten(c, gv, f)
		return planMemory(c, c.Step().Input, f), nil
	}),
}

// plannedTensor is an allocation that the plan gives memory of a token.
type plannedTensor struct {
	bytes int64
	place memoryPlace
	last  int // index in its block of the last binding that uses it
	token *storageToken
}

// memoryPlace is where a tensor lives: tensors of different places never share memory.
type memoryPlace struct {
	device int64
	scope  string
}

// memoryPlanner plans the sequences of one function.
type memoryPlanner struct {
	c     *pass.Context
	m     *ir.Module
	names *names
	bound map[string]int64 // upper bounds of symbolic variables
}

func planMemory(c *pass.Context, mod *ir.Module, f *relax.Function) *relax.Function {
	p := &memoryPlanner{c: c, m: mod, names: namesOf(f), bound: upperBounds(f)}
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr {
		switch e := e.(type) {
		case *relax.SeqExpr:
			return p.seq(m.MapSeq(e))
		case *relax.If, *relax.Function:
			return m.MapExpr(e)
		}
		return e
	}
	return m.MapFunction(f)
}

// upperBounds returns the largest values of symbolic variables by name, as the function's
// attribute tir_var_upper_bound states them.
func upperBounds(f *relax.Function) map[string]int64 {
	v, _ := f.Attrs.Get("tir_var_upper_bound")
	a, _ := v.(*ir.Attrs)
	out := map[string]int64{}
	for i := range a.Len() {
		name, x := a.At(i)
		if n, ok := x.(int64); ok {
			out[name] = n
		}
	}
	return out
}

func (p *memoryPlanner) seq(s *relax.SeqExpr) *relax.SeqExpr {
	home := map[*relax.Var]*relax.BindingBlock{}
	outer := map[*relax.Var]bool{} // used outside the block that binds it
	for _, b := range s.Blocks {
		for _, x := range b.Bindings {
			home[x.Bound()] = b
			usedVars(x.BoundValue(), func(v *relax.Var) { outer[v] = outer[v] || home[v] != b })
		}
	}
	usedVars(s.Body, func(v *relax.Var) { outer[v] = true })
	m := &relax.Mapper{Block: func(b *relax.BindingBlock) *relax.BindingBlock { return p.block(b, outer) }}
	return m.MapSeq(s)
}

func (p *memoryPlanner) block(b *relax.BindingBlock, outer map[*relax.Var]bool) *relax.BindingBlock {
	tensors := p.findTensors(b, outer)
	if len(tensors) == 0 {
		return b
	}
	p.assignTokens(b, tensors)
	killTensor, killStorage := map[int][]*relax.Var{}, map[int][]*storageToken{}
	var out []relax.Binding
	seen := map[*storageToken]bool{}
	for i, x := range b.Bindings {
		t := tensors[x.Bound()]
		if t == nil {
			out = append(out, x)
		} else {
			rule := "reuse storage"
			if t.token.first == x {
				rule = "allocate storage"
			}
			out = append(out, rewrote(p.c, rule, x, allocBindings(x.(*relax.VarBinding), t, p.names))...)
			killTensor[t.last] = append(killTensor[t.last], x.Bound())
			if !seen[t.token] {
				seen[t.token] = true
				killStorage[t.token.last] = append(killStorage[t.token.last], t.token)
			}
		}
		for _, v := range killTensor[i] {
			out = append(out, effect(ir.Base{}, callOp(opMemKillTensor, void, v)))
		}
		for _, tok := range killStorage[i] {
			out = append(out, effect(ir.Base{}, callOp(opMemKillStorage, void, tok.v)))
		}
	}
	return b.WithBindings(out)
}

func allocBindings(x *relax.VarBinding, t *plannedTensor, n *names) []relax.Binding {
	c := x.Value.(*relax.Call)
	var out []relax.Binding
	if t.token.first == relax.Binding(x) {
		nb := allocStorage(ir.Base{}, n.fresh("storage"), tir.Int(t.token.bytes), c.Args[2], c.Args[3])
		t.token.v = nb.Var
		out = append(out, nb)
	}
	return append(out, x.WithValue(allocTensor(c, t.token.v)))
}
