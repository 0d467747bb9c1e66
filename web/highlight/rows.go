package highlight

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/instruments/linediff"
)

// row is one row of a layout before it is written.
type row struct {
	kind        RowKind
	x, y        int // line numbers from 1; 0 where there is none
	text        cell
	left, right cell // only of kind RowMod
	fold        *segment
	mark        RowMark // or nothing
	other       int     // the line of the other text that has the name or place of this one, from 1
}

// AppendRows appends rows from to from+count-1 of the layout as a JSON list; what
// lies outside is left out.
func (l *Layout) AppendRows(dst []byte, from, count int) []byte {
	dst = append(dst, '[')
	l.window(from, count, func(out row) {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		var f *Fold
		if out.fold != nil {
			f = l.describe(*out.fold)
		}
		dst = appendRow(dst, out, f)
	})
	return append(dst, ']')
}

// window emits rows from to from+count-1; what lies outside is left out.
func (l *Layout) window(from, count int, emit func(row)) {
	from = min(max(from, 0), l.Rows)
	to := from + min(max(count, 0), l.Rows-from)
	for i, r := l.find(from), from; r < to; i++ {
		s := l.segments[i]
		end := min(to, s.row+s.rows)
		switch s.kind {
		case segmentFold:
			emit(row{kind: RowFold, x: s.x + 1, y: s.y + 1, fold: &s})
		case segmentSame:
			for k := r - s.row; k < end-s.row; k++ {
				emit(row{kind: RowSame, x: s.x + k + 1, y: s.y + k + 1, text: l.old(s.x+k).cell(l.before.language, nil, nil)})
			}
		case segmentBlock:
			l.blockWindow(l.blocks[s.block], s.skip+r-s.row, s.skip+end-s.row, emit)
		}
		r = end
	}
}

// blockWindow emits rows from to to-1 of a block: the lines of a pair beside each other, or the later right under the earlier, and
// runs of lines that are in no pair between them, the removed ones first. Only lines of the window are scanned.
func (l *Layout) blockWindow(b block, from, to int, emit func(row)) {
	k, x, y := 0, b.X0, b.Y0
	lines := func(dels, adds int) { // of those from x and y on
		for i := max(0, from-k); i < min(dels, to-k); i++ {
			emit(l.del(b, x+i))
		}
		for i := max(0, from-k-dels); i < min(adds, to-k-dels); i++ {
			emit(l.add1(b, y+i))
		}
		k, x, y = k+dels+adds, x+dels, y+adds
	}
	for _, p := range b.pairs {
		if k >= to {
			return
		}
		lines(p.x-x, p.y-y)
		rows := 1
		if l.View == Unified {
			rows = 2
		}
		if k+rows > from && k < to {
			for i, r := range l.pair(b, x, y) {
				if k+i >= from && k+i < to {
					emit(r)
				}
			}
		}
		k, x, y = k+rows, x+1, y+1
	}
	lines(b.X1-x, b.Y1-y)
}

// old and new return lines of the two documents as the layout shows them.
func (l *Layout) old(x int) shown { return show(l.before, l.short[0], x) }
func (l *Layout) new(y int) shown { return show(l.after, l.short[1], y) }

// pair makes the rows of a pair of lines: one, or in the unified view two.
func (l *Layout) pair(b block, x, y int) []row {
	m := l.mod(x, y)
	m.mark = markOf(b.x, x-b.X0)
	if l.isIndented(b, pair{x, y}) {
		m.mark = Indented
	}
	if l.View == Split {
		return []row{m}
	}
	del := row{kind: RowDel, x: m.x, text: m.left, mark: m.mark}
	add := row{kind: RowAdd, y: m.y, text: m.right, mark: m.mark}
	if m.mark != "" {
		del.other, add.other = m.y, m.x
	}
	return []row{del, add}
}

// del makes the row of a removed line that is in no pair, with words marked where it is renamed.
func (l *Layout) del(b block, x int) row {
	r := row{kind: RowDel, x: x + 1, mark: markOf(b.x, x-b.X0)}
	if r.mark != "" {
		r.other = int(b.x[x-b.X0].Other) + 1
	}
	if r.mark == Renamed {
		r.text = l.mod(x, r.other-1).left
	} else {
		r.text = l.old(x).cell(l.before.language, nil, nil)
	}
	return r
}

// add1 makes the row of an added line that is in no pair, with words marked where it is renamed.
func (l *Layout) add1(b block, y int) row {
	r := row{kind: RowAdd, y: y + 1, mark: markOf(b.y, y-b.Y0)}
	if r.mark != "" {
		r.other = int(b.y[y-b.Y0].Other) + 1
	}
	if r.mark == Renamed {
		r.text = l.mod(r.other-1, y).right
	} else {
		r.text = l.new(y).cell(l.after.language, nil, nil)
	}
	return r
}

// markOf returns the mark of line i of a block.
func markOf(lines []linediff.Line, i int) RowMark {
	if i >= len(lines) {
		return ""
	}
	switch lines[i].Mark {
	case linediff.MarkRenamed:
		return Renamed
	case linediff.MarkMoved:
		return Moved
	}
	return ""
}

// mod makes the row of a line that was changed into another. Where the compact form leaves out what differs, both are exact.
func (l *Layout) mod(x, y int) row {
	a, b := l.old(x), l.new(y)
	if (a.short != nil || b.short != nil) && a.text == b.text && a.typ() == b.typ() {
		a, b = exactly(a.src), exactly(b.src)
	}
	var types [2][]int
	if s, t := a.typ(), b.typ(); s != t {
		var ok bool
		if types[0], types[1], ok = markWords(s, t); !ok {
			types = [2][]int{{0, len(s)}, {0, len(t)}}
		}
	}
	marksA, marksB, ok := markWords(a.text, b.text)
	if !ok {
		marksA, marksB = nil, nil
	}
	return row{kind: RowMod, x: x + 1, y: y + 1, left: a.cell(l.before.language, marksA, types[0]), right: b.cell(l.after.language, marksB, types[1])}
}

// appendRow appends a row as JSON, see docs/protocol.md.
func appendRow(dst []byte, r row, fold *Fold) []byte {
	number := func(key string, n int) {
		if n > 0 {
			dst = append(append(append(dst, ',', '"'), key...), '"', ':')
			dst = strconv.AppendInt(dst, int64(n), 10)
		}
	}
	line := func(key, compact string, c cell) {
		dst = append(append(append(dst, ',', '"'), key...), '"', ':')
		dst = appendSpans(dst, c.spans)
		if c.short != nil {
			dst = append(append(append(dst, ',', '"'), compact...), '"', ':')
			dst = appendCompact(dst, c.short)
		}
	}
	dst = append(append(append(dst, `{"kind":"`...), r.kind...), '"')
	number("before", r.x)
	number("after", r.y)
	switch r.kind {
	case RowFold:
		dst = append(dst, `,"fold":`...)
		dst = appendFold(dst, fold)
	case RowMod:
		line("left", "left_compact", r.left)
		line("right", "right_compact", r.right)
	default:
		line("text", "compact", r.text)
	}
	if r.mark != "" {
		dst = append(append(append(dst, `,"mark":"`...), r.mark...), '"')
		number("other", r.other)
	}
	if r.text.cut || r.left.cut || r.right.cut {
		dst = append(dst, `,"cut":true`...)
	}
	return append(dst, '}')
}

// appendCompact appends a CompactLine as JSON.
func appendCompact(dst []byte, c *CompactLine) []byte {
	dst = append(dst, '{')
	if len(c.Type) > 0 {
		dst = append(dst, `"type":`...)
		dst = append(appendSpans(dst, c.Type), ',')
	}
	dst = append(dst, `"exact":`...)
	dst = append(appendString(dst, c.Exact), `,"columns":[`...)
	for i, n := range c.Columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, "]}"...)
}

// appendFold appends a Fold as JSON.
func appendFold(dst []byte, f *Fold) []byte {
	dst = fmt.Appendf(dst, `{"from":%d,"count":%d,"lines":%d`, f.From, f.Count, f.Lines)
	if f.Indented {
		dst = append(dst, `,"indented":true`...)
	}
	if f.Bindings {
		dst = append(dst, `,"bindings":true`...)
	}
	if f.First != "" {
		dst = appendString(append(dst, `,"first":`...), f.First)
		dst = appendString(append(dst, `,"last":`...), f.Last)
	}
	return append(dst, '}')
}
