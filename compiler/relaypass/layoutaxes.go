package relaypass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// moved returns where axis i of the first operand stands now, and its name. It is false where the axis is split now, or not known.
func (q *layoutQuery) moved(i int64) (int64, tensorlayout.Axis, bool) {
	if i < 0 {
		i += int64(q.types[0].NDim)
	}
	if q.old[0] == nil || i < 0 || i >= int64(len(q.old[0])) {
		return 0, tensorlayout.Axis{}, false
	}
	a := q.old[0][i]
	if q.new == nil {
		return i, a, true
	}
	at := axisAt(q.new[0], a)
	return int64(at), a, at >= 0 && q.new[0].Factor(a.Letter) == q.old[0].Factor(a.Letter)
}

// axisLayout is the rule of an operator that does something along one axis, which follows its data. The other operands are vectors along it;
// the results that follow the first one have the layouts of more.
func axisLayout(operands int, more string) layoutRuleFunc {
	return func(q *layoutQuery) (layoutAnswer, bool) {
		if len(q.old) != operands {
			return layoutAnswer{}, false
		}
		in := append([]layout{q.first()}, repeated(layoutOf("C"), operands-1)...)
		out := []layout{q.first()}
		for l := range strings.FieldsSeq(more) {
			out = append(out, layoutOf(l))
		}
		axes := q.attrs.Ints("axis")
		if axes == nil {
			axes = q.attrs.Ints("axes")
		}
		if q.new != nil {
			attr := "axis"
			single := q.attrs.Ints("axis") == nil && q.attrs.Has("axis")
			if single {
				axes = []int64{q.attrs.Int("axis", 0)}
			} else if !q.attrs.Has("axis") {
				attr = "axes"
			}
			list := make([]int64, len(axes))
			for i, a := range axes {
				at, _, ok := q.moved(a)
				if !ok {
					return layoutAnswer{}, false
				}
				list[i] = at
			}
			if single {
				q.attrs = q.attrs.With("axis", list[0])
			} else {
				q.attrs = q.attrs.With(attr, list)
			}
		}
		return q.answer(in, out)
	}
}

func topkLayout(q *layoutQuery) (layoutAnswer, bool) {
	if q.new != nil {
		at, _, ok := q.moved(q.attrs.Int("axis", -1))
		if !ok {
			return layoutAnswer{}, false
		}
		q.attrs = q.attrs.With("axis", at)
	}
	n := 1
	if q.attrs.Str("ret_type", "both") == "both" {
		n = 2
	}
	return q.answer([]layout{q.first()}, repeated(q.first(), n))
}

func l2Layout(q *layoutQuery) (layoutAnswer, bool) {
	axes := slices.Clone(q.attrs.Ints("axis"))
	if q.new != nil {
		for i, a := range axes {
			at, _, ok := q.moved(a)
			if !ok {
				return layoutAnswer{}, false
			}
			axes[i] = at
		}
		q.attrs = q.attrs.With("axis", axes)
	}
	return q.answer([]layout{q.first()}, []layout{q.first()})
}

// transposeLayout renames the axes of its result, so that the tensor stays where it is.
func transposeLayout(q *layoutQuery) (layoutAnswer, bool) {
	old := q.old[0]
	if old == nil || old.Blocked() {
		return layoutAnswer{}, false
	}
	axes := slices.Clone(q.attrs.Ints("axes"))
	if axes == nil {
		for i := range old {
			axes = append(axes, int64(len(old)-1-i))
		}
	}
	for i, a := range axes {
		if a < 0 {
			axes[i] += int64(len(old))
		}
	}
	in := old
	if q.new != nil && len(q.new[0]) == len(old) {
		in = q.new[0]
		for i, a := range axes {
			if axes[i] = int64(axisAt(in, old[a])); axes[i] < 0 {
				return layoutAnswer{}, false
			}
		}
	}
	out := make(layout, len(axes))
	for i, a := range axes {
		out[i] = in[a]
	}
	q.attrs = q.attrs.With("axes", axes)
	return q.answer([]layout{in}, []layout{out})
}

// squeezeLayout drops axes where they are now.
func squeezeLayout(q *layoutQuery) (layoutAnswer, bool) {
	axes := slices.Clone(q.attrs.Ints("axis"))
	if axes == nil {
		d, ok := q.types[0].Dims()
		if !ok {
			return layoutAnswer{}, false
		}
		for i, n := range d {
			if v, ok := tir.AsInt(n); !ok {
				return layoutAnswer{}, false
			} else if v == 1 {
				axes = append(axes, int64(i))
			}
		}
	}
	gone := map[int64]bool{}
	for i, a := range axes {
		at, _, ok := q.moved(a)
		if !ok {
			return layoutAnswer{}, false
		}
		axes[i], gone[at] = at, true
	}
	out := layout{}
	for i, a := range q.first() {
		switch whole := int64(q.first().Pos(a.Letter)); {
		case gone[int64(i)]:
		case q.new != nil && a.Factor == 1 && gone[whole]: // the one part of an axis goes with it
			axes = append(axes, int64(i))
		default:
			out = append(out, a)
		}
	}
	if out = whole(out); out == nil {
		return layoutAnswer{}, false
	}
	if q.new != nil {
		q.attrs = q.attrs.With("axis", axes)
	}
	return q.answer([]layout{q.first()}, []layout{out})
}

// splitLayout cuts along an axis, which may be split into parts that divide each piece.
func splitLayout(q *layoutQuery) (layoutAnswer, bool) {
	var pieces int64
	places, list := q.attrs.Ints("indices_or_sections"), true
	if places == nil {
		pieces, list = q.attrs.Int("indices_or_sections", 0), false
	} else {
		pieces = int64(len(places)) + 1
	}
	if pieces <= 0 || pieces > 1<<16 {
		return layoutAnswer{}, false
	}
	l := q.first()
	if q.new != nil {
		axis := q.attrs.Int("axis", 0)
		if axis < 0 {
			axis += int64(q.types[0].NDim)
		}
		at, a, ok := q.moved(axis)
		if a.Letter == 0 {
			return layoutAnswer{}, false
		}
		if !ok { // the axis is split
			f := l.Factor(a.Letter)
			if at = int64(l.Pos(a.Letter)); at < 0 || q.old[0].Factor(a.Letter) != 1 {
				return layoutAnswer{}, false
			}
			fits := true
			scaled := make([]int64, len(places))
			for i, p := range places {
				scaled[i], fits = p/f, fits && p%f == 0
			}
			d, known := q.types[0].Dims()
			if n, isInt := int64(0), false; !list && known {
				n, isInt = tir.AsInt(d[axis])
				fits = isInt && n%(f*pieces) == 0
			} else if !list {
				fits = false
			}
			if !fits {
				return q.answer([]layout{q.old[0]}, repeated(q.old[0], int(pieces)))
			}
			if list {
				q.attrs = q.attrs.With("indices_or_sections", scaled)
			}
		}
		q.attrs = q.attrs.With("axis", at)
	}
	a, ok := q.answer([]layout{l}, repeated(l, int(pieces)))
	a.tuple = true
	return a, ok
}

// concatLayout puts tensors of the same layout one behind the other.
func concatLayout(q *layoutQuery) (layoutAnswer, bool) {
	axis := q.attrs.Int("axis", 0)
	if axis < 0 {
		axis += int64(q.types[0].NDim)
	}
	if q.new != nil && !slices.ContainsFunc(q.new, func(l layout) bool { return !l.Equal(q.new[0]) }) {
		if q.old[0] == nil || int(axis) >= len(q.old[0]) {
			return layoutAnswer{}, false
		}
		at := axisAt(q.new[0], q.old[0][axis])
		if at < 0 {
			return layoutAnswer{}, false
		}
		q.attrs = q.attrs.With("axis", int64(at))
		return q.answer(repeated(q.new[0], len(q.old)), []layout{q.new[0]})
	}
	var l layout
	for _, o := range q.old {
		if o != nil {
			l = o
			break
		}
	}
	if l == nil || int(axis) >= len(l) || l[axis].Factor > 0 {
		return layoutAnswer{}, false
	}
	return q.answer(repeated(l, len(q.old)), []layout{l})
}

// sliceLikeLayout cuts the same axes where both tensors are in one layout.
func sliceLikeLayout(q *layoutQuery) (layoutAnswer, bool) {
	axes := slices.Clone(q.attrs.Ints("axes"))
	if q.new != nil && q.old[0] != nil && q.old[0].Equal(q.old[1]) && q.new[0].Equal(q.new[1]) && len(axes) > 0 {
		for i, a := range axes {
			at, _, ok := q.moved(a)
			if !ok {
				return q.answer(q.old, q.old[:1])
			}
			axes[i] = at
		}
		q.attrs = q.attrs.With("axes", axes)
		return q.answer(q.new, q.new[:1])
	}
	return q.answer(q.old, q.old[:1])
}

// requantizeLayout follows its data. Where scale or zero point are vectors, no axis may be split.
func requantizeLayout(q *layoutQuery) (layoutAnswer, bool) {
	l := q.first()
	if q.new != nil {
		axis := q.attrs.Int("axis", -1)
		if axis < 0 {
			axis += int64(q.types[0].NDim)
		}
		scalars := true
		for _, t := range q.types[1:] {
			scalars = scalars && t.NDim == 0
		}
		if l.Blocked() && !scalars {
			l = layoutOf(l.Letters())
		}
		if q.old[0] == nil || axis < 0 || int(axis) >= len(q.old[0]) {
			return layoutAnswer{}, false
		}
		at := axisAt(l, q.old[0][axis])
		if at < 0 {
			return layoutAnswer{}, false
		}
		q.attrs = q.attrs.With("axis", int64(at))
	}
	return q.answer(append([]layout{l}, repeated(layoutOf("C"), len(q.old)-1)...), []layout{l})
}

// attrsWithInts sets those lists of an operator that it has.
func attrsWithInts(a *ir.Attrs, key string, list []int64) *ir.Attrs {
	if !a.Has(key) {
		return a
	}
	if v, _ := a.Get(key); v == nil {
		return a
	}
	return a.With(key, list)
}
