package highlight

import (
	"sort"
	"sync"

	"github.com/irscope/irscope/instruments/compact"
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
	// compact are the compact forms of the documents, which share their names, made when they are asked for; nil where no line has one.
	compact func() [2]*compact.Text
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
	d.size = 64 + 8*(len(m.Before)+len(m.After)) + compactSize(before) + compactSize(after)
	d.compact = sync.OnceValue(func() [2]*compact.Text {
		if !hasCompact(before) && !hasCompact(after) {
			return [2]*compact.Text{}
		}
		return [2]*compact.Text(compact.Open(before.text, after.text))
	})
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
	fold fold
	// block is an index into Diff.blocks, and skip the number of its rows that other segments show.
	block, skip int
}

// fold is what a row of kind segmentFold hides: rows from the row full on of the layout that folds nothing, which are so many lines
// of each document. Where they differ, they do in their indentation only.
type fold struct {
	full, rows, lines int
	indented          bool
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
	Form     Form
	Rows     int
	Hunks    []Hunk
	segments []segment
	// short are the compact forms of the documents; nil for exact lines.
	short [2]*compact.Text
	// foldIndented says that runs of lines that differ in their indentation only are folded like equal ones.
	foldIndented bool
}

// Layout lays a diff out with so many lines of context, or with All, in its exact form.
func (d *Diff) Layout(view View, context int) *Layout {
	return d.lay(&Layout{Diff: d, View: view, Context: context, Form: Exact})
}

// Read lays a diff out for reading: in a form, and with folds also in runs of lines that differ in their indentation only.
func (d *Diff) Read(view View, context int, form Form) *Layout {
	l := &Layout{Diff: d, View: view, Context: context, Form: form, foldIndented: context != All}
	if form == Compact {
		l.short = d.compact()
	}
	return d.lay(l)
}

func (d *Diff) lay(l *Layout) *Layout {
	x, y, full := 0, 0, 0
	for i, b := range d.blocks {
		l.gap(x, y, b.X0-x, full, i > 0, true)
		full += b.X0 - x
		full += l.block(i, b, full)
		x, y = b.X1, b.Y1
	}
	l.gap(x, y, d.before.Len()-x, full, len(d.blocks) > 0, false)
	return l
}

// pairRows is the number of rows that a pair of lines takes.
func (l *Layout) pairRows() int {
	if l.View == Split {
		return 1
	}
	return 2
}

// minIndented is the number of lines from which a run of them that differs in its indentation only is folded, but for its ends.
const minIndented = 8

// block adds the rows of a block, whose first is row full of the layout that folds nothing, and returns how many they are there.
func (l *Layout) block(i int, b block, full int) int {
	rows := b.X1 - b.X0 + b.Y1 - b.Y0 - (2-l.pairRows())*len(b.pairs)
	shown := 0 // the rows of the block that have a segment
	x, y := b.X0, b.Y0
	segments := func(row, toX, toY int) {
		l.add(segment{kind: segmentBlock, rows: row - shown, x: x, y: y, block: i, skip: shown})
		shown, x, y = row, toX, toY
	}
	for k := 0; l.foldIndented && k < len(b.pairs); {
		n := l.indented(b, k)
		if n < minIndented {
			k += max(n, 1)
			continue
		}
		first := b.pairs[k+1] // the ends of the run stay in view
		// Before it are its lines, less those that share a row with another.
		row := first.x - b.X0 + first.y - b.Y0 - (2-l.pairRows())*(k+1)
		segments(row, first.x, first.y)
		hidden := n - 2
		l.add(segment{kind: segmentFold, rows: 1, x: first.x, y: first.y, fold: fold{full + row, hidden * l.pairRows(), hidden, true}})
		shown, x, y = row+hidden*l.pairRows(), first.x+hidden, first.y+hidden
		k += n
	}
	segments(rows, b.X1, b.Y1)
	return rows
}

// isIndented reports whether the lines of a pair differ in their indentation only.
func (l *Layout) isIndented(b block, p pair) bool {
	return markOf(b.x, p.x-b.X0) == Moved && l.before.Line(p.x) != l.after.Line(p.y)
}

// indented returns the number of pairs from pair k of a block on that follow each other and differ in their indentation only.
func (l *Layout) indented(b block, k int) int {
	n := 0
	for ; k+n < len(b.pairs); n++ {
		p := b.pairs[k+n]
		if p.x != b.pairs[k].x+n || p.y != b.pairs[k].y+n || !l.isIndented(b, p) {
			break
		}
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
	l.add(segment{kind: segmentFold, rows: 1, x: x + lead, y: y + lead, fold: fold{full: full + lead, rows: hidden, lines: hidden}})
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
