package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"github.com/irscope/irscope/instruments/event"
)

// lexer is a hand-written scanner as a chroma.Lexer. It is immutable: the
// registry and the analyser that chroma offers are not needed.
type lexer struct {
	config *chroma.Config
	next   func(*scanner) (chroma.TokenType, int)
}

// TVMScript returns the lexer of TVMScript, both levels. Its tokens put together
// are the input, whatever the input is.
func TVMScript() chroma.Lexer {
	return lexer{&chroma.Config{Name: "TVMScript", Aliases: []string{event.LangTVMScript}, Filenames: []string{"*.tvmscript"}}, (*scanner).next}
}

// WAT returns the lexer of the text format of WebAssembly.
func WAT() chroma.Lexer {
	return lexer{&chroma.Config{Name: "WebAssembly text", Aliases: []string{event.LangWAT}, Filenames: []string{"*.wat"}}, (*scanner).nextWAT}
}

// Config implements chroma.Lexer.
func (l lexer) Config() *chroma.Config { return l.config }

// SetRegistry implements chroma.Lexer; the scanner refers to no other lexer.
func (l lexer) SetRegistry(*chroma.LexerRegistry) chroma.Lexer { return l }

// SetAnalyser implements chroma.Lexer; the language is always known.
func (l lexer) SetAnalyser(func(string) float32) chroma.Lexer { return l }

// AnalyseText implements chroma.Lexer. It is sure of texts that import the script
// modules and knows nothing about others.
func (l lexer) AnalyseText(text string) float32 {
	if l.config.Name == "TVMScript" && strings.Contains(text, "from tvm.script import") {
		return 1
	}
	return 0
}

// Tokenise implements chroma.Lexer. The EnsureLF option is honoured; the state is
// not, because scanning has none that outlives a line.
func (l lexer) Tokenise(options *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	if options != nil && options.EnsureLF {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	s := &scanner{text: text}
	return func() chroma.Token {
		if s.pos >= len(s.text) {
			return chroma.EOF
		}
		typ, end := l.next(s)
		tok := chroma.Token{Type: typ, Value: s.text[s.pos:end]}
		s.pos = end
		return tok
	}, nil
}

// scan returns the function that scans a language; nil for plain text.
func scan(language string) func(*scanner) (chroma.TokenType, int) {
	switch language {
	case event.LangTVMScript, event.LangVM:
		return (*scanner).next
	case event.LangWAT:
		return (*scanner).nextWAT
	}
	if f, ok := irForms[language]; ok {
		return f.next
	}
	return nil
}
