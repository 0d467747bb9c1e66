package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// RemoveNoOp removes statements without effect.
var RemoveNoOp = &pass.Pass{
	Name: "tir.RemoveNoOp", Kind: pass.PrimFunc,
	Doc:    "Removes loops that run no step, branches and lets around nothing, buffers that are not used, and stores of a value that is there already.",
	Config: []string{"tir.RemoveNoOp"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return removeNoOp(c, c.Budget(), f, int(c.ConfigFields("tir.RemoveNoOp").Int("max_simplification_steps", 0))), nil
	}),
}

func removeNoOp(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, maxSteps int) *tir.PrimFunc {
	r := &noOpRemover{Mutator: newMutator(c, b), ctx: c, ranges: map[*tir.Var]arith.IntSet{}}
	r.Stmt = r.visit
	r.An.MaxSteps = maxSteps
	return f.WithBody(r.visit(f.Body))
}

type noOpRemover struct {
	*arith.Mutator
	ctx    *pass.Context
	ranges map[*tir.Var]arith.IntSet // of the loops around
}

// effects returns what is left of values that are not needed: those computed for an effect.
func effects(values ...tir.Expr) tir.Stmt {
	var keep []tir.Stmt
	for _, v := range values {
		if v != nil && arith.SideEffect(v) > tir.ReadState {
			keep = append(keep, &tir.Evaluate{Value: v})
		}
	}
	return tir.Seq(keep...)
}

// removed reports that out, if anything, is left of x, and returns it.
func (r *noOpRemover) removed(name string, x, out tir.Stmt) tir.Stmt {
	r.ctx.Rewrite(name, x, out)
	return out
}

func (r *noOpRemover) visit(x tir.Stmt) tir.Stmt {
	switch x := x.(type) {
	case *tir.For:
		return r.loop(x)
	case *tir.AttrStmt:
		if x.Key == "pragma_debug_skip_region" {
			return r.removed("skip a marked region", x, tir.NoOp())
		}
	case *tir.BufferStore:
		if r.storesExisting(x) {
			return r.removed("remove a store of what is there", x, effects(append([]tir.Expr{x.Value}, x.Indices...)...))
		}
		return x
	case *tir.Evaluate:
		if arith.SideEffect(x.Value) <= tir.ReadState && !tir.IsNoOp(x) {
			return r.removed("remove a value without effect", x, tir.NoOp())
		}
		return x
	}
	switch out := r.VisitStmt(x).(type) {
	case *tir.LetStmt:
		if !usesVar(out.Body, out.Var) {
			return r.removed("remove an unused let", x, tir.Seq(effects(out.Value), out.Body))
		}
		return out
	case *tir.AttrStmt:
		if tir.IsNoOp(out.Body) {
			return r.removed("remove an attribute of nothing", x, effects(out.Value))
		}
		return out
	case *tir.IfThenElse:
		return r.removed("remove an empty branch", out, removeBranches(out))
	case *tir.Allocate:
		if !usesVar(out.Body, out.Var) {
			return r.removed("remove an unused allocation", x, tir.Seq(effects(append([]tir.Expr{out.Condition}, out.Extents...)...), out.Body))
		}
		return out
	case *tir.AllocateConst:
		if !usesVar(out.Body, out.Var) {
			return r.removed("remove an unused constant", x, out.Body)
		}
		return out
	case *tir.DeclBuffer:
		if !usesBuffer(out.Body, out.Buffer) {
			return r.removed("remove an unused buffer", x, out.Body)
		}
		return out
	default:
		return out
	}
}

func (r *noOpRemover) loop(x *tir.For) tir.Stmt {
	n := arith.EvalSet(x.Extent, r.ranges)
	if n.HasUpper() && r.An.CanProve(tir.LE(n.Max, tir.Const(n.Max.DType(), 0))) {
		return r.removed("remove a loop without iterations", x, effects(x.Min, x.Extent))
	}
	r.ranges[x.LoopVar] = arith.FromMinExtent(x.Min, x.Extent)
	out := r.VisitStmt(x)
	delete(r.ranges, x.LoopVar)
	if loop, ok := out.(*tir.For); ok && tir.IsNoOp(loop.Body) {
		return r.removed("remove a loop over nothing", x, effects(loop.Min, loop.Extent))
	}
	return out
}

// removeBranches drops a side that does nothing, turning the condition around if need be.
func removeBranches(x *tir.IfThenElse) tir.Stmt {
	then := tir.IsNoOp(x.Then)
	switch {
	case x.Else == nil && then:
		return effects(x.Cond)
	case x.Else == nil:
		return x
	}
	els := tir.IsNoOp(x.Else)
	switch {
	case then && els:
		return effects(x.Cond)
	case els:
		return &tir.IfThenElse{Base: x.Base, Cond: x.Cond, Then: x.Then}
	case then:
		return &tir.IfThenElse{Base: x.Base, Cond: tir.LogicalNot(x.Cond), Then: x.Else}
	}
	return x
}

// storesExisting reports whether x writes what is there already.
func (r *noOpRemover) storesExisting(x *tir.BufferStore) bool {
	if storesItself(x) {
		return true
	}
	reads := false
	ir.Walk(x.Value, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok && l.Buffer == x.Buffer {
			reads = true
		}
		return !reads
	})
	if !reads || x.Predicate != nil || arith.SideEffect(x.Value) > tir.ReadState {
		return false
	}
	if b, ok := x.Value.(*tir.Binary); ok && b.Op <= tir.OpMul && b.DType().IsFloat() {
		return false // an accumulation, the usual case: no rule makes nothing of it
	}
	there := &tir.BufferLoad{Buffer: x.Buffer, Indices: x.Indices}
	return there.DType() == x.Value.DType() && r.An.CanProveEqual(x.Value, there)
}

func usesVar(s tir.Stmt, v *tir.Var) bool {
	found := false
	check := func(e tir.Expr) { found = found || arith.UsesVar(e, func(x *tir.Var) bool { return x == v }) }
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			found = found || n == v
		case *tir.Buffer:
			n.EachExpr(check)
		}
		return !found
	})
	return found
}

func usesBuffer(s tir.Stmt, b *tir.Buffer) bool {
	found := false
	ir.Walk(s, func(n ir.Node) bool {
		found = found || n == ir.Node(b)
		return !found
	})
	return found
}
