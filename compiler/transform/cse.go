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
	Doc:     "Replaces bindings of pure values that an earlier binding in scope computes already by uses of that one's variable.",
	Options: []pass.Option{{Name: "call_only", Default: false, Doc: "look at calls only, not at tuples and their fields"}},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		e := &exprCSE{c: c, m: c.Step().Input, callOnly: c.Arg("call_only").(bool), seen: map[uint64][]*relax.VarBinding{}, same: map[*relax.Var][]ir.OriginID{}}
		return e.function(f)
	}),
}

// ruleShare is the name of the rule in decisions.
const ruleShare = "share an equal value"

type exprCSE struct {
	c        *pass.Context
	m        *ir.Module
	callOnly bool
	seen     map[uint64][]*relax.VarBinding // values in scope, by hash
	order    []uint64                       // hashes in seen, in order of entry
	block    int                            // number of the dataflow block, 0 outside
	blocks   int
	inBlock  map[*relax.Var]int
	numbers  map[*relax.Var]uint64        // of variables, in order of first use as an operand
	same     map[*relax.Var][]ir.OriginID // of the bindings that a variable stands for now
	killed   map[*relax.Var]bool
	mu       *relax.ExprMutator
}

func (e *exprCSE) function(f *relax.Function) (*relax.Function, error) {
	e.inBlock, e.numbers, e.killed = map[*relax.Var]int{}, map[*relax.Var]uint64{}, killedVars(f)
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
		id := e.m.Origins().Merge("EliminateCommonSubexpr", append([]ir.OriginID{b.Meta().Origin}, ids...)...)
		vb := b.(*relax.VarBinding)
		mu.EmitNormalized(ir.WithOrigin(vb.WithValue(ir.WithOrigin(vb.Value, id)), id))
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
		e.seen, e.order, e.block = map[uint64][]*relax.VarBinding{}, nil, 0
	}
	return e.mu.VisitExpr(x)
}

func (e *exprCSE) blockOf(b *relax.BindingBlock) {
	if b.Dataflow {
		e.blocks++
		e.block = e.blocks
		defer func() { e.block = 0 }()
	}
	e.mu.VisitBlock(b)
}

func (e *exprCSE) binding(b relax.Binding) {
	if out := e.visit(e.mu.MapBinding(b)); out != nil {
		e.mu.EmitNormalized(out)
	}
}

// visit records the value of b and returns b, or returns nil after replacing its variable by
// an earlier one. An output of a dataflow block must stay: it becomes another name.
func (e *exprCSE) visit(b relax.Binding) relax.Binding {
	vb, ok := b.(*relax.VarBinding)
	if !ok {
		return b
	}
	if !e.candidate(vb.Value) {
		if call, ok := vb.Value.(*relax.Call); ok {
			e.c.Declined(ruleShare, call, "the call has effects or memory of its own")
		}
		return b
	}
	if e.killed[vb.Var] {
		e.c.Declined(ruleShare, b, "its memory is freed")
		return b
	}
	h := e.hash(vb.Value)
	for _, prev := range e.seen[h] {
		if prev.Var.Dataflow && e.inBlock[prev.Var] != e.block {
			e.c.Declined(ruleShare, b, "the equal value is local to another dataflow block")
			continue // visible in its own block only
		}
		if !ir.StructuralEqual(prev.Value, vb.Value, ir.EqualOpts{}) || !relax.EqualSInfo(prev.Var.SInfo, vb.Var.SInfo) {
			continue
		}
		if !vb.Var.Dataflow && prev.Var.Dataflow {
			out := *vb
			out.Value = prev.Var
			e.c.Rewrite("name an equal value", b, &out)
			return &out
		}
		e.mu.Remap(vb.Var, prev.Var)
		if vb.Origin != prev.Origin {
			e.same[prev.Var] = append(e.same[prev.Var], vb.Origin)
		}
		e.c.Rewrite("reuse an equal value", b, prev.Var)
		return nil
	}
	e.inBlock[vb.Var] = e.block
	e.seen[h] = append(e.seen[h], vb)
	e.order = append(e.order, h)
	return b
}

// hash is that of the structure with the operands told apart: to the structural hash alone
// all variables of a type are the same, and a chain of equal calls would be one bucket.
func (e *exprCSE) hash(x relax.Expr) uint64 {
	return e.operands(ir.StructuralHash(x), x)
}

// operands mixes the numbers of the variables that x is applied to into h.
func (e *exprCSE) operands(h uint64, x relax.Expr) uint64 {
	switch x := x.(type) {
	case *relax.Var:
		n, ok := e.numbers[x]
		if !ok {
			n = uint64(len(e.numbers)) + 1
			e.numbers[x] = n
		}
		h = (h ^ n) * 0x9e3779b97f4a7c15
		return h ^ h>>29
	case *relax.Call:
		for _, a := range x.Args {
			h = e.operands(h, a)
		}
	case *relax.Tuple:
		for _, a := range x.Fields {
			h = e.operands(h, a)
		}
	case *relax.TupleGetItem:
		h = e.operands(h, x.Tuple)
	}
	return h
}

func (e *exprCSE) candidate(x relax.Expr) bool {
	switch x := x.(type) {
	case *relax.Call:
		if n := opName(x); n == opCallTIRInplace || op.Lookup(n) != nil && op.Lookup(n).Allocates {
			return false // each call has memory of its own
		}
		return isPure(e.m, x)
	case *relax.Tuple, *relax.TupleGetItem:
		return !e.callOnly
	}
	return false
}
