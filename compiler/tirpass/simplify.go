package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// Simplify simplifies all expressions and drops branches that cannot run.
var Simplify = &pass.Pass{
	Name: "tir.Simplify", Kind: pass.PrimFunc,
	Doc:    "Simplifies all expressions by what is known of loop variables, lets and conditions. Drops branches whose condition is constant, inlines lets of integers, and removes stores of a value to where it came from.",
	Config: []string{"tir.Simplify"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return simplifyFunc(c, c.Budget(), f, simplifyExtensions(c.ConfigFields("tir.Simplify"))), nil
	}),
}

// simplifyExtensions turns the fields of the option into what the analyzer may do.
func simplifyExtensions(cfg *ir.Attrs) arith.Extension {
	var ext arith.Extension
	for field, e := range map[string]arith.Extension{
		"transitively_prove_inequalities":       arith.TransitivelyProveInequalities,
		"convert_boolean_to_and_of_ors":         arith.ConvertBooleanToAndOfOrs,
		"apply_constraints_to_boolean_branches": arith.ApplyConstraintsToBooleanBranches,
	} {
		if cfg.Bool(field, false) {
			ext |= e
		}
	}
	return ext
}

// simplifyFunc simplifies the body of f under a budget, which may be nil.
func simplifyFunc(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, ext arith.Extension) *tir.PrimFunc {
	s := &stmtSimplifier{inBuffers: bufferVars(f.Body), uses: letUses(f.Body)}
	s.Mutator, s.ctx = newMutator(c, b), c
	s.Expr = func(e tir.Expr) tir.Expr {
		if out := s.An.Simplify(e); out == e || !arith.Equal(out, e) {
			if c.Observed() && out != e {
				c.Rewrite(simplification(e, out), e, out)
			}
			return out
		}
		return e // rewritten to and fro
	}
	s.Stmt = s.visit
	s.An.Extensions = ext
	s.An.MarkShapes(f)
	return f.WithBody(s.visit(f.Body))
}

type stmtSimplifier struct {
	*arith.Mutator
	ctx       *pass.Context
	kept      map[*tir.Var]tir.Expr // pure lets that are not inlined
	inBuffers map[*tir.Var]bool     // variables in shapes, strides and offsets of buffers
	uses      map[*tir.Var]int      // of variables that lets define
}

// letUses counts the uses of variables that lets define.
func letUses(s tir.Stmt) map[*tir.Var]int {
	uses := map[*tir.Var]int{}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.LetStmt:
			uses[n.Var]-- // the definition is a child, too
		case *tir.Var:
			uses[n]++
		}
		return true
	})
	return uses
}

// bufferVars returns the variables that definitions of the buffers accessed in s use.
func bufferVars(s tir.Stmt) map[*tir.Var]bool {
	out, seen := map[*tir.Var]bool{}, map[*tir.Buffer]bool{}
	add := func(b *tir.Buffer) {
		if seen[b] {
			return
		}
		seen[b] = true
		b.EachExpr(func(e tir.Expr) {
			arith.UsesVar(e, func(v *tir.Var) bool { out[v] = true; return false })
		})
	}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			add(n.Buffer)
		case *tir.BufferStore:
			add(n.Buffer)
		case *tir.DeclBuffer:
			add(n.Buffer)
		}
		return true
	})
	return out
}

func (s *stmtSimplifier) visit(x tir.Stmt) tir.Stmt {
	switch x := x.(type) {
	case *tir.For:
		return s.loop(x)
	case *tir.LetStmt:
		return s.let(x)
	case *tir.IfThenElse:
		return s.ifThenElse(x)
	case *tir.BufferStore:
		out := s.VisitStmt(x)
		if store, ok := out.(*tir.BufferStore); ok && storesItself(store) {
			s.ctx.Rewrite("remove a store of what is there", x, nil)
			return tir.NoOp()
		}
		return out
	}
	return s.VisitStmt(x)
}

// loop adds the bounds of the variable as conditions where they are symbolic: the range
// alone gives constant bounds.
func (s *stmtSimplifier) loop(x *tir.For) tir.Stmt {
	if _, ok := tir.AsInt(x.Extent); ok {
		return s.VisitStmt(x)
	}
	s.BindLoop(x)
	defer s.Assume(tir.GE(x.LoopVar, x.Min))()
	defer s.Assume(tir.LT(x.LoopVar, tir.Add(x.Min, x.Extent)))()
	return s.VisitStmt(x)
}

// A let is inlined where what this adds to the function is bounded: its value is small, or not so
// large for the number of its uses. Without a bound, lets that each use the one before twice
// would double the function with every let.
const (
	smallLet  = 16
	maxGrowth = 1 << 10
)

// ruleInline is the name of the rule.
const ruleInline = "inline a let"

// let inlines constants, variables and pure integers; the let goes unless a buffer is
// defined by it.
func (s *stmtSimplifier) let(x *tir.LetStmt) tir.Stmt {
	value := s.Expr(x.Value)
	pure := arith.SideEffect(x.Value) <= tir.Pure
	inline := inlinable(value) || pure && x.Value.DType().IsInt()
	switch {
	case !inline:
	case arith.LargerThan(value, max(smallLet, maxGrowth/max(s.uses[x.Var], 1))):
		s.An.BindBounds(x.Var, value)
		s.ctx.Declined(ruleInline, x, "the value is large for the number of its uses")
		inline = false
	default:
		inline = s.An.Bind(x.Var, value)
	}
	if !inline && pure {
		if s.kept == nil {
			s.kept = map[*tir.Var]tir.Expr{}
		}
		s.kept[x.Var] = value
	}
	body := s.visit(x.Body)
	if inline && !s.inBuffers[x.Var] {
		s.ctx.Rewrite(ruleInline, x, body)
		return body
	}
	if inline {
		s.ctx.Declined(ruleInline, x, "the shape of a buffer uses the variable")
	}
	return x.WithValue(value).WithBody(body)
}

func inlinable(e tir.Expr) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.Var:
		return true
	}
	return false
}

func (s *stmtSimplifier) ifThenElse(x *tir.IfThenElse) tir.Stmt {
	if len(s.kept) > 0 {
		if v, ok := tir.AsInt(s.An.Simplify(tir.SubstExpr(x.Cond, s.kept))); ok {
			return s.Branch(x, tir.Bool(v != 0))
		}
	}
	return s.Branch(x, s.Expr(x.Cond))
}

// storesItself reports whether x writes a value back to where it was loaded from.
func storesItself(x *tir.BufferStore) bool {
	load, ok := x.Value.(*tir.BufferLoad)
	if !ok || load.Buffer != x.Buffer || len(load.Indices) != len(x.Indices) || x.Predicate != load.Predicate {
		return false
	}
	for i := range x.Indices {
		if !arith.Equal(x.Indices[i], load.Indices[i]) {
			return false
		}
	}
	return true
}
