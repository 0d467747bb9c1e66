package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// EliminateCommonSubexpr computes equal values once.
var EliminateCommonSubexpr = &pass.Pass{
	Name: "EliminateCommonSubexpr", Level: 3, Kind: pass.Function,
	Doc:     "Binds pure values that an earlier binding in scope computes already, and casts that it checks, to the variable of that one, which takes their place where they are used. DeadCodeElimination removes the names that are left.",
	Options: []pass.Option{{Name: "call_only", Default: false, Doc: "look at calls only, not at tuples and their fields"}},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		callOnly := c.Arg("call_only").(bool)
		return ShareEqualValues(c, f, func(b relax.Binding) bool { _, call := b.BoundValue().(*relax.Call); return call || !callOnly })
	}),
}

// ShareEqualValues is EliminateCommonSubexpr for those bindings of f for which shared holds, as far as their values are pure.
func ShareEqualValues(c *pass.Context, f *relax.Function, shared func(relax.Binding) bool) (*relax.Function, error) {
	e := &exprCSE{c: c, m: c.Step().Input, shared: shared, seen: map[uint64][]relax.Binding{}, same: map[*relax.Var][]ir.OriginID{}}
	return e.function(f)
}

// ruleShare is the name of the rule in decisions.
const ruleShare = "share an equal value"

type exprCSE struct {
	c       *pass.Context
	m       *ir.Module
	shared  func(relax.Binding) bool   // which bindings may be; nil is all
	seen    map[uint64][]relax.Binding // values in scope, by hash
	order   []uint64                   // hashes in seen, in order of entry
	block   int                        // number of the dataflow block, 0 outside
	blocks  int
	inBlock map[*relax.Var]int
	numbers map[*relax.Var]uint64        // of variables, in order of first use
	same    map[*relax.Var][]ir.OriginID // of the bindings that a variable stands for now
	killed  map[*relax.Var]bool
	over    *overwrites
	// outputs are variables for which one stands that is local to the dataflow block.
	outputs []*relax.Var
	mu      *relax.ExprMutator
}

func (e *exprCSE) function(f *relax.Function) (*relax.Function, error) {
	e.inBlock, e.numbers, e.killed, e.over = map[*relax.Var]int{}, map[*relax.Var]uint64{}, killedVars(f), overwritesOf(f)
	e.mu = op.NewExprMutator(e.m)
	e.mu.Expr, e.mu.Block, e.mu.Binding = e.expr, e.blockOf, e.binding
	out, err := e.mu.Function(f)
	if err != nil || len(e.same) == 0 {
		return out, err
	}
	return e.keepOrigins(out)
}

// keepOrigins gives the bindings that stay the origins of those that they stand for.
func (e *exprCSE) keepOrigins(f *relax.Function) (*relax.Function, error) {
	mu := op.NewExprMutator(e.m)
	mu.Binding = func(b relax.Binding) {
		ids := e.same[b.Bound()]
		if ids == nil {
			mu.VisitBinding(b)
			return
		}
		id := e.m.Origins().Merge(e.c.Step().Pass.Name, append([]ir.OriginID{b.Meta().Origin}, ids...)...)
		if vb, ok := b.(*relax.VarBinding); ok {
			if _, v := vb.Value.(*relax.Var); !v { // a variable is that one, not a copy with another origin
				b = vb.WithValue(ir.WithOrigin(vb.Value, id))
			}
		}
		mu.EmitNormalized(ir.WithOrigin(b, id))
	}
	return mu.Function(f)
}

func (e *exprCSE) expr(x relax.Expr) relax.Expr {
	switch x.(type) {
	case *relax.SeqExpr:
		// What a branch computes is not in scope after it.
		n := len(e.order)
		out := e.mu.VisitExpr(x)
		for _, h := range e.order[n:] {
			list := e.seen[h]
			e.seen[h] = list[:len(list)-1]
		}
		e.order = e.order[:n]
		return out
	case *relax.Function:
		// A local function is rewritten on its own, so that it captures no more than it did.
		seen, order, block := e.seen, e.order, e.block
		defer func() { e.seen, e.order, e.block = seen, order, block }()
		e.seen, e.order, e.block = map[uint64][]relax.Binding{}, nil, 0
	}
	return e.mu.VisitExpr(x)
}

func (e *exprCSE) blockOf(b *relax.BindingBlock) {
	if b.Dataflow {
		e.blocks++
		e.block = e.blocks
	}
	e.mu.VisitBlock(b)
	e.block = 0
	for _, v := range e.outputs {
		e.mu.Remap(v, v)
	}
	e.outputs = nil
}

func (e *exprCSE) binding(b relax.Binding) { e.mu.EmitNormalized(e.visit(e.mu.MapBinding(b))) }

// visit records the value of b and returns b, or what names an earlier variable of that value instead. Uses of the variable become uses of the
// earlier one, where that is visible.
func (e *exprCSE) visit(b relax.Binding) relax.Binding {
	v, value := b.Bound(), b.BoundValue()
	if e.shared != nil && !e.shared(b) {
		return b
	}
	if !e.candidate(b) {
		if call, ok := value.(*relax.Call); ok {
			e.c.Declined(ruleShare, call, "the call has effects or memory of its own")
		}
		return b
	}
	if e.killed[v] {
		e.c.Declined(ruleShare, b, "its memory is freed")
		return b
	}
	if e.over.has(v) {
		e.c.Declined(ruleShare, b, "its memory is written over")
		return b
	}
	h := e.hash(value)
	for _, prev := range e.seen[h] {
		to := prev.Bound()
		if to.Dataflow && e.inBlock[to] != e.block {
			e.c.Declined(ruleShare, b, "the equal value is local to another dataflow block")
			continue // visible in its own block only
		}
		if !equalBindings(prev, b) || !relax.EqualSInfo(to.SInfo, v.SInfo) {
			continue
		}
		e.mu.Remap(v, to)
		if !v.Dataflow && to.Dataflow {
			e.outputs = append(e.outputs, v)
			e.note(h, b) // for what is behind the block
		}
		if b.Meta().Origin != prev.Meta().Origin {
			e.same[to] = append(e.same[to], b.Meta().Origin)
		}
		out := &relax.VarBinding{Base: b.Meta(), Var: v, Value: to}
		e.c.Rewrite("reuse an equal value", b, out)
		return out
	}
	e.note(h, b)
	return b
}

// note lets later bindings of this value use that of b.
func (e *exprCSE) note(h uint64, b relax.Binding) {
	e.inBlock[b.Bound()] = e.block
	e.seen[h] = append(e.seen[h], b)
	e.order = append(e.order, h)
}

// equalBindings tells whether two bindings compute the same value. Casts must be to the same variables: each defines its own.
func equalBindings(a, b relax.Binding) bool {
	x, cast := a.(*relax.MatchCast)
	y, also := b.(*relax.MatchCast)
	if cast != also || cast && !relax.EqualSInfo(x.SInfo, y.SInfo) {
		return false
	}
	return ir.StructuralEqual(a.BoundValue(), b.BoundValue(), ir.EqualOpts{})
}

// hash is that of the structure with the variables told apart: to the structural hash all variables of a type are the same, so a chain of
// equal calls would be one bucket, and the type of a tuple would be looked at for each of its fields.
func (e *exprCSE) hash(x relax.Expr) uint64 { return e.operands(0, x) }

// operands mixes the hash of x into h.
func (e *exprCSE) operands(h uint64, x relax.Expr) uint64 {
	switch x := x.(type) {
	case *relax.Var:
		n, ok := e.numbers[x]
		if !ok {
			n = uint64(len(e.numbers)) + 1
			e.numbers[x] = n
		}
		return mixed(h, n)
	case *relax.Call:
		plain := &relax.Call{Op: x.Op, Attrs: x.Attrs, SInfoArgs: x.SInfoArgs}
		if _, variable := x.Op.(*relax.Var); variable {
			h, plain.Op = e.operands(h, x.Op), nil
		}
		h = mixed(h, ir.StructuralHash(plain))
		for _, a := range x.Args {
			h = e.operands(h, a)
		}
		return h
	case *relax.Tuple:
		h = mixed(h, uint64(len(x.Fields)))
		for _, a := range x.Fields {
			h = e.operands(h, a)
		}
		return h
	case *relax.TupleGetItem:
		return e.operands(mixed(h, uint64(x.Index)), x.Tuple)
	}
	return mixed(h, ir.StructuralHash(x))
}

func mixed(h, n uint64) uint64 {
	h = (h ^ n) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (e *exprCSE) candidate(b relax.Binding) bool {
	switch x := b.BoundValue().(type) {
	case *relax.Call:
		if o := op.Of(x); o != nil && (o.Name == opCallTIRInplace || o.Allocates) {
			return false // each call has memory of its own
		}
		return isPure(e.m, x)
	case *relax.Tuple, *relax.TupleGetItem:
		return true
	case *relax.Var:
		_, cast := b.(*relax.MatchCast)
		return cast
	}
	return false
}
