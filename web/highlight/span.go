package highlight

import (
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"github.com/irscope/irscope/instruments/event"
)

// ClassPrefix stands before chroma's name of the class of a token.
const ClassPrefix = "c-"

// MaxLine is the number of bytes of a line that a row shows; the rest is cut.
const MaxLine = 16 << 10

// Span is a piece of a line with one class: on the wire a list of the class, the text, and 1 where it is marked.
//
//wire:type [string, string, 1?]
type Span struct {
	// Class is the CSS class, such as "c-k"; empty for text without one.
	Class string
	Text  string
	// Mark tells that the piece differs from the other side of a diff.
	Mark bool
}

// Line returns the spans of one line of a language, and whether the line was cut
// at MaxLine. Neighbours of the same class are one span.
func Line(language, line string) (spans []Span, cut bool) {
	line, cut = cutLine(line)
	return lineSpans(language, line), cut
}

// cutLine cuts a line at MaxLine, between characters.
func cutLine(line string) (string, bool) {
	if len(line) <= MaxLine {
		return line, false
	}
	n := MaxLine
	for n > MaxLine-utf8.UTFMax && !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n], true
}

// lineSpans is Line for a line that is short enough.
func lineSpans(language, line string) []Span {
	next := scan(language)
	if next == nil {
		if line == "" {
			return nil
		}
		return []Span{{Text: line}}
	}
	spans := make([]Span, 0, 8)
	s := scanner{text: line}
	for s.pos < len(line) {
		typ, end := next(&s)
		spans = appendSpan(spans, Span{Class: className(typ), Text: line[s.pos:end]})
		s.pos = end
	}
	return spans
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

// appendSpan appends a span, or lengthens the last one where class and mark agree.
func appendSpan(spans []Span, s Span) []Span {
	if n := len(spans) - 1; n >= 0 && spans[n].Class == s.Class && spans[n].Mark == s.Mark {
		spans[n].Text += s.Text
		return spans
	}
	return append(spans, s)
}

// className returns the class of a token type. Text, white space, punctuation and
// plain names have none: they look like the rest of the page.
func className(typ chroma.TokenType) string {
	switch typ {
	case chroma.Text, chroma.TextWhitespace, chroma.Punctuation, chroma.Name:
		return ""
	default:
		return ClassPrefix + chroma.StandardTypes[typ]
	}
}

// appendSpans appends spans as JSON: [[class,text],[class,text,1],...].
func appendSpans(dst []byte, spans []Span) []byte {
	dst = append(dst, '[')
	for i, s := range spans {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[', '"')
		dst = append(dst, s.Class...)
		dst = append(dst, '"', ',')
		dst = appendString(dst, s.Text)
		if s.Mark {
			dst = append(dst, ',', '1')
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

// appendString appends s as a JSON string. What is not UTF-8 becomes the
// replacement character; "<" is escaped, so that the text is harmless even where
// somebody puts it into a page unescaped.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != '<' && c < utf8.RuneSelf {
			i++
			continue
		}
		n := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, n = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, `\ufffd`...)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		}
		i += n
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
