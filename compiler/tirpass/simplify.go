package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/bufferflow"
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
		return simplifyWith(c, c.Budget(), f, simplifyConfig(c)), nil
	}),
}

// simplifyConfig returns what the option tir.Simplify says.
func simplifyConfig(c *pass.Context) simplifyOptions {
	cfg := c.ConfigFields("tir.Simplify")
	return simplifyOptions{
		ext:         simplifyExtensions(cfg),
		conditions:  cfg.Bool("propagate_knowns_to_prove_conditional", false),
		expressions: cfg.Bool("propagate_knowns_to_simplify_expressions", false),
	}
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

// simplifyOptions is how much Simplify does: what the analyzer may spend time on, and whether what buffers
// hold is followed to decide conditions, or in all expressions.
type simplifyOptions struct {
	ext                     arith.Extension
	conditions, expressions bool
}

// simplifyFunc simplifies the body of f under a budget, which may be nil.
func simplifyFunc(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, ext arith.Extension) *tir.PrimFunc {
	return simplifyWith(c, b, f, simplifyOptions{ext: ext})
}

func simplifyWith(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, how simplifyOptions) *tir.PrimFunc {
	s := &stmtSimplifier{how: how}
	s.look(f.Body)
	s.Mutator, s.ctx = newMutator(c, b), c
	defer s.An.UseSpare()()
	if how.conditions || how.expressions {
		s.flow = bufferflow.New(f, b, 0)
		s.flow.Follow(nil)
		declineFlow(c, s.flow, f)
	}
	var rules []string
	if c.Observed() {
		s.An.Trace = func(r arith.Rewrote) { rules = append(rules, r.Rule) }
	}
	s.Expr = func(e tir.Expr) tir.Expr {
		rules = rules[:0]
		if out := s.simplify(e, how.expressions); out == e || !arith.Equal(out, e) {
			if c.Observed() && out != e {
				name := simplification(e, out)
				c.Rewrite(name, e, out)
				if len(rules) > 0 {
					c.Took(name, e, byRules(rules))
				}
			}
			return out
		}
		return e // rewritten to and fro
	}
	s.Stmt = s.visit
	s.An.Extensions, s.An.Remember = how.ext, true
	s.An.MarkShapes(f)
	return f.WithBody(s.visit(f.Body))
}

// declineFlow reports why what buffers hold was not followed.
func declineFlow(c *pass.Context, a *bufferflow.Analysis, f *tir.PrimFunc) {
	if a.Refused != "" {
		c.Declined("use what buffers hold", f, a.Refused)
	}
}

// simplify simplifies e, an expression of the statement that is visited, by what buffers hold if flow is
// set.
func (s *stmtSimplifier) simplify(e tir.Expr, flow bool) tir.Expr {
	if _, again := s.current.(*tir.While); !flow || again { // the condition of a loop is computed after each iteration too
		return s.An.Simplify(e)
	}
	out := s.flow.SimplifyInContext(e, s.current, s.An)
	if s.inBlock && !usesNoOthers(out, e) { // what a block may use of what is around it is in its own variables
		return s.An.Simplify(e)
	}
	return out
}

// usesNoOthers reports whether a uses no variables but those of b.
func usesNoOthers(a, b tir.Expr) bool {
	own := map[*tir.Var]bool{}
	arith.UsesVar(b, func(v *tir.Var) bool { own[v] = true; return false })
	return !arith.UsesVar(a, func(v *tir.Var) bool { return !own[v] })
}

type stmtSimplifier struct {
	*arith.Mutator
	ctx       *pass.Context
	how       simplifyOptions
	flow      *bufferflow.Analysis  // nil unless what buffers hold is to be used
	current   tir.Stmt              // the statement that is visited
	inBlock   bool                  // in a block with iteration variables
	kept      map[*tir.Var]tir.Expr // pure lets that are not inlined
	inBuffers map[*tir.Var]bool     // variables in shapes, strides and offsets of buffers
	uses      map[*tir.Var]int      // of variables that lets define
}

// look counts the uses of variables that lets in x define, and finds those that definitions of the buffers accessed in x use.
func (s *stmtSimplifier) look(x tir.Stmt) {
	s.uses, s.inBuffers = map[*tir.Var]int{}, map[*tir.Var]bool{}
	var seen ir.Memo[*tir.Buffer, bool]
	use := func(v *tir.Var) bool { s.inBuffers[v] = true; return false }
	uses := func(e tir.Expr) { arith.UsesVar(e, use) }
	buffer := func(b *tir.Buffer) {
		if known, _ := seen.Get(b); known {
			return
		}
		seen.Put(b, true)
		b.EachExpr(uses)
	}
	ir.Walk(x, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.LetStmt:
			s.uses[n.Var]-- // the definition is a child, too
		case *tir.Var:
			if len(s.uses) > 0 { // a let comes before the uses of its variable
				if uses, ok := s.uses[n]; ok {
					s.uses[n] = uses + 1
				}
			}
		case *tir.BufferLoad:
			buffer(n.Buffer)
		case *tir.BufferStore:
			buffer(n.Buffer)
		case *tir.DeclBuffer:
			buffer(n.Buffer)
		}
		return true
	})
}

func (s *stmtSimplifier) visit(x tir.Stmt) tir.Stmt {
	outer := s.current
	s.current = x
	defer func() { s.current = outer }()
	switch x := x.(type) {
	case *tir.For:
		return s.loop(x)
	case *tir.LetStmt:
		return s.let(x)
	case *tir.IfThenElse:
		return s.ifThenElse(x)
	case *tir.BlockRealize:
		was := s.inBlock
		s.inBlock = was || len(x.Block.IterVars) > 0
		defer func() { s.inBlock = was }()
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
	if len(s.kept) > 0 || s.how.conditions {
		if v, ok := tir.AsInt(s.simplify(tir.SubstExpr(x.Cond, s.kept), s.how.conditions)); ok {
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
