package parse

// macro is a function whose statements stand in for its calls.
type macro struct {
	s    *stmt
	size int // statements, nested ones too
}

func newMacro(s *stmt) *macro { return &macro{s, countStmts(s.body)} }

func countStmts(list []*stmt) int {
	n := len(list)
	for _, s := range list {
		n += countStmts(s.body) + countStmts(s.orelse)
	}
	return n
}

// maxMacros bounds how deeply macros call macros.
const maxMacros = 64

// expand runs the statements of a macro with its parameters bound to the arguments.
func (b *builder) expand(m *macro, n *node) any {
	names := make([]string, len(m.s.params))
	for i, p := range m.s.params {
		names[i] = p.name
	}
	var args []*node
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
	if b.depth += maxChain / maxMacros; b.depth > maxChain {
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
	for i, s := range m.s.body {
		switch {
		case !b.graph:
			b.tirStmt(s)
		case s.kind == sReturn && i == len(m.s.body)-1 && s.value != nil:
			result = b.eval(s.value)
		case s.kind == sReturn:
			b.d.add(s.at, s.end, "the return of a macro must be its last statement, and yield a value", "")
			panic(failure{})
		default:
			b.graphStmt(s)
		}
	}
	b.depth -= maxChain / maxMacros
	if b.graph && result == any(done) {
		b.fail(n, "end the macro with a return statement", "the macro %s yields no value", m.s.name)
	}
	return result
}
