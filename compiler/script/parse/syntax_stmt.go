package parse

// file reads all statements of the text.
func (p *parser) file() []*stmt {
	var out []*stmt
	for p.tok().kind != tokEOF {
		switch p.tok().kind {
		case tokNewline, tokIndent, tokDedent:
			if p.tok().kind == tokIndent {
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
	depth, start := p.depth, p.pos
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(syntaxError); !ok {
			panic(r)
		}
		p.depth = depth
		list = out
		p.skip(start)
	}()
	if s := p.compound(); s != nil {
		return append(out, s)
	}
	list = out
	for {
		list = append(list, p.simple())
		if !p.takeOp(";") || p.tok().kind == tokNewline {
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
	if p.tok().kind != tokIndent {
		return
	}
	for level := 0; p.tok().kind != tokEOF; p.pos++ {
		switch p.tok().kind {
		case tokIndent:
			level++
		case tokDedent:
			if level--; level == 0 {
				p.pos++
				return
			}
		}
	}
}

// compound reads a statement with a block, nil if there is none.
func (p *parser) compound() *stmt {
	t := p.tok()
	if t.kind == tokOp && t.sign() == "@" {
		return p.decorated()
	}
	if t.kind != tokName {
		return nil
	}
	s := &stmt{at: t.at}
	switch p.text() {
	case "if":
		return p.ifStmt(s)
	case "for":
		p.pos++
		s.kind = sFor
		s.targets = []*node{p.target()}
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
		s.kind = sClass
		s.name, _, _ = p.name("the name of the class")
		if p.takeOp("(") {
			for !p.isOp(")") {
				s.items = append(s.items, withItem{value: p.expr()})
				if !p.takeOp(",") {
					break
				}
			}
			p.wantOp(")", "after the bases of the class")
		}
		p.block(s, "after the name of the class")
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
	for p.takeOp("@") {
		decs = append(decs, p.expr())
		if p.tok().kind != tokNewline {
			p.fail("expected the end of the line after the decorator, got %s", p.what())
		}
		p.pos++
	}
	s := p.compound()
	if s == nil || s.kind != sDef && s.kind != sClass {
		p.fail("expected a function or class after the decorator, got %s", p.what())
	}
	s.decorators = decs
	s.at = at
	return s
}

func (p *parser) ifStmt(s *stmt) *stmt {
	p.enter()
	defer p.leave()
	p.pos++
	s.kind = sIf
	s.value = p.expr()
	p.block(s, "after the condition")
	switch {
	case p.isWord("elif"):
		s.orelse = []*stmt{p.ifStmt(&stmt{at: p.tok().at})}
		s.last = s.orelse[0].last
	case p.takeWord("else"):
		e := &stmt{}
		p.block(e, `after "else"`)
		s.orelse, s.last = e.body, e.last
	}
	return s
}

func (p *parser) with(s *stmt) {
	p.pos++
	s.kind = sWith
	for {
		it := withItem{value: p.expr()}
		if p.takeWord("as") {
			it.as = p.target1()
		}
		s.items = append(s.items, it)
		if !p.takeOp(",") {
			break
		}
	}
	p.block(s, `after the head of "with"`)
}

func (p *parser) def(s *stmt) {
	p.pos++
	s.kind = sDef
	s.name, _, _ = p.name("the name of the function")
	if p.takeOp("[") { // type parameters of newer versions: symbolic variables
		for !p.isOp("]") {
			p.expr()
			if p.takeOp(":") {
				p.expr()
			}
			if !p.takeOp(",") {
				break
			}
		}
		p.wantOp("]", "after the type parameters")
	}
	p.wantOp("(", "before the parameters")
	for !p.isOp(")") {
		if p.isOp("*") || p.isOp("**") {
			p.fail("a function of a script has no variadic parameters")
		}
		name, at, end := p.name("the name of a parameter")
		prm := param{name: name, at: at, end: end}
		if p.takeOp(":") {
			prm.ann = p.expr()
		}
		if p.takeOp("=") {
			p.expr()
		}
		s.params = append(s.params, prm)
		if !p.takeOp(",") {
			break
		}
	}
	p.wantOp(")", "after the parameters")
	if p.takeOp("->") {
		s.ann = p.exprList()
	}
	p.block(s, "after the signature")
}

// block reads ":" and the statements of the block into s.
func (p *parser) block(s *stmt, where string) {
	p.enter()
	defer p.leave()
	p.wantOp(":", where)
	s.end = p.prevEnd()
	if p.tok().kind != tokNewline {
		s.body = p.statement(nil)
		s.last = p.prevEnd()
		return
	}
	p.pos++
	if p.tok().kind != tokIndent {
		p.fail("expected an indented block, got %s", p.what())
	}
	p.pos++
	for p.tok().kind != tokDedent && p.tok().kind != tokEOF {
		if p.tok().kind == tokNewline {
			p.pos++
			continue
		}
		if p.tok().kind == tokIndent {
			p.diags.add(p.tok().at, p.tok().at+1, "this line is indented deeper than the block that it is in", "")
			p.skipIndented()
			continue
		}
		s.body = p.statement(s.body)
	}
	s.last = p.tok().at
	if p.tok().kind == tokDedent {
		p.pos++
	}
}

// skipIndented moves behind an indented block.
func (p *parser) skipIndented() {
	for level := 0; p.tok().kind != tokEOF; p.pos++ {
		switch p.tok().kind {
		case tokIndent:
			level++
		case tokDedent:
			if level--; level == 0 {
				p.pos++
				return
			}
		}
	}
}

// target reads the targets of a loop: names, with or without parentheses.
func (p *parser) target() *node {
	first := p.target1()
	if !p.isOp(",") {
		return first
	}
	kids := []*node{first}
	for p.takeOp(",") {
		if p.isWord("in") {
			break
		}
		kids = append(kids, p.target1())
	}
	n := p.node(nTuple, first.at, p.prevEnd())
	n.kids = p.list(kids...)
	return n
}

func (p *parser) target1() *node {
	if t := p.tok(); p.takeOp("*") {
		x := p.postfix()
		n := p.node(nStar, t.at, x.end)
		n.kids = p.list(x)
		return n
	}
	return p.postfix()
}

var augmented = map[string]string{
	"+=": "+", "-=": "-", "*=": "*", "/=": "/", "//=": "//", "%=": "%",
	"&=": "&", "|=": "|", "^=": "^", "<<=": "<<", ">>=": ">>",
}

// simple reads a statement without a block.
func (p *parser) simple() *stmt {
	t := p.tok()
	s := &stmt{at: t.at}
	defer func() { s.end = p.prevEnd(); s.last = s.end }()
	if t.kind == tokName {
		switch p.text() {
		case "return":
			p.pos++
			s.kind = sReturn
			if p.startsExpr() {
				s.value = p.exprList()
			}
			return s
		case "pass", "break", "continue":
			s.kind = map[byte]stmtKind{'p': sPass, 'b': sBreak, 'c': sContinue}[p.src[t.at]]
			p.pos++
			return s
		case "assert":
			p.pos++
			s.kind, s.value = sAssert, p.expr()
			if p.takeOp(",") {
				s.ann = p.expr()
			}
			return s
		case "import", "from":
			return p.importStmt(s)
		case "del", "raise", "global", "nonlocal", "yield":
			p.fail("statements with %q are not part of the script language", p.text())
		}
	}
	x := p.exprList()
	switch next := p.tok(); {
	case next.kind == tokOp && next.sign() == "=":
		s.kind = sAssign
		s.targets = append(s.targets, x)
		for p.takeOp("=") {
			s.value = p.exprList()
			if p.isOp("=") {
				s.targets = append(s.targets, s.value)
			}
		}
	case next.kind == tokOp && next.sign() == ":":
		p.pos++
		s.kind = sAnnAssign
		s.targets = []*node{x}
		s.ann = p.expr()
		if p.takeOp("=") {
			s.value = p.exprList()
		}
	case next.kind == tokOp && augmented[next.sign()] != "":
		p.pos++
		s.kind, s.op = sAugAssign, augmented[next.sign()]
		s.targets = []*node{x}
		s.value = p.exprList()
	default:
		s.kind, s.value = sExpr, x
	}
	return s
}

// importStmt reads "import a.b as c" or "from a.b import c as d, e"; params hold the names
// that it defines, their annotations stay nil, and name is the module.
func (p *parser) importStmt(s *stmt) *stmt {
	s.kind = sImport
	from := p.isWord("from")
	p.pos++
	dotted := func() string {
		at := p.tok().at
		p.takeOp(".")
		p.name("the name of a module")
		for p.takeOp(".") {
			p.name("the name of a module")
		}
		return p.src[at:p.prevEnd()]
	}
	s.name = dotted()
	if !from {
		as := s.name
		if p.takeWord("as") {
			as, _, _ = p.name("a name")
		}
		s.params = append(s.params, param{name: as, orig: s.name})
		return s
	}
	if !p.takeWord("import") {
		p.fail(`expected "import", got %s`, p.what())
	}
	paren := p.takeOp("(")
	for {
		if p.takeOp("*") {
			return s
		}
		item, at, end := p.name("a name")
		as := item
		if p.takeWord("as") {
			as, _, _ = p.name("a name")
		}
		s.params = append(s.params, param{name: as, orig: item, at: at, end: end})
		if !p.takeOp(",") || paren && p.isOp(")") {
			break
		}
	}
	if paren {
		p.wantOp(")", "after the imported names")
	}
	return s
}
