package script

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// Place is where a node stands in a text: its bytes from Start to End, and the same as lines and
// columns, both from 1, with columns counted in bytes. The end is that of the last byte, and of
// the line that holds it.
type Place struct {
	Start, End                 int
	Line, Col, EndLine, EndCol int
}

// Places prints a function as Function does and finds the nodes of wanted in the text. A node
// that stands in several places is found at the first; one that has no text is not in the map.
func Places(name string, f ir.Function, wanted map[ir.Node]bool) (*Text, map[ir.Node]Place) {
	p := newPrinter(&Options{}, f)
	t := &tracker{wanted: wanted, alone: true}
	p.track = t
	p.function(name, f)
	p.track = nil
	text := p.text()
	out := make(map[ir.Node]Place, len(t.marks))
	starts := lineStarts(text.Source)
	for _, m := range t.marks {
		from, to := trimmed(text.Source, m.start, m.end)
		if old, ok := out[m.node]; ok && old.Start <= from || from == to {
			continue
		}
		first, last := lineAt(starts, from), lineAt(starts, to-1)
		out[m.node] = Place{
			Start: from, End: to,
			Line: first + 1, Col: from - starts[first] + 1, EndLine: last + 1, EndCol: to - starts[last],
		}
	}
	return text, out
}

// trimmed leaves out the indentation before and the ends of lines behind a piece of text.
func trimmed(text string, from, to int) (int, int) {
	piece := text[from:to]
	from += len(piece) - len(strings.TrimLeft(piece, " \n"))
	return from, max(from, to-(len(piece)-len(strings.TrimRight(piece, " \n"))))
}

// lineStarts returns where the lines of text begin.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
