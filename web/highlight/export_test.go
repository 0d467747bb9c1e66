package highlight

import "github.com/alecthomas/chroma/v2"

// Tokens returns the tokens of a text; nil where nothing scans the language.
func Tokens(language, text string) []chroma.Token {
	next := scan(language)
	if next == nil {
		return nil
	}
	var out []chroma.Token
	for s := (scanner{text: text}); s.pos < len(text); {
		typ, end := next(&s)
		out = append(out, chroma.Token{Type: typ, Value: text[s.pos:end]})
		s.pos = end
	}
	return out
}
