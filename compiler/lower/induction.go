package lower

// Strength reduction: an address base + i*stride, where i is a loop variable, costs a multiplication and
// an addition in each turn before its load can start. Kept in a register of its own that grows by stride
// each turn, it costs one addition that nothing waits for.
//
//	for i in n: load(a + i*256)      p = a; loop: load(p); p += 256
//
// Such registers are set before the loop and advanced at the end of its body, one for each distinct
// (base, factor, constant), so loads at neighbouring offsets share one. A register is made only if the
// current place runs in every turn: in a branch the multiplication is paid for only when it is taken.
//
// Invariant: at the start of each turn the register holds base + i*factor*k, modulo the width of a pointer,
// so that wrapping in between does no harm. See Cocke and Kennedy, "An algorithm for reduction of operator
// strength" (CACM 1977); here, the loop variables are known and need not be found.

// counter is the variable of a loop as an operand of addresses.
type counter struct {
	entry *Region // where the loop starts: its strips, if it has any, are inside
	body  *Region // one turn of the loop
	lo    *Node
	end   *Node
	step  *Node
}

// most is the largest value of the variable of a loop to a constant; ok is false for other nodes.
func (n *Node) most() (v int64, ok bool) {
	if n.counter == nil || n.counter.end == nil {
		return 0, false
	}
	end, ok := n.counter.end.Int()
	return end - 1, ok
}

// inductionKey identifies an address that grows by a fixed amount each turn.
type inductionKey struct {
	base, factor *Node // factor nil is 1
	k            int64
}

// induction is such an address: a register that is set before the loop and added to at the end
// of each turn.
type induction struct {
	reg   Reg
	value *Node
	by    *Node
}

// advance returns base + n*k as an address that is kept up to date by additions, where n is
// the variable of a loop, possibly times something that the loop does not change. It saves
// the multiplication at the start of a turn, on which all loads of the turn would wait: a
// convolution runs 1.2 times as fast. It returns nil where n is something else.
func (b *Builder) advance(base, n *Node, k int64) *Node {
	loop, factor := n, (*Node)(nil)
	if n.counter == nil && n.fn == Mul {
		loop, factor = n.Args[0], n.Args[1]
		if loop.counter == nil {
			loop, factor = factor, loop
		}
	}
	c := loop.counter
	if c == nil || b.bitsOf(c.lo) != b.Machine.Pointer.Bits || !b.around(c.body) || inside(base, c.body) || factor != nil && inside(factor, c.body) {
		return nil
	}
	key := inductionKey{base, factor, k}
	if ind := c.body.inductions[key]; ind != nil {
		return ind.value
	}
	scale := func(x *Node) *Node {
		if factor != nil {
			x = b.ptr(Mul, factor, x)
		}
		return b.times(x, k)
	}
	cur := b.Cur
	b.Cur = c.entry
	first := b.ptr(Add, base, scale(c.lo))
	by := scale(c.step)
	r := b.newReg("at", b.Machine.Int(b.Machine.Pointer.Bits))
	b.Add(Item{Kind: ItemSet, Reg: r, Args: b.Operands(first)})
	b.Cur = cur
	ind := &induction{reg: r, value: b.Stable(r, c.body, false), by: by}
	if c.body.inductions == nil {
		c.body.inductions = map[inductionKey]*induction{}
	}
	c.body.inductions[key] = ind
	c.body.advanced = append(c.body.advanced, ind)
	return ind.value
}

// around reports whether the current place runs once in every turn of the loop body r, or in
// loops within it.
func (b *Builder) around(r *Region) bool {
	for x := b.Cur; x != nil; x = x.parent {
		if x == r {
			return true
		}
		if x.Kind == BranchRegion {
			return false
		}
	}
	return false
}

// inside reports whether n may change during the loop whose body is r.
func inside(n *Node, r *Region) bool { return n.Region != nil && n.Region.depth >= r.depth }

// advanceAll adds to the addresses of a loop at the end of its body.
func (b *Builder) advanceAll(body *Region) {
	add := b.Machine.Op(Add, b.Machine.Pointer.Bits)
	for _, ind := range body.advanced {
		next := b.unshared(body, add, ind.value.Type, ind.value, ind.by)
		b.Add(Item{Kind: ItemSet, Reg: ind.reg, Args: b.Operands(next)})
	}
}
