package lower

import (
	"slices"

	"github.com/irscope/irscope/runtime/dtype"
)

// picked loads lanes of 32 bits that lie at known distances from each other, as those of every third element do, or those in which an image grows: windows, which are as many elements
// side by side as a part has lanes, are read at once, and lanes picked from them in registers. Nothing is read before the first or behind the last of the lanes, and of those that other statements surely read (rows). ok is false where the
// target has no instructions, or single lanes take fewer.
func (w *Walker) picked(a laneAccess, dt dtype.DType) (v Value, ok bool) {
	apart := a.place.Apart
	if apart == nil && a.place.Each == nil && a.place.Stride != 0 {
		for i := range a.lanes {
			apart = append(apart, int64(i)*a.place.Stride)
		}
	}
	if w.Machine.Pick == nil || apart == nil || a.mask != nil || dt.Bits != 32 || a.part < quad {
		return Value{}, false
	}
	elements, first, last := apart, slices.Min(apart), slices.Max(apart)
	if a.part >= w.Machine.PicksMany && w.Machine.PicksMany > 0 {
		elements, first, last = w.rowOf(a.v, a.place.At, apart, int64(a.part))
	}
	from := w.windowsFor(a, elements, first, last)
	out := Value{DType: dt}
	for i := 0; i < a.lanes; i += a.part {
		used, lanes := from.have(apart[i : i+a.part])
		if 2*len(used) > a.part || from.load == 0 {
			return Value{}, false
		}
		list := make([]*Node, len(used))
		for n, start := range used {
			at := a
			at.place = Place{At: a.place.At, Stride: 1}
			list[n] = w.Load(w.at(at, int(start), from.load), from.mask, a.v.Name+"_row")
		}
		p := w.Machine.Pick(list, lanes)
		if p == nil {
			return Value{}, false
		}
		out.Parts = append(out.Parts, p)
	}
	return out, true
}

// rowWindows are windows of so many lanes that are read at once, by an instruction and under a mask, which is nil where that reads whole parts.
type rowWindows struct {
	starts []int64
	lanes  int
	load   Op
	mask   *Node
}

// windowsFor are windows that have elements, in memory that may be read from one element to another one.
func (w *Walker) windowsFor(a laneAccess, elements []int64, first, last int64) rowWindows {
	r := rowWindows{starts: windows(elements, int64(a.part), first, last), lanes: a.part}
	if n := int(last - first + 1); n < a.part {
		if r.load, _ = w.gen.MaskedMem(a.part, int(a.elem.Bits)); r.load != 0 {
			r.mask = w.firstLanes(n, a.part)
		}
	} else {
		r.load, _ = w.gen.PartMem(a.part * int(a.elem.Bits))
	}
	return r
}

// have returns the starts of the windows that have elements, and which lanes of them these are, counted through.
func (r rowWindows) have(elements []int64) (used []int64, lanes []int) {
	in := func(at int64) func(s int64) bool {
		return func(s int64) bool { return s <= at && at < s+int64(r.lanes) }
	}
	for _, at := range elements {
		n := slices.IndexFunc(used, in(at))
		if n < 0 {
			n = len(used)
			used = append(used, r.starts[slices.IndexFunc(r.starts, in(at))])
		}
		lanes = append(lanes, n*r.lanes+int(at-used[n]))
	}
	return used, lanes
}

// pickSlots reads elements of an array in variables that lie apart.
func (w *Walker) pickSlots(s *slots, elements []int64) Value {
	dt := s.elem.WithLanes(len(elements))
	out := Value{DType: dt}
	if part := w.native(dt); w.Machine.Pick != nil && int64(part) == s.k && part >= quad && dt.Bits == 32 {
		for i := 0; i < len(elements); i += part {
			p := w.pickPart(s, elements[i:i+part])
			if p == nil {
				break
			}
			out.Parts = append(out.Parts, p)
		}
		if len(out.Parts)*part == len(elements) {
			return out
		}
	}
	xs := make([]*Node, len(elements))
	for i, at := range elements {
		xs[i] = w.loadSlots(s, at, s.elem).Scalar()
	}
	return w.Pack(dt, xs)
}

// pickPart picks a part from variables; nil where single lanes take fewer instructions.
func (w *Walker) pickPart(s *slots, elements []int64) *Node {
	var used []int64 // variables
	var list []*Node
	lanes := make([]int, len(elements))
	for i, at := range elements {
		n := slices.Index(used, at/s.k)
		if n < 0 {
			n = len(used)
			used, list = append(used, at/s.k), append(list, w.Read(s.vars[at/s.k]))
		}
		lanes[i] = n*len(elements) + int(at%s.k)
	}
	if 2*len(used) > len(elements) {
		return nil
	}
	return w.Machine.Pick(list, lanes)
}

// windows returns where windows of so many elements start, in order, that cover places and lie between two elements, if these are as far apart.
func windows(places []int64, lanes, first, last int64) []int64 {
	places = slices.Clone(places)
	slices.Sort(places)
	var starts []int64
	for _, p := range places {
		if n := len(starts); n == 0 || p >= starts[n-1]+lanes {
			starts = append(starts, max(min(p, last-lanes+1), first))
		}
	}
	return starts
}

// firstLanes is a mask of the first n lanes of 32 bits of a part.
func (w *Walker) firstLanes(n, part int) *Node {
	lanes := make([]bool, part)
	for i := range n {
		lanes[i] = true
	}
	return w.maskOf(lanes, 32)
}
