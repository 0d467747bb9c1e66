package x86

import (
	"cmp"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/lower"
)

// Constants are operands in memory. That costs no register, but each is a load, and polynomials, which read one for each product, take as long as their loads: one
// of 512 bits is done in a cycle where two are wanted. So the registers that nothing needs while a loop runs hold the constants that the loop uses most. They are loaded in front of the
// outermost loop for which there is a register; loops that are left and entered again in their middle keep theirs in memory.

// cycle is a loop of linear code: its label, and the jump back to it.
type cycle struct {
	from, to int32
	leaves   bool // it polls, or asks something of the host
	inner    []int
}

// holding is a constant that a register holds while a loop runs.
type holding struct {
	at int32 // the label
	id int32
	v  vreg
}

// use is an instruction that reads entry id of the pool.
type use struct {
	at, id int32
	weight float32
}

// hold has registers that are free within loops hold constants that these read; ivs are what the others are needed for, and room is how many there are. It reports whether there were any.
func (l *linear) hold(ivs []interval, room int) bool {
	uses := l.constantUses()
	if len(uses) == 0 {
		return false
	}
	h := &holder{l: l, ivs: ivs, uses: uses, room: room, live: l.overlaps(ivs), writes: l.writes(), named: map[vreg]vreg{}}
	h.cycles, h.outer = l.cycles()
	for before := -1; before < len(h.held); { // copies that are left out make room
		before = len(h.held)
		for _, c := range h.outer {
			h.in(c)
		}
	}
	l.insert(h.held, h.named)
	return len(h.held) > 0
}

// constantUses lists the instructions within loops that read a constant, in order.
func (l *linear) constantUses() (out []use) {
	for k := range l.code {
		i := &l.code[k]
		if i.mem != constMem || i.depth == 0 || code(i.op) >= cLabel || i.spread {
			continue
		}
		if isLoad(i.op) && strings.Trim(l.g.pool[i.disp], "\x00") == "" { // needs no memory
			continue
		}
		out = append(out, use{int32(k), i.disp, depthWeight[min(int(i.depth), len(depthWeight)-1)]})
	}
	return out
}

// overlaps counts the vector registers that are needed at each place.
func (l *linear) overlaps(ivs []interval) []int16 {
	out := make([]int16, 2*len(l.code)+2)
	for v := range ivs {
		if iv := &ivs[v]; iv.start >= 0 && isVector(l.g.types[v]) {
			out[iv.start]++
			out[iv.end+1]--
		}
	}
	for p := 1; p < len(out); p++ {
		out[p] += out[p-1]
	}
	return out
}

// cycles finds the loops, and which of them are in no other that is not left.
func (l *linear) cycles() (all []cycle, outer []int) {
	at := make([]int32, l.labels)
	for k := range l.code {
		i := &l.code[k]
		switch code(i.op) {
		case cLabel:
			at[i.target] = int32(k) + 1
		case cJump, cJumpIf:
			if from := at[i.target]; from > 0 {
				all = append(all, cycle{from: from - 1, to: int32(k)})
			}
		case cPoll, cRequest:
			all = append(all, cycle{from: int32(k), to: int32(k), leaves: true})
		}
	}
	slices.SortStableFunc(all, func(a, b cycle) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var around []int
	for n := range all {
		for len(around) > 0 && all[around[len(around)-1]].to < all[n].from {
			around = around[:len(around)-1]
		}
		for _, a := range around {
			all[a].leaves = all[a].leaves || all[n].leaves
		}
		around = append(around, n)
	}
	around = around[:0]
	for n := range all {
		if all[n].leaves {
			continue
		}
		for len(around) > 0 && all[around[len(around)-1]].to < all[n].from {
			around = around[:len(around)-1]
		}
		if len(around) == 0 {
			outer = append(outer, n)
		} else {
			a := &all[around[len(around)-1]]
			a.inner = append(a.inner, n)
		}
		around = append(around, n)
	}
	return all, outer
}

// writes counts the instructions that write each register.
func (l *linear) writes() []int32 {
	out := make([]int32, len(l.g.types))
	for k := range l.code {
		if d := l.code[k].dst; d != none {
			out[d]++
		}
	}
	return out
}

// holder chooses what registers hold.
type holder struct {
	l      *linear
	ivs    []interval
	uses   []use
	room   int
	live   []int16 // vector registers in use, by places
	cycles []cycle
	outer  []int
	held   []holding
	writes []int32
	named  map[vreg]vreg // what loaded a constant that a register holds, and that register
}

// in gives the registers that nothing needs in a loop to the constants that are used most in it, and goes on with the others in the loops within.
func (h *holder) in(n int) {
	c := &h.cycles[n]
	free := h.room - int(slices.Max(h.live[2*c.from:2*c.to+2]))
	uses := h.within(c)
	ids := ranked(uses)
	for _, id := range ids[:max(min(free, len(ids)), 0)] {
		h.hold(c, id, uses)
	}
	for _, inner := range c.inner {
		h.in(inner)
	}
}

// hold gives a constant a register of its own in a loop. What only loads it there needs none any more.
func (h *holder) hold(c *cycle, id int32, uses []use) {
	v, read := h.l.temp(h.l.typeOfConstant(id)), false
	h.held = append(h.held, holding{c.from, id, v})
	for _, u := range uses {
		if u.id != id {
			continue
		}
		i := &h.l.code[u.at]
		i.holdConstant(v)
		if code(i.op) != cMove || h.writes[i.dst] > 1 || h.ivs[i.dst].end > 2*c.to {
			read = true
			continue
		}
		h.named[i.dst] = v
		from, to := h.ivs[i.dst].start, h.ivs[i.dst].end
		read = read || to > from
		for p := from; p <= to; p++ {
			h.live[p]--
		}
	}
	for p := 2 * c.from; read && p < 2*c.to+2; p++ {
		h.live[p]++
	}
}

// within lists the uses in a loop that still read memory.
func (h *holder) within(c *cycle) (out []use) {
	from, _ := slices.BinarySearchFunc(h.uses, c.from, func(u use, at int32) int { return cmp.Compare(u.at, at) })
	for _, u := range h.uses[from:] {
		if u.at > c.to {
			break
		}
		if h.l.code[u.at].mem == constMem {
			out = append(out, u)
		}
	}
	return out
}

// ranked lists the constants that are used, those first whose uses weigh most.
func ranked(uses []use) []int32 {
	weights := map[int32]float32{}
	var ids []int32
	for _, u := range uses {
		if weights[u.id] == 0 {
			ids = append(ids, u.id)
		}
		weights[u.id] += u.weight
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return cmp.Compare(weights[b], weights[a]) })
	return ids
}

// typeOfConstant is the type of an entry of the pool.
func (l *linear) typeOfConstant(id int32) lower.Type {
	switch len(l.g.pool[id]) {
	case 4:
		return tF32
	case 8:
		return tF64
	case 32:
		return tY
	case 64:
		return tZ
	}
	return tX
}

// holdConstant makes a register the last argument in place of a constant.
func (i *inst) holdConstant(v vreg) {
	i.mem = noMem
	if isLoad(i.op) {
		i.op = cMove
	}
	i.args[slices.Index(i.args[:], none)] = v
}

// insert loads constants in front of loops. Instructions read the registers that hold them in place of those that got copies.
func (l *linear) insert(held []holding, named map[vreg]vreg) {
	if len(held) == 0 {
		return
	}
	slices.SortStableFunc(held, func(a, b holding) int { return cmp.Compare(a.at, b.at) })
	out := make([]inst, 0, len(l.code)+len(held))
	notes := make(map[int]string, len(l.notes))
	for k := range l.code {
		for len(held) > 0 && int(held[0].at) == k {
			at := &l.code[k]
			load := inst{dst: held[0].v, args: [3]vreg{none, none, none}, mem: constMem, index: none, disp: held[0].id, depth: max(at.depth-1, 0), at: at.at}
			switch t := l.g.types[load.dst]; t {
			case tF32:
				load.op = pLoadF32
			case tF64:
				load.op = pLoadF64
			default:
				load.op = pLoadV + (op(t-tX) << codeBits)
			}
			out = append(out, load)
			held = held[1:]
		}
		if s, ok := l.notes[k]; ok {
			notes[len(out)] = s
		}
		i := &l.code[k]
		if v, ok := named[i.dst]; ok && code(i.op) == cMove && v == i.args[0] {
			continue
		}
		for n, a := range i.args {
			if v, ok := named[a]; ok {
				i.args[n] = v
			}
		}
		out = append(out, *i)
	}
	l.code, l.notes = out, notes
}
