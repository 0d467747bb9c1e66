package parse

import "strings"

// file reads all statements of the text.
func (p *parser) file() []*stmt {
	var out []*stmt
	for p.tok().kind != tokEOF {
		switch p.tok().kind {
		case tokNewline, tokIndent, tokDedent:
			if p.tok().kind == tokIndent && p.pos > 0 {
				p.diags.add(p.tok().at, p.tok().at+1, "this line is indented, but belongs to no block", "remove the spaces before it")
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
func (p *parser) statement(out []*stmt) (list []*stmt) {
	depth, start, script, errors := p.depth, p.pos, p.script, len(p.diags.list)
	host := script == 0 && !p.isOp('@')
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(syntaxError); !ok {
			panic(r)
		}
		p.depth, p.script = depth, script
		list = out
		p.skip(start)
		if host && !p.mentionsScript(start) && len(p.diags.list) > errors {
			p.host = append(p.host, p.diags.list[errors:]...)
			p.diags.list = p.diags.list[:errors]
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
func (p *parser) compound() *stmt {
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
		s.kind = sFor
		s.targets = p.list(p.target())
		if !p.takeWord("in") {
			p.fail(`expected "in" after the loop variables, got %s`, p.what())
		}
		s.value = p.exprList()
		p.block(s, "after the loop")
	case "while":
		p.pos++
		s.kind, s.value = sWhile, p.expr()
		p.block(s, "after the condition")
	case "with":
		p.with(s)
	case "def":
		p.def(s)
	case "class":
		p.pos++
		s.kind, s.head = sClass, &head{}
		s.name, _, _ = p.name("the name of the class")
		if p.takeOp('(') {
			for !p.isOp(')') {
				s.items = append(s.items, withItem{value: p.expr()})
				if !p.takeOp(',') {
					break
				}
			}
			p.wantOp(')', "after the bases of the class")
		}
		p.block(s, "after the name of the class")
	case "else", "elif":
		p.fail("this %q belongs to no \"if\"", p.text())
	case "except", "finally":
		if n := len(p.diags.list); n > 0 && strings.Contains(p.diags.list[n-1].Message, `"try"`) {
			panic(syntaxError{}) // reported with its "try"
		}
		p.fail("statements with %q are not part of the script language", p.text())
	case "raise", "del", "global", "nonlocal", "yield", "await":
		p.fail("statements with %q are not part of the script language", p.text())
	case "try", "async", "match":
		if p.isWord("match") && p.toks[p.pos+1].kind == tokOp {
			return nil
		}
		p.fail("statements with %q are not part of the script language", p.text())
	default:
		return nil
	}
	return s
}

func (p *parser) decorated() *stmt {
	at := p.tok().at
	var decs []*node
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
	switch decoration(p.src, decs) {
	case "":
	case "pyfunc", "py_func": // its body is Python
		defer func(n int) { p.script = n }(p.script)
		p.script = 0
	default:
		defer func(n int) { p.script = n }(p.script)
		p.script++
	}
	s := p.compound()
	if s == nil || s.kind != sDef && s.kind != sClass {
		p.fail("expected a function or class after the decorator, got %s", p.what())
	}
	s.decorators, s.top = decs, at
	return s
}

// decoration returns the kind that a decorator gives a function or class, "" if none of them
// is ours.
func decoration(src string, decs []*node) string {
	for _, d := range decs {
		if d.kind == nCall {
			d = d.kids[0]
		}
		name := src[d.at:d.end]
		name = name[strings.LastIndexByte(name, '.')+1:]
		switch name {
		case "prim_func", "function", "ir_module", "macro", "inline", "rewriter", "pyfunc", "py_func":
			return name
		}
	}
	return ""
}
