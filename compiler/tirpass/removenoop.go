package tirpass

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/bufferflow"
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
		cfg := c.ConfigFields("tir.RemoveNoOp")
		return removeNoOp(c, c.Budget(), f, int(cfg.Int("max_simplification_steps", 0)), cfg.Bool("use_dataflow_analysis", false)), nil
	}),
}

// removeNoOp removes what has no effect. With flow it also follows what buffers hold: stores that are
// overwritten go first, all together, and then those of a value that the rest leaves there anyway.
func removeNoOp(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, maxSteps int, flow bool) *tir.PrimFunc {
	r := &noOpRemover{Mutator: newMutator(c, b), ctx: c, ranges: map[*tir.Var]arith.IntSet{}}
	r.Stmt = r.visit
	r.An.MaxSteps = maxSteps
	if flow {
		r.flow = bufferflow.New(f, b, maxSteps)
		r.overwritten = r.flow.Overwritten()
		r.flow.Follow(r.overwritten)
		declineFlow(c, r.flow, f)
	}
	return f.WithBody(r.visit(f.Body))
}

type noOpRemover struct {
	*arith.Mutator
	ctx    *pass.Context
	ranges map[*tir.Var]arith.IntSet // of the loops around
	used   ir.Memo[ir.Node, bool]    // variables and buffers in what is left of the innermost definition so far

	flow        *bufferflow.Analysis // nil unless what buffers hold is to be used
	overwritten map[*tir.BufferStore]bool

	of  tir.Stmt           // whose own uses are noted
	use func(ir.Node) bool // notes one

	trial *overcompute // not nil where it is only asked what would be left of a statement at another place
}

// visit returns what is left of x, and notes what that uses.
func (r *noOpRemover) visit(x tir.Stmt) tir.Stmt {
	out := r.reduce(x)
	r.note(out)
	return out
}

// note notes the variables and buffers that a statement uses itself, without the statements in it.
func (r *noOpRemover) note(s tir.Stmt) {
	if r.use == nil { // once, for there are many statements
		r.use = func(n ir.Node) bool {
			switch n := n.(type) {
			case *tir.IntImm:
				return false
			case *tir.Var:
				r.used.Put(n, true)
			case *tir.Buffer:
				r.used.Put(n, true)
				n.EachExpr(func(e tir.Expr) { ir.Walk(e, r.use) })
			case tir.Stmt:
				return ir.Node(n) == ir.Node(r.of)
			}
			return true
		}
	}
	r.of = s
	ir.Walk(s, r.use)
}

// uses visits a statement that defines something, and reports whether what is left of its body uses that.
func (r *noOpRemover) uses(x tir.Stmt, defined ir.Node) (out tir.Stmt, used bool) {
	before, _ := r.used.Get(defined)
	r.used.Put(defined, false)
	out = r.VisitStmt(x)
	used, _ = r.used.Get(defined)
	r.used.Put(defined, used || before)
	return out, used
}

// effects returns what is left of values that are not needed: those computed for an effect.
func (r *noOpRemover) effects(values ...tir.Expr) tir.Stmt {
	var keep []tir.Stmt
	for _, v := range values {
		if v != nil && arith.SideEffect(v) > tir.ReadState {
			keep = append(keep, &tir.Evaluate{Value: v})
			r.note(keep[len(keep)-1])
		}
	}
	return tir.Seq(keep...)
}

// removed reports that out, if anything, is left of x, and returns it.
func (r *noOpRemover) removed(name string, x, out tir.Stmt) tir.Stmt {
	if r.trial != nil {
		r.trial.removed(x, out)
	}
	r.ctx.Rewrite(name, x, out)
	return out
}

func (r *noOpRemover) reduce(x tir.Stmt) tir.Stmt {
	switch x := x.(type) {
	case *tir.For:
		return r.loop(x)
	case *tir.AttrStmt:
		if x.Key == "pragma_debug_skip_region" {
			return r.removed("skip a marked region", x, tir.NoOp())
		}
	case *tir.BufferStore:
		if r.overwritten[x] || r.trial != nil && r.trial.overwritten(x) {
			return r.removed("remove a store that is overwritten", x, r.effects(append([]tir.Expr{x.Value}, x.Indices...)...))
		}
		if r.storesExisting(x) || r.storesKnown(x) {
			return r.removed("remove a store of what is there", x, r.effects(append([]tir.Expr{x.Value}, x.Indices...)...))
		}
		return x
	case *tir.Evaluate:
		if arith.SideEffect(x.Value) <= tir.ReadState && !tir.IsNoOp(x) {
			return r.removed("remove a value without effect", x, tir.NoOp())
		}
		return x
	case *tir.LetStmt:
		out, used := r.uses(x, x.Var)
		if let, ok := out.(*tir.LetStmt); ok && !used {
			return r.removed("remove an unused let", x, tir.Seq(r.effects(let.Value), let.Body))
		}
		return out
	case *tir.Allocate:
		out, used := r.uses(x, x.Var)
		if a, ok := out.(*tir.Allocate); ok && !used {
			return r.removed("remove an unused allocation", x, tir.Seq(r.effects(append([]tir.Expr{a.Condition}, a.Extents...)...), a.Body))
		}
		return out
	case *tir.AllocateConst:
		out, used := r.uses(x, x.Var)
		if a, ok := out.(*tir.AllocateConst); ok && !used {
			return r.removed("remove an unused constant", x, a.Body)
		}
		return out
	case *tir.DeclBuffer:
		out, used := r.uses(x, x.Buffer)
		if d, ok := out.(*tir.DeclBuffer); ok && !used {
			return r.removed("remove an unused buffer", x, d.Body)
		}
		return out
	}
	switch out := r.VisitStmt(x).(type) {
	case *tir.SeqStmt:
		if slices.ContainsFunc(out.Seq, tir.IsNoOp) {
			return r.removed("remove an empty statement", x, tir.Seq(out.Seq...))
		}
		return out
	case *tir.AttrStmt:
		if tir.IsNoOp(out.Body) {
			return r.removed("remove an attribute of nothing", x, r.effects(out.Value))
		}
		return out
	case *tir.IfThenElse:
		return r.removed("remove an empty branch", out, r.removeBranches(out))
	default:
		return out
	}
}

func (r *noOpRemover) loop(x *tir.For) tir.Stmt {
	n := arith.EvalSet(x.Extent, r.ranges)
	if n.HasUpper() && r.An.CanProve(tir.LE(n.Max, tir.Const(n.Max.DType(), 0))) {
		return r.removed("remove a loop without iterations", x, r.effects(x.Min, x.Extent))
	}
	r.ranges[x.LoopVar] = arith.FromMinExtent(x.Min, x.Extent)
	out := r.VisitStmt(x)
	delete(r.ranges, x.LoopVar)
	if loop, ok := out.(*tir.For); ok && tir.IsNoOp(loop.Body) {
		return r.removed("remove a loop over nothing", x, r.effects(loop.Min, loop.Extent))
	}
	return out
}

// removeBranches drops a side that does nothing, turning the condition around if need be.
func (r *noOpRemover) removeBranches(x *tir.IfThenElse) tir.Stmt {
	then := tir.IsNoOp(x.Then)
	switch {
	case x.Else == nil && then:
		return r.effects(x.Cond)
	case x.Else == nil:
		return x
	}
	els := tir.IsNoOp(x.Else)
	switch {
	case then && els:
		return r.effects(x.Cond)
	case els:
		return &tir.IfThenElse{Base: x.Base, Cond: x.Cond, Then: x.Then}
	case then:
		return &tir.IfThenElse{Base: x.Base, Cond: tir.LogicalNot(x.Cond), Then: x.Else}
	}
	return x
}

// storesExisting reports whether x writes what is there already.
func (r *noOpRemover) storesExisting(x *tir.BufferStore) bool {
	if r.storesLoaded(x) {
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

// storesLoaded reports whether x writes a value back to where it was loaded from, as far as can be proved.
func (r *noOpRemover) storesLoaded(x *tir.BufferStore) bool {
	load, ok := x.Value.(*tir.BufferLoad)
	if !ok || load.Buffer != x.Buffer || len(load.Indices) != len(x.Indices) || x.Predicate != load.Predicate {
		return false
	}
	for i := range x.Indices {
		if !r.An.CanProveEqual(x.Indices[i], load.Indices[i]) {
			return false
		}
	}
	return true
}

// storesKnown reports whether x writes what the buffer is known to hold. Of floats the two must look the
// same: -0 equals 0, and a NaN nothing.
func (r *noOpRemover) storesKnown(x *tir.BufferStore) bool {
	if r.flow == nil || x.Predicate != nil || arith.SideEffect(x.Value) > tir.ReadState {
		return false
	}
	var load tir.Expr = &tir.BufferLoad{Buffer: x.Buffer, Indices: x.Indices}
	if load.DType() != x.Value.DType() {
		return false
	}
	at := tir.Stmt(x)
	if r.trial != nil {
		at = r.trial.place
		r.trial.asked[x] = true
	}
	value := r.flow.SimplifyInContext(x.Value, at, r.An)
	if l, ok := value.(*tir.BufferLoad); ok && l.Buffer == x.Buffer && r.storesLoaded(x.WithValue(l)) {
		return true
	}
	there := r.flow.SimplifyInContext(load, at, r.An)
	if arith.SideEffect(there) > tir.Pure {
		return false
	}
	return arith.Equal(value, there) || value.DType().IsInteger() && r.An.CanProveEqual(value, there)
}
