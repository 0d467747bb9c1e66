package syntax

// exprList reads "a" or "a, b, ...", the latter as a tuple.
func (p *parser) exprList() *Node { return p.tuple(p.starOr, p.startsExpr) }

// tuple reads what read does, once or, as a tuple, as often as commas follow; more reports whether
// a comma has another one behind it.
func (p *parser) tuple(read func() *Node, more func() bool) *Node {
	first := read()
	if !p.isOp(',') {
		return first
	}
	mark := len(p.open)
	p.open = append(p.open, first)
	for p.takeOp(',') && more() {
		x := read()
		p.open = append(p.open, x)
	}
	return p.closed(Tuple, first.At, p.prevEnd(), mark)
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

func (p *parser) starOr() *Node { return p.starOf(p.expr) }

// starOf reads what read does, or a star before it.
func (p *parser) starOf(read func() *Node) *Node {
	if t := p.tok(); p.takeOp('*') {
		x := read()
		return p.node(Star, t.at, x.End, "", x)
	}
	return read()
}

// expr reads an expression: a conditional, a lambda or anything that binds tighter.
func (p *parser) expr() *Node {
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
	return p.node(IfExp, x.At, no.End, "", cond, x, no)
}

// leaf reads a name or a number that is a whole expression, as most are; nil for others.
func (p *parser) leaf() *Node {
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

func (p *parser) lambda() *Node {
	at := p.tok().at
	p.pos++
	var params []string
	p.commas(':', "after the parameters of the lambda", func() {
		star := ""
		if p.takeOp('*') {
			star = "*"
		}
		s, _, _ := p.name("the name of a parameter")
		params = append(params, star+s)
	})
	body := p.expr()
	n := p.node(Lambda, at, body.End, "", body)
	n.more = &more{vars: params}
	return n
}

func (p *parser) postfix() *Node {
	x := p.atom()
	for n := 0; ; {
		t := p.tok()
		switch t.op {
		case '.':
			p.chain(&n)
			p.pos++
			s, _, end := p.name("the name of an attribute")
			x = p.node(Attr, x.At, end, s, x)
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

func (p *parser) call(fn *Node) *Node {
	p.pos++
	mark := len(p.open)
	p.open = append(p.open, fn)
	var kws []Keyword
	p.commas(')', "after the arguments", func() {
		switch t := p.tok(); {
		case p.takeOp(signPower):
			v := p.expr()
			kws = append(kws, Keyword{Name: "**", At: t.at, End: v.End, Value: v})
		case t.kind == tokName && p.toks[p.pos+1].op == '=':
			name := p.text()
			p.pos += 2
			v := p.expr()
			kws = append(kws, Keyword{Name: name, At: t.at, End: t.end, Value: v})
		default:
			x := p.starOr()
			if len(kws) > 0 && x.Kind != Star {
				p.diags.Add(x.At, x.End, "an argument without a name follows one with a name", "")
				panic(syntaxError{})
			}
			p.open = append(p.open, x)
		}
	})
	n := p.closed(Call, fn.At, p.prevEnd(), mark)
	if len(kws) > 0 {
		n.more = &more{kws: kws}
	}
	return n
}

func (p *parser) index(x *Node) *Node {
	p.pos++
	mark := len(p.open)
	p.open = append(p.open, x)
	if p.isOp(']') {
		p.fail("expected an index, got %s", p.what())
	}
	p.commas(']', "after the indices", func() {
		i := p.subscript()
		p.open = append(p.open, i)
	})
	return p.closed(Index, x.At, p.prevEnd(), mark)
}

func (p *parser) subscript() *Node {
	at := p.tok().at
	var parts [3]*Node
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
	return p.node(Slice, at, p.prevEnd(), "", parts[:]...)
}
