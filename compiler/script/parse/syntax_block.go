package parse

func (p *parser) ifStmt(s *stmt) *stmt {
	p.enter()
	defer p.leave()
	p.pos++
	s.kind = sIf
	s.value = p.expr()
	p.block(s, "after the condition")
	switch {
	case p.isWord("elif"):
		s.orelse = []*stmt{p.ifStmt(p.stmt(p.tok().at))}
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
		if !p.takeOp(',') {
			break
		}
	}
	p.block(s, `after the head of "with"`)
}

func (p *parser) def(s *stmt) {
	p.pos++
	s.kind, s.head = sDef, &head{}
	s.name, _, _ = p.name("the name of the function")
	if p.takeOp('[') { // type parameters of newer versions: symbolic variables
		for !p.isOp(']') {
			name, at, end := p.name("the name of a symbolic variable")
			size := param{name: name, at: at, end: end}
			if p.takeOp(':') {
				size.ann = p.expr()
			}
			s.sizes = append(s.sizes, size)
			if !p.takeOp(',') {
				break
			}
		}
		p.wantOp(']', "after the type parameters")
	}
	p.wantOp('(', "before the parameters")
	for !p.isOp(')') {
		if p.isOp('*') || p.isOp(signPower) {
			p.fail("a function of a script has no variadic parameters")
		}
		name, at, end := p.name("the name of a parameter")
		prm := param{name: name, at: at, end: end}
		if p.takeOp(':') {
			prm.ann = p.expr()
		}
		if p.takeOp('=') {
			p.expr()
		}
		s.params = append(s.params, prm)
		if !p.takeOp(',') {
			break
		}
	}
	p.wantOp(')', "after the parameters")
	if p.takeOp(signArrow) {
		s.ann = p.exprList()
	}
	p.block(s, "after the signature")
}

// block reads ":" and the statements of the block into s.
func (p *parser) block(s *stmt, where string) {
	p.enter()
	defer p.leave()
	p.wantOp(':', where)
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
