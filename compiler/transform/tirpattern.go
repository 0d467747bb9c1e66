package transform

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// TIRMatch is a nest of loops that a pattern matches.
type TIRMatch struct {
	Pattern *tir.PrimFunc
	Symbols []tir.Expr    // the values of the parameters of the pattern behind its buffers, nil for one that nothing set
	Buffers []*tir.Buffer // those of the kernel, by the buffers of the pattern
}

// patternWork bounds the comparisons of one match: sums and products are compared either way round.
const patternWork = 1 << 14

// matchNest matches a nest of loops of a kernel with the only nest of a pattern, nil if they differ. It follows TVM's ForMatcher
// (src/relax/transform/split_call_tir_by_pattern.cc): loops are serial and begin at 0, blocks store once and are bound to the loops as they are.
// What blocks read and write is not compared, as it follows from what they do.
// A parameter of the pattern that is no buffer stands for a constant; p * e and p + e also match e alone, p being 1 and 0.
func matchNest(nest tir.Stmt, pattern *tir.PrimFunc) (TIRMatch, bool) {
	root, ok := pattern.Body.(*tir.BlockRealize)
	if !ok {
		return TIRMatch{}, false
	}
	m := &nestMatcher{free: map[*tir.Var]bool{}, vars: map[*tir.Var]tir.Expr{}, buffers: map[*tir.Buffer]*tir.Buffer{}, work: patternWork}
	for i, p := range pattern.Params {
		if pattern.Buffers[i] == nil {
			m.free[p] = true
		}
	}
	if !m.stmt(nest, root.Block.Body) {
		return TIRMatch{}, false
	}
	out := TIRMatch{Pattern: pattern}
	for i, p := range pattern.Params {
		b := pattern.Buffers[i]
		if b == nil {
			out.Symbols = append(out.Symbols, m.vars[p])
			continue
		}
		if m.buffers[b] == nil {
			return TIRMatch{}, false
		}
		out.Buffers = append(out.Buffers, m.buffers[b])
	}
	return out, true
}

// nestMatcher holds what variables and buffers of the pattern stand for; undo takes back what was set last.
type nestMatcher struct {
	free    map[*tir.Var]bool
	vars    map[*tir.Var]tir.Expr
	buffers map[*tir.Buffer]*tir.Buffer
	undo    []func()
	loops   [2][]*tir.Var
	work    int
}

func (m *nestMatcher) set(v *tir.Var, e tir.Expr) {
	m.vars[v] = e
	m.undo = append(m.undo, func() { delete(m.vars, v) })
}

// try calls f, and forgets what it set if it fails.
func (m *nestMatcher) try(f func() bool) bool {
	n := len(m.undo)
	if f() {
		return true
	}
	for _, back := range m.undo[n:] {
		back()
	}
	m.undo = m.undo[:n]
	return false
}

func (m *nestMatcher) stmt(s, p tir.Stmt) bool {
	switch s := s.(type) {
	case *tir.For:
		p, ok := p.(*tir.For)
		if !ok || s.Kind != tir.Serial || p.Kind != tir.Serial || s.Thread != nil || p.Thread != nil || s.Annotations.Len()+p.Annotations.Len() > 0 ||
			!tir.IsConst(s.Min, 0) || !tir.IsConst(p.Min, 0) || s.Step != nil || p.Step != nil || s.LoopVar.DType() != p.LoopVar.DType() {
			return false
		}
		m.set(p.LoopVar, s.LoopVar)
		m.loops[0], m.loops[1] = append(m.loops[0], s.LoopVar), append(m.loops[1], p.LoopVar)
		return m.expr(s.Extent, p.Extent) && m.stmt(s.Body, p.Body)
	case *tir.BlockRealize:
		p, ok := p.(*tir.BlockRealize)
		return ok && tir.IsConst(s.Predicate, 1) && tir.IsConst(p.Predicate, 1) && trivial(s, m.loops[0]) && trivial(p, m.loops[1]) && m.block(s.Block, p.Block)
	case *tir.BufferStore:
		p, ok := p.(*tir.BufferStore)
		return ok && s.Predicate == nil && p.Predicate == nil && m.buffer(s.Buffer, p.Buffer) && m.exprs(s.Indices, p.Indices) && m.expr(s.Value, p.Value)
	}
	return false
}

// trivial reports whether the block is bound to the loops around it, one by one.
func trivial(r *tir.BlockRealize, loops []*tir.Var) bool {
	return slices.EqualFunc(r.Values, loops, func(e tir.Expr, v *tir.Var) bool { return e == tir.Expr(v) })
}

func (m *nestMatcher) block(b, p *tir.Block) bool {
	if len(b.IterVars) != len(p.IterVars) || len(b.AllocBuffers)+len(p.AllocBuffers)+len(b.MatchBuffers)+len(p.MatchBuffers) > 0 || (b.Init == nil) != (p.Init == nil) {
		return false
	}
	for i, iv := range b.IterVars {
		q := p.IterVars[i]
		if iv.Kind != q.Kind || iv.Var.DType() != q.Var.DType() || !m.expr(iv.Dom.Min, q.Dom.Min) || !m.expr(iv.Dom.Extent, q.Dom.Extent) {
			return false
		}
		m.set(q.Var, iv.Var)
	}
	if b.Init != nil && !m.stmt(b.Init, p.Init) {
		return false
	}
	_, store := b.Body.(*tir.BufferStore)
	return store && m.stmt(b.Body, p.Body)
}

func (m *nestMatcher) buffer(b, p *tir.Buffer) bool {
	if known := m.buffers[p]; known != nil {
		return known == b
	}
	for _, other := range m.buffers {
		if other == b {
			return false
		}
	}
	if b.DType != p.DType || b.Scope() != p.Scope() || len(b.Strides)+len(p.Strides) > 0 || !m.exprs(b.Shape, p.Shape) {
		return false
	}
	m.buffers[p] = b
	m.undo = append(m.undo, func() { delete(m.buffers, p) })
	return true
}

func (m *nestMatcher) exprs(a, b []tir.Expr) bool { return slices.EqualFunc(a, b, m.expr) }

// expr matches e with p, an expression of the pattern.
func (m *nestMatcher) expr(e, p tir.Expr) bool {
	if m.work--; m.work < 0 {
		return false
	}
	if v, ok := p.(*tir.Var); ok {
		return m.variable(e, v)
	}
	if b, ok := p.(*tir.Binary); ok && (b.Op == tir.OpMul || b.Op == tir.OpAdd) {
		unit := int64(0)
		if b.Op == tir.OpMul {
			unit = 1
		}
		for _, sides := range [][2]tir.Expr{{b.A, b.B}, {b.B, b.A}} {
			v, ok := sides[0].(*tir.Var)
			if ok && m.free[v] && m.vars[v] == nil && m.try(func() bool { return m.expr(e, sides[1]) }) {
				m.set(v, tir.Const(v.DType(), unit))
				return true
			}
		}
		x, ok := e.(*tir.Binary)
		return ok && x.Op == b.Op && (m.try(func() bool { return m.expr(x.A, b.A) && m.expr(x.B, b.B) }) ||
			m.try(func() bool { return m.expr(x.A, b.B) && m.expr(x.B, b.A) }))
	}
	return m.same(e, p)
}

// variable matches e with a variable of the pattern.
func (m *nestMatcher) variable(e tir.Expr, v *tir.Var) bool {
	known := m.vars[v]
	switch {
	case known != nil:
		return tir.Equal(e, known)
	case !m.free[v] || e.DType() != v.DType():
		return false
	}
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		m.set(v, e)
		return true
	}
	return false
}

// same matches expressions of the same form.
func (m *nestMatcher) same(e, p tir.Expr) bool {
	if e.DType() != p.DType() {
		return false
	}
	switch e := e.(type) {
	case *tir.IntImm:
		p, ok := p.(*tir.IntImm)
		return ok && e.Value == p.Value
	case *tir.FloatImm:
		p, ok := p.(*tir.FloatImm)
		return ok && math.Float64bits(e.Value) == math.Float64bits(p.Value)
	case *tir.Binary:
		p, ok := p.(*tir.Binary)
		return ok && e.Op == p.Op && m.expr(e.A, p.A) && m.expr(e.B, p.B)
	case *tir.Cast:
		p, ok := p.(*tir.Cast)
		return ok && m.expr(e.Value, p.Value)
	case *tir.Not:
		p, ok := p.(*tir.Not)
		return ok && m.expr(e.A, p.A)
	case *tir.Select:
		p, ok := p.(*tir.Select)
		return ok && m.exprs([]tir.Expr{e.Cond, e.True, e.False}, []tir.Expr{p.Cond, p.True, p.False})
	case *tir.BufferLoad:
		p, ok := p.(*tir.BufferLoad)
		return ok && e.Predicate == nil && p.Predicate == nil && m.buffer(e.Buffer, p.Buffer) && m.exprs(e.Indices, p.Indices)
	case *tir.Call:
		p, ok := p.(*tir.Call)
		if !ok {
			return false
		}
		a, isOp := e.Op.(*ir.Op)
		b, isOpToo := p.Op.(*ir.Op)
		return isOp && isOpToo && a == b && m.exprs(e.Args, p.Args)
	}
	return false
}
