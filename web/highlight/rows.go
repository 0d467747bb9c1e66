package highlight

import (
	"sort"
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

// blockWindow emits rows from to to-1 of a block. Only lines of the window are
// scanned.
func (l *Layout) blockWindow(b block, from, to int, emit func(row)) {
	if l.View == Unified {
		dels := b.X1 - b.X0
		for k := from; k < to; k++ {
			if k < dels {
				emit(l.del(b, b.X0+k))
			} else {
				emit(l.add1(b, b.Y0+k-dels))
			}
		}
		return
	}
	k, x, y := 0, b.X0, b.Y0
	inWindow := func() bool {
		k++
		return k > from && k <= to
	}
	for i := 0; i <= len(b.pairs) && k < to; i++ {
		p := pair{b.X1, b.Y1}
		if i < len(b.pairs) {
			p = b.pairs[i]
		}
		for ; x < p.x; x++ {
			if inWindow() {
				emit(l.del(b, x))
			}
		}
		for ; y < p.y; y++ {
			if inWindow() {
				emit(l.add1(b, y))
			}
		}
		if i < len(b.pairs) {
			if inWindow() {
				r := l.mod(x, y)
				r.mark = markOf(b.x, x-b.X0)
				emit(r)
			}
			x, y = x+1, y+1
		}
	}
}

// del makes the row of a removed line, with words marked where it is one of a pair.
func (l *Layout) del(b block, x int) row {
	r := row{kind: RowDel, x: x + 1, mark: markOf(b.x, x-b.X0)}
	y := -1
	if r.mark != "" {
		y = int(b.x[x-b.X0].Other)
		r.other = y + 1
	} else if i := sort.Search(len(b.pairs), func(i int) bool { return b.pairs[i].x >= x }); i < len(b.pairs) && b.pairs[i].x == x {
		y = b.pairs[i].y
	}
	if y >= 0 && r.mark != Moved {
		m := l.mod(x, y)
		r.text, r.cut = m.left, m.cut
		return r
	}
	r.text, r.cut = Line(l.before.language, l.before.Line(x))
	return r
}

// add1 makes the row of an added line, with words marked where it is one of a pair.
func (l *Layout) add1(b block, y int) row {
	r := row{kind: RowAdd, y: y + 1, mark: markOf(b.y, y-b.Y0)}
	x := -1
	if r.mark != "" {
		x = int(b.y[y-b.Y0].Other)
		r.other = x + 1
	} else if i := sort.Search(len(b.pairs), func(i int) bool { return b.pairs[i].y >= y }); i < len(b.pairs) && b.pairs[i].y == y {
		x = b.pairs[i].x
	}
	if x >= 0 && r.mark != Moved {
		m := l.mod(x, y)
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
