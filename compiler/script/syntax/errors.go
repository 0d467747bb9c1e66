package syntax

import (
	"fmt"
	"sort"
	"strings"
)

// maxErrors bounds the errors that are reported for one text.
const maxErrors = 100

// maxMessage is the length of a message, which may quote a text that is as long as the source.
const maxMessage = 1000

// Source is a text with a name and the offsets of its lines.
type Source struct {
	Name, Text string
	lines      []int32 // offset of the start of each line
	last       int     // line of the last look-up, where the next one is likely to be
}

// NewSource finds the lines of a text.
func NewSource(name, text string) *Source {
	s := &Source{Name: name, Text: text, lines: make([]int32, 1, len(text)/32+1)}
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		s.lines = append(s.lines, int32(i))
	}
	return s
}

// Lines returns the number of lines.
func (s *Source) Lines() int { return len(s.lines) }

// Position returns line and column (in bytes) of an offset, both from 1. It is fast for offsets
// on the line of the one asked for before, or on the next.
func (s *Source) Position(at int32) (line, col int) {
	i := s.last
	if s.lines[i] > at || i+1 < len(s.lines) && s.lines[i+1] <= at {
		if i+2 < len(s.lines) && s.lines[i+1] <= at && s.lines[i+2] > at {
			i++
		} else {
			i = sort.Search(len(s.lines), func(k int) bool { return s.lines[k] > at }) - 1
		}
		s.last = i
	}
	return i + 1, int(at-s.lines[i]) + 1
}

// Range returns the positions of the start and the end of a range of offsets.
func (s *Source) Range(at, end int32) (line, col, endLine, endCol int) {
	line, col = s.Position(at)
	endLine, endCol = line, col+int(end-at)
	if line < len(s.lines) && end > s.lines[line] {
		endLine, endCol = s.Position(end)
		s.last = line - 1
	}
	return line, col, endLine, endCol
}

// Error is something wrong with a range of a text, and what to do about it.
type Error struct {
	At, End       int32
	In            string // the function that was being read, "" for none
	Message, Help string
}

// Errors collects the errors of one text, up to a number from which on nobody reads them.
type Errors struct {
	*Source
	List   []Error
	In     string       // what stands in the errors that are added
	broken map[int]bool // lines with an error of the lexer
}

// Add reports an error at a range of offsets.
func (e *Errors) Add(at, end int32, message, help string) {
	if !e.Full() {
		e.List = append(e.List, Error{At: at, End: end, In: e.In, Message: cut(message), Help: cut(help)})
	}
}

// Full reports whether no more errors are taken: what follows need not be looked at.
func (e *Errors) Full() bool { return len(e.List) >= maxErrors }

// Failed reports whether an error was found.
func (e *Errors) Failed() bool { return len(e.List) > 0 }

// String writes the errors as file:line:col: message, one a line.
func (e *Errors) String() string {
	var b strings.Builder
	for _, x := range e.List {
		line, col := e.Position(x.At)
		fmt.Fprintf(&b, "%s:%d:%d: %s\n", e.Name, line, col, x.Message)
	}
	return b.String()
}

// cut leaves out the middle of a long message.
func cut(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage/2], "") + " ... " + strings.ToValidUTF8(s[len(s)-maxMessage/2:], "")
}

// addLex reports an error of the lexer. Those of the parser on the same line would only follow
// from it.
func (e *Errors) addLex(at, end int32, message, help string) {
	e.Add(at, end, message, help)
	line, _ := e.Position(at)
	if e.broken == nil {
		e.broken = map[int]bool{}
	}
	e.broken[line] = true
}
