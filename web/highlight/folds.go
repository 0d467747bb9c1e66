package highlight

import (
	"strings"

	"github.com/irscope/irscope/instruments/linediff"
)

// maxDescribed is the number of lines up to which a fold is read to say what it holds.
const maxDescribed = 2000

// describe says what a fold holds: how many lines, whether all of them are bindings, and the names at its ends.
func (l *Layout) describe(s segment) *Fold {
	f := &Fold{From: s.fold.full, Count: s.fold.rows, Lines: s.fold.lines, Indented: s.fold.indented}
	if f.Lines > maxDescribed {
		return f
	}
	f.Bindings = true
	for i := range f.Lines {
		f.Bindings = f.Bindings && binds(l.after.Line(s.y+i))
	}
	if f.Bindings {
		f.First, f.Last = l.bound(s.y), l.bound(s.y+f.Lines-1)
	}
	return f
}

// binds reports whether a line binds a name of the graph level, or the value of a loop.
func binds(line string) bool {
	name := linediff.Bound(line)
	return name != "" && !strings.HasPrefix(name, "def ") && !strings.HasPrefix(strings.TrimLeft(line, " ")[len(name):], "[")
}

// bound returns the name that line y of the text after binds, as the layout shows it.
func (l *Layout) bound(y int) string { return linediff.Bound(l.new(y).text) }
