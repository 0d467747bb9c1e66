package syntax

import (
	"strings"
)

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
