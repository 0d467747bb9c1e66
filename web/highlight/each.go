package highlight

// Row is one row of a unified layout, for those who write it somewhere else than on a page.
type Row struct {
	Kind          RowKind // RowSame, RowDel or RowAdd
	Before, After int     // line numbers from 1; 0 where there is none
	Text          []Span
	Cut           bool // the line goes on beyond MaxLine
	// Mark is Renamed or Moved where the line is that only, also in its indentation, and Other the line of its
	// counterpart in the other text, from 1.
	Mark  RowMark
	Other int
}

// Each calls f for the rows of a hunk. The layout must be unified and exact.
func (l *Layout) Each(h Hunk, f func(Row)) {
	l.window(h.Row, h.Rows, func(r row) {
		if r.mark == Indented {
			r.mark = Moved
		}
		f(Row{Kind: r.kind, Before: r.x, After: r.y, Text: r.text.spans, Cut: r.text.cut, Mark: r.mark, Other: r.other})
	})
}
