package dialect

import "go.starlark.net/syntax"

// scope is a function that is being read, or the top level.
type scope struct {
	fn     bool
	cells  map[string]bool // variables that live in a dictionary
	outer  map[string]bool // variables that are declared nonlocal
	bound  map[string]bool
	frames []frame
	method *method // of which this is the body, or in which it stands
}

// frame is something around the current statement that a return, break or continue has to leave.
type frame struct {
	kind  frameKind
	ends  map[string]bool // of a block under try: the signals that it gives
	count int             // of a with: the managers that it enters
}

type frameKind int

const (
	loopFrame frameKind = iota
	withFrame
	tryFrame
)

// method says what super() means.
type method struct{ class, self string }

func (p *parser) scope() *scope { return p.scopes[len(p.scopes)-1] }

func (p *parser) push(fn bool) {
	s := &scope{fn: fn, cells: map[string]bool{}, outer: map[string]bool{}, bound: map[string]bool{}}
	if len(p.scopes) > 0 {
		s.method = p.scope().method
	}
	p.scopes = append(p.scopes, s)
}

// pop ends a scope and returns its statements, in which variables that need it have moved into a dictionary.
func (p *parser) pop(list []syntax.Stmt, params []syntax.Expr, pos syntax.Position) []syntax.Stmt {
	s := p.scope()
	p.scopes = p.scopes[:len(p.scopes)-1]
	if len(s.cells) == 0 {
		return list
	}
	dict := Cells
	if s.fn {
		dict = p.fresh("cells")
	}
	return p.celled(list, params, s.cells, dict, pos)
}

func (p *parser) within(f frame, read func()) frame {
	s := p.scope()
	s.frames = append(s.frames, f)
	read()
	f = s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	return f
}

// bind notes that the current scope assigns a variable.
func (p *parser) bind(name string) {
	s := p.scope()
	s.bound[name] = true
	if s.outer[name] {
		return
	}
	for _, f := range s.frames {
		if f.kind == tryFrame {
			s.cells[name] = true
		}
	}
}

// binds notes the variables in the target of an assignment.
func (p *parser) binds(target syntax.Expr) {
	switch x := target.(type) {
	case *syntax.Ident:
		p.bind(x.Name)
	case *syntax.ParenExpr:
		p.binds(x.X)
	case *syntax.TupleExpr:
		for _, e := range x.List {
			p.binds(e)
		}
	case *syntax.ListExpr:
		for _, e := range x.List {
			p.binds(e)
		}
	}
}

// nonlocal declares that variables are those of a function around.
func (p *parser) nonlocal(id *syntax.Ident) {
	s := p.scope()
	for i := len(p.scopes) - 2; i > 0; i-- {
		if around := p.scopes[i]; around.bound[id.Name] {
			s.outer[id.Name] = true
			if !around.outer[id.Name] {
				around.cells[id.Name] = true
				return
			}
		}
	}
	s.bound[id.Name] = true
	if !s.outer[id.Name] {
		p.fail(id.NamePos, "nonlocal %s: no function around this one has assigned it before", id.Name)
	}
}

// leave returns the statements that end the current function, iteration or loop: kind is return, break or continue. A return has a value,
// which may be nil.
func (p *parser) leaving(kind string, pos syntax.Position, value syntax.Expr) []syntax.Stmt {
	s := p.scope()
	if kind == "return" && !s.fn {
		p.fail(pos, "return stands outside of a function")
	}
	managers := 0
	for i := len(s.frames) - 1; i >= 0; i-- {
		switch f := s.frames[i]; f.kind {
		case withFrame:
			managers += f.count
		case loopFrame:
			if kind != "return" {
				return append(p.exit(managers, pos), &syntax.BranchStmt{Token: map[string]syntax.Token{"break": syntax.BREAK, "continue": syntax.CONTINUE}[kind], TokenPos: pos})
			}
		case tryFrame:
			p.inLoop(kind, i, pos)
			f.ends[kind] = true
			if value == nil {
				value = none(pos)
			}
			if managers > 0 {
				value = call(Exit, pos, number(pos, int64(managers)), value)
			}
			return []syntax.Stmt{&syntax.ReturnStmt{Return: pos, Result: call(Signal, pos, text(pos, kind), value)}}
		}
	}
	p.inLoop(kind, 0, pos)
	if managers > 0 {
		if value == nil {
			value = none(pos)
		}
		value = call(Exit, pos, number(pos, int64(managers)), value)
	}
	return []syntax.Stmt{&syntax.ReturnStmt{Return: pos, Result: value}}
}

// inLoop checks that a break or continue stands in a loop.
func (p *parser) inLoop(kind string, below int, pos syntax.Position) {
	if kind == "return" {
		return
	}
	for _, f := range p.scope().frames[:below] {
		if f.kind == loopFrame {
			return
		}
	}
	p.fail(pos, "%s stands outside of a loop", kind)
}

// exit returns the statement that leaves the innermost managers.
func (p *parser) exit(n int, pos syntax.Position) []syntax.Stmt {
	if n == 0 {
		return nil
	}
	return []syntax.Stmt{&syntax.ExprStmt{X: call(Exit, pos, number(pos, int64(n)), none(pos))}}
}
