package parse

// exprList reads "a" or "a, b, ...", the latter as a tuple.
func (p *parser) exprList() *node {
	first := p.starOr()
	if !p.isOp(',') {
		return first
	}
	kids := []*node{first}
	for p.takeOp(',') {
		if !p.startsExpr() {
			break
		}
		kids = append(kids, p.starOr())
	}
	n := p.node(nTuple, first.at, p.prevEnd())
	n.kids = p.list(kids...)
	return n
}

func (p *parser) startsExpr() bool {
	t := p.tok()
	switch t.kind {
	case tokName:
		s := p.text()
		return !isKeyword(s) || s == "None" || s == "True" || s == "False" || s == "not" || s == "lambda"
	case tokNumber, tokString:
		return true
	case tokOp:
		switch t.op {
		case '(', '[', '{', '-', '+', '~', '*', '.', signEllipsis:
			return true
		}
	}
	return false
}

func (p *parser) starOr() *node {
	if t := p.tok(); p.takeOp('*') {
		x := p.expr()
		n := p.node(nStar, t.at, x.end)
		n.kids = p.list(x)
		return n
	}
	return p.expr()
}

// expr reads an expression: a conditional, a lambda or anything that binds tighter.
func (p *parser) expr() *node {
	if n := p.leaf(); n != nil {
		return n
	}
	p.enter()
	defer p.leave()
	if p.isWord("lambda") {
		return p.lambda()
	}
	x := p.or()
	if !p.isWord("if") {
		return x
	}
	p.pos++
	cond := p.or()
	if !p.takeWord("else") {
		p.fail(`expected "else" after the condition, got %s`, p.what())
	}
	no := p.expr()
	n := p.node(nIfExp, x.at, no.end)
	n.kids = p.list(cond, x, no)
	return n
}

// leaf reads a name or a number that is a whole expression, as most are; nil for others.
func (p *parser) leaf() *node {
	switch p.toks[min(p.pos+1, len(p.toks)-1)].op {
	case ',', ')', ']', ':', '=':
	default:
		return nil
	}
	if t := p.tok(); t.kind == tokNumber || t.kind == tokName && !isKeyword(p.text()) {
		return p.atom()
	}
	return nil
}

func (p *parser) lambda() *node {
	at := p.tok().at
	p.pos++
	var params []string
	for !p.isOp(':') {
		star := p.takeOp('*')
		s, _, _ := p.name("the name of a parameter")
		if star {
			s = "*" + s
		}
		params = append(params, s)
		if !p.takeOp(',') {
			break
		}
	}
	p.wantOp(':', "after the parameters of the lambda")
	body := p.expr()
	n := p.node(nLambda, at, body.end)
	n.more = &more{vars: params}
	n.kids = p.list(body)
	return n
}

func (p *parser) postfix() *node {
	x := p.atom()
	for n := 0; ; {
		t := p.tok()
		switch t.op {
		case '.':
			p.chain(&n)
			p.pos++
			s, _, end := p.name("the name of an attribute")
			a := p.node(nAttr, x.at, end)
			a.s = s
			a.kids = p.list(x)
			x = a
		case '(':
			p.chain(&n)
			x = p.call(x)
		case '[':
			p.chain(&n)
			x = p.index(x)
		default:
			return x
		}
	}
}

func (p *parser) call(fn *node) *node {
	p.pos++
	var buf [8]*node
	kids := append(buf[:0], fn)
	var kws []keyword
	for !p.isOp(')') {
		t := p.tok()
		switch {
		case p.takeOp(signPower):
			v := p.expr()
			kws = append(kws, keyword{name: "**", at: t.at, end: v.end, value: v})
		case t.kind == tokName && p.toks[p.pos+1].op == '=':
			name := p.text()
			p.pos += 2
			v := p.expr()
			kws = append(kws, keyword{name: name, at: t.at, end: t.end, value: v})
		default:
			x := p.starOr()
			if len(kws) > 0 && x.kind != nStar {
				p.diags.add(x.at, x.end, "an argument without a name follows one with a name", "")
				panic(syntaxError{})
			}
			kids = append(kids, x)
		}
		if !p.takeOp(',') {
			break
		}
	}
	p.wantOp(')', "after the arguments")
	n := p.node(nCall, fn.at, p.prevEnd())
	n.kids = p.list(kids...)
	if len(kws) > 0 {
		n.more = &more{kws: kws}
	}
	return n
}

func (p *parser) index(x *node) *node {
	p.pos++
	kids := []*node{x}
	for !p.isOp(']') {
		kids = append(kids, p.subscript())
		if !p.takeOp(',') {
			break
		}
	}
	if len(kids) == 1 {
		p.fail("expected an index, got %s", p.what())
	}
	p.wantOp(']', "after the indices")
	n := p.node(nIndex, x.at, p.prevEnd())
	n.kids = p.list(kids...)
	return n
}

func (p *parser) subscript() *node {
	at := p.tok().at
	var parts [3]*node
	if !p.isOp(':') {
		parts[0] = p.starOr()
		if !p.isOp(':') {
			return parts[0]
		}
	}
	for i := 1; i < 3 && p.takeOp(':'); i++ {
		if !p.isOp(':') && !p.isOp(',') && !p.isOp(']') {
			parts[i] = p.expr()
		}
	}
	n := p.node(nSlice, at, p.prevEnd())
	n.kids = p.list(parts[:]...)
	return n
}
