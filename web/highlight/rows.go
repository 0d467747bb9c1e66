package highlight

import (
	"sort"
	"strconv"
)

// row is one row of a layout before it is written.
type row struct {
	kind        string
	x, y        int // line numbers from 1; 0 where there is none
	text        []Span
	left, right []Span // only of kind "mod"
	fold        *segment
	cut         bool
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
			emit(row{kind: "fold", x: s.x + 1, y: s.y + 1, fold: &s})
		case segmentSame:
			for k := r - s.row; k < end-s.row; k++ {
				spans, cut := Line(l.before.language, l.before.Line(s.x+k))
				emit(row{kind: "same", x: s.x + k + 1, y: s.y + k + 1, text: spans, cut: cut})
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
				emit(l.del(b.X0+k, b.pairs))
			} else {
				emit(l.add1(b.Y0+k-dels, b.pairs))
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
				emit(l.del(x, nil))
			}
		}
		for ; y < p.y; y++ {
			if inWindow() {
				emit(l.add1(y, nil))
			}
		}
		if i < len(b.pairs) {
			if inWindow() {
				emit(l.mod(x, y))
			}
			x, y = x+1, y+1
		}
	}
}

// del makes the row of a removed line, with marks where it is one of a pair.
func (l *Layout) del(x int, pairs []pair) row {
	i := sort.Search(len(pairs), func(i int) bool { return pairs[i].x >= x })
	if i < len(pairs) && pairs[i].x == x {
		r := l.mod(x, pairs[i].y)
		return row{kind: "del", x: x + 1, text: r.left, cut: r.cut}
	}
	spans, cut := Line(l.before.language, l.before.Line(x))
	return row{kind: "del", x: x + 1, text: spans, cut: cut}
}

// add1 makes the row of an added line, with marks where it is one of a pair.
func (l *Layout) add1(y int, pairs []pair) row {
	i := sort.Search(len(pairs), func(i int) bool { return pairs[i].y >= y })
	if i < len(pairs) && pairs[i].y == y {
		r := l.mod(pairs[i].x, y)
		return row{kind: "add", y: y + 1, text: r.right, cut: r.cut}
	}
	spans, cut := Line(l.after.language, l.after.Line(y))
	return row{kind: "add", y: y + 1, text: spans, cut: cut}
}

// mod makes the row of a line that was changed into another.
func (l *Layout) mod(x, y int) row {
	a, cutA := cutLine(l.before.Line(x))
	b, cutB := cutLine(l.after.Line(y))
	left, right := lineSpans(l.before.language, a), lineSpans(l.after.language, b)
	if marksA, marksB, ok := markWords(a, b); ok {
		left, right = applyMarks(left, marksA), applyMarks(right, marksB)
	}
	return row{kind: "mod", x: x + 1, y: y + 1, left: left, right: right, cut: cutA || cutB}
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
	case "fold":
		dst = append(dst, `,"fold":{"from":`...)
		dst = strconv.AppendInt(dst, int64(r.fold.full), 10)
		dst = append(dst, `,"count":`...)
		dst = strconv.AppendInt(dst, int64(r.fold.lines), 10)
		dst = append(dst, '}')
	case "mod":
		spans("left", r.left)
		spans("right", r.right)
	default:
		spans("text", r.text)
	}
	if r.cut {
		dst = append(dst, `,"cut":true`...)
	}
	return append(dst, '}')
}
