package syntax

// pair makes the node of two operands.
func (p *parser) pair(k Kind, op string, a, b *Node) *Node {
	return p.node(k, a.At, b.End, op, a, b)
}

// chain counts the operands of a chain of operators.
func (p *parser) chain(count *int) {
	if *count++; *count > MaxChain {
		p.fail("this chain of operators has more than %d operands", MaxChain)
	}
}

func (p *parser) or() *Node { return p.joined("or", p.and) }

func (p *parser) and() *Node { return p.joined("and", p.not) }

// joined reads operands that a word joins.
func (p *parser) joined(word string, operand func() *Node) *Node {
	x := operand()
	for n := 0; p.takeWord(word); {
		p.chain(&n)
		x = p.pair(Bool, word, x, operand())
	}
	return x
}

func (p *parser) not() *Node {
	if p.isWord("not") {
		return p.prefixed("not", p.not)
	}
	return p.compare()
}

// prefixed reads an operator in front of its operand.
func (p *parser) prefixed(op string, operand func() *Node) *Node {
	p.enter()
	defer p.leave()
	at := p.tok().at
	p.pos++
	x := operand()
	return p.node(Unary, at, x.End, op, x)
}

// compare reads a comparison; "a < b < c" means "a < b and b < c".
func (p *parser) compare() *Node {
	x := p.binary(compares)
	var out *Node
	for n := 0; ; {
		t := p.tok()
		op := "is"
		switch {
		case precedences[t.op] == compares:
			op = t.op.String()
		case p.isWord("in"):
			p.fail(`"in" is not an operator of the script language`)
		case !p.isWord("is") && out != nil:
			return out
		case !p.isWord("is"):
			return x
		}
		p.chain(&n)
		p.pos++
		y := p.binary(compares)
		c := p.pair(Compare, op, x, y)
		if out == nil {
			out = c
		} else {
			out = p.pair(Bool, "and", out, c)
		}
		x = y
	}
}

// binary reads operators that bind tighter than level.
func (p *parser) binary(level uint8) *Node {
	x := p.unary()
	for n := 0; ; {
		t := p.tok()
		prec := precedences[t.op]
		if prec <= level {
			return x
		}
		p.chain(&n)
		p.pos++
		x = p.pair(Binary, t.op.String(), x, p.binary(prec))
	}
}

func (p *parser) unary() *Node {
	if op := p.tok().op; op == '-' || op == '+' || op == '~' {
		return p.prefixed(op.String(), p.unary)
	}
	x := p.postfix()
	if p.takeOp(signPower) {
		p.enter()
		defer p.leave()
		x = p.pair(Binary, "**", x, p.unary())
	}
	return x
}
