package relay

import (
	"github.com/irscope/irscope/compiler/ir"
)

// Read returns the module of a text: one of definitions (def @main), or a bare expression, which becomes the function main: itself where
// it is a function, else one that yields it, with the variables that the text declares free as parameters. Where the text cannot be read
// there is no module and the error is said by a diagnostic with its place.
func Read(name, text string) (m *ir.Module, found []ir.Diagnostic) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *fault:
			m, found = nil, []ir.Diagnostic{{Severity: ir.Error, Span: f.span, Message: f.msg}}
		default:
			panic(f)
		}
	}()
	p := newParser(name, text)
	p.advance()
	p.module()
	var constants []*ir.Blob
	if p.metaAt.kind == tMeta {
		var err error
		if constants, err = readMeta(p.meta); err != nil {
			p.fail(p.spanOf(p.metaAt), "%s", err)
		}
	}
	return newBuilder(p.defs, constants).module(p.defs), nil
}

func newParser(name, text string) *parser {
	return &parser{
		lex: lexer{src: &ir.Source{Name: name, Text: text}, line: 1}, scopes: []map[string]*variable{{}},
		graph: map[string]*node{}, known: map[string]bool{},
	}
}
