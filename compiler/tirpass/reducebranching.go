package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/bufferflow"
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// ReduceBranchingThroughOvercompute drops branches by computing more than is needed.
var ReduceBranchingThroughOvercompute = &pass.Pass{
	Name: "tir.ReduceBranchingThroughOvercompute", Kind: pass.PrimFunc,
	Doc: "Replaces a branch by one of its sides where that does the same as the other one if its condition fails: its further statements then store what is there already, " +
		"or, with use_dataflow_analysis, what nothing reads before it is overwritten. Does not add stores to loops whose iterations run side by side.",
	Config: []string{"tir.ReduceBranchingThroughOvercompute"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		flow := c.ConfigFields("tir.ReduceBranchingThroughOvercompute").Bool("use_dataflow_analysis", false)
		return reduceBranching(c, c.Budget(), f, flow), nil
	}),
}

// branchReducer visits branches from the inside out. What it knows of buffers is of the function as it was given. It stays true of what
// matters: each store of that function still runs, and those that were added store to elements that nothing reads (dead), or what was there;
// no rewrite reads a buffer of which another made elements dead.
type branchReducer struct {
	*arith.Mutator
	ctx      *pass.Context
	b        *budget.Budget
	flow     *bufferflow.Analysis // nil unless what buffers hold is to be used
	conds    []tir.Expr           // of the branches around
	parallel int                  // loops around whose iterations run side by side, and threads
	dead     map[*tir.Buffer]bool // stored to by accepted sides where nothing reads it
	read     map[*tir.Buffer]bool // read by accepted sides
}

func reduceBranching(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, flow bool) *tir.PrimFunc {
	r := &branchReducer{Mutator: newMutator(c, b), ctx: c, b: b, dead: map[*tir.Buffer]bool{}, read: map[*tir.Buffer]bool{}}
	r.Stmt = r.visit
	whole, fillers := withElse(f)
	if flow {
		r.flow = bufferflow.New(whole, b, 0)
		r.flow.Follow(nil)
		declineFlow(c, r.flow, f)
	}
	out := r.visit(whole.Body)
	// Sides that do nothing and were only there to be asked about go again, in what is left as it was, too.
	back := &tir.Mapper{}
	back.Stmt = func(s tir.Stmt) tir.Stmt {
		was, filled := fillers[s]
		if filled && was.branch != nil {
			return was.branch
		}
		s = back.MapStmt(s)
		if x, ok := s.(*tir.IfThenElse); ok && x.Else != nil {
			if _, filled := fillers[x.Else]; filled {
				return x.WithElse(nil)
			}
		}
		return s
	}
	return f.WithBody(back.Stmt(out))
}

// filler is a side that was added to a branch, or, with branch, a branch or what holds one, as it was without.
type filler struct{ branch tir.Stmt }

// withElse returns f with a second side of each branch, which does nothing where there was none, and what becomes of statements that
// are not changed further.
func withElse(f *tir.PrimFunc) (*tir.PrimFunc, map[tir.Stmt]filler) {
	fillers := map[tir.Stmt]filler{}
	m := &tir.Mapper{}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		out := m.MapStmt(s)
		if x, ok := out.(*tir.IfThenElse); ok && x.Else == nil {
			none := tir.NoOp()
			fillers[none] = filler{}
			out = x.WithElse(none)
		}
		if out != s {
			fillers[out] = filler{s}
		}
		return out
	}
	return f.WithBody(m.Stmt(f.Body)), fillers
}

func (r *branchReducer) visit(s tir.Stmt) tir.Stmt {
	side := false
	switch s := s.(type) {
	case *tir.IfThenElse:
		return r.branch(s)
	case *tir.For:
		side = s.Kind != tir.Serial && s.Kind != tir.Unrolled
	case *tir.AttrStmt:
		side = s.BoundThread() != nil
	}
	if side {
		r.parallel++
		defer func() { r.parallel-- }()
	}
	return r.VisitStmt(s)
}

// branch visits both sides, and takes one for both if it can.
func (r *branchReducer) branch(s *tir.IfThenElse) tir.Stmt {
	cond := s.Cond
	if c, ok := tir.IsCallTo(cond, tir.OpLikely); ok {
		cond = c.Args[0]
	}
	if _, known := tir.AsInt(cond); known {
		return r.VisitStmt(s)
	}
	not := r.An.RewriteSimplify(tir.LogicalNot(cond))
	out := s.WithThen(r.under(cond, s.Then)).WithElse(r.under(not, s.Else))
	if arith.SideEffect(s.Cond) > tir.ReadState {
		r.ctx.Declined("drop a branch", s, "its condition has an effect")
		return out
	}
	for _, try := range []struct {
		cond                 tir.Expr
		general, other, note tir.Stmt
	}{{cond, out.Else, out.Then, s.Then}, {not, out.Then, out.Else, s.Else}} {
		if r.covers(s, try.cond, try.general, try.other, try.note) {
			r.ctx.Rewrite("compute more instead of branching", s, try.general)
			return try.general
		}
	}
	return out
}

// under visits a side of a branch, where cond holds.
func (r *branchReducer) under(cond tir.Expr, side tir.Stmt) tir.Stmt {
	defer r.Assume(cond)()
	r.conds = append(r.conds, cond)
	side = r.MutateStmt(side)
	r.conds = r.conds[:len(r.conds)-1]
	return side
}

// covers reports whether general does what other does, where cond holds; place is other as it was.
func (r *branchReducer) covers(s *tir.IfThenElse, cond tir.Expr, general, other, place tir.Stmt) bool {
	cond = r.An.RewriteSimplify(cond)
	defer r.Assume(cond)()
	o := &overcompute{r: r, place: place, conds: append(r.conds[:len(r.conds):len(r.conds)], cond), deadHere: map[*tir.Buffer]bool{}, gone: map[*tir.BufferStore]bool{}, asked: map[*tir.BufferStore]bool{}}
	left := &noOpRemover{Mutator: arith.NewMutator(r.b), ranges: map[*tir.Var]arith.IntSet{}, flow: r.flow, trial: o}
	left.An = r.An
	left.Stmt = func(s tir.Stmt) tir.Stmt { return left.visit(s) }
	if !ir.StructuralEqual(left.visit(general), other, ir.EqualOpts{}) {
		return false
	}
	if o.why == "" {
		o.settle(general)
	}
	if o.why != "" {
		r.ctx.Declined("drop a branch", s, o.why)
		return false
	}
	return true
}
