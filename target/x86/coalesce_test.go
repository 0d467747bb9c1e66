package x86

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/native/asm"
)

// moves is random straight-line code within a loop that reads and sets variables, and stores them at its end.
func moves(r *rand.Rand) (l *linear, index vreg) {
	l = &linear{g: &gen{mod: &module{}}, depth: 1, notes: map[int]string{}}
	index = l.temp(tI32)
	variables := []vreg{l.temp(tY), l.temp(tY), l.temp(tY)}
	values := slices.Clone(variables) // what may be read: variables, and what is defined once
	store := func(v vreg, n int) {
		l.add(inst{op: vec(pStoreV, asm.Y), dst: none, args: [3]vreg{v, none, none}, mem: boxMem, index: index, disp: int32(32 * n)})
	}
	l.bind(l.label())
	for n := range 6 + r.IntN(30) {
		any := func() vreg { return values[max(len(values)-1-r.IntN(5), 0)] }
		v := variables[r.IntN(len(variables))]
		d := l.temp(tY)
		if r.IntN(3) == 0 {
			d = v
		}
		switch r.IntN(8) {
		case 0, 1:
			l.emit(cMove, d, v)
		case 2:
			l.emit(cMove, d, any())
		case 3:
			l.emit(vec(pVMajority, asm.Y), d, any(), any(), any())
		case 4:
			l.emit(vec(pVFMA32, asm.Y), d, any(), any(), any())
		case 5:
			l.emit(vec(pVDot, asm.Y), d, any(), any(), any())
		case 6:
			store(any(), 10+n)
			continue
		default:
			l.emit(ins(asm.VADDPS, asm.Y), d, any(), any())
		}
		if d != v {
			values = append(values, d)
		}
	}
	for n, v := range variables {
		store(v, n)
	}
	l.control(cJumpIf, asm.Less, 0)
	l.status(0)
	return l, index
}

// TestMovesAreGone takes moves out of random code, which computes the same in variables and in memory then.
func TestMovesAreGone(t *testing.T) {
	was, are := 0, 0
	copied := func(l *linear) (n int) {
		for k := range l.code {
			if code(l.code[k].op) == cMove {
				n++
			}
		}
		return n
	}
	seed.Each(t, 1000, func(t *testing.T, r *rand.Rand) {
		l, index := moves(r)
		before := &linear{g: l.g, code: slices.Clone(l.code)}
		l.coalesce()
		was, are = was+copied(before), are+copied(l)
		end := func(l *linear) int32 { return int32(len(l.code) - 2) }
		bases := map[vreg]int32{index: 0}
		got, want := follow(l, 1, end(l), bases), follow(before, 1, end(before), bases)
		if !maps.Equal(got.memory, want.memory) {
			t.Fatalf("the code computes something else:\n%v\n%v", got.memory, want.memory)
		}
	})
	if are > was*2/3 {
		t.Errorf("%d of %d moves are left", are, was)
	}
}

// TestVariableTakesPart is a maximum as loops keep it: neither what is read of the variable nor what it is set to is copied.
func TestVariableTakesPart(t *testing.T) {
	l := &linear{g: &gen{mod: &module{}}, depth: 1, notes: map[int]string{}}
	sum, x, old, a, b := l.temp(tY), l.temp(tY), l.temp(tY), l.temp(tY), l.temp(tY)
	l.bind(l.label())
	l.emit(cMove, old, sum)
	l.emit(ins(asm.VMAXPS, asm.Y), a, old, x)
	l.emit(ins(asm.VMAXPS, asm.Y), b, x, old)
	l.emit(vec(pVMajority, asm.Y), sum, a, b, x)
	l.control(cJumpIf, asm.Less, 0)
	l.status(0)
	l.coalesce()
	if got := l.code[2]; len(l.code) != 6 || got.dst != sum || got.args[1] != sum || l.code[3].args[1] != sum {
		t.Errorf("the code is %+v", l.code)
	}
}

// TestProductsReadAfterTheirTarget: a variable that is a factor of a product cannot be its target.
func TestProductsReadAfterTheirTarget(t *testing.T) {
	l := &linear{g: &gen{mod: &module{}}, depth: 1, notes: map[int]string{}}
	factor, x, a := l.temp(tY), l.temp(tY), l.temp(tY)
	l.bind(l.label())
	l.emit(vec(pVDot, asm.Y), a, x, factor, x)
	l.emit(cMove, factor, a)
	l.control(cJumpIf, asm.Less, 0)
	l.status(0)
	l.coalesce()
	if l.code[1].dst != a || len(l.code) != 5 {
		t.Errorf("the code is %+v", l.code)
	}
}
