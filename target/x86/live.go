package x86

import (
	"math/bits"

	"github.com/irscope/irscope/compiler/lower"
)

// interval is where a virtual register holds a value that is needed: from one place to another, with everything between. Instruction k reads at place 2k and
// writes at 2k+1, so that a result may have the register of an argument that ends there.
type interval struct {
	reg        vreg
	start, end int32
	weight     float32 // uses, those in loops counting more
	hint       vreg    // whose register is good for it, as nothing need be moved then
}

// block is a run of instructions that is entered at its start and left at its end.
type block struct {
	from, to int32
	next     []int32 // blocks behind it, in room
	room     [2]int32
	in, out  []uint64
	def, use []uint64
}

// reads calls f with each virtual register that an instruction reads.
func (i *inst) reads(f func(vreg)) {
	for _, a := range i.args {
		if a != none {
			f(a)
		}
	}
	if i.mem == boxMem && i.index != none {
		f(i.index)
	}
}

// flow says what is needed at the ends of blocks, which the order of instructions within them does not change.
type flow struct {
	blocks []block
	global []int32 // numbers of the registers that several blocks mention; -1 for others
	n      int     // how many these are
}

// flow finds what is needed where. Where control comes from and goes to is solved backwards by sets of those registers that are
// mentioned in several blocks, until nothing changes: a few rounds, one for each loop around the innermost one.
func (l *linear) flow() flow {
	blocks := l.blocks()
	global, n := l.globals(blocks)
	words := (n + 63) / 64
	room := make([]uint64, 4*words*len(blocks))
	set := func() []uint64 {
		s := room[:words]
		room = room[words:]
		return s
	}
	for bi := range blocks {
		b := &blocks[bi]
		b.in, b.out, b.def, b.use = set(), set(), set(), set()
		for k := b.from; k < b.to; k++ {
			i := &l.code[k]
			i.reads(func(v vreg) {
				if g := global[v]; g >= 0 && b.def[g/64]>>(g%64)&1 == 0 {
					b.use[g/64] |= 1 << (g % 64)
				}
			})
			if i.dst != none && global[i.dst] >= 0 {
				b.def[global[i.dst]/64] |= 1 << (global[i.dst] % 64)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for bi := len(blocks) - 1; bi >= 0; bi-- {
			b := &blocks[bi]
			for w := range words {
				out := uint64(0)
				for _, s := range b.next {
					out |= blocks[s].in[w]
				}
				in := b.use[w] | out&^b.def[w]
				changed = changed || in != b.in[w] || out != b.out[w]
				b.in[w], b.out[w] = in, out
			}
		}
	}
	return flow{blocks, global, n}
}

// blocks cuts the code at labels and jumps.
func (l *linear) blocks() []block {
	starts := make([]bool, len(l.code)+1)
	starts[0] = true
	at := make([]int32, l.labels)
	for k := range l.code {
		switch code(l.code[k].op) {
		case cLabel:
			starts[k] = true
			at[l.code[k].target] = int32(k)
		case cJump, cJumpIf, cReturn:
			starts[k+1] = true
		}
	}
	n := 0
	for k := range l.code {
		if starts[k] {
			n++
		}
	}
	out := make([]block, 0, n)
	number := make([]int32, len(l.code)+1)
	for k := range l.code {
		if starts[k] {
			out = append(out, block{from: int32(k)})
		}
		number[k] = int32(len(out) - 1)
	}
	for bi := range out {
		b := &out[bi]
		b.to = int32(len(l.code))
		if bi+1 < len(out) {
			b.to = out[bi+1].from
		}
		last := &l.code[b.to-1]
		c := code(last.op)
		if c == cJump || c == cJumpIf {
			b.next = append(b.room[:0], number[at[last.target]])
		}
		if c != cJump && c != cReturn && bi+1 < len(out) {
			b.next = append(b.room[:len(b.next)], int32(bi+1))
		}
	}
	return out
}

// globals numbers the registers that several blocks mention; the others are -1.
func (l *linear) globals(blocks []block) ([]int32, int) {
	home := make([]int32, len(l.g.types)) // block + 1; -1 for several
	for bi := range blocks {
		mention := func(v vreg) {
			if h := home[v]; h == 0 {
				home[v] = int32(bi) + 1
			} else if h != int32(bi)+1 {
				home[v] = -1
			}
		}
		for k := blocks[bi].from; k < blocks[bi].to; k++ {
			i := &l.code[k]
			i.reads(mention)
			if i.dst != none {
				mention(i.dst)
			}
		}
	}
	n := 0
	for v, h := range home {
		home[v] = -1
		if h == -1 {
			home[v] = int32(n)
			n++
		}
	}
	return home, n
}

// depthWeight is what a use in so many loops counts.
var depthWeight = [8]float32{1, 8, 64, 512, 4096, 1 << 15, 1 << 18, 1 << 21}

// intervals finds the interval of every virtual register, and the order of their starts.
func (l *linear) intervals(f flow) (out []interval, order []int32) {
	out, order = make([]interval, len(l.g.types)), make([]int32, 0, len(l.g.types))
	for v := range out {
		out[v] = interval{reg: vreg(v), start: -1, hint: none}
	}
	cover := func(v vreg, at int32) {
		iv := &out[v]
		if iv.start < 0 { // places come in their order
			iv.start = at
			order = append(order, int32(v))
		}
		iv.end = at
	}
	byGlobal := make([]vreg, f.n)
	for v, g := range f.global {
		if g >= 0 {
			byGlobal[g] = vreg(v)
		}
	}
	each := func(set []uint64, at int32) {
		for w, x := range set {
			for ; x != 0; x &= x - 1 {
				cover(byGlobal[w*64+bits.TrailingZeros64(x)], at)
			}
		}
	}
	for bi := range f.blocks {
		b := &f.blocks[bi]
		each(b.in, 2*b.from)
		for k := b.from; k < b.to; k++ {
			i := &l.code[k]
			w := depthWeight[min(int(i.depth), len(depthWeight)-1)]
			i.reads(func(v vreg) {
				cover(v, 2*k)
				out[v].weight += w
			})
			if i.dst == none {
				continue
			}
			cover(i.dst, 2*k+1)
			if inTarget(i.op) { // the target gets it before these are read
				for _, a := range i.args[1:] {
					if a != none && a != i.args[0] {
						cover(a, 2*k+1)
					}
				}
			}
			if i.mem == boxMem && i.index != none && fnOf(i.op) != lower.Other {
				cover(i.index, 2*k+1) // the result is begun before memory is read
			}
			out[i.dst].weight += w
			l.hints(out, i)
		}
		each(b.out, 2*b.to)
	}
	return out, order
}

// hints note which registers it is good to have in common: that of a result and of an argument which a two-address instruction or a move would copy.
func (l *linear) hints(out []interval, i *inst) {
	a := i.args[0]
	if a == none || isVector(l.g.types[a]) != isVector(l.g.types[i.dst]) {
		return
	}
	if c := code(i.op); c == cMove || c == cMoveIf || c == cSelect || fnOf(i.op) != lower.Other || isFMA(i.op) || inTarget(i.op) {
		if out[i.dst].hint == none {
			out[i.dst].hint = a
		}
		if out[a].hint == none {
			out[a].hint = i.dst
		}
	}
}
