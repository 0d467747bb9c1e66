package highlight

import (
	"sort"

	"github.com/irscope/irscope/instruments/linediff"
)

// View is the way in which a diff is laid out.
type View string

// The views of a diff.
const (
	Unified View = "unified"
	Split   View = "split"
)

// All as the context of a layout folds nothing.
const All = -1

// Diff is the difference of two documents, without any layout. It is immutable.
type Diff struct {
	before, after *Document
	blocks        []block
	// Added and Removed count lines, Renamed and Moved the pairs of them that linediff.Mark finds.
	Added, Removed, Renamed, Moved int
	size                           int
}

// block is a place where the documents differ, with the pairs of lines that are
// taken as one line changed into another.
type block struct {
	linediff.Block
	pairs []pair
	// x and y are the marks of its lines; nil where no line of the diff has one.
	x, y []linediff.Line
}

// pair are the numbers of two lines, each from 0 in its document.
type pair struct{ x, y int }

// NewDiff compares two documents.
func NewDiff(before, after *Document) *Diff {
	blocks := linediff.Blocks(before.text, after.text)
	m := linediff.Mark(blocks, before.Line, after.Line)
	d := &Diff{before: before, after: after, blocks: make([]block, 0, len(blocks)), Renamed: m.Renamed, Moved: m.Moved}
	d.size = 64 + 8*(len(m.Before)+len(m.After))
	p := pairer{before: before, after: after, budget: maxSimilarities}
	for _, b := range blocks {
		n, k := b.X1-b.X0, b.Y1-b.Y0
		d.Removed += n
		d.Added += k
		out := block{Block: b}
		if m.Before != nil {
			out.x, out.y, m.Before, m.After = m.Before[:n:n], m.After[:k:k], m.Before[n:], m.After[k:]
		}
		out.pairs = p.block(b, out.x, out.y)
		d.size += 104 + 16*len(out.pairs)
		d.blocks = append(d.blocks, out)
	}
	return d
}

// Size returns the bytes of memory that the diff holds beside its documents, about.
func (d *Diff) Size() int { return d.size }

// segmentKind sorts the segments of a layout.
type segmentKind uint8

const (
	segmentSame segmentKind = iota
	segmentFold
	segmentBlock
)

// segment is a range of rows of one kind. Row 0 of it shows line x before and
// line y after, both from 0.
type segment struct {
	kind segmentKind
	row  int // number of the first row
	rows int
	x, y int
	// lines is the number of hidden lines of a fold, full the number of the fold's
	// first row in the layout that folds nothing.
	lines, full int
	block       int // index into Diff.blocks
}

// Hunk is a group of changes with its context, in rows of a layout.
type Hunk struct {
	Row, Rows     int
	Before, After int // line numbers at the first row, from 1
}

// Layout is a diff laid out in rows. It is immutable; rows are made when asked for.
type Layout struct {
	*Diff
	View     View
	Context  int
	Rows     int
	Hunks    []Hunk
	segments []segment
}

// Layout lays a diff out with so many lines of context, or with All.
func (d *Diff) Layout(view View, context int) *Layout {
	l := &Layout{Diff: d, View: view, Context: context}
	x, y, full := 0, 0, 0
	for i, b := range d.blocks {
		l.gap(x, y, b.X0-x, full, i > 0, true)
		full += b.X0 - x
		n := l.blockRows(b)
		l.add(segment{kind: segmentBlock, rows: n, x: b.X0, y: b.Y0, block: i})
		full += n
		x, y = b.X1, b.Y1
	}
	l.gap(x, y, d.before.Len()-x, full, len(d.blocks) > 0, false)
	return l
}

// blockRows counts the rows of a block: a pair takes one row in the split view.
func (l *Layout) blockRows(b block) int {
	n := b.X1 - b.X0 + b.Y1 - b.Y0
	if l.View == Split {
		n -= len(b.pairs)
	}
	return n
}

// gap adds the n equal lines from x and y on, of which those far from a change are
// folded; left and right tell whether a change stands before and behind them.
func (l *Layout) gap(x, y, n, full int, left, right bool) {
	if n <= 0 {
		return
	}
	lead, trail := 0, 0
	if left {
		lead = l.Context
	}
	if right {
		trail = l.Context
	}
	hidden := n - lead - trail
	// A fold of one line would save nothing.
	if l.Context == All || hidden <= 1 && (left || right) {
		l.add(segment{kind: segmentSame, rows: n, x: x, y: y})
		return
	}
	l.add(segment{kind: segmentSame, rows: lead, x: x, y: y})
	l.add(segment{kind: segmentFold, rows: 1, x: x + lead, y: y + lead, lines: hidden, full: full + lead})
	l.add(segment{kind: segmentSame, rows: trail, x: x + n - trail, y: y + n - trail})
}

// add appends a segment and keeps the hunks.
func (l *Layout) add(s segment) {
	if s.rows == 0 {
		return
	}
	s.row = l.Rows
	switch {
	case s.kind == segmentFold:
	case len(l.segments) == 0 || l.segments[len(l.segments)-1].kind == segmentFold:
		l.Hunks = append(l.Hunks, Hunk{Row: s.row, Rows: s.rows, Before: s.x + 1, After: s.y + 1})
	default:
		l.Hunks[len(l.Hunks)-1].Rows += s.rows
	}
	l.Rows += s.rows
	l.segments = append(l.segments, s)
}

// find returns the index of the segment that holds a row.
func (l *Layout) find(row int) int {
	return sort.Search(len(l.segments), func(i int) bool { return l.segments[i].row+l.segments[i].rows > row })
}

// Lines returns the numbers of lines of the two documents.
func (d *Diff) Lines() (before, after int) { return d.before.Len(), d.after.Len() }
