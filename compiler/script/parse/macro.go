package parse

import "github.com/irscope/irscope/compiler/script/syntax"

// macro is a function whose statements stand in for its calls.
type macro struct {
	s    *syntax.Stmt
	sig  *signature
	size int // statements, nested ones too
}

func newMacro(s *syntax.Stmt) *macro {
	m := &macro{s: s, sig: &signature{name: s.Name, rest: -1}, size: countStmts(s.Body)}
	for _, p := range s.Params {
		m.sig.params = append(m.sig.params, param{name: p.Name, kind: plain, need: true})
	}
	m.sig.build = m.expand
	return m
}

func countStmts(list []*syntax.Stmt) int {
	n := len(list)
	for _, s := range list {
		n += countStmts(s.Body) + countStmts(s.Orelse)
	}
	return n
}

// maxMacros bounds how deeply macros call macros.
const maxMacros = 64

// expand runs the statements of a macro with its parameters bound to the arguments.
func (m *macro) expand(c *call) any {
	b, n := c.builder, c.n
	if b.tf == nil && b.rf == nil {
		b.fail(n, "", "macros can be used in functions only")
	}
	if b.depth += syntax.MaxChain / maxMacros; b.depth > syntax.MaxChain {
		b.fail(n, "", "macros call one another more than %d levels deep", maxMacros)
	}
	if b.expanded += 1 + m.size; b.expanded > maxExpanded {
		b.fail(n, "", "macros make more than %d statements", maxExpanded)
	}
	mark := b.env.mark()
	defer b.env.release(mark)
	if tf := b.tf; tf != nil {
		defer func(frame int) { tf.frame = frame }(tf.frame)
		tf.frame = mark
	}
	for i, v := range c.vals {
		if f, ok := v.(fresh); ok {
			v = f.v
		}
		b.weigh(v, n)
		b.env.define(m.s.Params[i].Name, v)
	}
	var result any = done
	for i, s := range m.s.Body {
		switch {
		case !b.graph:
			b.tirStmt(s)
		case s.Kind == syntax.Return && i == len(m.s.Body)-1 && s.Value != nil:
			result = b.eval(s.Value)
		case s.Kind == syntax.Return:
			b.failAt(s.At, s.End, "", "the return of a macro must be its last statement, and yield a value")
		default:
			b.graphStmt(s)
		}
	}
	b.depth -= syntax.MaxChain / maxMacros
	if b.graph && result == any(done) {
		b.fail(n, "end the macro with a return statement", "the macro %s yields no value", m.s.Name)
	}
	return result
}
