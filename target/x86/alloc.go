package x86

import (
	"slices"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
)

// phys is a register of the processor by its number, or a place in the frame: inFrame.
type phys int8

const inFrame phys = -1

// Registers of kernels: those of Go's runtime, of the frame and of the memory are left alone. The first two are the emitter's own, for what lies in the
// frame; where nothing does, they are as good as the others.
var generalPool = []asm.Reg{asm.RAX, asm.RDX, asm.RCX, asm.RBX, asm.RSI, asm.R8, asm.R9, asm.R10, asm.R11, asm.R12, asm.R13}

// scratches is how many registers of a class the emitter needs for itself where something of the class lies in the frame.
const scratches = 2

// The classes of registers.
const (
	generals = iota
	vectors
	classes
)

// classOf is the class of the registers that hold a type.
func classOf(t lower.Type) int {
	if isVector(t) {
		return vectors
	}
	return generals
}

// allocation says where virtual registers are.
type allocation struct {
	reg       []phys
	slot      []int32 // offset in the frame of what lies or is saved there, 0 for none
	intervals []interval
	frame     int32 // end of the frame in use
	spills    [classes]int
	// alive lists, by requests and polls, the registers whose values are needed behind them.
	alive map[int32][]vreg
}

// allocate gives registers by linear scan: the intervals are taken in the order of their starts, and where no register is free, that goes to the frame of
// all intervals which lie over this place that is used least for its length. Poletto and Sarkar, "Linear scan register allocation" (TOPLAS 1999), with
// weights by loops.
//
// It tries without registers for the emitter first, and keeps some of a class that goes to the frame.
func (l *linear) allocate(vecs int) (*allocation, error) {
	flow, reserve := l.flow(), l.needsScratch()
	ivs, order := l.intervals(flow)
	room := vecs
	if reserve[vectors] {
		room -= scratches
	}
	if l.interleave(flow, ivs, room) {
		ivs, order = l.intervals(flow)
	}
	if l.hold(ivs, room) {
		ivs, order = l.intervals(l.flow())
	}
	a := l.scan(ivs, order, vecs, reserve)
	if again := [classes]bool{reserve[0] || a.spills[0] > 0, reserve[1] || a.spills[1] > 0}; again != reserve {
		a = l.scan(ivs, order, vecs, again)
	}
	a.keep(l)
	a.place(l, order)
	if a.frame > native.FrameSize-64 {
		return nil, l.g.Errorf("registers", "more values are needed at a time than the frame holds")
	}
	return a, nil
}

func (l *linear) scan(ivs []interval, order []int32, vecs int, reserve [classes]bool) *allocation {
	a := &allocation{reg: make([]phys, len(ivs)), slot: make([]int32, len(ivs)), intervals: ivs, frame: native.RoomAt}
	for i := range a.reg {
		a.reg[i] = inFrame
	}
	general, vec := generalPool, make([]asm.Reg, vecs)
	for i := range vec {
		vec[i] = asm.Reg(i)
	}
	if reserve[generals] {
		general = general[scratches:]
	}
	if reserve[vectors] {
		vec = vec[:vecs-scratches]
	}
	of := [classes]*class{newClass(general), newClass(vec)}
	for _, v := range order {
		k := classOf(l.g.types[v])
		c := of[k]
		c.expire(a, ivs[v].start)
		if r, ok := c.take(a, &ivs[v]); ok {
			a.reg[v] = r
			c.active = append(c.active, v)
			continue
		}
		worst := v
		for _, w := range c.active {
			if density(&ivs[w]) < density(&ivs[worst]) {
				worst = w
			}
		}
		if worst != v {
			a.reg[v] = a.reg[worst]
			c.active[slices.Index(c.active, worst)] = v
		}
		a.reg[worst] = inFrame
		a.slot[worst] = unplaced
		a.spills[k]++
	}
	return a
}

// keep finds what is alive at requests and polls, which needs places in the frame.
func (a *allocation) keep(l *linear) {
	a.alive = map[int32][]vreg{}
	for k := range l.code {
		if c := code(l.code[k].op); c != cPoll && c != cRequest {
			continue
		}
		at := int32(2 * k)
		for v := range a.intervals {
			if iv := &a.intervals[v]; iv.start >= 0 && iv.start <= at && iv.end > at && a.reg[v] != inFrame {
				a.slot[v] = unplaced
				a.alive[int32(k)] = append(a.alive[int32(k)], vreg(v))
			}
		}
	}
}

// density is how much an interval is used for its length.
func density(iv *interval) float32 { return iv.weight / float32(iv.end-iv.start+1) }

// unplaced is the slot of what needs a place in the frame until [allocation.place] finds one.
const unplaced = -1

// place gives places in the frame, in the order in which the intervals start: those of values of the same size that are no longer needed, or new ones.
func (a *allocation) place(l *linear, order []int32) {
	size := func(v int32) int32 { return int32(bytesOf(l.g.types[v])) }
	free := map[int32][]int32{}
	var held []int32
	for _, v := range order {
		if a.slot[v] != unplaced {
			continue
		}
		held = slices.DeleteFunc(held, func(w int32) bool {
			ended := a.intervals[w].end < a.intervals[v].start
			if ended {
				free[size(w)] = append(free[size(w)], a.slot[w])
			}
			return ended
		})
		n := size(v)
		if at := free[n]; len(at) > 0 {
			a.slot[v], free[n] = at[len(at)-1], at[:len(at)-1]
		} else {
			a.slot[v] = (a.frame + n - 1) &^ (n - 1)
			a.frame = a.slot[v] + n
		}
		if held = append(held, v); a.frame > native.FrameSize {
			return // which allocate says
		}
	}
}

// class is the state of the scan for registers of one kind.
type class struct {
	free   []phys
	active []int32
}

func newClass(regs []asm.Reg) *class {
	c := &class{}
	for _, r := range regs {
		c.free = append(c.free, phys(r))
	}
	return c
}

// expire gives back the registers of intervals that end before a place.
func (c *class) expire(a *allocation, at int32) {
	kept := c.active[:0]
	for _, v := range c.active {
		if a.intervals[v].end < at {
			c.free = append(c.free, a.reg[v])
		} else {
			kept = append(kept, v)
		}
	}
	c.active = kept
}

// take takes a free register, that of the hint where it is free.
func (c *class) take(a *allocation, iv *interval) (phys, bool) {
	if len(c.free) == 0 {
		return 0, false
	}
	k := 0
	if h := iv.hint; h != none && a.reg[h] != inFrame {
		if i := slices.Index(c.free, a.reg[h]); i >= 0 {
			k = i
		}
	}
	r := c.free[k]
	c.free = slices.Delete(c.free, k, k+1)
	return r, true
}

// needsScratch reports of which classes an instruction needs registers of the emitter in any case.
func (l *linear) needsScratch() (needs [classes]bool) {
	for k := range l.code {
		if c, uses := usesScratch(&l.code[k]); uses {
			needs[c] = true
		}
	}
	return needs
}
