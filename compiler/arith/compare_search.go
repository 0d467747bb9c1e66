package arith

import "github.com/irscope/irscope/compiler/tir"

// bind notes that v is lo (extent nil) or in [lo, lo+extent), replacing what was bound to v. It does so when expressions are
// compared: most analyzers are asked for bounds and sets only.
func (k *comparisons) bind(v *tir.Var, lo, extent tir.Expr) {
	if !v.DType().IsInt() {
		return
	}
	if len(k.pending) == maxPending {
		k.settle()
	}
	if k.pending == nil {
		k.pending = make([]binding, 0, 4)
	}
	k.pending = append(k.pending, binding{v, lo, extent})
}

// settle notes what is pending.
func (k *comparisons) settle() {
	for _, b := range k.pending {
		k.settled(b)
	}
	k.pending = k.pending[:0]
}

func (k *comparisons) settled(b binding) {
	v := b.v
	k.forget(v)
	if SideEffect(b.lo) > tir.Pure || b.lo.DType() != v.DType() {
		return
	}
	if b.extent == nil {
		k.bound(v, b.lo, isEQ)
		return
	}
	if SideEffect(b.extent) > tir.Pure || b.extent.DType() != v.DType() {
		return
	}
	k.bound(v, b.lo, isGE)
	k.bound(v, add(b.lo, b.extent), isLT)
}

func (k *comparisons) bound(v *tir.Var, limit tir.Expr, ord order) {
	if c, ok := k.pair(v, limit, ord); ok {
		k.know(c)
	}
}

// compare returns how x and y may compare by what is known; chain follows several steps.
func (k *comparisons) compare(x, y tir.Expr, chain bool) order {
	k.settle()
	if len(k.knowns) == 0 && len(k.scoped) == 0 {
		return anyOrder
	}
	x, offX, okX := splitOffset(x)
	y, offY, okY := splitOffset(y)
	lhs, ok := k.keyOf(x, false)
	if !ok || !okX || !okY {
		return anyOrder
	}
	rhs, ok := k.keyOf(y, false)
	if !ok || lhs == rhs {
		return anyOrder
	}
	off := offY - offX
	if !chain {
		o, key := anyOrder, lhs
		if key == zeroKey {
			key = rhs
		}
		for _, list := range [][]comparison{k.about[key], k.scoped} {
			for _, c := range list {
				if c, ok := c.withLHS(lhs); ok && c.rhs == rhs {
					o = c.narrow(o, off)
				}
			}
		}
		return o
	}
	o := anyOrder
	for _, c := range k.search(lhs, rhs) {
		o = c.narrow(o, off)
	}
	for _, c := range k.search(rhs, lhs) {
		if c, ok := c.withLHS(lhs); ok {
			o = c.narrow(o, off)
		}
	}
	return o
}

func (k *comparisons) each(f func(comparison)) {
	for _, c := range k.knowns {
		f(c)
	}
	for _, c := range k.scoped {
		f(c)
	}
}

// narrow returns what is left of o for a comparison at offset off.
func (c comparison) narrow(o order, off int64) order {
	switch c.ord {
	case isEQ:
		if off == c.off {
			return o & isEQ
		} else if c.off < off {
			return o & isLT
		}
		return o & isGT
	case isLE:
		if c.off < off {
			return o & isLT
		} else if c.off == off {
			return o & isLE
		}
	case isGE:
		if c.off > off {
			return o & isGT
		} else if c.off == off {
			return o & isGE
		}
	case isNE:
		if c.off == off {
			return o & isNE
		}
	}
	return o
}

// search collects the comparisons of lhs with rhs that chains of known ones give.
func (k *comparisons) search(lhs, rhs int) []comparison {
	found := map[int][]comparison{}
	seen := map[int]bool{}
	var todo []int
	declare := func(c comparison) {
		list := found[c.rhs]
		for _, old := range list {
			if old.implies(c) {
				return
			}
		}
		if c.rhs != rhs && !seen[c.rhs] {
			seen[c.rhs] = true
			todo = append(todo, c.rhs)
		}
		for i, old := range list {
			if c.implies(old) {
				list[i] = c
				return
			}
		}
		found[c.rhs] = append(list, c)
	}
	k.each(func(c comparison) {
		if c, ok := c.withLHS(lhs); ok {
			declare(c)
		}
	})
	for len(todo) > 0 {
		middle := todo[0]
		todo = todo[1:]
		var more []comparison
		k.each(func(c comparison) {
			c, ok := c.withLHS(middle)
			if !ok || c.rhs == lhs {
				return
			}
			for _, prev := range found[middle] {
				ord := anyOrder
				switch {
				case prev.ord == isEQ:
					ord = c.ord
				case c.ord == isEQ || prev.ord == c.ord && (c.ord == isLE || c.ord == isGE):
					ord = prev.ord
				}
				if ord != anyOrder {
					more = append(more, comparison{lhs, c.rhs, prev.off + c.off, ord})
				}
			}
		})
		for _, c := range more {
			declare(c)
		}
	}
	return found[rhs]
}
