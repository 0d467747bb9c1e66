package parse

import (
	"strings"
	"unicode/utf8"
)

func (p *parser) atom() *node {
	t := p.tok()
	switch t.kind {
	case tokName:
		s := p.text()
		if isKeyword(s) {
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
		switch t.op {
		case '(':
			return p.parens()
		case '[':
			n := p.node(nList, t.at, t.at)
			n.kids = p.items(']')
			n.end = p.prevEnd()
			return n
		case '{':
			return p.dict()
		case signEllipsis:
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
func (p *parser) items(end sign) []*node {
	p.pos++
	var kids []*node
	for !p.isOp(end) {
		kids = append(kids, p.starOr())
		if p.isWord("for") {
			p.fail("comprehensions are not supported: write the elements out")
		}
		if !p.takeOp(',') {
			break
		}
	}
	p.wantOp(end, "after the elements")
	return p.list(kids...)
}

func (p *parser) parens() *node {
	at := p.tok().at
	p.pos++
	if p.takeOp(')') {
		n := p.node(nTuple, at, p.prevEnd())
		n.parens = true
		return n
	}
	x := p.exprList()
	if p.isWord("for") {
		p.fail("comprehensions are not supported: write the elements out")
	}
	p.wantOp(')', "to close the parenthesis")
	x.parens = true
	x.at, x.end = at, p.prevEnd()
	return x
}

func (p *parser) dict() *node {
	n := p.node(nDict, p.tok().at, 0)
	p.pos++
	var kids []*node
	for !p.isOp('}') {
		k := p.expr()
		p.wantOp(':', "after the key")
		kids = append(kids, k, p.expr())
		if !p.takeOp(',') {
			break
		}
	}
	p.wantOp('}', "to close the dictionary")
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
