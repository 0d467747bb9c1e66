package parse

func (p *parser) pair(k nodeKind, op string, a, b *node) *node {
	n := p.node(k, a.at, b.end)
	n.s = op
	n.kids = p.list(a, b)
	return n
}

func (p *parser) chain(count *int) {
	if *count++; *count > maxChain {
		p.fail("this chain of operators has more than %d operands", maxChain)
	}
}

func (p *parser) or() *node {
	x := p.and()
	for n := 0; p.takeWord("or"); {
		p.chain(&n)
		x = p.pair(nBool, "or", x, p.and())
	}
	return x
}

func (p *parser) and() *node {
	x := p.not()
	for n := 0; p.takeWord("and"); {
		p.chain(&n)
		x = p.pair(nBool, "and", x, p.not())
	}
	return x
}

func (p *parser) not() *node {
	if t := p.tok(); p.isWord("not") {
		p.enter()
		defer p.leave()
		p.pos++
		x := p.not()
		n := p.node(nUnary, t.at, x.end)
		n.s = "not"
		n.kids = p.list(x)
		return n
	}
	return p.compare()
}

// compare reads a comparison; "a < b < c" means "a < b and b < c".
func (p *parser) compare() *node {
	x := p.binary(0)
	var out *node
	for n := 0; ; {
		op := ""
		if t := p.tok(); t.op.compares() {
			op = t.op.String()
		} else if t.kind == tokName {
			switch {
			case p.isWord("is"):
				op = "is"
			case p.isWord("in"):
				p.fail(`"in" is no operator of a script`)
			}
		}
		if op == "" {
			break
		}
		p.chain(&n)
		p.pos++
		y := p.binary(0)
		c := p.pair(nCompare, op, x, y)
		if out == nil {
			out = c
		} else {
			out = p.pair(nBool, "and", out, c)
		}
		x = y
	}
	if out != nil {
		return out
	}
	return x
}

// binary reads operators that bind tighter than level.
func (p *parser) binary(level int) *node {
	x := p.unary()
	for n := 0; ; {
		t := p.tok()
		prec := t.op.precedence()
		if prec == 0 || prec <= level {
			return x
		}
		p.chain(&n)
		p.pos++
		x = p.pair(nBinary, t.op.String(), x, p.binary(prec))
	}
}

func (p *parser) unary() *node {
	t := p.tok()
	if t.op == '-' || t.op == '+' || t.op == '~' {
		p.enter()
		defer p.leave()
		p.pos++
		x := p.unary()
		n := p.node(nUnary, t.at, x.end)
		n.s = t.op.String()
		n.kids = p.list(x)
		return n
	}
	x := p.postfix()
	if p.takeOp(signPower) {
		p.enter()
		defer p.leave()
		x = p.pair(nBinary, "**", x, p.unary())
	}
	return x
}
