package terminal

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Column is a column of a table.
type Column struct {
	Head  string
	Width int  // that it usually needs, at least that of Head
	Right bool // its texts end at its right edge, as numbers do
	Style Style
}

// Cell is a text with a style of its own, or that of its column. Paint, if it is there, colors the text in place of the style.
type Cell struct {
	Text  string
	Style Style
	Paint func(text string) string
}

// Table writes rows one by one, as they become known, in columns that are as wide as they were said to be. The first column has
// names: it takes what the others leave, and what does not fit loses its middle. No line is longer than the width: where names
// would have less than minName characters, columns are left out, the last of Spare first.
type Table struct {
	out     io.Writer
	columns []Column
	width   int
	colored bool
	hidden  []bool
}

// minName is the least number of characters that a name gets as long as there are columns to spare.
const minName = 24

// gap is the space between two columns.
const gap = 2

// NewTable returns a table of some width on w. Spare are the indices of the columns that a narrow table can do without.
func NewTable(w io.Writer, when When, width int, columns []Column, spare ...int) *Table {
	t := &Table{out: w, width: width, colored: Colors(w, when), hidden: make([]bool, len(columns))}
	t.columns = append(t.columns, columns...)
	for i := range t.columns {
		c := &t.columns[i]
		c.Width = max(c.Width, utf8.RuneCountInString(c.Head))
	}
	for i := len(spare) - 1; i >= 0 && width-t.rest() < min(minName, t.columns[0].Width); i-- {
		t.hidden[spare[i]] = true
	}
	t.columns[0].Width = max(1, min(t.columns[0].Width, width-t.rest()))
	return t
}

// rest is the width of all columns but the first.
func (t *Table) rest() int {
	n := 0
	for i, c := range t.columns[1:] {
		if !t.hidden[i+1] {
			n += gap + c.Width
		}
	}
	return n
}

// Head writes the names of the columns.
func (t *Table) Head() error {
	cells := make([]Cell, len(t.columns))
	for i, c := range t.columns {
		cells[i] = Cell{Text: c.Head, Style: Bold}
	}
	return t.Row(cells...)
}

// Row writes a row. A text that is wider than its column takes room from what is empty to its left, and then from the name. If
// cells are missing, the last one has the rest of the line.
func (t *Table) Row(cells ...Cell) error {
	shown, columns := cells[:0:0], t.columns[:0:0]
	for i, c := range cells {
		if !t.hidden[i] || i == len(cells)-1 && len(cells) < len(t.columns) {
			c.Text = Plain(c.Text)
			shown, columns = append(shown, c), append(columns, t.columns[i])
		}
	}
	widths := t.fit(shown, columns, len(cells) < len(t.columns))
	var b strings.Builder
	for i, c := range shown {
		text := Middle(c.Text, widths[i])
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
		if c.Style == "" {
			c.Style = columns[i].Style
		}
		switch {
		case !t.colored:
		case c.Paint != nil:
			text = c.Paint(text)
		default:
			text = Paint(c.Style, text)
		}
		if columns[i].Right {
			text = pad + text
		} else {
			text += pad
		}
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		b.WriteString(text)
	}
	_, err := io.WriteString(Raw(t.out), strings.TrimRight(b.String(), " ")+"\n")
	return err
}

// fit returns the widths of the cells of a row, which together are as wide as the table at most.
func (t *Table) fit(cells []Cell, columns []Column, open bool) []int {
	widths := make([]int, len(cells))
	over := 0
	for i, c := range cells {
		need := utf8.RuneCountInString(c.Text)
		widths[i] = columns[i].Width
		if i > 0 && need > widths[i] {
			over += need - widths[i]
			widths[i] = need
		}
	}
	last := len(cells) - 1
	if open {
		used := gap * last
		for _, w := range widths[:last] {
			used += w
		}
		widths[last] = min(widths[last], max(0, t.width-used))
		return widths
	}
	// Cells that leave room give it, the nearest first; the name gives what is left to give.
	for i := last - 1; i > 0 && over > 0; i-- {
		give := min(over, max(0, widths[i]-utf8.RuneCountInString(cells[i].Text)))
		widths[i] -= give
		over -= give
	}
	widths[0] -= min(over, max(0, widths[0]-1))
	return widths
}
