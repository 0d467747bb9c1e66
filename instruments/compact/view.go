package compact

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// View is the compact form of a printed text.
type View struct {
	// Lines are those of the text, one for one.
	Lines []Line
}

// Line is a line in its compact form.
type Line struct {
	// Text is the line without the type of what it binds.
	Text string
	// Type is the type of what the line binds, "" for none: f32[1,16,32,32].
	Type string
	// Parts say where Text comes from, in order and without overlap. It is nil where Text is the printed line.
	Parts []Part
}

// Part is a stretch of a compact line, and the columns of the printed line that it stands for. Columns count bytes from 0.
type Part struct {
	At, End  int // in Line.Text
	From, To int // in the printed line
}

// Source returns the column of the printed line that column at of l stands for: the same place in text that is the same, the
// start of what stands shortened.
func (l *Line) Source(at int) int {
	if l.Parts == nil {
		return at
	}
	i := sort.Search(len(l.Parts), func(i int) bool { return l.Parts[i].End > at })
	if i == len(l.Parts) {
		i--
	}
	return l.Parts[i].inside(at, l.Parts[i].At, l.Parts[i].End, l.Parts[i].From, l.Parts[i].To)
}

// Column returns the column of l that shows column at of the printed line; what is not shown has that of what stands before it.
func (l *Line) Column(at int) int {
	if l.Parts == nil {
		return at
	}
	i := sort.Search(len(l.Parts), func(i int) bool { return l.Parts[i].From > at }) - 1
	if i < 0 {
		return l.Parts[0].At
	}
	p := l.Parts[i]
	if at >= p.To {
		return p.End
	}
	return p.inside(at, p.From, p.To, p.At, p.End)
}

// inside carries a column over from one side of a part, from to, to the other, begin end.
func (p Part) inside(at, from, to, begin, end int) int {
	at = min(max(at, from), to)
	if p.End-p.At == p.To-p.From {
		return begin + at - from
	}
	return begin
}

// Of returns the compact form of a printed module or function.
func Of(text string) *View { return Views(text)[0] }

// Views returns the compact forms of texts that are read beside each other: a name is short in all of them or in none.
func Views(texts ...string) []*View {
	out := make([]*View, len(texts))
	for i, t := range Open(texts...) {
		v := &View{Lines: make([]Line, len(t.lines))}
		for k := range v.Lines {
			v.Lines[k] = t.Line(k)
		}
		out[i] = v
	}
	return out
}

// Text is a printed text whose lines are shortened when they are asked for. It is immutable and may be used by several goroutines.
type Text struct {
	lines []string
	// graph holds the functions of the graph level, in order; the other lines stay as they are.
	graph []function
	// writers are ones that are not in use.
	writers *sync.Pool
}

// function is a range of lines, of which the first is a decorator that is indented by base.
type function struct{ from, to, base int }

// Open prepares the compact forms of texts that are read beside each other. It reads their names only, so a window of a long text costs
// little more than its own lines.
func Open(texts ...string) []*Text {
	var graph []string // the lines of functions of the graph level
	out := make([]*Text, len(texts))
	for i, text := range texts {
		t := &Text{lines: strings.Split(text, "\n")}
		eachFunction(t.lines, func(from, to int) {
			graph = append(graph, t.lines[from:to]...)
			t.graph = append(t.graph, function{from, to, indent(t.lines[from])})
		})
		out[i] = t
	}
	all := namesOf(graph)
	pool := &sync.Pool{New: func() any { return &writer{names: all} }}
	for _, t := range out {
		t.writers = pool
	}
	return out
}

// Line returns the compact form of line i, from 0.
func (t *Text) Line(i int) Line {
	k := sort.Search(len(t.graph), func(k int) bool { return t.graph[k].to > i })
	if k == len(t.graph) || i < t.graph[k].from {
		return Line{Text: t.lines[i]}
	}
	w := t.writers.Get().(*writer)
	defer t.writers.Put(w)
	return w.line(t.lines[i], t.graph[k].base)
}

// eachFunction calls f with the range of lines of each Relax function, from its decorator on.
func eachFunction(lines []string, f func(from, to int)) {
	for i := 0; i < len(lines); i++ {
		base := indent(lines[i])
		if !strings.HasPrefix(lines[i][base:], "@R.function") {
			continue
		}
		from := i
		for i+1 < len(lines) && inFunction(lines[i+1], base) {
			i++
		}
		f(from, i+1)
	}
}

// inFunction reports whether a line belongs to a function whose decorator is indented by base and stands above it.
func inFunction(line string, base int) bool {
	in := indent(line)
	return in == len(line) || in > base || strings.HasPrefix(line[in:], "def ") || line[in] == ')'
}

// indent returns the number of spaces that s begins with.
func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// typeColumn is where the types of bindings stand in the text of String, or behind a longer line.
const typeColumn = 60

// String returns the view as text: each line, and its type in a column.
func (v *View) String() string {
	var b strings.Builder
	for i, l := range v.Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
		if l.Type != "" {
			b.WriteString(strings.Repeat(" ", max(typeColumn-utf8.RuneCountInString(l.Text), 3)))
			b.WriteString(l.Type)
		}
	}
	return b.String()
}
