package syntax

import "strings"

// Comment is a comment that the printer writes for readers of the tree; Text is without the #.
type Comment struct {
	At   int32
	Text string
}

// line reads one logical line and reports whether there was one.
func (l *lexer) line() bool {
	if l.pos >= len(l.src) {
		return false
	}
	width := l.margin()
	if width == 0 && l.prompt() {
		width = l.margin()
	}
	if l.pos >= len(l.src) {
		return false
	}
	switch l.src[l.pos] {
	case '\n', '\r':
		l.pos++
		return true
	case '#':
		l.comment()
		return true
	}
	l.indent(width)
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c == '\n' || c == '\r':
			l.pos++
			if len(l.brackets) > 0 && l.startsStatement() {
				l.unclosed()
			}
			if len(l.brackets) == 0 {
				l.emit(tokNewline, l.pos-1, l.pos)
				return true
			}
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case c == '#':
			l.comment()
		case c == '\\' && l.pos+1 < len(l.src) && (l.src[l.pos+1] == '\n' || l.src[l.pos+1] == '\r'):
			l.pos += 2
			if l.pos < len(l.src) && l.src[l.pos-1] == '\r' && l.src[l.pos] == '\n' {
				l.pos++
			}
		default:
			l.token()
		}
	}
	return false
}

func (l *lexer) indent(width int) {
	if len(l.tokens) == 0 || width < l.indents[0] {
		// The text may have been cut out of a block: its first line says how deep that was.
		for range l.indents[1:] {
			l.emit(tokDedent, l.pos, l.pos)
		}
		l.indents = append(l.indents[:0], width)
		return
	}
	top := l.indents[len(l.indents)-1]
	if width > top {
		l.indents = append(l.indents, width)
		l.emit(tokIndent, l.pos, l.pos)
		return
	}
	for width < l.indents[len(l.indents)-1] {
		l.indents = l.indents[:len(l.indents)-1]
		l.emit(tokDedent, l.pos, l.pos)
	}
	if width != l.indents[len(l.indents)-1] {
		l.diags.addLex(int32(l.pos), int32(l.pos+1), "this line is indented differently from the lines around it", "indent blocks by four spaces")
	}
}

// unclosed reports the innermost bracket that is open, and takes all as closed.
func (l *lexer) unclosed() {
	if n := len(l.brackets); n > 0 {
		at := l.brackets[n-1]
		l.diags.addLex(at, at+1, "this bracket is never closed", "expected "+sign(l.src[at]).closes().String()+" before the end of the statement")
		l.brackets = l.brackets[:0]
	}
}

// startsStatement reports whether the next line begins as no line inside of brackets does.
func (l *lexer) startsStatement() bool {
	i := l.pos
	for i < len(l.src) && (l.src[i] == ' ' || l.src[i] == '\t') {
		i++
	}
	if i < len(l.src) && l.src[i] == '@' {
		return true
	}
	end := i
	for end < len(l.src) && isNameStart(l.src[end]) {
		end++
	}
	switch l.src[i:end] {
	case "def", "class", "with", "while", "return", "import", "from":
		return end < len(l.src) && l.src[end] == ' '
	}
	return false
}

// margin skips the spaces at the start of a line and returns how wide they are.
func (l *lexer) margin() int {
	width := 0
	for ; l.pos < len(l.src); l.pos++ {
		switch l.src[l.pos] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		case '\f':
			width = 0
		default:
			return width
		}
	}
	return width
}

// prompt skips the prompt of an interactive Python and reports whether there was one.
func (l *lexer) prompt() bool {
	rest := l.src[l.pos:]
	if !strings.HasPrefix(rest, ">>>") && !strings.HasPrefix(rest, "...") || len(rest) > 3 && strings.IndexByte(" \r\n", rest[3]) < 0 {
		return false
	}
	l.pos += 3
	if len(rest) > 3 && rest[3] == ' ' {
		l.pos++
	}
	return true
}

// comment skips to the end of the line and keeps what the printer writes for the parser.
func (l *lexer) comment() {
	at := l.pos
	n := strings.IndexByte(l.src[at:], '\n')
	if n < 0 {
		n = len(l.src) - at
	}
	l.pos = at + n
	text := strings.TrimSpace(l.src[at+1 : l.pos])
	if isNote(text) {
		l.comments = append(l.comments, Comment{At: int32(at), Text: text})
	}
}

// isNote reports whether a comment is one that the printer writes: the head of a root block,
// or the type of what is printed without one.
func isNote(text string) bool {
	if rest, ok := strings.CutPrefix(text, "with "); ok {
		prefix, rest, ok := strings.Cut(rest, ".")
		return ok && prefix != "" && !strings.ContainsAny(prefix, " (") && (strings.HasPrefix(rest, "block(") || strings.HasPrefix(rest, "sblock("))
	}
	name, _, ok := strings.Cut(text, ":")
	return ok && (name == "int_dtype" || name == "float_dtype" || name == "buffer_dtype")
}
