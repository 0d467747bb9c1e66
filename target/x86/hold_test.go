package x86

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/native/asm"
)

// nests is random nests of loops that read constants, some of which poll.
func nests(r *rand.Rand) *linear {
	l := &linear{g: &gen{mod: &module{}}, notes: map[int]string{}}
	for k := range 12 {
		data := strings.Repeat(string(rune('a'+k)), []int{4, 8, 16, 32}[k%4])
		if k == 3 {
			data = strings.Repeat("\x00", 32)
		}
		l.g.pool = append(l.g.pool, data)
	}
	types := []lower.Type{tF32, tF64, tX, tY}
	var live []vreg // of type tY
	sum := l.temp(tY)
	l.add(inst{op: vec(pLoadV, asm.Y), dst: sum, args: [3]vreg{none, none, none}, mem: constMem, index: none, disp: 3})
	var body func(depth int)
	body = func(depth int) {
		top := l.label()
		l.depth++
		l.note("loop")
		l.bind(top)
		for range 1 + r.IntN(5) {
			switch n := r.IntN(8); {
			case n == 0 && depth < 3:
				body(depth + 1)
			case n == 1:
				d := l.temp(tY)
				l.add(inst{op: vec(pLoadV, asm.Y), dst: d, args: [3]vreg{none, none, none}, mem: constMem, index: none, disp: int32(3 + 4*r.IntN(3))})
				live = append(live, d)
			case n == 2 && r.IntN(3) == 0:
				l.add(inst{op: cPoll, dst: none, index: none, args: [3]vreg{none, none, none}})
			case n == 4:
				d := l.temp(tY)
				l.emit(cMove, d, sum)
				live = append(live, d)
			case n == 3 && len(live) > 0:
				l.emit(ins(asm.VADDPS, asm.Y), sum, sum, live[len(live)-1])
				live = live[:len(live)-1]
			default:
				k := r.IntN(12)
				o, dst := op(asm.VADDSS), l.temp(types[k%4])
				switch k % 4 {
				case 1:
					o = op(asm.VADDSD)
				case 2:
					o = ins(asm.VADDPS, asm.X)
				case 3:
					o, dst = ins(asm.VADDPS, asm.Y), sum
				}
				l.add(inst{op: o, dst: dst, args: [3]vreg{sum, none, none}, mem: constMem, index: none, disp: int32(k)})
			}
		}
		l.control(cJumpIf, asm.Less, top)
		l.depth--
	}
	for range 3 {
		body(0)
		live = live[:0]
	}
	l.status(0)
	return l
}

// computes runs each instruction once, in their order, and returns what the registers before one hold then, but for those that got copies of constants.
func computes(l *linear, first vreg) map[vreg]uint64 {
	regs, copies := map[vreg]uint64{}, map[vreg]bool{}
	mix := func(x, y uint64) uint64 { return (x ^ y) * 0x9e3779b97f4a7c15 >> 7 * 31 }
	for k := range l.code {
		i := &l.code[k]
		data := uint64(1)
		if i.mem == constMem {
			for _, b := range []byte(l.g.pool[i.disp]) {
				data = mix(data, uint64(b))
			}
		}
		switch c := code(i.op); {
		case i.dst == none:
		case isLoad(i.op):
			regs[i.dst], copies[i.dst] = data, true
		case c == cMove:
			regs[i.dst], copies[i.dst] = regs[i.args[0]], copies[i.args[0]]
		default:
			x := uint64(i.op)
			for _, a := range i.args {
				if a != none {
					x = mix(x, regs[a])
				}
			}
			if i.mem == constMem {
				x = mix(x, data)
			}
			regs[i.dst], copies[i.dst] = x, false
		}
	}
	maps.DeleteFunc(regs, func(v vreg, _ uint64) bool { return v >= first || copies[v] })
	return regs
}

// operands is what each instruction reads of the pool, in order, where a register holds it, too: loads in front of loops are not in it.
func operands(l *linear) (out []string) {
	holds := map[vreg]string{}
	for k := range l.code {
		i := &l.code[k]
		c := code(i.op)
		switch last := i.args[max(strings.Count(string(argKinds(i)), "r")-1, 0)]; {
		case i.mem == constMem && isLoad(i.op):
			holds[i.dst] = l.g.pool[i.disp]
		case i.mem == constMem:
			out = append(out, l.g.pool[i.disp])
		case c == cMove:
			holds[i.dst] = holds[last]
		case i.dst != none && c < pseudo:
			out = append(out, holds[last])
		}
	}
	return out
}

// argKinds writes an r for each argument in a register.
func argKinds(i *inst) (out []byte) {
	for _, a := range i.args {
		if a != none {
			out = append(out, 'r')
		}
	}
	return out
}

// TestHeldConstants lets registers hold the constants of random nests: instructions read the same, no more registers are needed than there are, constants are loaded in front of loops and not
// held where one is left in its middle, and where a loop reads memory all registers are in use.
func TestHeldConstants(t *testing.T) {
	held := 0
	seed.Each(t, 300, func(t *testing.T, r *rand.Rand) {
		l := nests(r)
		want := strings.Join(operands(l), " ")
		ivs, _ := l.intervals(l.flow())
		room := 3 + r.IntN(20)
		room = max(room, int(slices.Max(l.overlaps(ivs))))
		first := vreg(len(l.g.types))
		before := computes(l, first)
		if l.hold(ivs, room) {
			held++
		}
		if after := computes(l, first); !maps.Equal(before, after) {
			t.Errorf("the code computes %v, it computed %v", after, before)
		}
		if got := strings.Join(operands(l), " "); got != want {
			t.Errorf("the instructions read\n%q, they read\n%q", got, want)
		}
		ivs, order := l.intervals(l.flow())
		needed := l.overlaps(ivs)
		if most := int(slices.Max(needed)); most > room {
			t.Errorf("%d registers are needed, of %d", most, room)
		}
		a := l.scan(ivs, order, room, [classes]bool{})
		if a.spills[vectors] > 0 {
			t.Errorf("%d registers are in the frame", a.spills[vectors])
		}
		if bad := misread(l, a); bad != "" {
			t.Error(bad)
		}
		for k := range l.code {
			i := &l.code[k]
			if next := &l.code[min(k+1, len(l.code)-1)]; i.dst >= first && next.dst < first && code(next.op) != cLabel {
				t.Errorf("instruction %d loads a constant, but not in front of a loop", k)
			}
			for v := first; code(i.op) == cPoll && v < vreg(len(ivs)); v++ {
				if at := int32(2 * k); ivs[v].start < at && ivs[v].end > at {
					t.Errorf("the poll %d is within a loop for which %d holds a constant", k, v)
				}
			}
		}
		all, _ := l.cycles()
		for _, c := range all {
			if c.leaves || int(slices.Max(needed[2*c.from:2*c.to+2])) >= room {
				continue
			}
			for k := c.from; k < c.to; k++ {
				if i := &l.code[k]; i.mem == constMem && i.dst < first && strings.Trim(l.g.pool[i.disp], "\x00") != "" {
					t.Errorf("instruction %d reads memory, though there is a register", k)
				}
			}
		}
	})
	if held == 0 {
		t.Error("registers held no constants")
	}
}
