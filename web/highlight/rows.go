package highlight

import (
	"strconv"

	"github.com/irscope/irscope/instruments/linediff"
)

// row is one row of a layout before it is written.
type row struct {
	kind        RowKind
	x, y        int // line numbers from 1; 0 where there is none
	text        []Span
	left, right []Span // only of kind RowMod
	fold        *segment
	cut         bool
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
		dst = appendRow(dst, out)
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
				spans, cut := Line(l.before.language, l.before.Line(s.x+k))
				emit(row{kind: RowSame, x: s.x + k + 1, y: s.y + k + 1, text: spans, cut: cut})
			}
		case segmentBlock:
			l.blockWindow(l.blocks[s.block], r-s.row, end-s.row, emit)
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

// pair makes the rows of a pair of lines: one, or in the unified view two.
func (l *Layout) pair(b block, x, y int) []row {
	m := l.mod(x, y)
	m.mark = markOf(b.x, x-b.X0)
	if l.View == Split {
		return []row{m}
	}
	del := row{kind: RowDel, x: m.x, text: m.left, cut: m.cut, mark: m.mark}
	add := row{kind: RowAdd, y: m.y, text: m.right, cut: m.cut, mark: m.mark}
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
		m := l.mod(x, r.other-1)
		r.text, r.cut = m.left, m.cut
		return r
	}
	r.text, r.cut = Line(l.before.language, l.before.Line(x))
	return r
}

// add1 makes the row of an added line that is in no pair, with words marked where it is renamed.
func (l *Layout) add1(b block, y int) row {
	r := row{kind: RowAdd, y: y + 1, mark: markOf(b.y, y-b.Y0)}
	if r.mark != "" {
		r.other = int(b.y[y-b.Y0].Other) + 1
	}
	if r.mark == Renamed {
		m := l.mod(r.other-1, y)
		r.text, r.cut = m.right, m.cut
		return r
	}
	r.text, r.cut = Line(l.after.language, l.after.Line(y))
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

// mod makes the row of a line that was changed into another.
func (l *Layout) mod(x, y int) row {
	a, cutA := cutLine(l.before.Line(x))
	b, cutB := cutLine(l.after.Line(y))
	left, right := lineSpans(l.before.language, a), lineSpans(l.after.language, b)
	if marksA, marksB, ok := markWords(a, b); ok {
		left, right = applyMarks(left, marksA), applyMarks(right, marksB)
	}
	return row{kind: RowMod, x: x + 1, y: y + 1, left: left, right: right, cut: cutA || cutB}
}

// appendRow appends a row as JSON, see docs/protocol.md.
func appendRow(dst []byte, r row) []byte {
	number := func(key string, n int) {
		if n > 0 {
			dst = append(append(append(dst, ',', '"'), key...), '"', ':')
			dst = strconv.AppendInt(dst, int64(n), 10)
		}
	}
	spans := func(key string, s []Span) {
		dst = append(append(append(dst, ',', '"'), key...), '"', ':')
		dst = appendSpans(dst, s)
	}
	dst = append(append(append(dst, `{"kind":"`...), r.kind...), '"')
	number("before", r.x)
	number("after", r.y)
	switch r.kind {
	case RowFold:
		dst = append(dst, `,"fold":{"from":`...)
		dst = strconv.AppendInt(dst, int64(r.fold.full), 10)
		dst = append(dst, `,"count":`...)
		dst = strconv.AppendInt(dst, int64(r.fold.lines), 10)
		dst = append(dst, '}')
	case RowMod:
		spans("left", r.left)
		spans("right", r.right)
	default:
		spans("text", r.text)
	}
	if r.mark != "" {
		dst = append(append(append(dst, `,"mark":"`...), r.mark...), '"')
		number("other", r.other)
	}
	if r.cut {
		dst = append(dst, `,"cut":true`...)
	}
	return append(dst, '}')
}
