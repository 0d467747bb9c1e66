package parse

// target reads the targets of a loop: names, with or without parentheses.
func (p *parser) target() *node {
	first := p.target1()
	if !p.isOp(',') {
		return first
	}
	kids := []*node{first}
	for p.takeOp(',') {
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
	if t := p.tok(); p.takeOp('*') {
		x := p.postfix()
		n := p.node(nStar, t.at, x.end)
		n.kids = p.list(x)
		return n
	}
	return p.postfix()
}

// simple reads a statement without a block.
func (p *parser) simple() *stmt {
	t := p.tok()
	s := p.stmt(t.at)
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
			if p.takeOp(',') {
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
	case next.op == '=':
		s.kind = sAssign
		s.targets = p.list(x)
		for p.takeOp('=') {
			s.value = p.exprList()
			if p.isOp('=') {
				s.targets = append(s.targets, s.value)
			}
		}
	case next.op == ':':
		p.pos++
		s.kind = sAnnAssign
		s.targets = p.list(x)
		s.ann = p.expr()
		if p.takeOp('=') {
			s.value = p.exprList()
		}
	case next.op.augments() != 0:
		p.pos++
		s.kind, s.op = sAugAssign, next.op.augments()
		s.targets = p.list(x)
		s.value = p.exprList()
	default:
		s.kind, s.value = sExpr, x
	}
	return s
}

// importStmt reads "import a.b as c" or "from a.b import c as d, e"; params hold the names
// that it defines, their annotations stay nil, and name is the module.
func (p *parser) importStmt(s *stmt) *stmt {
	s.kind, s.head = sImport, &head{}
	from := p.isWord("from")
	p.pos++
	dotted := func() string {
		at := p.tok().at
		p.takeOp('.')
		p.name("the name of a module")
		for p.takeOp('.') {
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
	paren := p.takeOp('(')
	for {
		if p.takeOp('*') {
			return s
		}
		item, at, end := p.name("a name")
		as := item
		if p.takeWord("as") {
			as, _, _ = p.name("a name")
		}
		s.params = append(s.params, param{name: as, orig: item, at: at, end: end})
		if !p.takeOp(',') || paren && p.isOp(')') {
			break
		}
	}
	if paren {
		p.wantOp(')', "after the imported names")
	}
	return s
}
