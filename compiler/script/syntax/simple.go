package syntax

// target reads the targets of a loop: names, with or without parentheses.
func (p *parser) target() *Node {
	return p.tuple(p.target1, func() bool { return !p.isWord("in") })
}

func (p *parser) target1() *Node { return p.starOf(p.postfix) }

// simple reads a statement without a block.
func (p *parser) simple() *Stmt {
	t := p.tok()
	s := p.stmt(t.at)
	defer func() { s.End = p.prevEnd(); s.Last = s.End }()
	if t.kind == tokName {
		switch p.text() {
		case "return":
			p.pos++
			s.Kind = Return
			if p.startsExpr() {
				s.Value = p.exprList()
			}
			return s
		case "pass", "break", "continue":
			s.Kind = map[byte]StmtKind{'p': Pass, 'b': Break, 'c': Continue}[p.src[t.at]]
			p.pos++
			return s
		case "assert":
			p.pos++
			s.Kind, s.Value = Assert, p.expr()
			if p.takeOp(',') {
				s.Ann = p.expr()
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
		s.Kind = Assign
		s.Targets = p.kids(x)
		for p.takeOp('=') {
			s.Value = p.exprList()
			if p.isOp('=') {
				s.Targets = append(s.Targets, s.Value)
			}
		}
	case next.op == ':':
		p.pos++
		s.Kind = AnnAssign
		s.Targets = p.kids(x)
		s.Ann = p.expr()
		if p.takeOp('=') {
			s.Value = p.exprList()
		}
	case augmented[next.op] != 0:
		p.pos++
		s.Kind, s.Op = AugAssign, augmented[next.op].String()
		s.Targets = p.kids(x)
		s.Value = p.exprList()
	default:
		s.Kind, s.Value = ExprStmt, x
	}
	return s
}

// importStmt reads "import a.b as c" or "from a.b import c as d, e"; params hold the names
// that it defines, their annotations stay nil, and name is the module.
func (p *parser) importStmt(s *Stmt) *Stmt {
	s.Kind, s.head = Import, &head{}
	from := p.isWord("from")
	p.pos++
	at := p.tok().at
	for p.takeOp('.'); ; {
		p.name("the name of a module")
		if !p.takeOp('.') {
			break
		}
	}
	s.Name = p.src[at:p.prevEnd()]
	rename := func(prm Param) {
		prm.Orig = prm.Name
		if p.takeWord("as") {
			prm.Name, _, _ = p.name("a name")
		}
		s.Params = append(s.Params, prm)
	}
	if !from {
		rename(Param{Name: s.Name})
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
		rename(Param{Name: item, At: at, End: end})
		if !p.takeOp(',') || paren && p.isOp(')') {
			break
		}
	}
	if paren {
		p.wantOp(')', "after the imported names")
	}
	return s
}
