package syntax

import "strings"

// file reads all statements of the text.
func (p *parser) file() []*Stmt {
	var out []*Stmt
	for p.tok().kind != tokEOF {
		switch p.tok().kind {
		case tokNewline, tokIndent, tokDedent:
			if p.tok().kind == tokIndent && p.pos > 0 {
				p.diags.Add(p.tok().at, p.tok().at+1, "this line is indented, but belongs to no block", "remove the spaces before it")
			}
			p.pos++
			continue
		}
		out = p.statement(out)
	}
	return out
}

// statement reads a statement, or several on a line, and appends them. After a syntax error
// it goes on with the next line that is not indented deeper.
func (p *parser) statement(out []*Stmt) (list []*Stmt) {
	depth, start, script, open, errors := p.depth, p.pos, p.script, len(p.open), len(p.diags.List)
	host := script == 0 && !p.isOp('@')
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(syntaxError); !ok {
			panic(r)
		}
		p.depth, p.script, p.open = depth, script, p.open[:open]
		list = out
		p.skip(start)
		if host && !p.mentionsScript(start) && len(p.diags.List) > errors {
			p.host = append(p.host, p.diags.List[errors:]...)
			p.diags.List = p.diags.List[:errors]
		}
	}()
	if s := p.compound(); s != nil {
		return append(out, s)
	}
	list = out
	for {
		list = append(list, p.simple())
		if !p.takeOp(';') || p.tok().kind == tokNewline {
			break
		}
	}
	if p.tok().kind != tokNewline && p.tok().kind != tokEOF {
		p.fail("expected the end of the line, got %s", p.what())
	}
	if p.tok().kind == tokNewline {
		p.pos++
	}
	return list
}

// mentionsScript reports whether a decorator of ours stands between a token and the current one.
func (p *parser) mentionsScript(start int) bool {
	text := p.src[p.toks[start].at:p.tok().at]
	return strings.Contains(text, "@T.") || strings.Contains(text, "@R.") || strings.Contains(text, "@I.")
}

// skip moves behind the current line and the block that belongs to it.
func (p *parser) skip(start int) {
	if p.pos == start && p.tok().kind != tokEOF {
		p.pos++
	}
	for k := p.tok().kind; k != tokNewline && k != tokEOF; k = p.tok().kind {
		if k == tokDedent {
			return
		}
		p.pos++
	}
	if p.tok().kind == tokNewline {
		p.pos++
	}
	if p.tok().kind == tokIndent {
		p.skipIndented()
	}
}

// compound reads a statement with a block, nil if there is none.
func (p *parser) compound() *Stmt {
	t := p.tok()
	if t.op == '@' {
		return p.decorated()
	}
	if t.kind != tokName || !isKeyword(p.text()) && !p.isWord("match") {
		return nil // as most statements do, it starts with another name
	}
	s := p.stmt(t.at)
	switch p.text() {
	case "if":
		return p.ifStmt(s)
	case "for":
		p.pos++
		s.Kind = For
		s.Targets = p.kids(p.target())
		if !p.takeWord("in") {
			p.fail(`expected "in" after the loop variables, got %s`, p.what())
		}
		s.Value = p.exprList()
		p.block(s, "after the loop")
	case "while":
		p.pos++
		s.Kind, s.Value = While, p.expr()
		p.block(s, "after the condition")
	case "with":
		p.with(s)
	case "def":
		p.def(s)
	case "class":
		p.pos++
		s.Kind, s.head = Class, &head{}
		s.Name, _, _ = p.name("the name of the class")
		if p.takeOp('(') {
			p.commas(')', "after the bases of the class", func() { s.Items = append(s.Items, WithItem{Value: p.expr()}) })
		}
		p.block(s, "after the name of the class")
	case "else", "elif":
		p.fail("this %q belongs to no \"if\"", p.text())
	case "except", "finally", "raise", "del", "global", "nonlocal", "yield", "await", "try", "async", "match":
		switch n := len(p.diags.List); {
		case p.isWord("match") && p.toks[p.pos+1].kind == tokOp:
			return nil
		case (p.isWord("except") || p.isWord("finally")) && n > 0 && strings.Contains(p.diags.List[n-1].Message, `"try"`):
			panic(syntaxError{}) // reported with its "try"
		}
		p.fail("statements with %q are not part of the script language", p.text())
	default:
		return nil
	}
	return s
}

func (p *parser) decorated() *Stmt {
	at := p.tok().at
	var decs []*Node
	for p.takeOp('@') {
		decs = append(decs, p.expr())
		if p.tok().kind != tokNewline {
			p.fail("expected the end of the line after the decorator, got %s", p.what())
		}
		p.pos++
	}
	if p.tok().kind == tokIndent { // pasted without the spaces before its first line
		p.pos++
	}
	role, call := decoration(p.src, decs)
	switch role {
	case "":
	case "pyfunc", "py_func": // its body is Python
		defer func(n int) { p.script = n }(p.script)
		p.script = 0
	default:
		defer func(n int) { p.script = n }(p.script)
		p.script++
	}
	defer func(module bool, passing string) { p.module, p.passing = module, passing }(p.module, p.passing)
	p.passing = ""
	if p.outline && p.module && (role == "prim_func" || role == "function") {
		p.passing = role
	}
	p.module = role == "ir_module"
	s := p.compound()
	if s == nil || s.Kind != Def && s.Kind != Class {
		p.fail("expected a function or class after the decorator, got %s", p.what())
	}
	s.Decorators, s.Top, s.Role, s.RoleCall = decs, at, role, call
	return s
}

// decoration returns the role that a decorator gives a function or class, and its call if it has
// arguments; "" if none of them is ours.
func decoration(src string, decs []*Node) (role string, call *Node) {
	for _, d := range decs {
		call = nil
		if d.Kind == Call {
			d, call = d.Kids[0], d
		}
		name := src[d.At:d.End]
		name = name[strings.LastIndexByte(name, '.')+1:]
		switch name {
		case "prim_func", "function", "ir_module", "macro", "inline", "rewriter", "pyfunc", "py_func":
			return name, call
		}
	}
	return "", nil
}
