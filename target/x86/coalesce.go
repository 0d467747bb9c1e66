package x86

import "slices"

// Variables, as sums are, live in registers of their own, and expressions read and set them by moves, or by instructions on two addresses that copy first. A processor renames registers
// for nothing, but a move still takes a place among the instructions that it looks at. Where nothing comes between, the variable's register takes part in the expression itself.

// near is how many instructions are looked at from a move to the last use of what it copies.
const near = 64

// coalesce removes moves between registers for vectors.
func (l *linear) coalesce() {
	c := coalescer{l: l}
	moved := false
	for k := range l.code {
		if i := &l.code[k]; code(i.op) == cMove && isVector(l.g.types[i.dst]) && isVector(l.g.types[i.args[0]]) || copies(i) {
			moved = true
			break
		}
	}
	if !moved {
		return
	}
	c.count()
	for k := range l.code {
		i := &l.code[k]
		if code(i.op) == cMove && isVector(l.g.types[i.dst]) && isVector(l.g.types[i.args[0]]) && c.forward(k) {
			i.op = cGone
		}
	}
	for k := range l.code {
		i := &l.code[k]
		if code(i.op) != cMove && !copies(i) || !isVector(l.g.types[i.dst]) {
			continue
		}
		c.backward(k)
		if code(i.op) == cMove && i.dst == i.args[0] {
			i.op = cGone
		}
	}
	l.compact()
}

// copies reports whether an instruction copies an argument to its target first, unless that is there.
func copies(i *inst) bool { return isFMA(i.op) || code(i.op) == pVMajority }

// coalescer knows how often registers are written and read.
type coalescer struct {
	l          *linear
	defs, uses []int32
}

func (c *coalescer) count() {
	c.defs, c.uses = make([]int32, len(c.l.g.types)), make([]int32, len(c.l.g.types))
	for k := range c.l.code {
		i := &c.l.code[k]
		i.reads(func(v vreg) { c.uses[v]++ })
		if i.dst != none {
			c.defs[i.dst]++
		}
	}
}

// forward has the users of what the move k copies read where it comes from, if all of them come before that is written, and before the block ends.
func (c *coalescer) forward(k int) bool {
	code, d, s := c.l.code, c.l.code[k].dst, c.l.code[k].args[0]
	if c.defs[d] != 1 {
		return false
	}
	same, left, last := c.l.g.types[d] == c.l.g.types[s], c.uses[d], k
	for n := k + 1; left > 0; n++ {
		if n == len(code) || n > k+near || ends(&code[n]) {
			return false
		}
		i, before := &code[n], left
		i.reads(func(v vreg) {
			if v == d {
				left--
			}
		})
		if left < before {
			if last = n; !same && i.op&(1<<codeBits-1) >= cLabel { // reads as much as the type says
				return false
			}
		}
		if i.dst == s && (left > 0 || left < before && c.early(i, d)) {
			return false
		}
	}
	for n := k + 1; n <= last; n++ {
		rename(&code[n], d, s)
	}
	c.uses[s] += c.uses[d] - 1
	return true
}

// early reports whether an instruction reads v after it has begun to write its target.
func (c *coalescer) early(i *inst, v vreg) bool {
	return code(i.op) == pVDot && (i.args[1] == v || i.args[2] == v)
}

// backward has what instruction k copies to a variable computed there, if nothing mentions the variable between.
func (c *coalescer) backward(k int) {
	i := &c.l.code[k]
	v := i.dst
	if slices.Contains(i.args[:], v) {
		return
	}
	for n, a := range i.args {
		if a == none || c.defs[a] != 1 || c.uses[a] != 1 || c.l.g.types[a] != c.l.g.types[v] || isFMA(i.op) && n > 0 && i.Imm&summandLast == 0 {
			continue
		}
		if from := c.maker(k, a, v); from >= 0 {
			c.l.code[from].dst = v
			rename(i, a, v)
			c.defs[v]++
			c.uses[v]++
			c.defs[a], c.uses[a] = 0, 0
			return
		}
	}
}

// maker returns the instruction in front of k in its block that writes a, where none from it to k mentions v but as an operand of its own; -1 where there is none.
func (c *coalescer) maker(k int, a, v vreg) int {
	for n := k - 1; n >= 0 && n >= k-near; n-- {
		i := &c.l.code[n]
		if ends(i) {
			return -1
		}
		if i.dst == a {
			if c.early(i, v) {
				return -1
			}
			return n
		}
		found := i.dst == v
		i.reads(func(x vreg) { found = found || x == v })
		if found {
			return -1
		}
	}
	return -1
}

// ends reports whether a block ends at an instruction, or one begins.
func ends(i *inst) bool {
	switch code(i.op) {
	case cLabel, cJump, cJumpIf, cReturn:
		return true
	}
	return false
}

// rename replaces a register that an instruction reads.
func rename(i *inst, from, to vreg) {
	for n, a := range i.args {
		if a == from {
			i.args[n] = to
		}
	}
}

// compact takes out what is gone.
func (l *linear) compact() {
	kept := l.code[:0]
	for k := range l.code {
		s, noted := l.notes[k]
		if noted && len(kept) < k {
			delete(l.notes, k)
			l.notes[len(kept)] = s
		}
		if l.code[k].op != cGone {
			kept = append(kept, l.code[k])
		}
	}
	l.code = kept
}
