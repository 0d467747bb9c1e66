package x86

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/runtime/native/asm"
)

// A processor looks a few hundred instructions ahead, and fewer of them may wait for operands. An exponential is a chain of thirty of which each waits four cycles for
// the one before: written one vector after the other, as expressions are, too few are under way to fill the units. So within loops the chains of
// straight-line code on vectors that do not depend on each other are written in turns. Each keeps its order, so that results are the same, and as many go side by side as there are registers for.

const (
	latency   = 4    // cycles that most arithmetic on vectors takes
	together  = 2    // instructions on vectors that are begun in a cycle
	leastDeep = 8    // instructions that wait for each other: a processor finds what to do beside fewer
	leastRun  = 8    // instructions that are worth the look
	mostInRun = 1024 // and those that are looked at
)

// interleave writes chains of vectors in turns where they wait for themselves: ivs are what registers are needed for, and room is how many there are. It reports whether anything changed.
func (l *linear) interleave(f flow, ivs []interval, room int) bool {
	w := &l.g.mod.weaver
	w.l, w.ivs, w.room = l, ivs, room
	changed := false
	for bi := range f.blocks {
		b := &f.blocks[bi]
		if l.code[b.to-1].depth == 0 {
			continue
		}
		for k := b.from; k < b.to; {
			from := k
			for k < b.to && k-from < mostInRun && l.onVectors(&l.code[k]) {
				if k++; spreads(&l.code[k-1]) {
					break
				}
			}
			if k-from >= leastRun && w.run(from, k) {
				changed = true
			}
			if k == from {
				k++
			}
		}
	}
	return changed
}

// onVectors reports whether an instruction neither reads nor writes flags, nor general registers but for addresses and what is spread.
func (l *linear) onVectors(i *inst) bool {
	switch c := code(i.op); {
	case isStore(i.op):
		return i.args[0] != none && isVector(l.g.types[i.args[0]])
	case i.dst == none || !isVector(l.g.types[i.dst]) || i.mem == frameMem:
		return false
	default:
		return c < cLabel || c == cMove
	}
}

// spreads reports whether an instruction spreads a scalar in a register over all lanes, as what a reduction gave: chains part behind it.
func spreads(i *inst) bool {
	switch code(i.op) {
	case op(asm.VBROADCASTSS), op(asm.VBROADCASTSD):
		return i.mem == noMem
	}
	return false
}

// weaver writes the chains of a run of instructions in turns. Its slices are of the run before, and room for the next one.
type weaver struct {
	l    *linear
	ivs  []interval
	room int

	runs     int32 // how many were looked at, of all functions
	from, to int32
	code     []inst      // of the run, in the order in which it was
	values   []mentioned // by virtual register
	mentions []vreg      // those of the run
	parent   []int32     // of instructions: chains are trees
	leaves   [][2]int32  // instructions that read what depends on nothing in the run, and those that make it
	chains   [][]int32   // instructions, in their order
	chain    []int32     // by instruction
	needs    []int32     // what comes before an instruction and is of another chain: those of k from first[k] on
	first    []int32
	next     []int32 // by chain, how much of it is written
	done     []bool
	order    []int32
	places   []int16
	heights  []int32 // by instruction, the cycles until what waits for it is done
}

// mentioned says how a run uses a virtual register.
type mentioned struct {
	run         int32
	defs        int32 // instructions that write it
	first, last int32 // that mention it
	read, write int32 // heights of instructions behind that read and write it
	depth       int32 // of the chain that its value ends
	by          int32 // an instruction of its chain, or the one that makes it where that depends on nothing in the run; -1 for none
	leaf        bool
}

// of returns what the run says of a register.
func (w *weaver) of(v vreg, k int32) *mentioned {
	x := &w.values[v]
	if x.run != w.runs {
		*x = mentioned{run: w.runs, first: k, by: -1}
		w.mentions = append(w.mentions, v)
	}
	return x
}

// run puts the instructions from one to before another in turns, if they wait for each other and are several chains.
func (w *weaver) run(from, to int32) bool {
	w.from, w.to = from, to
	if len(w.values) < len(w.l.g.types) {
		w.values = make([]mentioned, len(w.l.g.types)+len(w.l.g.types)/2)
	}
	w.runs++
	w.mentions = w.mentions[:0]
	deepest := int32(0)
	for k := range to - from {
		i, depth := &w.l.code[from+k], int32(0)
		i.reads(func(v vreg) { depth = max(depth, w.of(v, k).depth) })
		if i.dst != none {
			x := w.of(i.dst, k)
			x.defs++
			x.depth = depth + 1
		}
		deepest = max(deepest, depth+1)
	}
	if deepest < leastDeep || deepest*latency*together <= to-from {
		return false
	}
	w.code = append(w.code[:0], w.l.code[from:to]...)
	w.split()
	sides := w.cut()
	if len(sides) < 2 {
		return false
	}
	w.require()
	if !w.choose(sides) {
		return false
	}
	for k, was := range w.order {
		w.l.code[from+int32(k)] = w.code[was]
	}
	return !slices.IsSorted(w.order)
}

// choose orders the run with as many of the chains side by side as there are registers for, and reports whether it found an order. Where those that come one after the other
// need too many as they are, they are taken apart.
func (w *weaver) choose(sides []int32) bool {
	fits := func(side int) bool {
		w.turns(sides, side)
		most := w.pressure()
		return most <= w.room && (side == 2 || !w.loads(w.room-most))
	}
	late := w.l.g.wide == asm.Z // one load is begun in a cycle: registers that fewer chains leave hold constants
	for side := len(sides); side > 1; side = (side + 1) / 2 {
		if fits(side) {
			return true
		}
		if !late {
			w.delay()
			late = true
			if fits(side) {
				return true
			}
		}
		if side == 2 {
			break
		}
	}
	w.order = w.order[:0]
	for k := range w.code {
		w.order = append(w.order, int32(k))
	}
	if w.pressure() <= w.room {
		return false
	}
	w.turns(sides, 1)
	return w.pressure() <= w.room
}

// root is the instruction that stands for the chain of k.
func (w *weaver) root(k int32) int32 {
	for w.parent[k] != k {
		w.parent[k] = w.parent[w.parent[k]]
		k = w.parent[k]
	}
	return k
}

// join makes one chain of two.
func (w *weaver) join(a, b int32) {
	a, b = w.root(a), w.root(b)
	w.parent[max(a, b)] = min(a, b)
}

// split finds the chains: instructions that mention a register which one of them writes. What depends on nothing in the run, as a load, may be read by several.
func (w *weaver) split() {
	w.parent, w.leaves = w.parent[:0], w.leaves[:0]
	for k := range w.code {
		w.parent = append(w.parent, int32(k))
	}
	belongs := func(x *mentioned, k int32) {
		if x.by < 0 {
			x.by = k
		}
		w.join(x.by, k)
	}
	for k := range w.code {
		i, k, depends := &w.code[k], int32(k), false
		i.reads(func(v vreg) {
			switch x := &w.values[v]; {
			case x.defs == 0:
			case x.leaf:
				depends = true
				w.leaves = append(w.leaves, [2]int32{k, x.by})
			default:
				depends = true
				belongs(x, k)
			}
		})
		if i.dst == none {
			continue
		}
		if x := &w.values[i.dst]; x.defs == 1 && x.first == k && !depends {
			x.leaf, x.by = true, k
		} else {
			belongs(x, k)
		}
	}
	reader := make(map[int32]int32, len(w.leaves)) // by what is read, one that does; -1 where several chains do
	for _, l := range w.leaves {
		if r, ok := reader[l[1]]; !ok {
			reader[l[1]] = l[0]
		} else if r >= 0 && w.root(r) != w.root(l[0]) {
			reader[l[1]] = -1
		}
	}
	for _, l := range w.leaves { // in order, as a map is not
		if r := reader[l[1]]; r >= 0 {
			w.join(r, l[1])
		}
	}
}

// cut lists the instructions of each chain, and returns which chains are more than one instruction.
func (w *weaver) cut() (sides []int32) {
	w.chains, w.chain = w.chains[:0], w.chain[:0]
	for k := range int32(len(w.code)) {
		r := w.root(k)
		if r == k {
			w.chain = append(w.chain, int32(len(w.chains)))
			w.chains = append(w.chains, nil)
		} else {
			w.chain = append(w.chain, w.chain[r])
		}
		c := w.chain[k]
		if w.chains[c] = append(w.chains[c], k); len(w.chains[c]) == 2 {
			sides = append(sides, c)
		}
	}
	return sides
}

// require notes what comes before an instruction and is of another chain: what it reads, and accesses to memory of which one writes and which may meet.
func (w *weaver) require() {
	w.needs, w.first = w.needs[:0], w.first[:0]
	var loads, stores []int32
	need := func(k, before int32) {
		if w.chain[before] != w.chain[k] {
			w.needs = append(w.needs, before)
		}
	}
	leaves := w.leaves
	for k := range int32(len(w.code)) {
		w.first = append(w.first, int32(len(w.needs)))
		for ; len(leaves) > 0 && leaves[0][0] == k; leaves = leaves[1:] {
			need(k, leaves[0][1])
		}
		i := &w.code[k]
		if i.mem != boxMem {
			continue
		}
		for _, s := range stores {
			if w.meet(&w.code[s], i) {
				need(k, s)
			}
		}
		if !isStore(i.op) {
			loads = append(loads, k)
			continue
		}
		for _, x := range loads {
			if w.meet(&w.code[x], i) {
				need(k, x)
			}
		}
		stores = append(stores, k)
	}
	w.first = append(w.first, int32(len(w.needs)))
}

// meet reports whether two accesses to memory may touch the same bytes.
func (w *weaver) meet(a, b *inst) bool {
	return a.index != b.index || int64(a.disp) < int64(b.disp)+w.bytes(b) && int64(b.disp) < int64(a.disp)+w.bytes(a)
}

// bytes is how many bytes an access touches at most.
func (w *weaver) bytes(i *inst) int64 {
	v := i.dst
	if v == none {
		v = i.args[0]
	}
	return int64(max(bytesOf(w.l.g.types[v]), memorySize(i.op)))
}

// turns orders the run: so many chains at a time side by side, and the others where they are needed.
func (w *weaver) turns(sides []int32, side int) {
	w.order = w.order[:0]
	w.done = append(w.done[:0], make([]bool, len(w.code))...)
	w.next = append(w.next[:0], make([]int32, len(w.chains))...)
	for from := 0; from < len(sides); from += side {
		group := sides[from:min(from+side, len(sides))]
		for wrote := true; wrote; {
			wrote = false
			for _, c := range group {
				if int(w.next[c]) < len(w.chains[c]) {
					w.write(c)
					wrote = true
				}
			}
		}
	}
	for c := range w.chains {
		for int(w.next[c]) < len(w.chains[c]) {
			w.write(int32(c))
		}
	}
}

// write appends the next instruction of a chain, and what it needs of others before. These come earlier in the run, so that this ends.
func (w *weaver) write(c int32) {
	k := w.chains[c][w.next[c]]
	w.next[c]++
	for _, n := range w.needs[w.first[k]:w.first[k+1]] {
		for !w.done[n] {
			w.write(w.chain[n])
		}
	}
	w.done[k] = true
	w.order = append(w.order, k)
}

// loads reports whether what the run computes would wait for loads, of which one of 512 bits is begun in a cycle, or two of 256, if so many registers held the constants that it reads most.
func (w *weaver) loads(free int) bool {
	n, computes, uses := 0, 0, map[int32]int{}
	for k := range w.code {
		if !isLoad(w.code[k].op) {
			computes++
		}
		switch i := &w.code[k]; {
		case isStore(i.op):
		case i.mem == constMem:
			uses[i.disp]++
		case i.mem == boxMem:
			n++
		}
	}
	counts := slices.Sorted(maps.Values(uses))
	for _, c := range counts[:max(len(counts)-free, 0)] {
		n += c
	}
	if w.l.g.wide != asm.Z {
		n /= 2
	}
	return n*together > computes
}

// pressure is how many registers for vectors are needed at a time in the new order, by intervals as the allocator has them.
func (w *weaver) pressure() int {
	most := 0
	for v := range w.ivs { // held across the run
		if iv := &w.ivs[v]; iv.start >= 0 && iv.start < 2*w.from && iv.end >= 2*w.to && isVector(w.l.g.types[v]) && w.values[v].run != w.runs {
			most++
		}
	}
	for _, v := range w.mentions {
		w.values[v].first = -1
	}
	for at, k := range w.order {
		i, place := &w.code[k], int32(2*at)
		mention := func(v vreg, place int32) {
			x := &w.values[v]
			if x.first < 0 {
				x.first = place
			}
			x.last = place
		}
		read := place
		if inTarget(i.op) { // its target is written before these are read
			read++
		}
		i.reads(func(v vreg) { mention(v, read) })
		if i.dst != none {
			mention(i.dst, place+1)
		}
	}
	end := int32(2 * len(w.order))
	w.places = append(w.places[:0], make([]int16, end+2)...)
	for _, v := range w.mentions {
		if !isVector(w.l.g.types[v]) {
			continue
		}
		x, from, to := &w.values[v], int32(0), end
		if w.ivs[v].start >= 2*w.from {
			from = x.first
		}
		if w.ivs[v].end < 2*w.to {
			to = x.last
		}
		w.places[from]++
		w.places[to+1]--
	}
	held, here := most, 0
	for _, change := range w.places {
		here += int(change)
		most = max(most, held+here)
	}
	return most
}
