package parse

import (
	"github.com/irscope/irscope/compiler/script/syntax"
)

// macro is a function whose statements stand in for its calls.
type macro struct {
	s    *syntax.Stmt
	size int // statements, nested ones too
}

func newMacro(s *syntax.Stmt) *macro { return &macro{s, countStmts(s.Body)} }

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
func (b *builder) expand(m *macro, n *syntax.Node) any {
	names := make([]string, len(m.s.Params))
	for i, p := range m.s.Params {
		names[i] = p.Name
	}
	var args []*syntax.Node
	if len(names) > 0 {
		args = b.bind(n, names...)
	}
	values := make([]any, len(args))
	for i, a := range args {
		if a == nil {
			b.fail(n, "", "the macro needs its argument %s", names[i])
		}
		values[i] = b.eval(a)
		if f, ok := values[i].(fresh); ok {
			values[i] = f.v
		}
	}
	if b.tf == nil && b.rf == nil {
		b.fail(n, "", "macros can be used in functions only")
	}
	if b.depth += syntax.MaxChain / maxMacros; b.depth > syntax.MaxChain {
		b.fail(n, "", "macros call one another more than %d levels deep", maxMacros)
	}
	defer b.env.release(b.env.mark())
	for i, v := range values {
		b.weigh(v, n)
		b.env.define(names[i], v)
	}
	if b.expanded += 1 + m.size; b.expanded > maxExpanded {
		b.fail(n, "", "macros make more than %d statements", maxExpanded)
	}
	var result any = done
	for i, s := range m.s.Body {
		switch {
		case !b.graph:
			b.tirStmt(s)
		case s.Kind == syntax.Return && i == len(m.s.Body)-1 && s.Value != nil:
			result = b.eval(s.Value)
		case s.Kind == syntax.Return:
			b.d.Add(s.At, s.End, "the return of a macro must be its last statement, and yield a value", "")
			panic(failure{})
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
