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
	padX        = 12
	padY        = 7
	minWidth    = 64

	maxLabel  = 34 // letters in a line of a label
	maxSmall  = 40
	maxInline = 3 // lines of constants
)

// measure returns the box of a node at the origin, with its text.
func measure(n *flow.Node) Box {
	b := Box{Lines: text(n)}
	b.W = minWidth
	b.H = 2 * padY
	for _, l := range b.Lines {
		letters := utf8.RuneCountInString(l.Text)
		w, h := float64(letters)*labelWidth, labelHeight
		if l.Small {
			w, h = float64(letters)*smallWidth, smallHeight
		}
		b.W = max(b.W, int(w)+1+2*padX)
		b.H += h
	}
	b.W, b.H = b.W+2*sideOf(n.Kind), b.H+lidOf(n.Kind)
	b.W += b.W & 1 // so that the middle is a whole number
	return b
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
	switch n.Kind {
	case flow.Store, flow.Let, flow.Eval, flow.Control: // an expression, which may be long
		small = wrap(clean(n.Info), maxSmall)
	}
	if n.Was != "" {
		small = append([]string{"was " + n.Was}, small...)
	}
	small = append(small, inline(n.Inline)...)
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
