package linediff

import (
	"strings"

	"github.com/irscope/irscope/instruments/event"
)

// The marks of lines. A page shows renamed and moved lines otherwise than in red and green.
const (
	MarkSame    = ' ' // the line is on both sides
	MarkChanged = '!'
	MarkRenamed = '~' // it differs from a line on the other side in names only
	MarkMoved   = '>' // the same text, whatever its indentation, is on the other side elsewhere
)

// MaxMarked bounds the bytes of changed lines that Mark looks at. All changed lines of a
// larger diff are MarkChanged.
const MaxMarked = 4 << 20

// Mark classifies the lines of the diff of one function: a string for each hunk, with a mark
// for each of its lines.
//
// A line is moved if a line of the other side has its text; each line is the counterpart of
// one. Of the others, lines removed and added at one place are renamed if they differ in
// names of values only, and each name became the same name in all of them. What is called,
// attributes, keywords, literals and names of arguments must be equal.
//
// It takes time and memory in proportion to the lines.
func Mark(hunks []event.Hunk) []string {
	m := marker{names: map[string]string{}, back: map[string]string{}}
	size := 0
	for _, h := range hunks {
		marks := make([]byte, len(h.Lines))
		for i, l := range h.Lines {
			marks[i] = MarkSame
			if l != "" && (l[0] == '-' || l[0] == '+') {
				marks[i] = MarkChanged
				size += len(l)
			}
		}
		m.marks = append(m.marks, marks)
	}
	if size <= MaxMarked {
		m.moved(hunks)
		for i, h := range hunks {
			m.renamed(h.Lines, m.marks[i])
		}
	}
	out := make([]string, len(hunks))
	for i, marks := range m.marks {
		out[i] = string(marks)
	}
	return out
}

type marker struct {
	marks [][]byte
	names map[string]string // what a name before is after
	back  map[string]string // and the other way round: the names stay different
}

// moved pairs lines of equal text, in order.
func (m *marker) moved(hunks []event.Hunk) {
	removed := map[string][]*byte{}
	each := func(sign byte, f func(text string, mark *byte)) {
		for i, h := range hunks {
			for k, l := range h.Lines {
				if l != "" && l[0] == sign {
					f(strings.TrimLeft(l[1:], " "), &m.marks[i][k])
				}
			}
		}
	}
	each('-', func(text string, mark *byte) { removed[text] = append(removed[text], mark) })
	each('+', func(text string, mark *byte) {
		if list := removed[text]; len(list) > 0 {
			*mark, *list[0] = MarkMoved, MarkMoved
			removed[text] = list[1:]
		}
	})
}

// renamed pairs the lines left at each place of a hunk that have one shape, in order.
func (m *marker) renamed(lines []string, marks []byte) {
	type line struct {
		at    int
		names []string
	}
	for i := 0; i < len(lines); {
		if marks[i] == MarkSame {
			i++
			continue
		}
		removed := map[string][]line{}
		for ; i < len(lines) && marks[i] != MarkSame; i++ {
			if marks[i] != MarkChanged {
				continue
			}
			shape, names := shapeOf(lines[i][1:])
			if lines[i][0] == '-' {
				removed[shape] = append(removed[shape], line{i, names})
				continue
			}
			if list := removed[shape]; len(list) > 0 {
				removed[shape] = list[1:]
				if m.rename(list[0].names, names) {
					marks[i], marks[list[0].at] = MarkRenamed, MarkRenamed
				}
			}
		}
	}
}

// rename reports whether the names before can be those after in the same order, given the
// lines seen so far, and notes that they are.
func (m *marker) rename(before, after []string) bool {
	type pair struct{ from, to string }
	var added []pair
	for i, from := range before {
		to := after[i]
		x, known := m.names[from]
		y, taken := m.back[to]
		if known && x == to && y == from {
			continue
		}
		if known || taken {
			for _, p := range added {
				delete(m.names, p.from)
				delete(m.back, p.to)
			}
			return false
		}
		m.names[from], m.back[to] = to, from
		added = append(added, pair{from, to})
	}
	return true
}

// keywords are the words of TVMScript that name no value.
var keywords = map[string]bool{
	"and": true, "as": true, "assert": true, "class": true, "def": true, "else": true, "False": true, "for": true, "from": true, "if": true,
	"import": true, "in": true, "is": true, "lambda": true, "None": true, "not": true, "or": true, "pass": true, "return": true, "True": true,
	"while": true, "with": true, "T": true, "R": true, "I": true, "cls": true,
}

// shapeOf returns a line with its names replaced, and the names.
func shapeOf(s string) (string, []string) {
	var shape strings.Builder
	var names []string
	for i := 0; i < len(s); {
		start := i
		switch c := s[i]; {
		case c == '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(s))
		case c == '#': // a comment is text
			i = len(s)
		case c >= '0' && c <= '9':
			for i++; i < len(s) && (wordByte(s[i]) || s[i] == '.'); i++ {
			}
		case wordByte(c):
			for i++; i < len(s) && wordByte(s[i]); i++ {
			}
			if valueName(s, start, i) {
				names = append(names, s[start:i])
				shape.WriteByte(0)
				continue
			}
		default:
			i++
		}
		shape.WriteString(s[start:i])
	}
	return shape.String(), names
}

// valueName reports whether the word at s[i:j] names a value: it is no keyword, no attribute,
// not called, and no name of an argument.
func valueName(s string, i, j int) bool {
	if keywords[s[i:j]] || i > 0 && s[i-1] == '.' {
		return false
	}
	if j < len(s) && (s[j] == '(' || s[j] == '=' && !strings.HasPrefix(s[j:], "==")) {
		return false
	}
	return true
}

// wordByte reports whether c is part of a word; bytes of other scripts are.
func wordByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}
