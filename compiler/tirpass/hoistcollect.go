package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// maxHoistedBranches bounds the conditions in front of loops that stand in each other: each may double the code.
const maxHoistedBranches = 8

// hoistedLoop is a loop, or an attribute on a variable, and what is to be put in front of it.
type hoistedLoop struct {
	def        tir.Stmt
	attribute  bool
	sequential bool // more than one statement stands in it
	lets       []*hoistedLet
	conditions []*hoistedCondition
}

type hoistedLet struct {
	base   ir.Base
	v      *tir.Var
	value  tir.Expr
	from   int64
	depth  int                   // how many loops are around the let
	target *hoistedLoop          // the loop to put it in front of, nil if it cannot leave the innermost
	uses   map[*tir.Var]struct{} // the lets that its value uses, and those that they use
	taken  bool
}

type hoistedCondition struct {
	base     ir.Base
	cond     tir.Expr
	from     int64
	at       int  // how many loops are around the one that it is put in front of
	both     bool // whether something runs also where it does not hold
	block    bool // whether it uses the variable of an attribute
	requires map[*tir.Var]struct{}
}

// hoistCollector finds what can be moved in front of which loop. Each variable has a level, the number of the innermost loop around
// that its value depends on: loops have those of their own, pure lets the highest in their values, all others, such as the iteration
// variables of blocks, that of the innermost loop around their definition. What an expression can be put in front of are thus the loops
// from the innermost out to the first on its level, or to the first in which other statements stand beside it.
type hoistCollector struct {
	c        *pass.Context
	b        *budget.Budget
	cfg      hoistConfig
	loops    []*hoistedLoop
	level    map[*tir.Var]int // from 1; what is not in it depends on no loop
	block    map[*tir.Var]bool
	lets     map[*tir.Var]*hoistedLet
	effects  int // loops around the innermost statement that does more than what is in it, where it is not alone in deciding
	branches int // conditions in front of the loops around
	found    map[tir.Stmt]*hoistedLoop
	letExprs bool // whether lets of expressions are moved
}

func (h *hoistCollector) visit(n ir.Node) {
	h.b.Spend(1)
	switch n := n.(type) {
	case *tir.For:
		done := h.define(n.LoopVar, len(h.loops)+1)
		h.enter(n, &hoistedLoop{def: n}, h.anyEffect(n.Min, n.Extent, n.Step))
		done()
		return
	case *tir.AttrStmt:
		if v := attrVar(n); v != nil {
			done := h.define(v, len(h.loops)+1)
			was := h.block[v]
			h.block[v] = true
			h.enter(n, &hoistedLoop{def: n, attribute: true}, h.anyEffect(n.Value))
			h.block[v] = was
			done()
			return
		}
	case *tir.SeqStmt:
		if len(h.loops) > 0 {
			h.loops[len(h.loops)-1].sequential = true
		}
	case *tir.LetStmt:
		done := h.let(n.Base, n.Var, n.Value, hoistLetStmt)
		h.within(h.anyEffect(n.Value), n)
		done()
		return
	case *tir.Let:
		done := h.let(n.Base, n.Var, n.Value, hoistLetExpr)
		n.EachChild(h.visit)
		done()
		return
	case *tir.IfThenElse:
		h.condition(n, n.Cond, hoistIfStmt, n.Else != nil || h.anyEffect(n.Cond))
		h.within(n.Else != nil || h.anyEffect(n.Cond), n)
		return
	case *tir.Call:
		if n.Op == tir.OpIfThenElse {
			h.condition(n, n.Args[0], hoistIfExpr, true)
		}
	case *tir.Binary:
		if n.Op == tir.OpAnd || n.Op == tir.OpOr {
			h.condition(n, n.A, hoistBoolean, true)
			h.condition(n, n.B, hoistBoolean, true)
		}
	case *tir.While, *tir.AssertStmt, *tir.Allocate, *tir.AllocateConst, *tir.BufferRealize, *tir.DeclBuffer, *tir.Block:
		h.scope(n)
		return
	}
	n.EachChild(h.visit)
}

// scope visits a statement that may define variables, or do more than what is in it.
func (h *hoistCollector) scope(n ir.Node) {
	var undo []func()
	own := false
	define := func(v *tir.Var) { undo = append(undo, h.define(v, len(h.loops))) }
	switch n := n.(type) {
	case *tir.While, *tir.AssertStmt:
		own = true
	case *tir.Allocate:
		own = h.anyEffect(append([]tir.Expr{n.Condition}, n.Extents...)...)
		define(n.Var)
	case *tir.AllocateConst:
		define(n.Var)
	case *tir.BufferRealize:
		define(n.Buffer.Data)
	case *tir.Block:
		own = n.Init != nil
		for _, iv := range n.IterVars {
			define(iv.Var)
		}
		for _, b := range n.AllocBuffers {
			define(b.Data)
		}
		for _, m := range n.MatchBuffers {
			m.Buffer.EachExpr(func(e tir.Expr) {
				if v, ok := e.(*tir.Var); ok {
					if _, known := h.level[v]; !known {
						define(v)
					}
				}
			})
		}
	}
	h.within(own, n)
	endScopes(undo)
}

// enter visits the children of a loop.
func (h *hoistCollector) enter(n ir.Node, loop *hoistedLoop, effect bool) {
	h.found[loop.def] = loop
	h.loops = append(h.loops, loop)
	before := h.branches
	h.within(effect, n)
	h.branches = before
	h.loops = h.loops[:len(h.loops)-1]
}

// within visits the children of a statement which, if effect is set, does more than they do.
func (h *hoistCollector) within(effect bool, n ir.Node) {
	before := h.effects
	if effect {
		h.effects = len(h.loops)
	}
	n.EachChild(h.visit)
	h.effects = before
}

func (h *hoistCollector) anyEffect(list ...tir.Expr) bool {
	for _, e := range list {
		if e != nil && arith.SideEffect(e) > tir.ReadState {
			return true
		}
	}
	return false
}

// attrVar returns the variable that an attribute is on, nil if it is on none.
func attrVar(n *tir.AttrStmt) *tir.Var {
	switch x := n.Node.(type) {
	case *tir.IterVar:
		return x.Var
	case *tir.Var:
		return x
	}
	return nil
}

// define notes the level of a variable until the function that it returns is called.
func (h *hoistCollector) define(v *tir.Var, level int) func() {
	before, had := h.level[v]
	h.level[v] = level
	return func() {
		if delete(h.level, v); had {
			h.level[v] = before
		}
	}
}

// let notes a let, and the loop that it can be put in front of.
func (h *hoistCollector) let(base ir.Base, v *tir.Var, value tir.Expr, from int64) func() {
	x := &hoistedLet{base: base, v: v, value: value, from: from, depth: len(h.loops), uses: h.letsIn(value)}
	level := len(h.loops)
	if movable(value) {
		level = h.levelOf(value)
		if at, ok := h.target(level); ok {
			x.target = h.loops[at]
			x.target.lets = append(x.target.lets, x)
		}
	} else if len(h.loops) > 0 && h.c.Observed() {
		h.c.Declined("hoist a let", value, "the value reads memory, has an effect, or may fail")
	}
	h.lets[v] = x
	return h.define(v, level)
}

// letsIn returns the lets that e uses, and those that they use.
func (h *hoistCollector) letsIn(e tir.Expr) map[*tir.Var]struct{} {
	var out map[*tir.Var]struct{}
	arith.UsesVar(e, func(v *tir.Var) bool {
		x := h.lets[v]
		if x == nil {
			return false
		}
		if out == nil {
			out = map[*tir.Var]struct{}{}
		}
		out[v] = struct{}{}
		h.b.Spend(int64(len(x.uses)))
		for u := range x.uses {
			out[u] = struct{}{}
		}
		return false
	})
	return out
}

// levelOf returns the highest level of a variable in e.
func (h *hoistCollector) levelOf(e tir.Expr) int {
	level := 0
	arith.UsesVar(e, func(v *tir.Var) bool { level = max(level, h.level[v]); return false })
	return level
}

// target returns the number of the outermost loop that what is on a level can be put in front of.
func (h *hoistCollector) target(level int) (int, bool) {
	at := len(h.loops)
	for at > level && !h.loops[at-1].sequential && (h.cfg.conditions&hoistBlockVar != 0 || !h.loops[at-1].attribute) {
		at--
	}
	return at, at < len(h.loops)
}

// condition notes a condition where it can be put in front of a loop. Of several that are the same the first is enough.
func (h *hoistCollector) condition(place ir.Node, cond tir.Expr, from int64, both bool) {
	if h.cfg.conditions&from == 0 || len(h.loops) == 0 {
		return
	}
	if _, known := tir.AsInt(cond); known {
		return
	}
	if !movable(cond) {
		h.c.Declined("hoist a condition", cond, "it reads memory, has an effect, or may fail")
		return
	}
	at, ok := h.target(h.levelOf(cond))
	if !ok {
		return
	}
	x := &hoistedCondition{base: place.Meta(), cond: cond, from: from, at: at, both: both || h.effects > at, requires: h.letsIn(cond)}
	x.block = arith.UsesVar(cond, func(v *tir.Var) bool { return h.block[v] })
	if !h.enabled(x) {
		return
	}
	loop := h.loops[at]
	for _, y := range loop.conditions {
		if tir.Equal(y.cond, cond) {
			return
		}
	}
	if h.branches == maxHoistedBranches {
		h.c.Declined("hoist a condition", cond, "8 conditions are in front of its loops already, each of which may double the code")
		return
	}
	h.branches++
	loop.conditions = append(loop.conditions, x)
}

// enabled reports whether a condition is to be moved, and the lets that it needs can be.
func (h *hoistCollector) enabled(x *hoistedCondition) bool {
	if x.block && h.cfg.conditions&hoistBlockVar == 0 {
		return false
	}
	if len(x.requires) > 0 && h.cfg.lets&(hoistRequired|hoistLetStmt) == 0 {
		return false
	}
	for v := range x.requires {
		if l := h.lets[v]; l.depth > x.at && (l.target == nil || h.cfg.lets&(hoistRequired|l.from) == 0) {
			return false
		}
	}
	return true
}

// choose decides which lets are moved, and reports whether anything is.
func (h *hoistCollector) choose() bool {
	any := false
	for _, loop := range h.found {
		for _, x := range loop.conditions {
			any = true
			if h.cfg.lets&hoistRequired == 0 {
				continue
			}
			for v := range x.requires {
				h.lets[v].taken = h.lets[v].target != nil
			}
		}
	}
	for _, l := range h.lets {
		l.taken = l.taken || l.target != nil && h.cfg.lets&l.from != 0
		any = any || l.taken
		h.letExprs = h.letExprs || l.taken && l.from == hoistLetExpr
	}
	return any
}

// hoisted reports whether the let of v is moved.
func (h *hoistCollector) hoisted(v *tir.Var) bool { return h.lets[v] != nil && h.lets[v].taken }

// movable reports whether e may be computed earlier, and where it would not be computed: it reads nothing and cannot fail.
func movable(e tir.Expr) bool { return arith.SideEffect(e) <= tir.Pure && !mayFail(e) }

// mayFail reports whether e divides integers by something that is not known to differ from 0.
func mayFail(e tir.Expr) bool {
	return ir.Any(e, func(n ir.Node) bool {
		if b, ok := n.(*tir.Binary); ok && b.DType().IsInteger() {
			switch b.Op {
			case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
				v, known := tir.AsInt(b.B)
				return !known || v == 0
			}
		}
		return false
	})
}
