package tirpass

import (
	"fmt"
	"maps"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// UnrollLoop replaces marked and small loops by copies of their bodies.
var UnrollLoop = &pass.Pass{
	Name: "tir.UnrollLoop", Kind: pass.PrimFunc,
	Doc:     "Unrolls loops marked for it, and loops of few steps or over local buffers if tir.UnrollLoop asks for that. A constant index into a small local buffer then names a register.",
	Config:  []string{"tir.UnrollLoop"},
	Options: []pass.Option{{Name: "mark_only", Default: false, Doc: "mark loops in place of copying their bodies, as with tir.UnrollLoop.explicit_unroll=false: whoever generates code makes the copies. Where a condition, a minimum or a maximum depends on the variable of a loop, they are made here, since passes decide it in some of them"}},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		cfg := c.ConfigFields("tir.UnrollLoop")
		u := &unroller{
			c:        c,
			autoStep: cfg.Int("auto_max_step", 0), autoDepth: cfg.Int("auto_max_depth", 8),
			autoExtent: cfg.Int("auto_max_extent", 0), explicit: cfg.Bool("explicit_unroll", true),
		}
		if c.Arg("mark_only").(bool) {
			u.decides = conditional(f.Body)
		}
		if cfg.Bool("unroll_local_access", false) {
			u.local = localIndices(f.Body)
		}
		return f.WithBody(u.visit(f.Body).s), nil
	}),
}

type unroller struct {
	c                               *pass.Context
	autoStep, autoDepth, autoExtent int64
	explicit                        bool              // write the copies, in place of a mark on the loop
	local                           map[*tir.Var]bool // variables of which loops are unrolled whatever their steps
	decides                         map[*tir.Var]bool // variables of which loops are copied; nil is all
	m                               *tir.Mapper       // visits the parts of a statement
	parts                           unrolled          // what those visited so far cost
}

// localIndices returns the variables in the indices of buffers that threads have for themselves.
// Where these are constants, an element can live in a register.
func localIndices(body tir.Stmt) map[*tir.Var]bool {
	found := map[*tir.Var]bool{}
	access := func(b *tir.Buffer, indices []tir.Expr) {
		if scope := b.Scope(); !strings.HasPrefix(scope, "local") && !strings.HasPrefix(scope, "warp") {
			return
		}
		for _, e := range indices {
			addVars(found, e)
		}
	}
	ir.Walk(body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			access(n.Buffer, n.Indices)
		case *tir.BufferStore:
			access(n.Buffer, n.Indices)
		}
		return true
	})
	return found
}

// addVars adds the variables in e.
func addVars(found map[*tir.Var]bool, e tir.Expr) {
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			found[v] = true
		}
		return true
	})
}

// conditional returns the variables that conditions depend on, and bounds of integers: what is known of the variables may decide them.
func conditional(body tir.Stmt) map[*tir.Var]bool {
	found := map[*tir.Var]bool{}
	var visit func(n ir.Node) bool
	choice := func(cond tir.Expr, values ...tir.Expr) bool {
		addVars(found, cond)
		for _, v := range values {
			ir.Walk(v, visit)
		}
		return false
	}
	visit = func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.IfThenElse:
			addVars(found, n.Cond)
		case *tir.Select:
			return choice(n.Cond, n.True, n.False)
		case *tir.Binary:
			if (n.Op == tir.OpMin || n.Op == tir.OpMax) && n.DType().IsInteger() {
				return choice(n)
			}
		case *tir.Call:
			if c, ok := tir.IsCallTo(n, tir.OpIfThenElse); ok {
				return choice(c.Args[0], c.Args[1:]...)
			}
		}
		return true
	}
	ir.Walk(body, visit)
	return found
}

// unrolled is a statement with its cost: steps that it runs when fully unrolled, the statements that it
// consists of, nesting of unrolled and of remaining loops.
type unrolled struct {
	s            tir.Stmt
	steps, size  int64
	depth, loops int64
}

// maxUnrolled bounds the copies that one marked loop may make: beyond it stays a loop.
const maxUnrolled = 4096

func (u *unroller) visit(s tir.Stmt) unrolled {
	switch s := s.(type) {
	case *tir.For:
		return u.loop(s)
	case *tir.AttrStmt:
		if s.Key == "pragma_auto_unroll_max_step" || s.Key == "pragma_unroll_explicit" {
			inner := *u
			inner.m = nil
			if n, ok := tir.AsInt(s.Value); ok {
				if s.Key == "pragma_unroll_explicit" {
					inner.explicit = n != 0
				} else {
					inner.autoStep = n
				}
			}
			out := inner.visit(s.Body)
			u.c.Rewrite("take over a pragma", s, out.s)
			return out
		}
	}
	switch s.(type) {
	case *tir.BufferStore, *tir.Evaluate:
		if tir.IsNoOp(s) { // these go with the next change around them
			return unrolled{s: s}
		}
		return unrolled{s: s, steps: 1, size: 1}
	}
	if u.m == nil {
		u.m = &tir.Mapper{Stmt: u.part}
	}
	around := u.parts
	u.parts = unrolled{}
	mapped := u.m.MapStmt(s)
	out := u.parts
	out.s, u.parts = mapped, around
	return out
}

// part visits a statement in another one.
func (u *unroller) part(s tir.Stmt) tir.Stmt {
	r := u.visit(s)
	p := &u.parts
	p.steps += r.steps
	p.size += r.size
	p.depth, p.loops = max(p.depth, r.depth), max(p.loops, r.loops)
	return r.s
}

func (u *unroller) loop(s *tir.For) unrolled {
	body := u.visit(s.Body)
	n, constant := tir.AsInt(s.Extent)
	constant = constant && (s.Step == nil || tir.IsConst(s.Step, 1)) // others are for CanonicalizeLoop
	cost := unrolled{steps: body.steps, size: body.size, depth: body.depth, loops: body.loops + 1}
	auto := constant && s.Kind == tir.Serial && s.Annotations.Len() == 0 && n >= 0 && body.loops == 0 && body.depth <= u.autoDepth &&
		(n*max(body.steps, 1) <= u.autoStep || n <= u.autoExtent)
	fits := constant && n >= 0 && n <= maxUnrolled && n*max(body.size, 1) <= maxUnrolled
	wanted := auto || fits && (s.Kind == tir.Unrolled || u.local[s.LoopVar] && s.Thread == nil && n > 0)
	single := constant && n >= 0 && n <= 1 && u.autoExtent == 1 && s.Thread == nil // whatever is in it
	explicit := u.explicit && (u.decides == nil || u.decides[s.LoopVar])
	if !single && !(wanted && explicit) {
		kind := s.Kind
		switch {
		case wanted:
			kind = tir.Unrolled // for who generates code
			cost.depth, cost.loops = body.depth+1, body.loops
		case kind == tir.Unrolled:
			kind = tir.Serial // too large
		}
		cost.s = s
		if body.s != s.Body || kind != s.Kind {
			c := s.WithBody(body.s).WithKind(kind)
			cost.s = c
			u.marked(s, c, kind)
		}
		if u.c.Observed() && !(wanted && kind != s.Kind) {
			u.c.Declined(ruleUnroll, s, u.whyNot(s, n, constant, fits, body))
		}
		if constant {
			cost.steps *= n
		}
		return cost
	}
	copies := make([]tir.Stmt, 0, n)
	c := tir.NewCopier() // one for all copies, most of which define nothing
	for i := range n {
		c.Reset()
		c.Vars[s.LoopVar] = tir.Add(s.Min, tir.Const(s.LoopVar.DType(), i))
		copies = append(copies, c.Stmt(body.s))
	}
	out := tir.Seq(copies...)
	u.c.Rewrite(ruleUnroll, s, out)
	return unrolled{s: out, steps: body.steps * n, size: body.size * n, depth: body.depth + 1, loops: body.loops}
}

// ruleUnroll is the name of the rule.
const ruleUnroll = "unroll a loop"

// marked reports that the kind of loop s changed in out.
func (u *unroller) marked(s, out *tir.For, kind tir.ForKind) {
	switch {
	case kind == s.Kind:
	case kind == tir.Unrolled:
		u.c.Rewrite("mark a loop for unrolling", s, out)
	default:
		u.c.Rewrite("run a marked loop serially", s, out)
	}
}

// whyNot says why a loop of n iterations stays one.
func (u *unroller) whyNot(s *tir.For, n int64, constant, fits bool, body unrolled) string {
	switch {
	case constant && fits && s.Kind == tir.Unrolled:
		return "it stays marked: whoever generates code copies its body, as mark_only or explicit_unroll says"
	case !constant:
		return "its extent is not a constant, or its step is not 1"
	case !fits:
		return fmt.Sprintf("%d copies of %d statements are more than %d", n, max(body.size, 1), maxUnrolled)
	case s.Kind != tir.Serial:
		return "it is " + s.Kind.String()
	case s.Annotations.Len() > 0:
		return "it has annotations"
	case body.loops > 0:
		return "there are loops in it"
	}
	return fmt.Sprintf("it is not marked, and its extent %d and its %d statements in all are above auto_max_extent %d and auto_max_step %d", n, n*max(body.steps, 1), u.autoExtent, u.autoStep)
}

// freshCopy substitutes in s and gives the copy variables and buffers of its own for those
// that s defines, so that every definition in the function stays unique.
func freshCopy(s tir.Stmt, sub map[*tir.Var]tir.Expr) tir.Stmt {
	c := tir.NewCopier()
	maps.Copy(c.Vars, sub)
	return c.Stmt(s)
}
