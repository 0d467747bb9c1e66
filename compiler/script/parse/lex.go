package parse

import (
	"strings"
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
	op      uint8 // of tokOp: the number of its sign
	at, end int32
}

// lexer splits a text into tokens. Lines inside brackets are joined, as in Python.
type lexer struct {
	src      string
	pos      int
	tokens   []token
	indents  []int
	brackets []int32 // offsets of those that are open
	comments []comment
	diags    *diagnostics
}

// lex returns the tokens of src, ending with tokEOF.
func lex(src string, d *diagnostics) ([]token, []comment) {
	l := &lexer{src: src, indents: []int{0}, diags: d, tokens: make([]token, 0, len(src)/2+16)}
	if strings.HasPrefix(src, "\ufeff") {
		l.pos = len("\ufeff")
	}
	for l.line() {
	}
	l.unclosed()
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind != tokNewline && l.tokens[n-1].kind != tokDedent {
		l.emit(tokNewline, "", l.pos, l.pos)
	}
	for len(l.indents) > 1 {
		l.indents = l.indents[:len(l.indents)-1]
		l.emit(tokDedent, "", l.pos, l.pos)
	}
	l.emit(tokEOF, "", l.pos, l.pos)
	return l.tokens, l.comments
}

func (l *lexer) emit(k tokenKind, op string, at, end int) {
	t := token{kind: k, at: int32(at), end: int32(end)}
	if k == tokOp {
		t.op = signNumbers[op]
	}
	l.tokens = append(l.tokens, t)
}

// sign returns the text of a tokOp.
func (t *token) sign() string { return signTexts[t.op] }

// one emits a sign of one character.
func (l *lexer) one(i, at int) {
	l.tokens = append(l.tokens, token{kind: tokOp, op: uint8(i + 1), at: int32(at), end: int32(at + 1)})
}

// signTexts numbers the signs: those of one character by their place in signs1, from 1 on.
var signTexts = func() []string {
	out := []string{""}
	for i := range signs1 {
		out = append(out, signs1[i:i+1])
	}
	return append(out, longSigns...)
}()

var signNumbers = func() map[string]uint8 {
	out := map[string]uint8{}
	for i, s := range signTexts {
		out[s] = uint8(i)
	}
	return out
}()

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) token() {
	at := l.pos
	c := l.src[at]
	switch {
	case isNameStart(c):
		for l.pos < len(l.src) && (isNameStart(l.src[l.pos]) || isDigit(l.src[l.pos])) {
			l.pos++
		}
		if l.pos < len(l.src) && (l.src[l.pos] == '"' || l.src[l.pos] == '\'') && isStringPrefix(l.src[at:l.pos]) {
			l.text(at)
			return
		}
		l.emit(tokName, "", at, l.pos)
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
	rest := l.src[at:]
	long := len(rest) > 1 && strings.IndexByte("=>/*<.", rest[1]) >= 0
	if long {
		for _, s := range longSigns {
			if strings.HasPrefix(rest, s) {
				l.pos += len(s)
				l.emit(tokOp, s, at, l.pos)
				return
			}
		}
	}
	i := strings.IndexByte(signs1, rest[0])
	l.pos++
	if i < 0 {
		l.diags.addLex(int32(at), int32(l.pos), "this character does not belong in a script", "")
		return
	}
	op := signs1[i : i+1]
	switch rest[0] {
	case '(', '[', '{':
		l.brackets = append(l.brackets, int32(at))
	case ')', ']', '}':
		n := len(l.brackets)
		if n == 0 {
			l.diags.addLex(int32(at), int32(l.pos), "this bracket closes nothing", "")
			return
		}
		open := l.src[l.brackets[n-1]]
		l.brackets = l.brackets[:n-1]
		if want := closing(open); want != rest[0] {
			l.diags.addLex(int32(at), int32(l.pos), "expected "+string(rune(want))+" here, the bracket that closes "+string(rune(open)), "")
			op = string(rune(want))
		}
	}
	if op == signs1[i:i+1] {
		l.one(i, at)
		return
	}
	l.emit(tokOp, op, at, l.pos)
}
