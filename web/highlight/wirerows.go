package highlight

import "github.com/irscope/irscope/instruments/compact"

// WireRows returns rows from to from+count-1 of the layout, as AppendRows writes them; what lies outside is left out.
func (l *Layout) WireRows(from, count int) []WireRow {
	var out []WireRow
	l.window(from, count, func(r row) {
		w := WireRow{
			Kind: r.kind, Before: r.x, After: r.y, Text: r.text.spans, Compact: r.text.short, Left: r.left.spans, LeftCompact: r.left.short,
			Right: r.right.spans, RightCompact: r.right.short, Mark: r.mark, Other: r.other, Cut: r.text.cut || r.left.cut || r.right.cut,
		}
		if r.fold != nil {
			w.Fold = l.describe(*r.fold)
		}
		out = append(out, w)
	})
	return out
}

// WireLines returns all lines of the document in a form, as AppendRows writes them, and of each what it stands for, nil where that is
// what it shows.
func (d *Document) WireLines(form Form) (rows [][]Span, lines []*CompactLine) {
	var short *compact.Text
	if form == Compact {
		short = d.compact()
	}
	for i := range d.Len() {
		c := show(d, short, i).cell(d.language, nil, nil)
		if c.cut {
			c.spans = append(c.spans, Span{Text: cutSign})
		}
		rows, lines = append(rows, c.spans), append(lines, c.short)
	}
	return rows, lines
}
