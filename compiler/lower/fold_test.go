package lower_test

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/lower"
)

var interesting = []int64{0, 1, -1, 2, 3, 5, 7, 8, 31, 32, 33, 100, -100, 255, 256, math.MaxInt32, math.MinInt32, math.MaxInt32 - 1, 1 << 30, -(1 << 30)}

// TestFolding folds every function of constants, and of a constant and a value, to what the plain
// function computes.
func TestFolding(t *testing.T) {
	values := append([]int64{math.MaxInt64, math.MinInt64, 1 << 40}, interesting...)
	for fn := lower.Add; fn <= lower.GeU; fn++ {
		for _, bits := range []int{32, 64} {
			for _, x := range values {
				for _, y := range values {
					if bits == 32 {
						x, y = int64(int32(x)), int64(int32(y))
					}
					divides := fn >= lower.DivS && fn <= lower.RemU
					if divides && y == 0 || (fn == lower.DivS || fn == lower.RemS) && y == -1 {
						continue
					}
					args := [3]int64{x, y}
					want := integer(fn, bits == 64, args, nil)
					for form := range 3 { // both constant, the first, the second
						g, root := newBuilder(32, 0)
						regs := map[lower.Reg]int64{}
						operand := func(v int64, constant bool) *lower.Node {
							if constant {
								return g.Int(bits, v)
							}
							n, r := g.param(g.Machine.Int(bits), false)
							regs[r] = v
							return n
						}
						a := operand(x, form != 2)
						ops := []*lower.Node{a}
						if fn != lower.Eqz {
							ops = append(ops, operand(y, form != 1))
						}
						n := g.Fn(fn, ops...)
						unsigned := fn == lower.DivU || fn == lower.RemU
						if form == 0 && !n.IsConst() && !unsigned {
							t.Fatalf("function %d of constants is not folded", fn)
						}
						if got, _ := g.result(root, n, regs); got != want {
							t.Fatalf("function %d of %d bits on %d and %d, form %d: %d, want %d", fn, bits, x, y, form, got, want)
						}
					}
				}
			}
		}
	}
	g, _ := newBuilder(32, 0)
	if v, ok := g.Op(opFold, 0, 0, g.Int(32, 5)).Int(); !ok || v != -5 {
		t.Errorf("the target's own folding gave %d, %v", v, ok)
	}
	x, _ := g.param(i64, false)
	if n := g.Op(g.Machine.Op(lower.Wrap, 64), 0, 0, g.Op(g.Machine.Op(lower.ExtendS, 32), 0, 0, g.Int(32, -3))); !n.IsConst() {
		t.Error("the wrapped extension of a constant is not one")
	}
	narrow := g.Op(g.Machine.Op(lower.Wrap, 64), 0, 0, x)
	if again := g.Op(g.Machine.Op(lower.Wrap, 64), 0, 0, g.Op(g.Machine.Op(lower.ExtendU, 32), 0, 0, narrow)); again != narrow {
		t.Error("wrapping what was extended is not what was there before")
	}
}

// TestTrapsAreNotFolded keeps divisions that have no result.
func TestTrapsAreNotFolded(t *testing.T) {
	g, _ := newBuilder(32, 0)
	for _, c := range [][2]int64{{5, 0}, {math.MinInt32, -1}} {
		if n := g.Fn(lower.DivS, g.Int(32, c[0]), g.Int(32, c[1])); n.IsConst() {
			t.Errorf("%d / %d is folded", c[0], c[1])
		}
	}
}
