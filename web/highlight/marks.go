package highlight

import "znkr.io/diff"

// Word marks say which parts of two lines differ. The lines are compared as trees (tokens.go): equal tokens are aligned, aligned
// brackets are compared by what stands between their commas, and all that has no counterpart is marked, as a whole. Punctuation
// alone is never marked, and lines with too little in common are not marked at all: a mark on all of a line says nothing.
//
//	conv1 = conv2d(image, c4e6, pad 1)            pad 1
//	conv1 = cls.conv2d(image, c4e6)               cls.
//
// Each level of brackets is aligned by its own; sequences too long for an exact alignment are aligned by the fast mode of the
// algorithm, so the cost of a line is close to linear in its length.

// minCommon is the part of the longer line that must be in both, in percent, for marks to say something.
const minCommon = 40

// maxExact is the number of nodes up to which sequences are aligned exactly.
const maxExact = 256

// markWords returns which parts of two lines differ: the offsets in each at which the marking flips, beginning unmarked. It
// reports false where the lines have too little in common for marks to say something.
func markWords(a, b string) (flipsA, flipsB []int, ok bool) {
	m := &wordMarker{}
	as, bs := parseTree(a), parseTree(b)
	m.nodes(as, bs)
	longer := max(sizeOf(as), sizeOf(bs))
	common := min(sizeOf(as)-m.a.size, sizeOf(bs)-m.b.size)
	if 100*common < minCommon*longer {
		return nil, nil, false
	}
	return m.a.at, m.b.at, true
}

func sizeOf(nodes []node) (n int) {
	for _, x := range nodes {
		n += x.size
	}
	return n
}

// wordMarker collects the marks of two lines.
type wordMarker struct{ a, b flips }

// flips collects the offsets at which marks begin and end, and the size of what has no counterpart.
type flips struct {
	at   []int
	size int
}

// nodes marks neighbouring nodes without a counterpart; one mark covers all of them.
func (f *flips) nodes(nodes []node) {
	says := false
	for _, n := range nodes {
		f.size += n.size
		says = says || n.says
	}
	if says {
		f.at = append(f.at, nodes[0].from, nodes[len(nodes)-1].to)
	}
}

// items marks neighbouring items without a counterpart; one mark covers all of them, with the commas between them.
func (f *flips) items(items []item) {
	says := false
	for _, x := range items {
		f.size += sizeOf(x.nodes)
		for _, n := range x.nodes {
			says = says || n.says
		}
	}
	if says {
		f.at = append(f.at, items[0].from(), items[len(items)-1].to())
	}
}

// nodes compares two sequences of tokens and brackets.
func (m *wordMarker) nodes(as, bs []node) {
	x, y := 0, 0
	for _, p := range append(align(as, bs, func(n node) uint64 { return n.hash }, func(n node) uint64 { return n.head }), pair{len(as), len(bs)}) {
		m.a.nodes(as[x:p.x])
		m.b.nodes(bs[y:p.y])
		if p.x < len(as) && as[p.x].hash != bs[p.y].hash {
			m.items(as[p.x].items, bs[p.y].items)
		}
		x, y = p.x+1, p.y+1
	}
}

// items compares what stands between the commas of two brackets. Items that are not equal belong together if they begin alike, as
// the same argument by name does, or if as many have no counterpart on both sides.
func (m *wordMarker) items(as, bs []item) {
	hash := func(x item) uint64 { return x.hash }
	x, y := 0, 0
	for _, p := range append(align(as, bs, hash, hash), pair{len(as), len(bs)}) {
		m.unequal(as[x:p.x], bs[y:p.y])
		x, y = p.x+1, p.y+1
	}
}

func (m *wordMarker) unequal(as, bs []item) {
	if len(as) == len(bs) {
		for i := range as {
			m.nodes(as[i].nodes, bs[i].nodes)
		}
		return
	}
	head := func(x item) uint64 { return x.nodes[0].head }
	x, y := 0, 0
	for _, p := range append(align(as, bs, head, head), pair{len(as), len(bs)}) {
		m.a.items(as[x:p.x])
		m.b.items(bs[y:p.y])
		if p.x < len(as) {
			m.nodes(as[p.x].nodes, bs[p.y].nodes)
		}
		x, y = p.x+1, p.y+1
	}
}

// align pairs elements of two sequences, in order. Those at the ends that are the same are a pair, of the others as many as
// possible whose keys are.
func align[T any](as, bs []T, same, key func(T) uint64) (out []pair) {
	n := 0
	for n < min(len(as), len(bs)) && same(as[n]) == same(bs[n]) {
		out = append(out, pair{n, n})
		n++
	}
	tail := 0
	for tail < min(len(as), len(bs))-n && same(as[len(as)-1-tail]) == same(bs[len(bs)-1-tail]) {
		tail++
	}
	keys := func(xs []T) []uint64 {
		out := make([]uint64, 0, len(xs)-n-tail)
		for _, x := range xs[n : len(xs)-tail] {
			out = append(out, key(x))
		}
		return out
	}
	if ks, ls := keys(as), keys(bs); len(ks) > 0 && len(ls) > 0 {
		var how []diff.Option
		if max(len(ks), len(ls)) > maxExact {
			how = append(how, diff.Fast())
		}
		x, y := n, n
		for _, e := range diff.Edits(ks, ls, how...) {
			switch e.Op {
			case diff.Match:
				out = append(out, pair{x, y})
				x, y = x+1, y+1
			case diff.Delete:
				x++
			case diff.Insert:
				y++
			}
		}
	}
	for ; tail > 0; tail-- {
		out = append(out, pair{len(as) - tail, len(bs) - tail})
	}
	return out
}

// applyMarks cuts spans at the flips and marks every second piece.
func applyMarks(spans []Span, at []int) []Span {
	if len(at) == 0 {
		return spans
	}
	out := make([]Span, 0, len(spans)+len(at))
	pos, on := 0, false
	for _, s := range spans {
		for text := s.Text; text != ""; {
			n := len(text)
			for len(at) > 0 && at[0] <= pos {
				on, at = !on, at[1:]
			}
			if len(at) > 0 && at[0] < pos+n {
				n = at[0] - pos
			}
			out = appendSpan(out, Span{Class: s.Class, Text: text[:n], Mark: on})
			text, pos = text[n:], pos+n
		}
	}
	return out
}
