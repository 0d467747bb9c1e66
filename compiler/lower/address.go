package lower

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// LinNode computes a linear form as one node of the width of a pointer.
func (b *Builder) LinNode(l Lin) *Node { return b.Sum(nil, l) }

// Sum adds a linear form to base (which may be nil): the constant first, then the terms, those of
// outer loops before those of inner ones, so that what an inner loop does not change is one value.
func (b *Builder) Sum(base *Node, l Lin) *Node {
	bits, c := b.Machine.Pointer.Bits, l.C
	terms := slices.Clone(l.Terms)
	depth := func(n *Node) int {
		if n.Region == nil {
			return 0
		}
		return n.Region.depth
	}
	slices.SortStableFunc(terms, func(s, t Term) int {
		return cmp.Or(cmp.Compare(depth(s.N), depth(t.N)), cmp.Compare(s.N.id, t.N.id))
	})
	if c != 0 && base != nil {
		base, c = b.ptr(Add, base, b.Int(bits, c)), 0
	}
	for _, t := range terms {
		if base != nil {
			if p := b.advance(base, t.N, t.K); p != nil {
				base = p
				continue
			}
		}
		x := b.times(t.N, t.K)
		if base == nil {
			base = x
		} else {
			base = b.ptr(Add, base, x)
		}
	}
	if base == nil {
		return b.Int(bits, c)
	}
	return b.ptr(Add, base, b.Int(bits, c))
}

func (b *Builder) times(n *Node, k int64) *Node {
	bits := b.Machine.Pointer.Bits
	switch {
	case k == 1:
		return n
	case k > 1 && k&(k-1) == 0 && k < 1<<31:
		s := int64(0)
		for k>>s != 1 {
			s++
		}
		return b.ptr(Shl, n, b.Int(bits, s))
	}
	return b.ptr(Mul, n, b.Int(bits, k))
}

// Address returns base plus a linear form as a node and a constant offset for the memory
// instruction. A target adds the offset without wrapping, so a constant is split off only where
// the rest cannot be negative: where it takes no more off than what lies before any pointer. name is that of the memory, for the printed text.
func (b *Builder) Address(base *Node, l Lin, name string) (*Node, uint64) {
	n, off := b.split(base, l)
	if n.Name == "" && name != "" && !n.Leaf() {
		n.Name = name + "_at"
	}
	return n, off
}

func (b *Builder) split(base *Node, l Lin) (*Node, uint64) {
	p := b.Machine.Pointer
	back := int64(0) // at most is taken off by terms
	for _, t := range l.Terms {
		most, known := t.N.most()
		if !t.N.Nonneg || t.K < 0 && (!known || most > p.Below || t.K < -p.Below) {
			return b.Sum(base, l), 0
		}
		if t.K < 0 {
			back -= t.K * most
		}
	}
	const window = 1 << 12
	low := tir.FloorDivInt(l.C, window) * window
	if l.C >= 0 {
		low = 0
	}
	if l.C > p.MaxOffset || low-back < -p.Below || p.MaxOffset < window {
		return b.Sum(base, l), 0
	}
	return b.Sum(base, Lin{l.Terms, low}), uint64(l.C - low)
}
