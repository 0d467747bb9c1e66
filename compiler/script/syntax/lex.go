package syntax

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokNewline
	tokIndent
	tokDedent
	tokName
	tokNumber
	tokString
	tokOp
)

// token is a range of the text. Its words are cut out of the text where they are needed.
type token struct {
	kind    tokenKind
	op      sign // of tokOp, else 0
	at, end int32
}

// lexer splits a text into tokens. Lines inside brackets are joined, as in Python.
type lexer struct {
	src      string
	pos      int
	tokens   []token
	indents  []int
	brackets []int32 // offsets of those that are open
	comments []Comment
	diags    *Errors
}

// tokenLists are the memory of texts that have been read: the tokens of one take several times its length.
var tokenLists sync.Pool

// takeTokens returns an empty list with room for n tokens.
func takeTokens(n int) []token {
	if list, ok := tokenLists.Get().(*[]token); ok && cap(*list) >= n {
		return (*list)[:0]
	}
	return make([]token, 0, n)
}

// release gives back the tokens of the parser, which reads nothing more.
func (p *parser) release() {
	list := p.toks // a pointer into the parser would keep that, and the text
	p.toks = nil
	tokenLists.Put(&list)
}

// lex returns the tokens of src, ending with tokEOF.
func lex(src string, d *Errors) ([]token, []Comment) {
	l := &lexer{src: src, indents: []int{0}, diags: d, tokens: takeTokens(len(src)/2 + 16)}
	if strings.HasPrefix(src, "\ufeff") {
		l.pos = len("\ufeff")
	}
	for l.line() {
	}
	l.unclosed()
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind != tokNewline && l.tokens[n-1].kind != tokDedent {
		l.emit(tokNewline, l.pos, l.pos)
	}
	for len(l.indents) > 1 {
		l.indents = l.indents[:len(l.indents)-1]
		l.emit(tokDedent, l.pos, l.pos)
	}
	l.emit(tokEOF, l.pos, l.pos)
	return l.tokens, l.comments
}

func (l *lexer) emit(k tokenKind, at, end int) {
	l.tokens = append(l.tokens, token{kind: k, at: int32(at), end: int32(end)})
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// nameByte has 2 for the bytes that a name may begin with, and 1 for digits.
var nameByte = func() (is [256]uint8) {
	for c := range is {
		switch {
		case isNameStart(byte(c)):
			is[c] = 2
		case isDigit(byte(c)):
			is[c] = 1
		}
	}
	return is
}()

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) token() {
	at := l.pos
	c := l.src[at]
	switch {
	case nameByte[c] > 1:
		pos, src := at+1, l.src
		for pos < len(src) && nameByte[src[pos]] > 0 {
			pos++
		}
		l.pos = pos
		if l.pos < len(l.src) && (l.src[l.pos] == '"' || l.src[l.pos] == '\'') && isStringPrefix(l.src[at:l.pos]) {
			l.text(at)
			return
		}
		l.emit(tokName, at, l.pos)
	case isDigit(c) || c == '.' && at+1 < len(l.src) && isDigit(l.src[at+1]):
		l.number()
	case c == '"' || c == '\'':
		l.text(at)
	default:
		l.sign()
	}
}

func isStringPrefix(s string) bool {
	switch strings.ToLower(s) {
	case "r", "b", "u", "br", "rb", "f":
		return true
	}
	return false
}

func (l *lexer) sign() {
	at := l.pos
	op, n := signAt(l.src[at:])
	l.pos += n
	switch op {
	case 0:
		l.diags.addLex(int32(at), int32(l.pos), "this character does not belong in a script", "")
		return
	case '(', '[', '{':
		l.brackets = append(l.brackets, int32(at))
	case ')', ']', '}':
		n := len(l.brackets)
		if n == 0 {
			l.diags.addLex(int32(at), int32(l.pos), "this bracket closes nothing", "")
			return
		}
		open := sign(l.src[l.brackets[n-1]])
		l.brackets = l.brackets[:n-1]
		if want := open.closes(); want != op {
			l.diags.addLex(int32(at), int32(l.pos), "expected "+want.String()+" here, the bracket that closes "+open.String(), "")
			op = want
		}
	}
	l.tokens = append(l.tokens, token{kind: tokOp, op: op, at: int32(at), end: int32(l.pos)})
}

func (l *lexer) number() {
	at := l.pos
	s := l.src
	hex := s[at] == '0' && at+1 < len(s) && strings.IndexByte("xXbBoO", s[at+1]) >= 0
	for l.pos < len(s) {
		c := s[l.pos]
		if isDigit(c) || isNameStart(c) || c == '.' && !hex {
			l.pos++
			continue
		}
		if (c == '+' || c == '-') && !hex && (s[l.pos-1] == 'e' || s[l.pos-1] == 'E') {
			l.pos++
			continue
		}
		break
	}
	l.emit(tokNumber, at, l.pos)
}

// text reads a string whose prefix starts at offset at and whose quote is at the current one.
func (l *lexer) text(at int) {
	s := l.src
	q := s[l.pos]
	triple := strings.HasPrefix(s[l.pos:], string([]byte{q, q, q}))
	if triple {
		l.pos += 3
	} else {
		l.pos++
	}
	for l.pos < len(s) {
		switch c := s[l.pos]; {
		case c == '\\':
			l.pos += 2
			continue
		case c == '\n' && !triple:
			for n := len(l.brackets); n > 0 && strings.IndexByte(s[l.brackets[n-1]:l.pos], '\n') < 0; n = len(l.brackets) {
				l.brackets = l.brackets[:n-1] // the bracket that closes it may be in the string
			}
			l.diags.addLex(int32(at), int32(l.pos), "this string is not closed on its line", "end it with "+string(rune(q)))
			l.emit(tokString, at, l.pos)
			return
		case c == q && !triple:
			l.pos++
			l.emit(tokString, at, l.pos)
			return
		case c == q && strings.HasPrefix(s[l.pos:], string([]byte{q, q, q})):
			l.pos += 3
			l.emit(tokString, at, l.pos)
			return
		}
		l.pos++
	}
	l.pos = len(s)
	l.diags.addLex(int32(at), int32(at+1), "this string is never closed", "")
	l.emit(tokString, at, l.pos)
}
