package dialect

import (
	"strings"

	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// literal reads a number or string as Starlark spells it, at a place of the script.
func (p *parser) literal(pos syntax.Position, spelled string) *syntax.Literal {
	at := syntax.FilePortion{Content: []byte(spelled), FirstLine: pos.Line, FirstCol: pos.Col}
	x, err := Options().ParseExpr(*p.file, at, 0)
	if err != nil {
		if e, ok := err.(syntax.Error); ok {
			panic(e)
		}
		p.fail(pos, "%v", err)
	}
	lit, ok := x.(*syntax.Literal)
	if !ok {
		p.fail(pos, "%s is not a number", spelled)
	}
	lit.TokenPos = pos
	return lit
}

func (p *parser) numeral() syntax.Expr {
	t := p.tok()
	spelled := t.text
	if strings.Contains(spelled, "_") {
		spelled = strings.ReplaceAll(spelled, "_", "")
	}
	if c := spelled[len(spelled)-1] | 0x20; c == 'j' {
		p.fail(t.pos, "complex numbers are not available")
	}
	lit := p.literal(t.pos, spelled)
	lit.Raw = t.text
	p.at++
	return lit
}

// strings reads one or more strings in a row, which are joined. With fields of f-strings among them they are a call.
func (p *parser) strings() syntax.Expr {
	pos := p.pos()
	var parts []syntax.Expr
	for ; p.is(py.StringToken); p.at++ {
		t := p.tok()
		prefix := strings.ToLower(t.text[:strings.IndexAny(t.text, `"'`)])
		if strings.Contains(prefix, "f") {
			parts = p.fields(parts, t, strings.Contains(prefix, "r"))
			continue
		}
		spelled := prefix + t.text[len(prefix):]
		if prefix == "u" {
			spelled = spelled[1:]
		}
		lit := p.literal(t.pos, spelled)
		lit.Raw = t.text
		if n := len(parts); n > 0 {
			if before, ok := parts[n-1].(*syntax.Literal); ok {
				p.join(before, lit)
				continue
			}
		}
		parts = append(parts, lit)
	}
	if len(parts) == 1 {
		if lit, ok := parts[0].(*syntax.Literal); ok {
			return lit
		}
	}
	if len(parts) == 0 { // an f-string without any text
		return text(pos, "")
	}
	for _, x := range parts {
		if lit, ok := x.(*syntax.Literal); ok && lit.Token == syntax.BYTES {
			p.fail(lit.TokenPos, "bytes and strings cannot be joined")
		}
	}
	return call(Join, pos, parts...)
}

// join appends the text of a string to that before it.
func (p *parser) join(to, lit *syntax.Literal) {
	a, aok := to.Value.(string)
	b, bok := lit.Value.(string)
	if !aok || !bok || to.Token != lit.Token {
		p.fail(lit.TokenPos, "bytes and strings cannot be joined")
	}
	to.Value = a + b
	to.Raw += " " + lit.Raw
}
