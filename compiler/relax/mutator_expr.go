package relax

import "github.com/irscope/irscope/compiler/ir"

// visit gives e to the hook for expressions.
func (m *ExprMutator) visit(e Expr) Expr {
	switch {
	case m.err != nil:
		return e
	case m.Expr != nil:
		return m.Expr(e)
	}
	return m.VisitExpr(e)
}

// VisitExpr visits the children of e, and e by the hook for calls, and returns what becomes of it.
func (m *ExprMutator) VisitExpr(e Expr) Expr {
	if m.err != nil {
		return e
	}
	switch e := e.(type) {
	case *Var:
		return m.Lookup(e)
	case *Call:
		return m.call(e)
	case *TupleGetItem:
		out := m.mapper.MapExpr(e).(*TupleGetItem)
		if out != e && !m.isSame(out.Tuple, e.Tuple) {
			out.SInfo = nil
		}
		return out
	case *If:
		return m.conditional(e)
	case *Function:
		return m.function(e)
	case *SeqExpr:
		return m.seq(e)
	}
	return m.mapper.MapExpr(e)
}

// operand visits an operand of an expression or the result of a sequence. In a function, what
// comes of it is bound if it is neither a leaf nor a tuple.
func (m *ExprMutator) operand(e Expr) Expr {
	switch e := e.(type) {
	case *Var:
		if m.Expr == nil {
			return m.Lookup(e)
		}
	case *ir.Op, *ir.GlobalVar:
		if m.Expr == nil {
			return e
		}
	}
	if out, ok := m.memo[e]; ok {
		return out
	}
	out := m.visit(e)
	if len(m.bb.frames) > 0 && m.err == nil {
		n, err := m.bb.normalizeArg(out)
		if err != nil {
			m.Fail(err)
			return e
		}
		out = n
	}
	m.memoize(e, out)
	return out
}

// memoize notes what became of an operand. Most operands are variables and tuples of them, for
// which that costs more than it saves.
func (m *ExprMutator) memoize(e, out Expr) {
	switch e := e.(type) {
	case *Var:
		return
	case *Tuple:
		if areOperands(e.Fields) {
			return
		}
	default:
		if out == e && isOperand(e) {
			return
		}
	}
	if m.memo == nil {
		m.memo = map[Expr]Expr{}
	}
	m.memo[e] = out
}

// scope begins a scope whose operands are memoized apart, and returns what ends it.
func (m *ExprMutator) scope() (end func()) {
	memo, moved, at := m.memo, m.moved, m.at
	m.memo = nil
	return func() {
		m.memo, m.at = memo, at
		if m.moved != moved {
			m.memo = nil
		}
	}
}

func (m *ExprMutator) call(c *Call) Expr {
	out := m.mapper.MapExpr(c).(*Call)
	if out != c && (!m.isSame(out.Op, c.Op) || !m.areSame(out.Args, c.Args)) {
		out.SInfo = nil // the mapper made out just now
	}
	if m.Call == nil || m.err != nil {
		return out
	}
	image := m.Call(out)
	m.acted = m.acted || image != Expr(out)
	return image
}

func (m *ExprMutator) conditional(e *If) Expr {
	cond, then, otherwise := m.operand(e.Cond), m.branch(e.Then), m.branch(e.Else)
	if m.err != nil || cond == e.Cond && then == e.Then && otherwise == e.Else {
		return e
	}
	out := &If{Base: e.Base, Cond: cond, Then: then, Else: otherwise, SInfo: e.SInfo}
	if len(m.bb.frames) == 0 {
		return out
	}
	if e.SInfo == nil || !m.isSame(then.Body, e.Then.Body) || !m.isSame(otherwise.Body, e.Else.Body) {
		info, err := m.bb.join(then, otherwise)
		if err != nil {
			m.Fail(err)
			return e
		}
		out.SInfo = info
	}
	m.normal[out] = true
	return out
}

// branch visits the body of a function or a branch, which stays a sequence.
func (m *ExprMutator) branch(s *SeqExpr) *SeqExpr {
	end := m.scope()
	m.at = nil
	image := m.visit(s)
	end()
	out, ok := image.(*SeqExpr)
	if !ok {
		out = &SeqExpr{Base: s.Base, Body: image}
	}
	if out == s || m.normal[out] || m.err != nil || len(m.bb.frames) == 0 {
		return out
	}
	out, err := m.bb.NormalizeSeq(out)
	if err != nil {
		m.Fail(err)
		return s
	}
	return out.OrSame(s)
}

// function visits a function of the module or a local one.
func (m *ExprMutator) function(f *Function) Expr {
	depth := len(m.bb.frames)
	params := ir.MapSame(f.Params, m.define)
	if !same(params, f.Params) {
		m.bb.settle()
		m.bb.parameters(params)
	}
	m.bb.frames = append(m.bb.frames, &frame{fn: f})
	body := m.branch(f.Body)
	m.bb.frames = m.bb.frames[:depth]
	if m.err != nil || body == f.Body && same(params, f.Params) {
		return f
	}
	out := *f
	out.Params, out.Body = params, body
	if !same(params, f.Params) || f.Ret == nil || !m.isSame(body.Body, f.Body.Body) || m.denies(body, f.Ret) {
		g, err := m.bb.finish(&out, body)
		if err != nil {
			m.Fail(err)
			return f
		}
		out = *g
	}
	m.normal[&out] = true
	return &out
}

// denies reports whether the result of a body cannot be what the function says.
func (m *ExprMutator) denies(body *SeqExpr, ret StructInfo) bool {
	got := m.bb.ctx.SInfoOf(body.Body)
	if got == nil || got == ret || EqualSInfo(got, ret) {
		return false
	}
	return m.bb.Context().IsBaseOf(got, ret) == False
}

// seq visits a sequence in a scope of its own.
func (m *ExprMutator) seq(s *SeqExpr) Expr {
	depth := len(m.bb.frames)
	defer m.scope()()
	m.bb.BeginSeq()
	for _, b := range s.Blocks {
		m.block(b)
	}
	m.at = nil
	body := m.operand(s.Body)
	if m.err != nil {
		m.bb.frames = m.bb.frames[:depth]
		return s
	}
	out, err := m.bb.EndSeq(body)
	if err != nil {
		m.Fail(err)
		m.bb.frames = m.bb.frames[:depth]
		return s
	}
	if out = out.OrSame(s); out != s {
		m.normal[out] = true
	}
	return out
}
