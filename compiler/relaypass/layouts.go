package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// layout is what a tensor's axes are called, in their order. A nil one is not known; an empty one is that of a scalar.
type layout = tensorlayout.Layout

// layoutOf reads the name of a layout, nil where it is none.
func layoutOf(name string) layout {
	l, err := tensorlayout.Parse(name)
	if err != nil || len(l) == 0 {
		return nil
	}
	return l
}

// whole returns l if each part in it stands beside its axis, else nil, which no layout lacks.
func whole(l layout) layout {
	for _, a := range l {
		if l.Pos(a.Letter) < 0 {
			return nil
		}
	}
	if l == nil {
		return layout{}
	}
	return l
}

// axisAt is where an axis, or the part of one, stands in l, whatever the extent of the part; -1 if it does not.
func axisAt(l layout, a tensorlayout.Axis) int {
	return slices.IndexFunc(l, func(b tensorlayout.Axis) bool { return a.Letter == b.Letter && (a.Factor == 0) == (b.Factor == 0) })
}

// sameStructure reports whether two layouts differ in nothing but their letters.
func sameStructure(a, b layout) bool {
	if len(a) != len(b) {
		return false
	}
	var to, back [26]byte
	for i := range a {
		x, y := a[i].Letter, b[i].Letter
		if a[i].Factor != b[i].Factor || to[x-'A'] != 0 && to[x-'A'] != y || back[y-'A'] != 0 && back[y-'A'] != x {
			return false
		}
		to[x-'A'], back[y-'A'] = y, x
	}
	return true
}

// transformedLike is the layout in which a tensor that broadcasts with another, its axes counted from the last one, follows that one from
// one layout to another: W beside NC, which becomes NC1c, becomes NW1w. It is nil where it cannot follow.
func transformedLike(old, refOld, refNew layout) layout {
	large, small := old, refOld
	if len(refOld) > len(old) {
		large, small = refOld, old
	}
	split := len(large) - len(small)
	for _, a := range large[:split] {
		for _, b := range large[split:] {
			if a.Letter == b.Letter {
				return nil
			}
		}
	}
	if !sameStructure(large[split:], small) {
		return nil
	}
	if len(old) == 0 {
		return old
	}
	var mapping [26]byte
	var used [26]bool
	for i, j := len(refOld)-1, len(old)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		mapping[refOld[i].Letter-'A'] = old[j].Letter
		used[old[j].Letter-'A'] = true
	}
	for _, a := range old {
		used[a.Letter-'A'] = true
	}
	for _, a := range slices.Backward(refOld) {
		if mapping[a.Letter-'A'] != 0 {
			continue
		}
		to := a.Letter
		if used[to-'A'] {
			i := slices.Index(used[:], false)
			if i < 0 {
				return nil
			}
			to = byte('A' + i)
		}
		mapping[a.Letter-'A'] = to
		used[to-'A'] = true
	}
	out := make(layout, len(refNew))
	for i, a := range refNew {
		if out[i] = (tensorlayout.Axis{Letter: mapping[a.Letter-'A'], Factor: a.Factor}); out[i].Letter == 0 {
			return nil
		}
	}
	return out
}

// withFactors is l for a tensor of a shape in layout old: a part of an axis that is not there, or of extent 1, is one of 1, which broadcasts.
func withFactors(l, old layout, shape []tir.Expr) layout {
	out := slices.Clone(l)
	for i, a := range l {
		if a.Factor == 0 {
			continue
		}
		at := old.Pos(a.Letter)
		if at < 0 || at < len(shape) && tir.IsConst(shape[at], 1) && old.Factor(a.Letter) == 1 {
			out[i].Factor = 1
		}
	}
	return out
}

// expanded is l with the axes of to that it lacks in front.
func expanded(l, to layout) layout {
	var out layout
	for _, a := range to {
		if a.Factor == 0 && l.Pos(a.Letter) < 0 {
			out = append(out, a)
		}
	}
	return append(out, l...)
}

// convertible reports whether a tensor of a shape in one layout can be brought into another without filling up.
func convertible(from, to layout, shape []tir.Expr) bool {
	if from == nil || to == nil || from.Rank() != to.Rank() {
		return false
	}
	for _, a := range to {
		if from.Pos(a.Letter) < 0 {
			return false
		}
	}
	return !to.Blocked() || tensorlayout.Fits(from, to, shape)
}
