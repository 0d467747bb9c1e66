package relay

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// maxNesting bounds how deep expressions stand in one another.
const maxNesting = 1000

// parser reads the tokens of a text into a graph. It stops at the first error.
type parser struct {
	lex   lexer
	tok   token // the next token
	ahead []token
	depth int

	scopes []map[string]*variable
	graph  map[string]*node // %0, which stays known to the end of the text
	free   []*variable
	defs   []*definition
	meta   string
	metaAt token
	known  map[string]bool // names of types that are variables
}

// definition is a global function.
type definition struct {
	name string
	span *ir.Span
	fn   *function
}

func (p *parser) fail(at *ir.Span, format string, args ...any) {
	panic(&fault{at, fmt.Sprintf(format, args...)})
}

func (p *parser) advance() {
	if len(p.ahead) > 0 {
		p.tok, p.ahead = p.ahead[0], p.ahead[1:]
		return
	}
	t, err := p.lex.next()
	if err != nil {
		panic(err)
	}
	p.tok = t
}

// peek returns the token n behind the next.
func (p *parser) peek(n int) token {
	for len(p.ahead) < n {
		t, err := p.lex.next()
		if err != nil {
			panic(err)
		}
		p.ahead = append(p.ahead, t)
	}
	return p.ahead[n-1]
}

// here is the span of the next token.
func (p *parser) here() *ir.Span { return p.spanOf(p.tok) }

func (p *parser) spanOf(t token) *ir.Span {
	return ir.NewSpan(p.lex.src, t.line, t.col, t.line, t.col+max(1, t.end-t.at))
}

// is reports whether the next token is that mark or word.
func (p *parser) is(s string) bool { return isToken(p.tok, s) }

func isToken(t token, s string) bool { return (t.kind == tMark || t.kind == tWord) && t.text == s }

func (p *parser) take(s string) bool {
	if p.is(s) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.take(s) {
		p.fail(p.here(), "expected %s, found %s", s, p.tok)
	}
}

// String describes a token in a message.
func (t token) String() string {
	switch t.kind {
	case tEOF:
		return "the end of the text"
	case tString:
		return fmt.Sprintf("%q", t.text)
	case tVersion, tMeta:
		return "#["
	}
	return t.text
}

func (p *parser) kind(k tokenKind, what string) token {
	t := p.tok
	if t.kind != k {
		p.fail(p.here(), "expected %s, found %s", what, t)
	}
	p.advance()
	return t
}

// module reads a whole text: definitions, or a bare expression, which becomes the function main.
func (p *parser) module() {
	if p.tok.kind == tVersion {
		if p.tok.text != "0.0.5" {
			p.fail(p.here(), `the version is %q, expected "0.0.5"`, p.tok.text)
		}
		p.advance()
	}
	p.refuseTypes()
	if p.is("def") {
		for p.is("def") {
			p.define()
			p.refuseTypes()
		}
	} else {
		p.bare()
	}
	if p.tok.kind == tMeta {
		p.metaAt, p.meta = p.tok, p.tok.text
		p.advance()
	}
	if p.tok.kind != tEOF {
		p.fail(p.here(), "expected a definition (def @name), found %s", p.tok)
	}
}

// refuseTypes stops at a definition of a type.
func (p *parser) refuseTypes() {
	if p.is("type") || p.is("extern") {
		p.fail(p.here(), "algebraic data types (%s) have no counterpart in this IR", p.tok.text)
	}
}

func (p *parser) define() {
	p.advance()
	span := p.here()
	name := p.kind(tGlobal, "the name of a function, such as @main").text[1:]
	for _, d := range p.defs {
		if d.name == name {
			p.fail(span, "@%s is defined twice", name)
		}
	}
	if p.is("=") {
		p.fail(p.here(), "external functions (def @%s = meta[...]) have no counterpart in this IR", name)
	}
	p.defs = append(p.defs, &definition{name, span, p.functionDef()})
}

// bare reads an expression without a definition around it: a function is main, else main yields the expression.
func (p *parser) bare() {
	if p.tok.kind == tEOF || p.tok.kind == tMeta {
		return
	}
	span := p.here()
	p.push()
	e := p.expr()
	p.pop()
	fn := &function{body: e, params: p.free}
	if e.kind == kFn && len(p.free) == 0 {
		fn = e.fn
	}
	p.defs = append(p.defs, &definition{"main", span, fn})
}

func (p *parser) push() { p.scopes = append(p.scopes, map[string]*variable{}) }
func (p *parser) pop()  { p.scopes = p.scopes[:len(p.scopes)-1] }

func (p *parser) bind(t token, info relax.StructInfo) *variable {
	v := &variable{name: t.text[1:], span: p.spanOf(t), info: info}
	p.scopes[len(p.scopes)-1][v.name] = v
	return v
}

func (p *parser) lookup(t token) *variable {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if v := p.scopes[i][t.text[1:]]; v != nil {
			return v
		}
	}
	p.fail(p.spanOf(t), "variable %s is not defined", t.text)
	return nil
}

// functionDef reads a function from its parameters on.
func (p *parser) functionDef() *function {
	p.push()
	defer p.pop()
	fn := &function{}
	if p.is("[") { // type parameters: nothing is known of their values
		p.advance()
		for !p.take("]") {
			p.known[p.kind(tWord, "the name of a type").text] = true
			p.take(",")
		}
	}
	p.expect("(")
	for !p.take(")") {
		if p.tok.kind == tWord {
			fn.attrs = p.attributes()
			p.expect(")")
			break
		}
		t := p.kind(tLocal, "a parameter such as %x")
		device := p.virtualDevice()
		var info relax.StructInfo
		if p.take(":") {
			info = p.typ(true)
		}
		v := p.bind(t, info)
		v.device = device
		fn.params = append(fn.params, v)
		if !p.take(",") && !p.is(")") {
			p.fail(p.here(), "expected , or ), found %s", p.tok)
		}
	}
	if p.take("-") {
		p.expect(">")
		fn.ret = p.typ(false)
	}
	p.expect("{")
	fn.body = p.expr()
	p.expect("}")
	return fn
}

// attributes reads name=value pairs up to a closing mark.
func (p *parser) attributes() []attr {
	var out []attr
	for p.tok.kind == tWord {
		span, name := p.here(), p.dotted()
		p.expect("=")
		for _, a := range out {
			if a.name == name {
				p.fail(span, "attribute %s is given twice", name)
			}
		}
		out = append(out, attr{name, p.attrValue(), span})
		p.take(",")
	}
	return out
}

// dotted reads a name with dots, such as nn.conv2d.
func (p *parser) dotted() string {
	var b strings.Builder
	b.WriteString(p.kind(tWord, "a name").text)
	for p.is(".") && p.peek(1).kind == tWord {
		p.advance()
		b.WriteByte('.')
		b.WriteString(p.tok.text)
		p.advance()
	}
	return b.String()
}

// virtualDevice reads what may stand behind the name of a parameter: {virtual_device=meta[VirtualDevice][0]}.
func (p *parser) virtualDevice() string {
	if !p.is("{") {
		return ""
	}
	p.advance()
	span, list := p.here(), p.attributes()
	p.expect("}")
	if len(list) == 1 && list[0].name == "virtual_device" {
		if s, ok := list[0].value.(string); ok && strings.HasPrefix(s, "meta[") {
			return s
		}
	}
	p.fail(span, "expected virtual_device=meta[VirtualDevice][0]")
	return ""
}
