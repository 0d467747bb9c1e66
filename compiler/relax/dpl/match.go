package dpl

import (
	"strings"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Matches is what patterns matched: the expression as it stands there, mostly a variable.
type Matches map[Pattern]relax.Expr

// Has tells whether p took part in the match: one side of an Or does not.
func (m Matches) Has(p Pattern) bool { return m[p] != nil }

// Bindings are the values that variables are looked through to.
type Bindings map[*relax.Var]relax.Expr

// Value returns what e stands for: the value of a variable that is bound here, and so on. Variables that stand for each other in a circle stand for one of them.
func (b Bindings) Value(e relax.Expr) relax.Expr {
	for range b { // no way is longer than there are bindings
		v, ok := e.(*relax.Var)
		if !ok || b[v] == nil {
			return e
		}
		e = b[v]
	}
	return e
}

// Match compares e with p. Context compares symbolic extents; nil compares structurally. Each comparison of a part is a step of work; beyond its limits, or those
// of a single Match, Match panics with a *budget.Stop: the ways to try can be exponentially many.
func Match(p Pattern, e relax.Expr, bindings Bindings, ctx *relax.InferContext, work *budget.Budget) (Matches, bool) {
	m := &matcher{bindings: bindings, ctx: ctx, work: work, memo: map[Pattern]matched{}}
	if !m.match(p, e) {
		return nil, false
	}
	out := make(Matches, len(m.memo))
	for p, x := range m.memo {
		out[p] = x.raw
	}
	return out, true
}

// matcher compares by backtracking: memo holds what patterns matched so far, trail in which order, so that a failed attempt is undone.
type matcher struct {
	bindings Bindings
	ctx      *relax.InferContext
	work     *budget.Budget
	memo     map[Pattern]matched
	trail    []Pattern
	steps    int
	depth    int
}

type matched struct{ raw, value relax.Expr }

func (m *matcher) match(p Pattern, raw relax.Expr) bool {
	e := m.bindings.Value(raw)
	if old, ok := m.memo[p]; ok {
		return old.value == e
	}
	m.spend()
	mark := len(m.trail)
	m.depth++
	found := p.matches(m, raw, e)
	m.depth--
	if !found {
		m.undo(mark)
		return false
	}
	m.memo[p] = matched{raw, e}
	m.trail = append(m.trail, p)
	return true
}

func (m *matcher) undo(mark int) {
	for _, p := range m.trail[mark:] {
		delete(m.memo, p)
	}
	m.trail = m.trail[:mark]
}

// matchAll matches each of list with the pattern beside it, all or none.
func (m *matcher) matchAll(patterns []Pattern, list []relax.Expr) bool {
	mark := len(m.trail)
	for i, p := range patterns {
		if !m.match(p, list[i]) {
			m.undo(mark)
			return false
		}
	}
	return true
}

func (*wildcard) matches(*matcher, relax.Expr, relax.Expr) bool { return true }

func (p *operator) matches(_ *matcher, _, e relax.Expr) bool {
	op, ok := e.(*ir.Op)
	return ok && op.Name == p.name
}

func (p *exact) matches(_ *matcher, _, e relax.Expr) bool {
	return ir.StructuralEqual(p.e, e, ir.EqualOpts{})
}

func (p *variable) matches(_ *matcher, raw, _ relax.Expr) bool {
	v, ok := raw.(*relax.Var)
	return ok && (p.name == "" || p.name == v.Name)
}

func (p *local) matches(_ *matcher, raw, _ relax.Expr) bool {
	v, ok := raw.(*relax.Var)
	return ok && v.Dataflow && (p.name == "" || p.name == v.Name)
}

func (p *global) matches(_ *matcher, _, e relax.Expr) bool {
	gv, ok := e.(*ir.GlobalVar)
	return ok && strings.Contains(gv.Name, p.name)
}

func (p *extern) matches(_ *matcher, _, e relax.Expr) bool {
	f, ok := e.(*relax.ExternFunc)
	return ok && (p.name == "" || p.name == f.Symbol)
}

func (*constant) matches(_ *matcher, _, e relax.Expr) bool {
	_, ok := e.(*relax.Constant)
	return ok
}

// matches also tries the operands of commutative operators the other way round, and (a * b) / c in the place of a * (b / c).
func (p *call) matches(m *matcher, _, e relax.Expr) bool {
	c, ok := e.(*relax.Call)
	if !ok {
		return false
	}
	mark := len(m.trail)
	if !m.match(p.op, c.Op) {
		for _, q := range p.associated(c) {
			if m.match(q, e) {
				return true
			}
			m.undo(mark)
		}
		return false
	}
	if len(c.Args) < len(p.args) || !p.varargs && len(c.Args) != len(p.args) {
		return false
	}
	if m.matchAll(p.args, c.Args) {
		return true
	}
	op, ok := c.Op.(*ir.Op)
	if !ok || op.Name != "relax.add" && op.Name != "relax.multiply" || len(p.args) != 2 {
		return false
	}
	return m.matchAll(p.args, []relax.Expr{c.Args[1], c.Args[0]})
}

// associated returns the patterns of what is equal to p and may be what c is: a * (b / c) for (a * b) / c, and the other way round.
func (p *call) associated(c *relax.Call) []Pattern {
	const multiply, divide = "relax.multiply", "relax.divide"
	callee, ok := c.Op.(*ir.Op)
	if !ok || len(p.args) != 2 {
		return nil
	}
	var out []Pattern
	switch {
	case p.calls(divide) && callee.Name == multiply:
		if product, ok := p.args[0].(*call); ok && product.calls(multiply) && len(product.args) == 2 {
			for i := range 2 {
				out = append(out, &call{op: product.op, args: []Pattern{product.args[1-i], &call{op: p.op, args: []Pattern{product.args[i], p.args[1]}}}})
			}
		}
	case p.calls(multiply) && callee.Name == divide:
		for i := range 2 {
			if quotient, ok := p.args[i].(*call); ok && quotient.calls(divide) && len(quotient.args) == 2 {
				product := &call{op: p.op, args: []Pattern{quotient.args[0], p.args[1-i]}}
				out = append(out, &call{op: quotient.op, args: []Pattern{product, quotient.args[1]}})
			}
		}
	}
	return out
}

// calls tells whether p is a call of the named operator.
func (p *call) calls(name string) bool {
	op, ok := p.op.(*operator)
	return ok && op.name == name
}

func (p *tuple) matches(m *matcher, _, e relax.Expr) bool {
	t, ok := e.(*relax.Tuple)
	return ok && len(t.Fields) == len(p.fields) && m.matchAll(p.fields, t.Fields)
}

func (p *anyOrder) matches(m *matcher, _, e relax.Expr) bool {
	t, ok := e.(*relax.Tuple)
	if !ok || len(t.Fields) != len(p.fields) {
		return false
	}
	taken := make([]bool, len(t.Fields))
	var rest func(i int) bool
	rest = func(i int) bool {
		if i == len(p.fields) {
			return true
		}
		for j, f := range t.Fields {
			mark := len(m.trail)
			if taken[j] || !m.match(p.fields[i], f) {
				continue
			}
			taken[j] = true
			if rest(i + 1) {
				return true
			}
			taken[j] = false
			m.undo(mark)
		}
		return false
	}
	return rest(0)
}

func (p *getItem) matches(m *matcher, _, e relax.Expr) bool {
	g, ok := e.(*relax.TupleGetItem)
	return ok && (p.index < 0 || p.index == g.Index) && m.match(p.tuple, g.Tuple)
}

func (p *function) matches(m *matcher, _, e relax.Expr) bool {
	f, ok := e.(*relax.Function)
	if !ok || p.params != nil && len(p.params) != len(f.Params) {
		return false
	}
	for i, q := range p.params {
		if !m.match(q, f.Params[i]) {
			return false
		}
	}
	if len(f.Body.Blocks) == 0 {
		return m.match(p.body, f.Body.Body)
	}
	return m.match(p.body, f.Body)
}

func (p *shapeOf) matches(m *matcher, _, e relax.Expr) bool {
	s, ok := e.(*relax.ShapeExpr)
	return ok && m.sameDims(p.dims, s.Values)
}

func (p *hasAttrs) matches(m *matcher, raw, e relax.Expr) bool {
	var attrs *ir.Attrs
	switch x := e.(type) {
	case *relax.Call:
		attrs = x.Attrs
	case *relax.Function:
		attrs = x.Attrs
	default:
		return false
	}
	for i := range p.attrs.Len() {
		key, want := p.attrs.At(i)
		if have, ok := attrs.Get(key); !ok || !equalAttrs(ir.NewAttrs(key, want), ir.NewAttrs(key, have)) {
			return false
		}
	}
	return m.match(p.p, raw)
}

func equalAttrs(a, b *ir.Attrs) bool {
	op := ir.NewOp("")
	return ir.StructuralEqual(&relax.Call{Op: op, Attrs: a}, &relax.Call{Op: op, Attrs: b}, ir.EqualOpts{})
}

func (p *hasShape) matches(m *matcher, raw, e relax.Expr) bool {
	t, ok := m.infoOf(raw, e).(*relax.TensorStructInfo)
	if !ok {
		return false
	}
	dims, ok := t.Dims()
	return ok && m.sameDims(p.dims, dims) && m.match(p.p, raw)
}

func (p *hasDType) matches(m *matcher, raw, e relax.Expr) bool {
	t, ok := m.infoOf(raw, e).(*relax.TensorStructInfo)
	return ok && t.DType == p.dt && m.match(p.p, raw)
}

func (p *hasInfo) matches(m *matcher, raw, e relax.Expr) bool {
	info := m.infoOf(raw, e)
	return info != nil && m.ctx.IsBaseOf(p.info, info) == relax.True && m.match(p.p, raw)
}

func (p *or) matches(m *matcher, raw, _ relax.Expr) bool {
	return m.match(p.left, raw) || m.match(p.right, raw)
}

func (p *and) matches(m *matcher, raw, _ relax.Expr) bool {
	return m.match(p.left, raw) && m.match(p.right, raw)
}

func (p *not) matches(m *matcher, raw, _ relax.Expr) bool {
	mark := len(m.trail)
	found := m.match(p.p, raw)
	m.undo(mark)
	return !found
}

// infoOf is what is known of an expression: of the variable, or of its value.
func (m *matcher) infoOf(raw, e relax.Expr) relax.StructInfo {
	if info := m.ctx.SInfoOf(raw); info != nil {
		return info
	}
	return m.ctx.SInfoOf(e)
}

func (m *matcher) sameDims(a, b []tir.Expr) bool { return m.ctx.EqualDims(a, b) == relax.True }
