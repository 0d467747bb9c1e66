package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// reduceLayout reduces the axes where they are now, with all parts of them. The place of the largest or smallest element counts in the order of the axes that are
// reduced, which therefore must stay.
func reduceLayout(q *layoutQuery) (layoutAnswer, bool) {
	l, old := q.first(), q.old[0]
	if l == nil || old == nil || len(old) != q.types[0].NDim {
		return layoutAnswer{}, false
	}
	exclude, keep := q.attrs.Bool("exclude", false), q.attrs.Bool("keepdims", false)
	listed := map[tensorlayout.Axis]bool{} // that the attribute names
	axes := q.attrs.Ints("axis")
	if v, _ := q.attrs.Get("axis"); axes == nil && v != nil {
		axes = []int64{q.attrs.Int("axis", 0)}
	}
	if axes == nil {
		for i := range old {
			axes = append(axes, int64(i))
		}
	}
	for _, a := range axes {
		if a < 0 {
			a += int64(len(old))
		}
		if a < 0 || a >= int64(len(old)) {
			return layoutAnswer{}, false
		}
		listed[old[a]] = true
	}
	if old.Blocked() && !l.Equal(old) {
		return layoutAnswer{}, false
	}
	reduced := func(a tensorlayout.Axis) (named, gone bool) {
		if named = listed[a]; !old.Blocked() {
			named = listed[tensorlayout.Axis{Letter: a.Letter}]
		}
		return named, named != exclude
	}
	var at []int64
	out := layout{}
	for i, a := range l {
		named, gone := reduced(a)
		if named {
			at = append(at, int64(i))
		}
		switch {
		case !gone:
			out = append(out, a)
		case keep && a.Factor > 0:
			out = append(out, tensorlayout.Axis{Letter: a.Letter, Factor: 1})
		case keep:
			out = append(out, a)
		}
	}
	if out = whole(out); out == nil {
		return layoutAnswer{}, false
	}
	if q.new != nil {
		if (q.name == "relay.argmax" || q.name == "relay.argmin") && !sameOrder(old, l, reduced) {
			return layoutAnswer{}, false
		}
		if v, _ := q.attrs.Get("axis"); v != nil || l.Blocked() {
			q.attrs = q.attrs.With("axis", at)
		}
	}
	return q.answer(repeated(l, len(q.old)), []layout{out})
}

// sameOrder reports whether the axes that are reduced stand in the same order in both layouts, parts of one behind each other.
func sameOrder(a, b layout, reduced func(tensorlayout.Axis) (bool, bool)) bool {
	letters := func(l layout) (out []byte) {
		for _, x := range l {
			if _, gone := reduced(x); gone && (len(out) == 0 || out[len(out)-1] != x.Letter) {
				out = append(out, x.Letter)
			}
		}
		return out
	}
	return slices.Equal(letters(a), letters(b))
}

// padLayout pads the axes where they are now, if none that is padded is split.
func padLayout(q *layoutQuery) (layoutAnswer, bool) {
	width := q.attrs.Ints("pad_width")
	l := q.first()
	in := func(l layout) []layout {
		list := make([]layout, len(q.old))
		for i := range list {
			list[i] = layout{} // the value is a scalar
		}
		list[0] = l
		return list
	}
	if q.new == nil {
		return q.answer(in(l), []layout{l})
	}
	old := q.old[0]
	if old == nil || len(width) != 2*len(old) {
		return layoutAnswer{}, false
	}
	if l.Equal(old) {
		return q.answer(in(l), []layout{l})
	}
	var next []int64
	for _, a := range l {
		i := axisAt(old, tensorlayout.Axis{Letter: a.Letter})
		if i < 0 || old.Blocked() {
			return q.answer(in(old), []layout{old})
		}
		lo, hi := width[2*i], width[2*i+1]
		if l.Factor(a.Letter) > 1 && (lo != 0 || hi != 0) {
			return q.answer(in(old), []layout{old})
		}
		if a.Factor > 0 { // parts of one element: the axis is padded
			lo, hi = 0, 0
		}
		next = append(next, lo, hi)
	}
	q.attrs = q.attrs.With("pad_width", next)
	return q.answer(in(l), []layout{l})
}

// sliceLayout cuts the axes where they are now. An axis that is split is cut between its parts.
func sliceLayout(q *layoutQuery) (layoutAnswer, bool) {
	old := q.old[0]
	if len(q.old) != 1 || old == nil || !q.attrs.Has("begin") || !q.attrs.Has("end") {
		return layoutAnswer{}, false
	}
	if q.new == nil || q.new[0].Equal(old) {
		return q.answer([]layout{old}, []layout{old})
	}
	to := q.new[0]
	begin, end, steps, axes := q.attrs.Ints("begin"), q.attrs.Ints("end"), q.attrs.Ints("strides"), q.attrs.Ints("axes")
	byAxes := axes != nil
	d, known := q.types[0].Dims()
	if old.Blocked() || len(begin) != len(end) {
		return layoutAnswer{}, false
	}
	size := q.attrs.Str("slice_mode", "end") == "size"
	if !byAxes {
		for i := range begin {
			axes = append(axes, int64(i))
		}
	}
	type cut struct{ begin, end, step int64 }
	cuts := map[byte]cut{}
	var order []int64
	for i, a := range axes {
		if a < 0 {
			a += int64(len(old))
		}
		if a < 0 || int(a) >= len(old) {
			return layoutAnswer{}, false
		}
		c := cut{begin[i], end[i], 1}
		if i < len(steps) {
			c.step = steps[i]
		} else if len(steps) == 1 {
			c.step = steps[0]
		}
		letter := old[a].Letter
		if f := to.Factor(letter); f > 1 {
			if size || c.step != 1 || c.begin%f != 0 || c.end%f != 0 {
				return layoutAnswer{}, false
			}
			c.begin, c.end = c.begin/f, c.end/f
		}
		cuts[letter] = c
		order = append(order, int64(to.Pos(letter)))
	}
	if !byAxes {
		if to.Blocked() { // the axes before the parts, as far as they were cut
			if !slices.Equal(to[:len(old)], old) {
				return layoutAnswer{}, false
			}
			order = order[:len(axes)]
		} else {
			order = order[:0]
			for i := range to {
				order = append(order, int64(i))
			}
		}
	}
	var b, e, s []int64
	for _, at := range order {
		letter := to[at].Letter
		c, given := cuts[letter]
		if !given {
			n, ok := int64(0), false
			if known {
				n, ok = tir.AsInt(d[old.Pos(letter)])
			}
			if !ok {
				return layoutAnswer{}, false
			}
			c = cut{0, n, 1}
		}
		b, e, s = append(b, c.begin), append(e, c.end), append(s, c.step)
	}
	q.attrs = q.attrs.With("begin", b).With("end", e)
	q.attrs = attrsWithInts(q.attrs, "strides", s)
	if byAxes {
		q.attrs = q.attrs.With("axes", order)
	}
	return q.answer([]layout{to}, []layout{to})
}
