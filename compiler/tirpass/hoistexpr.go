package tirpass

import (
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// What conditions are hoisted from, and lets: the bits of the fields of the option tir.HoistExpression, as in TVM.
const (
	hoistIfStmt   = 1 << 0 // conditions of branches
	hoistIfExpr   = 1 << 1 // conditions of if_then_else
	hoistBoolean  = 1 << 2 // operands of and, or
	hoistBlockVar = 1 << 3 // also those that use threads and, over attributes, what is on variables

	hoistRequired = 1 << 0 // lets that a hoisted condition uses
	hoistLetStmt  = 1 << 1
	hoistLetExpr  = 1 << 2
)

// hoistConfig says what is hoisted.
type hoistConfig struct{ conditions, lets int64 }

// hoistReads are the options of Simplify and RemoveNoOp, which clean up behind the passes that hoist.
var hoistReads = []string{"tir.Simplify", "tir.RemoveNoOp"}

// HoistExpression moves conditions and lets out of loops.
var HoistExpression = &pass.Pass{
	Name: "tir.HoistExpression", Kind: pass.PrimFunc,
	Doc: "Moves conditions and values of lets in front of the loops that they do not depend on. A loop behind a condition is there once for either outcome, " +
		"simplified by it. Does not move what reads memory or may fail, nor what other statements of the loop stand beside.",
	Config: append([]string{"tir.HoistExpression"}, hoistReads...),
	Run: hoisting(func(c *pass.Context, _ *tir.PrimFunc) hoistConfig {
		cfg := c.ConfigFields("tir.HoistExpression")
		return hoistConfig{cfg.Int("hoisted_conditionals", 0), cfg.Int("hoisted_let_bindings", 0)}
	}),
}

// HoistIfThenElse moves branches out of loops.
var HoistIfThenElse = &pass.Pass{
	Name: "tir.HoistIfThenElse", Kind: pass.PrimFunc,
	Doc: "Moves branches in front of the loops that their conditions do not depend on. In a function with the attribute tir.HoistIfThenElseExprWithBlock = 1, " +
		"it moves the conditions of if_then_else instead, also those that use threads.",
	Options: []pass.Option{{Name: "variant", Default: "", Choices: []ir.Value{"", "basic"}, Doc: "basic: no condition that uses a thread is moved, whatever the option tir.HoistIfThenElse and the attribute of the function say"}},
	Config:  append([]string{"tir.HoistIfThenElse"}, hoistReads...),
	Run: hoisting(func(c *pass.Context, f *tir.PrimFunc) hoistConfig {
		switch {
		case c.Arg("variant") == "basic":
		case f.Attrs.Int("tir.HoistIfThenElseExprWithBlock", 0) == 1:
			return hoistConfig{conditions: hoistBlockVar | hoistIfExpr}
		case c.ConfigFields("tir.HoistIfThenElse").Bool("support_block_scope_hoisting", false):
			return hoistConfig{conditions: hoistBlockVar | hoistIfStmt}
		}
		return hoistConfig{conditions: hoistIfStmt}
	}),
}

// HoistIfThenElseBasic is HoistIfThenElse of the variant basic.
var HoistIfThenElseBasic = &pass.Pass{
	Name: "tir.HoistIfThenElseBasic", Kind: pass.PrimFunc,
	Doc:    "Moves branches in front of the loops that their conditions do not depend on. Conditions that use threads stay.",
	Config: hoistReads,
	Run:    hoisting(func(*pass.Context, *tir.PrimFunc) hoistConfig { return hoistConfig{conditions: hoistIfStmt} }),
}

// hoisting returns the run of a pass that hoists what config says, and cleans up behind it.
func hoisting(config func(*pass.Context, *tir.PrimFunc) hoistConfig) pass.RunFunc {
	return pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		f = hoist(c, c.Budget(), f, config(c, f))
		f = simplifyWith(c, c.Budget(), f, simplifyConfig(c))
		cfg := c.ConfigFields("tir.RemoveNoOp")
		return removeNoOp(c, c.Budget(), f, int(cfg.Int("max_simplification_steps", 0)), cfg.Bool("use_dataflow_analysis", false)), nil
	})
}

// hoist moves conditions and lets in front of loops.
func hoist(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, cfg hoistConfig) *tir.PrimFunc {
	f = newSSA(c, b).function(f)
	h := &hoistCollector{c: c, b: b, cfg: cfg, level: map[*tir.Var]int{}, block: map[*tir.Var]bool{}, lets: map[*tir.Var]*hoistedLet{}, found: map[tir.Stmt]*hoistedLoop{}}
	h.visit(f.Body)
	if !h.choose() {
		return f
	}
	m := &hoistRewriter{c: c, b: b, h: h}
	m.m.Stmt = m.stmt
	if h.letExprs {
		m.m.Expr = m.expr
	}
	return newSSA(c, b).function(f.WithBody(m.stmt(f.Body)))
}

// hoistRewriter puts what was found in front of its loops.
type hoistRewriter struct {
	c *pass.Context
	b *budget.Budget
	h *hoistCollector
	m tir.Mapper
}

func (m *hoistRewriter) expr(e tir.Expr) tir.Expr {
	m.b.Spend(1)
	if l, ok := e.(*tir.Let); ok && m.h.hoisted(l.Var) {
		return m.expr(l.Body)
	}
	return m.m.MapExpr(e)
}

func (m *hoistRewriter) stmt(s tir.Stmt) tir.Stmt {
	m.b.Spend(1)
	if l, ok := s.(*tir.LetStmt); ok && m.h.hoisted(l.Var) {
		return m.stmt(l.Body)
	}
	out := m.m.MapStmt(s)
	loop := m.h.found[s]
	if loop == nil {
		return out
	}
	for i := len(loop.conditions) - 1; i >= 0; i-- {
		x := loop.conditions[i]
		branch := &tir.IfThenElse{Base: x.base, Cond: x.cond, Then: out}
		if x.both {
			branch.Else = out
		}
		m.c.Rewrite("hoist a condition", s, branch)
		out = branch
	}
	for i := len(loop.lets) - 1; i >= 0; i-- {
		if x := loop.lets[i]; x.taken {
			let := &tir.LetStmt{Base: x.base, Var: x.v, Value: x.value, Body: out}
			m.c.Rewrite("hoist a let", s, let)
			out = let
		}
	}
	return out
}
