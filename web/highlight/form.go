package highlight

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"github.com/irscope/irscope/instruments/compact"
	"github.com/irscope/irscope/instruments/event"
)

// Form is the form in which lines are shown.
type Form string

// The forms of lines.
const (
	// Exact shows lines as they are printed.
	Exact Form = "exact"
	// Compact shows lines of the graph level in the short form of instruments/compact. All other lines are exact.
	Compact Form = "compact"
)

// The classes that only compact lines have: of what says little, and of constants.
const (
	classDim      = ClassPrefix + "dim"
	classConstant = ClassPrefix + "no"
)

// hasCompact reports whether a text has lines with a compact form.
func hasCompact(d *Document) bool {
	return d.language == event.LangTVMScript && strings.Contains(d.text, "@R.function")
}

// compactSize is the memory that the names of a document's compact form take, about: a name to a line.
func compactSize(d *Document) int {
	if !hasCompact(d) {
		return 0
	}
	return len(d.text)/2 + 16*d.Len()
}

// shown is a line in the form in which a row shows it.
type shown struct {
	text string
	// src is the printed line, and short its compact form; nil where text is the printed line.
	src   string
	short *compact.Line
	cut   bool
}

// show returns line i of a document; t is the document's compact form, nil for the exact one. A line that is too long for a row, or
// the same in both forms, is exact.
func show(d *Document, t *compact.Text, i int) shown {
	src := d.Line(i)
	if t != nil && len(src) <= MaxLine {
		if l := t.Line(i); l.Parts != nil && len(l.Text) <= MaxLine && (l.Text != src || l.Type != "") {
			return shown{text: l.Text, src: src, short: &l}
		}
	}
	return exactly(src)
}

// exactly shows a printed line as it is.
func exactly(src string) shown {
	text, cut := cutLine(src)
	return shown{text: text, src: src, cut: cut}
}

// typ returns the type that stands beside a compact line, or "".
func (s shown) typ() string {
	if s.short == nil {
		return ""
	}
	return s.short.Type
}

// cell is what a row shows of a line.
type cell struct {
	spans []Span
	short *CompactLine
	cut   bool
}

// cell cuts a line into spans and marks the words between flips.
func (s shown) cell(language string, flips, typeFlips []int) cell {
	if s.short == nil {
		return cell{spans: applyMarks(lineSpans(language, s.text), flips), cut: s.cut}
	}
	short := &CompactLine{Exact: s.src, Columns: s.columns()}
	if s.short.Type != "" {
		short.Type = applyMarks([]Span{{Text: s.short.Type}}, typeFlips)
	}
	return cell{spans: applyMarks(s.spans(), flips), short: short}
}

// columns returns the map from the compact line to the printed one, as CompactLine has it.
func (s shown) columns() []int {
	at, from := units(s.text), units(s.src)
	out := make([]int, 0, 3*len(s.short.Parts))
	for _, p := range s.short.Parts {
		out = append(out, at(p.End), from(p.From), from(p.To))
	}
	return out
}

// units returns the function from an offset in bytes to the same in UTF-16 units, in which scripts count columns.
func units(s string) func(int) int {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return func(i int) int { return i }
	}
	table := make([]int32, len(s)+1)
	n := int32(0)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		for k := range size {
			table[i+k] = n
		}
		if n++; r > 0xffff {
			n++
		}
		i += size
	}
	table[len(s)] = n
	return func(i int) int { return int(table[i]) }
}

// spans colours a compact line. It reads like a line of TVMScript, but for what the columns of the printed line say: which names are
// operators, constants, attributes and types.
func (s shown) spans() []Span {
	out := make([]Span, 0, 8)
	r := scanner{text: s.text}
	parts := s.short.Parts
	for r.pos < len(s.text) {
		from := r.pos
		typ, end := r.next()
		r.pos = end
		for len(parts) > 1 && parts[0].End <= from {
			parts = parts[1:]
		}
		p := parts[0]
		class := className(typ)
		switch text := s.text[from:end]; {
		case typ == chroma.Name:
			class, end = s.name(p, end)
			r.pos = end
		case typ == chroma.NameBuiltinPseudo && text == "cls":
			if class = classDim; end < len(s.text) && s.text[end] == '.' {
				end++
				r.pos = end
			}
		case text == "=" || text == "->":
			class = classDim
		}
		out = appendSpan(out, Span{Class: class, Text: s.text[from:end]})
	}
	return out
}

// name returns the class of a name in a part, and where what has the class ends.
func (s shown) name(p compact.Part, end int) (string, int) {
	src := s.src[p.From:p.To]
	path, dialectal := strings.CutPrefix(src, "R.")
	switch {
	case strings.HasPrefix(src, "metadata["):
		return classConstant, end
	case dialectal && path != "" && path[0] >= 'A' && path[0] <= 'Z': // a type, all of it
		return classDim, max(end, p.End)
	case dialectal:
		return className(chroma.NameBuiltin), end
	case p.To < len(s.src) && s.src[p.To] == '=' && p.To+1 < len(s.src) && s.src[p.To+1] != ' ' && s.src[p.To+1] != '=':
		return classDim, end // an attribute
	}
	return className(chroma.Name), end
}
