package syntax

import (
	"strings"
	"unicode/utf8"
)

func (p *parser) atom() *Node {
	t := p.tok()
	switch t.kind {
	case tokName:
		s := p.text()
		if isKeyword(s) {
			if s != "None" && s != "True" && s != "False" {
				p.fail("expected an expression, got the word %q", s)
			}
			p.pos++
			return p.node(Const, t.at, t.end, s)
		}
		p.pos++
		return p.node(Name, t.at, t.end, s)
	case tokNumber:
		return p.number()
	case tokString:
		return p.str()
	case tokOp:
		switch t.op {
		case '(':
			return p.parens()
		case '[':
			return p.list()
		case '{':
			return p.dict()
		case signEllipsis:
			p.pos++
			return p.node(Const, t.at, t.end, "...")
		}
	}
	p.fail("expected an expression, got %s", p.what())
	return nil
}

func (p *parser) list() *Node {
	at, mark := p.tok().at, len(p.open)
	p.pos++
	p.commas(']', "after the elements", func() {
		x := p.starOr()
		p.open = append(p.open, x)
		p.noComprehension()
	})
	return p.closed(List, at, p.prevEnd(), mark)
}

func (p *parser) noComprehension() {
	if p.isWord("for") {
		p.fail("comprehensions are not supported: write the elements out")
	}
}

func (p *parser) parens() *Node {
	at := p.tok().at
	p.pos++
	if p.takeOp(')') {
		return p.node(Tuple, at, p.prevEnd(), "")
	}
	x := p.exprList()
	p.noComprehension()
	p.wantOp(')', "to close the parenthesis")
	x.At, x.End = at, p.prevEnd()
	return x
}

func (p *parser) dict() *Node {
	at, mark := p.tok().at, len(p.open)
	p.pos++
	p.commas('}', "to close the dictionary", func() {
		k := p.expr()
		p.wantOp(':', "after the key")
		v := p.expr()
		p.open = append(p.open, k, v)
	})
	return p.closed(Dict, at, p.prevEnd(), mark)
}

func (p *parser) number() *Node {
	t := p.tok()
	s := strings.ReplaceAll(p.text(), "_", "")
	k := Int
	if !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0X") && strings.ContainsAny(s, ".eE") {
		k = Float
	}
	p.pos++
	return p.node(k, t.at, t.end, s)
}

// str reads one or more strings in a row, which are joined.
func (p *parser) str() *Node {
	t := p.tok()
	n := p.node(String, t.at, t.end, p.unquote(t))
	for p.pos++; p.tok().kind == tokString; p.pos++ {
		n.Text += p.unquote(p.tok())
		n.End = p.tok().end
	}
	return n
}

// unquote returns what a string holds. Strings with f are refused: nothing in a text is executed.
func (p *parser) unquote(t *token) string {
	s := p.src[t.at:t.end]
	raw := false
	for len(s) > 0 && s[0] != '"' && s[0] != '\'' {
		switch s[0] {
		case 'r', 'R':
			raw = true
		case 'f', 'F':
			p.fail("f-strings are not supported: write the text out")
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
	return Unescape(s)
}

// Unescape replaces the escapes of a Python string by what they stand for. Unknown ones stay.
func Unescape(s string) string {
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
