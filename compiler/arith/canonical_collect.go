package arith

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A tree of + and - with many operands is summed up as a whole: adding the operands one by one, each to a copy of the
// sum so far, takes the square of their number. Of the two sides of a node the smaller one is added to the larger one, so
// that a term moves a logarithm of the number of times, and the terms of one index are found by its hash.
//
// The result is the one of adding the right side to the left one term by term, in the order of the terms, too: terms of
// an index that the left side has join those there, others follow in their order, and terms of scale 0 on the right are
// dropped. Where it is the left side that is added, its terms go to the front.

// manyOperands is from how many nodes on a tree of + and - is summed up as a whole.
const manyOperands = 24

// manySums reports whether a tree of + and - has more than n nodes, which it counts down.
func manySums(e tir.Expr, n *int) bool {
	b := bin(e)
	if b.Op != tir.OpAdd && b.Op != tir.OpSub {
		return false
	}
	*n--
	return *n < 0 || manySums(b.A, n) || manySums(b.B, n)
}

// termGroup has the terms of one index, those with a larger lower first.
type termGroup struct {
	terms []split
	at    int64 // groups are in this order
}

// collection is a sum under way, whose terms are to be multiplied by sign.
type collection struct {
	list        []*termGroup
	byHash      map[uint64][]*termGroup // once there are many
	base, sign  int64
	terms       int
	first, last int64        // the places of groups
	zeros       []*termGroup // groups that may have terms of scale 0
}

// collect sums up e, whose operands have type d. seen has the nodes that are part of the sum: one that stands in several
// places is summed up on its own and then remembered.
func (s *simplifier) collect(e *tir.Binary, d dtype.DType, seen map[*tir.Binary]bool) *collection {
	seen[e] = true
	side := func(x tir.Expr) *collection {
		b, ok := x.(*tir.Binary)
		if ok && (b.Op == tir.OpAdd || b.Op == tir.OpSub) && operandType(b) == d && !seen[b] {
			if _, done := s.a.memo.cs.Get(x); !done && s.a.spend(1) {
				return s.collect(b, d, seen)
			}
		}
		return newCollection(s.room.sumOf(s.mutate(x), d))
	}
	a, b := side(e.A), side(e.B)
	if e.Op == tir.OpSub {
		b.sign = -b.sign
	}
	base := a.base*a.sign + b.base*b.sign
	if b.terms > a.terms {
		b.prepend(a)
		a = b
	} else {
		a.append(b)
	}
	a.base = base * a.sign
	return a
}

// newCollection makes a collection of the terms of x.
func newCollection(x *sum) *collection {
	out := &collection{base: x.base, sign: 1}
	for _, t := range x.terms {
		g := out.group(t.index)
		if g == nil {
			g = out.open(t.index, out.last)
			out.last++
		}
		g.terms = append(g.terms, t)
		out.terms++
		if t.scale == 0 {
			out.zeros = append(out.zeros, g)
		}
	}
	return out
}

// group returns the group of an index, nil if there is none.
func (c *collection) group(index tir.Expr) *termGroup {
	among := c.list
	if c.byHash != nil {
		among = c.byHash[hashOf(index)]
	}
	for _, g := range among {
		if len(g.terms) > 0 && Equal(g.terms[0].index, index) {
			return g
		}
	}
	return nil
}

// open adds an empty group for an index.
func (c *collection) open(index tir.Expr, at int64) *termGroup {
	g := &termGroup{at: at}
	c.list = append(c.list, g)
	const few = 8
	switch {
	case c.byHash != nil:
		h := hashOf(index)
		c.byHash[h] = append(c.byHash[h], g)
	case len(c.list) > few:
		c.byHash = map[uint64][]*termGroup{}
		for _, old := range c.list[:len(c.list)-1] {
			if len(old.terms) > 0 {
				h := hashOf(old.terms[0].index)
				c.byHash[h] = append(c.byHash[h], old)
			}
		}
		h := hashOf(index)
		c.byHash[h] = append(c.byHash[h], g)
	}
	return g
}

// add adds a term to those of its index.
func (c *collection) add(g *termGroup, t split) {
	for j := range g.terms {
		u := &g.terms[j]
		if t.lower > u.lower {
			g.terms = slices.Insert(g.terms, j, t)
			c.terms++
			return
		}
		if t.lower == u.lower && t.upper == u.upper && t.fits(u.floor) {
			if u.scale += t.scale; u.scale == 0 {
				c.zeros = append(c.zeros, g)
			}
			return
		}
	}
	g.terms = append(g.terms, t)
	c.terms++
}

// append adds the terms of o behind those of c.
func (c *collection) append(o *collection) {
	sign := o.sign * c.sign
	for _, from := range o.ordered() {
		var g *termGroup
		for _, t := range from.terms {
			if t.scale == 0 {
				continue
			}
			if g == nil {
				if g = c.group(t.index); g == nil {
					g = c.open(t.index, c.last)
					c.last++
				}
			}
			t.scale *= sign
			c.add(g, t)
		}
	}
}

// prepend makes c what remains of adding it to o: the terms of o come first.
func (c *collection) prepend(o *collection) {
	c.dropZeros()
	sign := o.sign * c.sign
	groups := o.ordered()
	for i := len(groups) - 1; i >= 0; i-- {
		from := groups[i]
		if len(from.terms) == 0 {
			continue
		}
		index := from.terms[0].index
		g := c.group(index)
		c.first--
		if g == nil {
			g = c.open(index, c.first)
		}
		rest := g.terms
		c.terms -= len(rest)
		g.at, g.terms = c.first, nil
		for _, t := range from.terms {
			t.scale *= sign
			if t.scale == 0 {
				c.zeros = append(c.zeros, g)
			}
			g.terms = append(g.terms, t)
			c.terms++
		}
		for _, t := range rest {
			c.add(g, t)
		}
	}
}

func (c *collection) dropZeros() {
	for _, g := range c.zeros {
		before := len(g.terms)
		g.terms = slices.DeleteFunc(g.terms, func(t split) bool { return t.scale == 0 })
		c.terms -= before - len(g.terms)
	}
	c.zeros = c.zeros[:0]
}

// ordered returns the groups in their order.
func (c *collection) ordered() []*termGroup {
	if !slices.IsSortedFunc(c.list, byPlace) {
		slices.SortFunc(c.list, byPlace)
	}
	return c.list
}

func byPlace(x, y *termGroup) int { return cmp.Compare(x.at, y.at) }

// sum returns the sum.
func (c *collection) sum(d dtype.DType) *sum {
	out := &sum{base: c.base * c.sign, d: d, terms: make([]split, 0, c.terms)}
	for _, g := range c.ordered() {
		for _, t := range g.terms {
			t.scale *= c.sign
			out.terms = append(out.terms, t)
		}
	}
	return out
}
