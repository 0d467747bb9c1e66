package syntax

func (p *parser) pair(k Kind, op string, a, b *Node) *Node {
	return p.node(k, a.At, b.End, op, a, b)
}

func (p *parser) chain(count *int) {
	if *count++; *count > MaxChain {
		p.fail("this chain of operators has more than %d operands", MaxChain)
	}
}

func (p *parser) or() *Node {
	x := p.and()
	for n := 0; p.takeWord("or"); {
		p.chain(&n)
		x = p.pair(Bool, "or", x, p.and())
	}
	return x
}

func (p *parser) and() *Node {
	x := p.not()
	for n := 0; p.takeWord("and"); {
		p.chain(&n)
		x = p.pair(Bool, "and", x, p.not())
	}
	return x
}

func (p *parser) not() *Node {
	if t := p.tok(); p.isWord("not") {
		p.enter()
		defer p.leave()
		p.pos++
		x := p.not()
		return p.node(Unary, t.at, x.End, "not", x)
	}
	return p.compare()
}

// compare reads a comparison; "a < b < c" means "a < b and b < c".
func (p *parser) compare() *Node {
	x := p.binary(0)
	var out *Node
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
		c := p.pair(Compare, op, x, y)
		if out == nil {
			out = c
		} else {
			out = p.pair(Bool, "and", out, c)
		}
		x = y
	}
	if out != nil {
		return out
	}
	return x
}

// binary reads operators that bind tighter than level.
func (p *parser) binary(level int) *Node {
	x := p.unary()
	for n := 0; ; {
		t := p.tok()
		prec := t.op.precedence()
		if prec == 0 || prec <= level {
			return x
		}
		p.chain(&n)
		p.pos++
		x = p.pair(Binary, t.op.String(), x, p.binary(prec))
	}
}

func (p *parser) unary() *Node {
	t := p.tok()
	if t.op == '-' || t.op == '+' || t.op == '~' {
		p.enter()
		defer p.leave()
		p.pos++
		x := p.unary()
		return p.node(Unary, t.at, x.End, t.op.String(), x)
	}
	x := p.postfix()
	if p.takeOp(signPower) {
		p.enter()
		defer p.leave()
		x = p.pair(Binary, "**", x, p.unary())
	}
	return x
}
