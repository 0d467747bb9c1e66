package graph

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/instruments/flow"
)

// Sizes in pixels, for the fonts that graph.css gives the classes: 12 pixels for labels and 11
// for small text, in a monospaced face whose letters are 0.61 of that wide at most.
const (
	labelWidth  = 7.35
	smallWidth  = 6.75
	labelHeight = 17
	smallHeight = 15
	labelBase   = 13 // of the letters, from the top of their line
	smallBase   = 11
	padX        = 12
	padY        = 7
	minWidth    = 64

	maxLabel  = 34 // letters in a line of a label
	maxSmall  = 40
	maxInline = 3 // lines of constants
)

// measure returns the box of a node of dataflow at the origin, with its text in the middle.
func measure(n *flow.Node) Box {
	b := Box{Lines: text(n)}
	b.W = minWidth
	y := textTop(n.Kind)
	b.H = 2 * padY
	for i, l := range b.Lines {
		h, base := labelHeight, labelBase
		if l.Small {
			h, base = smallHeight, smallBase
		}
		b.Lines[i].Y = y + base
		y += h
		b.W = max(b.W, textWidth(l)+2*padX)
		b.H += h
	}
	b.W, b.H = b.W+2*sideOf(n.Kind), b.H+lidOf(n.Kind)
	b.W += b.W & 1 // so that the middle is a whole number
	for i := range b.Lines {
		b.Lines[i].X = b.W / 2
	}
	return b
}

// textWidth is how wide a line of text is at most.
func textWidth(l Line) int {
	letters := float64(utf8.RuneCountInString(l.Text))
	if l.Small {
		return int(letters*smallWidth) + 1
	}
	return int(letters*labelWidth) + 1
}

// text returns what stands in a node: what it does, the value, and its constants.
func text(n *flow.Node) []Line {
	label, small := n.Label, []string{n.Info}
	if n.Kind == flow.Constant && n.Name != "" {
		label, small = n.Name, []string{n.Label}
	}
	lines := make([]Line, 0, 4)
	for _, s := range wrap(clean(label), maxLabel) {
		lines = append(lines, Line{Text: s})
	}
	if n.Was != "" {
		small = append([]string{"was " + n.Was}, small...)
	}
	small = append(append(small, inline(n.Inline)...), n.Beyond)
	for _, s := range small {
		if s = clean(s); s != "" {
			lines = append(lines, Line{Text: elide(s, maxSmall), Small: true})
		}
	}
	return lines
}

// inline joins equal lines and keeps a few of them.
func inline(list []string) []string {
	var out []string
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j] == list[i] {
			j++
		}
		if len(out) == maxInline {
			return append(out, "and "+strconv.Itoa(len(list)-i)+" more")
		}
		s := list[i]
		if j-i > 1 {
			s += " ×" + strconv.Itoa(j-i)
		}
		out = append(out, s)
		i = j
	}
	return out
}

// clean makes s one line of valid text.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
}

// elide cuts the middle out of what is longer than n letters.
func elide(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := (n - 1) * 2 / 3
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// wrap breaks s into at most two lines of n letters, after an underscore or a blank where
// there is one.
func wrap(s string, n int) []string {
	r := []rune(s)
	if len(r) <= n {
		return []string{s}
	}
	r = []rune(elide(s, 2*n-6)) // some room for a break before the end of the line
	at := n
	for i := n; i > n-12; i-- {
		if c := r[i-1]; c == '_' || c == ' ' || c == '.' || c == ',' {
			at = i
			break
		}
	}
	if rest := r[at:]; len(rest) > n {
		return []string{string(r[:at]), elide(string(rest), n)}
	}
	return []string{strings.TrimSpace(string(r[:at])), strings.TrimSpace(string(r[at:]))}
}
