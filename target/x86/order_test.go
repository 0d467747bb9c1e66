package x86

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/native/asm"
)

// chains is random straight-line code within a loop: chains side by side, some of which read the same loads, add to a register over and over, and go through memory that others may touch.
func chains(r *rand.Rand) (l *linear, from, to int32, indices []vreg) {
	l = &linear{g: &gen{mod: &module{}}, depth: 1, notes: map[int]string{}}
	indices = []vreg{l.temp(tI32), l.temp(tI32)}
	common := []vreg{l.temp(tY)} // held around the loop, and loads
	access := func(o op, dst, arg vreg) {
		l.add(inst{op: vec(o, asm.Y), dst: dst, args: [3]vreg{arg, none, none}, mem: boxMem, index: indices[r.IntN(2)], disp: 16 * r.Int32N(8)})
	}
	l.bind(l.label())
	from = int32(len(l.code))
	tails := make([]vreg, 1+r.IntN(4))
	sums, later := make([]vreg, len(tails)), make([]vreg, len(tails)) // later is read for the next turn
	for k := range tails {
		tails[k], sums[k], later[k] = l.temp(tY), l.temp(tY), l.temp(tY)
		access(pLoadV, tails[k], none)
	}
	for range 20 + r.IntN(80) {
		k := r.IntN(len(tails))
		d, with := l.temp(tY), common[r.IntN(len(common))]
		switch r.IntN(9) {
		case 0:
			access(pLoadV, d, none)
			common = append(common, d)
			continue
		case 1:
			access(pStoreV, none, tails[k])
			continue
		case 2: // a sum in a register of its own
			l.emit(ins(asm.VADDPS, asm.Y), sums[k], sums[k], tails[k])
			continue
		case 3:
			s := sums[k]
			if r.IntN(8) == 0 { // now and then that of another chain
				s = sums[r.IntN(len(sums))]
			}
			l.emit(ins(asm.VADDPS, asm.Y), d, tails[k], s)
		case 4:
			access(op(asm.VMULPS), d, tails[k])
		case 5:
			l.emit(ins(asm.VADDPS, asm.Y), d, tails[k], later[k])
		default:
			l.emit(ins(asm.VMULPS, asm.Y), d, tails[k], with)
		}
		tails[k] = d
	}
	for _, v := range later {
		access(pLoadV, v, none)
	}
	for _, t := range append(tails, sums...) {
		access(pStoreV, none, t)
	}
	to = int32(len(l.code))
	l.control(cJumpIf, asm.Less, 0)
	return l, from, to, indices
}

// machineState is what code computes on: numbers that stand for the contents of registers and of pieces of memory of 16 bytes.
type machineState struct {
	regs   map[vreg]uint64
	memory map[int32]uint64
}

// follow runs straight-line code, with the index registers at bases.
func follow(l *linear, from, to int32, bases map[vreg]int32) machineState {
	s := machineState{map[vreg]uint64{}, map[int32]uint64{}}
	mix := func(x, y uint64) uint64 { return (x ^ y) * 0x9e3779b97f4a7c15 >> 7 * 31 }
	of := func(v vreg) uint64 {
		if x, ok := s.regs[v]; ok {
			return x
		}
		return uint64(v) + 1000
	}
	for k := from; k < to; k++ {
		i := &l.code[k]
		at := bases[i.index] + i.disp/16
		if isStore(i.op) {
			s.memory[at], s.memory[at+1] = of(i.args[0]), of(i.args[0])+1
			continue
		}
		if inTarget(i.op) { // writes its target first
			s.regs[i.dst] = of(i.args[0])
		}
		x := mix(17, uint64(i.op))
		for _, a := range i.args {
			if a != none {
				x = mix(x, of(a))
			}
		}
		if i.mem == boxMem {
			x = mix(mix(x, s.memory[at]+uint64(at)), s.memory[at+1])
		}
		if code(i.op) == cMove {
			x = of(i.args[0])
		}
		s.regs[i.dst] = x
	}
	return s
}

// TestTurns has random chains written in turns, and compares what they compute then, wherever the index registers point.
func TestTurns(t *testing.T) {
	turned := 0
	seed.Each(t, 400, func(t *testing.T, r *rand.Rand) {
		l, from, to, indices := chains(r)
		before := &linear{g: l.g, code: slices.Clone(l.code)}
		f := l.flow()
		ivs, _ := l.intervals(f)
		room := 8 + r.IntN(24)
		if l.interleave(f, ivs, room) {
			turned++
			ivs, _ = l.intervals(f)
			if most := slices.Max(l.overlaps(ivs)); int(most) > room {
				t.Errorf("%d registers are needed, of %d", most, room)
			}
		}
		for apart := range int32(4) {
			bases := map[vreg]int32{indices[0]: 0, indices[1]: 3 * apart}
			if got, want := follow(l, from, to, bases), follow(before, from, to, bases); !maps.Equal(got.regs, want.regs) || !maps.Equal(got.memory, want.memory) {
				t.Fatalf("with index registers %d apart, the code computes something else:\n%v\n%v", 3*apart, got, want)
			}
		}
	})
	if turned == 0 {
		t.Error("no run was changed")
	}
}
