package export

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/irscope/irscope/web/highlight"
)

// packedDiff is a difference with its four layouts: "unified exact", and so on. One in compact form that is the same as the exact one
// is left out.
type packedDiff struct {
	Added   int                      `json:"added"`
	Removed int                      `json:"removed"`
	Renamed int                      `json:"renamed"`
	Moved   int                      `json:"moved"`
	Lines   [2]int                   `json:"lines"`
	Layouts map[string]*packedLayout `json:"layouts"`
}

// packedLayout holds the rows of a layout as numbers, see pack, and what is hidden behind its folds.
type packedLayout struct {
	Hunks []highlight.RowHunk `json:"hunks"`
	Rows  []int               `json:"rows"`
	Folds []packedFold        `json:"folds"`
}

// packedFold is a fold; without rows, its lines are those of the text before.
type packedFold struct {
	highlight.Fold
	Rows []int `json:"rows,omitempty"`
}

// kinds and marks of rows are written as their numbers here.
var (
	packedKinds = []highlight.RowKind{highlight.RowSame, highlight.RowDel, highlight.RowAdd, highlight.RowMod, highlight.RowFold}
	packedMarks = []highlight.RowMark{"", highlight.Renamed, highlight.Moved, highlight.Indented}
)

// diff packs the difference of two texts.
func (p *packer) diff(before, after *openText) *packedDiff {
	d := highlight.NewDiff(before.doc, after.doc)
	out := &packedDiff{Added: d.Added, Removed: d.Removed, Renamed: d.Renamed, Moved: d.Moved, Layouts: map[string]*packedLayout{}}
	out.Lines[0], out.Lines[1] = d.Lines()
	for _, view := range []highlight.View{highlight.Unified, highlight.Split} {
		exact := p.layout(d, view, highlight.Exact, before, before.exact)
		out.Layouts[string(view)+" "+string(highlight.Exact)] = exact
		short := p.layout(d, view, highlight.Compact, before, before.compact)
		if !reflect.DeepEqual(exact, short) {
			out.Layouts[string(view)+" "+string(highlight.Compact)] = short
		}
	}
	return out
}

// layout packs a difference in a view and a form; lines are the cells of the text before in that form.
func (p *packer) layout(d *highlight.Diff, view highlight.View, form highlight.Form, before *openText, lines []int) *packedLayout {
	l, all := d.Read(view, contextRows, form), d.Read(view, highlight.All, form)
	rows := l.WireRows(0, l.Rows)
	out := &packedLayout{Hunks: []highlight.RowHunk{}, Rows: p.pack(before.doc.Language(), rows), Folds: []packedFold{}}
	for _, h := range l.Hunks {
		out.Hunks = append(out.Hunks, highlight.RowHunk(h))
	}
	for _, r := range rows {
		if r.Kind != highlight.RowFold {
			continue
		}
		f := packedFold{Fold: *r.Fold}
		behind := all.WireRows(f.From, f.Count)
		if !p.sameLines(before.doc.Language(), behind, lines) {
			f.Rows = p.pack(before.doc.Language(), behind)
		}
		out.Folds = append(out.Folds, f)
	}
	p.size += 3*len(out.Rows) + 60*(len(out.Hunks)+len(out.Folds))
	return out
}

// sameLines reports whether rows are lines that are the same in both texts, as the one before shows them.
func (p *packer) sameLines(language string, rows []highlight.WireRow, lines []int) bool {
	for _, r := range rows {
		if r.Kind != highlight.RowSame || p.cells.add(language, r.Text, r.Compact) != lines[r.Before-1] {
			return false
		}
	}
	return true
}

// pack turns rows into numbers. Each begins with its kind plus eight times its mark, and goes on with its cell, two for a line beside
// another, each less the last cell and 1; a mark is followed by the line of the other text. The numbers of lines follow from the rows
// before.
func (p *packer) pack(language string, rows []highlight.WireRow) []int {
	out := make([]int, 0, 2*len(rows))
	last := -1
	add := func(spans []highlight.Span, short *highlight.CompactLine) {
		n := p.cells.add(language, spans, short)
		out = append(out, n-last-1)
		last = n
	}
	for _, r := range rows {
		out = append(out, slices.Index(packedKinds, r.Kind)+8*slices.Index(packedMarks, r.Mark))
		switch r.Kind {
		case highlight.RowFold:
		case highlight.RowMod:
			add(r.Left, r.LeftCompact)
			add(r.Right, r.RightCompact)
		default:
			add(r.Text, r.Compact)
		}
		if r.Mark != "" {
			out = append(out, r.Other)
		}
	}
	return out
}

func itoa36(n int) string { return strconv.FormatInt(int64(n), 36) }
