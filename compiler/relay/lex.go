package relay

import (
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/compiler/ir"
)

// tokenKind says what a token is; a punctuation mark is its own kind.
type tokenKind uint8

const (
	tEOF     tokenKind = iota
	tWord              // let, nn, Tensor
	tLocal             // %x
	tGraph             // %0
	tGlobal            // @main
	tNumber            // 1, 2.5f, 3i64
	tString            // "NCHW", without the quotes
	tMeta              // #[metadata], with all that follows
	tVersion           // #[version = "0.0.5"], the version
	tMark              // one of ()[]{},;:=.?+-*/<>!_
)

// token is a word of the text.
type token struct {
	kind     tokenKind
	text     string
	at, end  int // byte offsets
	line     int
	col      int
	adjacent bool // nothing stands between it and the token before it
}

// lexer splits a text into tokens.
type lexer struct {
	src       *ir.Source
	pos       int
	line, bol int  // number of the line, and the offset at which it begins
	field     bool // behind a dot, where a number is that of a field
}

func (l *lexer) advance(n int) {
	for range n {
		if l.src.Text[l.pos] == '\n' {
			l.line++
			l.bol = l.pos + 1
		}
		l.pos++
	}
}

// skip passes white space and comments, /* */ and //, and reports whether there was any.
func (l *lexer) skip() (bool, *fault) {
	text, from := l.src.Text, l.pos
	for l.pos < len(text) {
		switch rest := text[l.pos:]; {
		case strings.IndexByte(" \t\r\n\f", rest[0]) >= 0:
			l.advance(1)
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.advance(n)
		case strings.HasPrefix(rest, "/*"):
			depth, i := 1, 2
			for i < len(rest) && depth > 0 {
				switch {
				case strings.HasPrefix(rest[i:], "*/"):
					depth--
					i += 2
				case strings.HasPrefix(rest[i:], "/*"):
					depth++
					i += 2
				default:
					i++
				}
			}
			if depth > 0 {
				return false, l.fault("this comment is not closed")
			}
			l.advance(i)
		default:
			return l.pos > from, nil
		}
	}
	return l.pos > from, nil
}

func (l *lexer) fault(msg string) *fault {
	col := l.pos - l.bol + 1
	return &fault{ir.NewSpan(l.src, l.line, col, l.line, col+1), msg}
}

const marks = "()[]{},;:=.?+-*/<>!_"

// next returns the token at the current place.
func (l *lexer) next() (token, *fault) {
	spaced, err := l.skip()
	if err != nil {
		return token{}, err
	}
	text := l.src.Text
	t := token{at: l.pos, line: l.line, col: l.pos - l.bol + 1, adjacent: !spaced}
	end := func(kind tokenKind, n int) (token, *fault) {
		l.field = kind == tMark && text[l.pos] == '.'
		t.kind, t.text = kind, text[l.pos:l.pos+n]
		l.advance(n)
		t.end = l.pos
		return t, nil
	}
	if l.pos >= len(text) {
		t.end = l.pos
		return t, nil
	}
	rest := text[l.pos:]
	switch c := rest[0]; {
	case c == '%' || c == '@':
		n := 1 + wordLength(rest[1:])
		switch {
		case n == 1:
			return t, l.fault("a name is missing behind " + string(c))
		case c == '@':
			return end(tGlobal, n)
		case digits(rest[1:n]):
			return end(tGraph, n)
		}
		return end(tLocal, n)
	case isDigit(c) && l.field:
		return end(tNumber, digitCount(rest))
	case isDigit(c):
		return end(tNumber, numberLength(rest))
	case c == '"':
		return l.quoted(t)
	case c == '#':
		return l.directive(t)
	case c != '_' && isLetter(c) || c == '_' && len(rest) > 1 && (isLetter(rest[1]) || isDigit(rest[1])):
		return end(tWord, wordLength(rest))
	case strings.IndexByte(marks, c) >= 0:
		return end(tMark, 1)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return t, l.fault("unexpected character " + string(r))
}

// quoted reads a string, whose escapes are \" \\ \n \t.
func (l *lexer) quoted(t token) (token, *fault) {
	text := l.src.Text
	var b strings.Builder
	for i := l.pos + 1; i < len(text) && text[i] != '\n'; i++ {
		switch c := text[i]; c {
		case '"':
			t.kind, t.text = tString, b.String()
			l.advance(i + 1 - l.pos)
			t.end = l.pos
			return t, nil
		case '\\':
			if i++; i < len(text) {
				switch text[i] {
				case 'n':
					b.WriteByte('\n')
				case 't':
					b.WriteByte('\t')
				default:
					b.WriteByte(text[i])
				}
			}
		default:
			b.WriteByte(c)
		}
	}
	return t, l.fault("this string is not closed")
}

// directive reads #[version = "..."] or #[metadata], behind which all is JSON.
func (l *lexer) directive(t token) (token, *fault) {
	rest := l.src.Text[l.pos:]
	close := strings.IndexByte(rest, ']')
	if !strings.HasPrefix(rest, "#[") || close < 0 {
		return t, l.fault(`expected #[version = "0.0.5"] or #[metadata]`)
	}
	body := strings.TrimSpace(rest[2:close])
	name, value, _ := strings.Cut(body, "=")
	switch strings.TrimSpace(name) {
	case "version":
		t.kind, t.text = tVersion, strings.Trim(strings.TrimSpace(value), `"`)
		l.advance(close + 1)
	case "metadata":
		t.kind, t.text = tMeta, rest[close+1:]
		l.advance(len(rest))
	default:
		return t, l.fault(`expected #[version = "0.0.5"] or #[metadata]`)
	}
	t.end = l.pos
	return t, nil
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordLength is the length of the identifier at the start of s.
func wordLength(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}

func digits(s string) bool { return digitCount(s) == len(s) }

func digitCount(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// numberLength is the length of a number with its suffix: 1, 1.5, 1e-05f, 2i64, 3f16, inff.
func numberLength(s string) int {
	n := 0
	run := func() {
		for n < len(s) && isDigit(s[n]) {
			n++
		}
	}
	run()
	if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) || n < len(s) && s[n] == '.' && (n+1 == len(s) || !isLetter(s[n+1])) {
		n++
		run()
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if m < len(s) && isDigit(s[m]) {
			n = m
			run()
		}
	}
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}
