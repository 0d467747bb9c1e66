package syntax

import "strings"

func (p *parser) ifStmt(s *Stmt) *Stmt {
	p.enter()
	defer p.leave()
	p.pos++
	s.Kind = If
	s.Value = p.expr()
	p.block(s, "after the condition")
	switch {
	case p.isWord("elif"):
		s.Orelse = []*Stmt{p.ifStmt(p.stmt(p.tok().at))}
		s.Last = s.Orelse[0].Last
	case p.takeWord("else"):
		e := &Stmt{}
		p.block(e, `after "else"`)
		s.Orelse, s.Last = e.Body, e.Last
	}
	return s
}

func (p *parser) with(s *Stmt) {
	p.pos++
	s.Kind = With
	for {
		it := WithItem{Value: p.expr()}
		if p.takeWord("as") {
			it.As = p.target1()
		}
		s.Items = append(s.Items, it)
		if !p.takeOp(',') {
			break
		}
	}
	p.block(s, `after the head of "with"`)
}

func (p *parser) def(s *Stmt) {
	p.pos++
	s.Kind, s.head = Def, &head{}
	s.Name, _, _ = p.name("the name of the function")
	if p.takeOp('[') { // type parameters of newer versions: symbolic variables
		p.commas(']', "after the type parameters", func() {
			s.Sizes = append(s.Sizes, p.param("the name of a symbolic variable"))
		})
	}
	p.wantOp('(', "before the parameters")
	p.commas(')', "after the parameters", func() {
		if p.isOp('*') || p.isOp(signPower) {
			p.fail("functions of a script cannot have variadic parameters")
		}
		s.Params = append(s.Params, p.param("the name of a parameter"))
		if p.takeOp('=') {
			p.expr()
		}
	})
	if p.takeOp(signArrow) {
		s.Ann = p.exprList()
	}
	defer func(module bool) { p.module = module }(p.module)
	p.module = false
	p.block(s, "after the signature")
}

// param reads a name and its annotation.
func (p *parser) param(what string) Param {
	name, at, end := p.name(what)
	out := Param{Name: name, At: at, End: end}
	if p.takeOp(':') {
		out.Ann = p.expr()
	}
	return out
}

// block reads ":" and the statements of the block into s.
func (p *parser) block(s *Stmt, where string) {
	p.enter()
	defer p.leave()
	p.wantOp(':', where)
	s.End = p.prevEnd()
	if p.tok().kind != tokNewline {
		s.Body = p.statement(nil)
		s.Last = p.prevEnd()
		return
	}
	p.pos++
	if p.tok().kind != tokIndent {
		p.fail("expected an indented block, got %s", p.what())
	}
	if s.Kind == Def && p.passing != "" && p.passOver(s) {
		return
	}
	p.pos++
	p.statements(s)
}

// passOver moves behind the body of a function, for ReadBody, and reports whether it did. It does not
// where the body of a Relax function may declare symbolic variables, which belong to its signature.
func (p *parser) passOver(s *Stmt) bool {
	start := p.pos + 1
	p.skipIndented()
	if p.passing == "function" {
		for i := start; i < p.pos-1; i++ {
			if t := &p.toks[i+1]; p.toks[i].op == '.' && isTypeName(p.src[t.at:t.end]) {
				p.pos = start - 1
				return false
			}
		}
	}
	s.start, s.depth, s.script = start, p.depth, p.script
	s.Last = p.toks[p.pos-1].at
	p.passed++
	return true
}

// isTypeName reports whether a name begins as those of element types do.
func isTypeName(s string) bool {
	for _, prefix := range [...]string{"int", "uint", "float", "bfloat", "bool"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// statements reads the statements of an indented block, and its end.
func (p *parser) statements(s *Stmt) {
	for p.tok().kind != tokDedent && p.tok().kind != tokEOF {
		if p.tok().kind == tokNewline {
			p.pos++
			continue
		}
		if p.tok().kind == tokIndent {
			p.diags.Add(p.tok().at, p.tok().at+1, "this line is indented deeper than the block that it is in", "")
			p.skipIndented()
			continue
		}
		s.Body = p.statement(s.Body)
	}
	s.Last = p.tok().at
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
