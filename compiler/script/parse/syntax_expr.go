package parse

import (
	"strings"
	"unicode/utf8"
)

// exprList reads "a" or "a, b, ...", the latter as a tuple.
func (p *parser) exprList() *node {
	first := p.starOr()
	if !p.isOp(",") {
		return first
	}
	kids := []*node{first}
	for p.takeOp(",") {
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
		return !keywords[s] || s == "None" || s == "True" || s == "False" || s == "not" || s == "lambda"
	case tokNumber, tokString:
		return true
	case tokOp:
		return strings.Contains("( [ { - + ~ * ...", t.sign()) && t.sign() != ""
	}
	return false
}

func (p *parser) starOr() *node {
	if t := p.tok(); p.takeOp("*") {
		x := p.expr()
		n := p.node(nStar, t.at, x.end)
		n.kids = p.list(x)
		return n
	}
	return p.expr()
}

// expr reads an expression: a conditional, a lambda or anything that binds tighter.
func (p *parser) expr() *node {
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

func (p *parser) lambda() *node {
	at := p.tok().at
	p.pos++
	var params []string
	for !p.isOp(":") {
		star := p.takeOp("*")
		s, _, _ := p.name("the name of a parameter")
		if star {
			s = "*" + s
		}
		params = append(params, s)
		if !p.takeOp(",") {
			break
		}
	}
	p.wantOp(":", "after the parameters of the lambda")
	body := p.expr()
	n := p.node(nLambda, at, body.end)
	n.params = params
	n.kids = p.list(body)
	return n
}

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
		if t := p.tok(); t.kind == tokOp {
			switch t.sign() {
			case "==", "!=", "<", "<=", ">", ">=":
				op = t.sign()
			}
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

// precedence of the infix signs of arithmetic; 0 is none of them.
func precedence(op string) int {
	switch op {
	case "|":
		return 1
	case "^":
		return 2
	case "&":
		return 3
	case "<<", ">>":
		return 4
	case "+", "-":
		return 5
	case "*", "/", "//", "%", "@":
		return 6
	}
	return 0
}

// binary reads operators that bind tighter than level.
func (p *parser) binary(level int) *node {
	x := p.unary()
	for n := 0; ; {
		t := p.tok()
		if t.kind != tokOp {
			return x
		}
		prec := precedence(t.sign())
		if prec == 0 || prec <= level {
			return x
		}
		p.chain(&n)
		p.pos++
		x = p.pair(nBinary, t.sign(), x, p.binary(prec))
	}
}

func (p *parser) unary() *node {
	t := p.tok()
	if t.kind == tokOp && (t.sign() == "-" || t.sign() == "+" || t.sign() == "~") {
		p.enter()
		defer p.leave()
		p.pos++
		x := p.unary()
		n := p.node(nUnary, t.at, x.end)
		n.s = t.sign()
		n.kids = p.list(x)
		return n
	}
	x := p.postfix()
	if p.takeOp("**") {
		p.enter()
		defer p.leave()
		x = p.pair(nBinary, "**", x, p.unary())
	}
	return x
}

func (p *parser) postfix() *node {
	x := p.atom()
	for n := 0; ; {
		t := p.tok()
		if t.kind != tokOp {
			return x
		}
		switch t.sign() {
		case ".":
			p.chain(&n)
			p.pos++
			s, _, end := p.name("the name of an attribute")
			a := p.node(nAttr, x.at, end)
			a.s = s
			a.kids = p.list(x)
			x = a
		case "(":
			p.chain(&n)
			x = p.call(x)
		case "[":
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
	for !p.isOp(")") {
		t := p.tok()
		switch {
		case p.takeOp("**"):
			v := p.expr()
			kws = append(kws, keyword{name: "**", at: t.at, end: v.end, value: v})
		case t.kind == tokName && p.toks[p.pos+1].kind == tokOp && p.toks[p.pos+1].sign() == "=":
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
		if !p.takeOp(",") {
			break
		}
	}
	p.wantOp(")", "after the arguments")
	n := p.node(nCall, fn.at, p.prevEnd())
	n.kids = p.list(kids...)
	n.kws = kws
	return n
}

func (p *parser) index(x *node) *node {
	p.pos++
	kids := []*node{x}
	for !p.isOp("]") {
		kids = append(kids, p.subscript())
		if !p.takeOp(",") {
			break
		}
	}
	if len(kids) == 1 {
		p.fail("expected an index, got %s", p.what())
	}
	p.wantOp("]", "after the indices")
	n := p.node(nIndex, x.at, p.prevEnd())
	n.kids = p.list(kids...)
	return n
}

func (p *parser) subscript() *node {
	at := p.tok().at
	var parts [3]*node
	if !p.isOp(":") {
		parts[0] = p.starOr()
		if !p.isOp(":") {
			return parts[0]
		}
	}
	for i := 1; i < 3 && p.takeOp(":"); i++ {
		if !p.isOp(":") && !p.isOp(",") && !p.isOp("]") {
			parts[i] = p.expr()
		}
	}
	n := p.node(nSlice, at, p.prevEnd())
	n.kids = p.list(parts[:]...)
	return n
}

func (p *parser) atom() *node {
	t := p.tok()
	switch t.kind {
	case tokName:
		s := p.text()
		if keywords[s] {
			if s != "None" && s != "True" && s != "False" {
				p.fail("expected an expression, got the word %q", s)
			}
			p.pos++
			n := p.node(nConst, t.at, t.end)
			n.s = s
			return n
		}
		p.pos++
		n := p.node(nName, t.at, t.end)
		n.s = s
		return n
	case tokNumber:
		return p.number()
	case tokString:
		return p.str()
	case tokOp:
		switch t.sign() {
		case "(":
			return p.parens()
		case "[":
			n := p.node(nList, t.at, t.at)
			n.kids = p.items("]")
			n.end = p.prevEnd()
			return n
		case "{":
			return p.dict()
		case "...":
			p.pos++
			n := p.node(nConst, t.at, t.end)
			n.s = "..."
			return n
		}
	}
	p.fail("expected an expression, got %s", p.what())
	return nil
}

// items reads the elements up to a closing bracket.
func (p *parser) items(end string) []*node {
	p.pos++
	var kids []*node
	for !p.isOp(end) {
		kids = append(kids, p.starOr())
		if p.isWord("for") {
			p.fail("comprehensions are not supported: write the elements out")
		}
		if !p.takeOp(",") {
			break
		}
	}
	p.wantOp(end, "after the elements")
	return p.list(kids...)
}

func (p *parser) parens() *node {
	at := p.tok().at
	p.pos++
	if p.takeOp(")") {
		n := p.node(nTuple, at, p.prevEnd())
		n.parens = true
		return n
	}
	x := p.exprList()
	if p.isWord("for") {
		p.fail("comprehensions are not supported: write the elements out")
	}
	p.wantOp(")", "to close the parenthesis")
	x.parens = true
	x.at, x.end = at, p.prevEnd()
	return x
}

func (p *parser) dict() *node {
	n := p.node(nDict, p.tok().at, 0)
	p.pos++
	var kids []*node
	for !p.isOp("}") {
		k := p.expr()
		p.wantOp(":", "after the key")
		kids = append(kids, k, p.expr())
		if !p.takeOp(",") {
			break
		}
	}
	p.wantOp("}", "to close the dictionary")
	n.kids = p.list(kids...)
	n.end = p.prevEnd()
	return n
}

func (p *parser) number() *node {
	t := p.tok()
	s := p.text()
	if strings.IndexByte(s, '_') >= 0 {
		s = strings.ReplaceAll(s, "_", "")
	}
	k := nInt
	if !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0X") && strings.ContainsAny(s, ".eE") {
		k = nFloat
	}
	p.pos++
	n := p.node(k, t.at, t.end)
	n.s = s
	return n
}

// str reads one or more strings in a row, which are joined.
func (p *parser) str() *node {
	t := p.tok()
	n := p.node(nString, t.at, t.end)
	n.s = p.unquote(t)
	p.pos++
	for p.tok().kind == tokString {
		n.s += p.unquote(p.tok())
		n.end = p.tok().end
		p.pos++
	}
	return n
}

func (p *parser) unquote(t *token) string {
	s := p.src[t.at:t.end]
	raw := false
	for len(s) > 0 && s[0] != '"' && s[0] != '\'' {
		switch s[0] {
		case 'r', 'R':
			raw = true
		case 'f', 'F':
			p.fail("strings with f are not supported: write the text out")
		}
		s = s[1:]
	}
	q := 1
	if len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		q = 3
	}
	if len(s) < 2*q {
		return ""
	}
	s = s[q : len(s)-q]
	if raw || strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return unescape(s)
}

func unescape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case '\n':
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v := 0
			k := i
			for ; k < len(s) && k < i+3 && s[k] >= '0' && s[k] <= '7'; k++ {
				v = v*8 + int(s[k]-'0')
			}
			b = append(b, byte(v))
			i = k - 1
		case 'x', 'u', 'U':
			n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
			v, k := 0, i+1
			for ; k < len(s) && k <= i+n; k++ {
				d := strings.IndexByte("0123456789abcdef", s[k]|0x20)
				if d < 0 {
					break
				}
				v = v<<4 | d
			}
			if s[i] == 'x' {
				b = append(b, byte(v))
			} else {
				b = utf8.AppendRune(b, rune(v))
			}
			i = k - 1
		case '\\', '"', '\'':
			b = append(b, s[i])
		default:
			b = append(b, '\\', s[i])
		}
	}
	return string(b)
}
