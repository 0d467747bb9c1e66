package lower_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestDivision divides by constants and by values, of both widths, with all roundings and signs.
func TestDivision(t *testing.T) {
	divisors := []int64{1, 2, 3, 5, 6, 7, 9, 10, 11, 49, 64, 100, 641, 65535, 65537, 1<<30 + 1, math.MaxInt32, -1, -2, -7, -64}
	seed.Each(t, 2, func(t *testing.T, r *rand.Rand) {
		values := append([]int64{}, interesting...)
		for range 10 {
			values = append(values, int64(int32(r.Uint32())))
		}
		for _, bits := range []int{32, 64} {
			for _, y := range divisors {
				for _, constant := range []bool{true, false} {
					most := math.MaxInt32 / y * y // where a reciprocal that is a little off shows
					for _, x := range append(values, most, most-1, most-y-1, most-y) {
						if bits == 64 && r.IntN(2) == 0 {
							x *= 1 << 20
						}
						if bits == 32 {
							x = int64(int32(x))
						}
						for k := range 8 {
							d := lower.Division{Floor: k&1 > 0, Rest: k&2 > 0, Signed: true}
							nonneg := k&4 > 0 && x >= 0
							if !checkDivision(t, d, bits, x, y, constant, nonneg) {
								return
							}
						}
						if x >= 0 && y > 0 {
							for k := range 2 {
								if !checkDivision(t, lower.Division{Rest: k > 0}, bits, x, y, constant, false) {
									return
								}
							}
						}
					}
				}
			}
		}
	})
}

func checkDivision(t *testing.T, d lower.Division, bits int, x, y int64, constant, nonneg bool) bool {
	t.Helper()
	g, root := newBuilder(32, 0)
	g.Machine.DivOverflows = x&1 == 0
	a, ra := g.param(g.Machine.Int(bits), nonneg)
	regs := map[lower.Reg]int64{ra: x}
	b := g.Int(bits, y)
	if !constant {
		var rb lower.Reg
		b, rb = g.param(g.Machine.Int(bits), false)
		regs[rb] = y
	}
	want := x / y
	switch {
	case d.Floor && d.Rest:
		want = tir.FloorModInt(x, y)
	case d.Floor:
		want = tir.FloorDivInt(x, y)
	case d.Rest:
		want = x % y
	}
	if bits == 32 {
		want = int64(int32(want))
	}
	got, s := g.result(root, g.Divide(d, a, b), regs)
	if got != want {
		t.Errorf("%+v of %d bits, %d by %d, constant %v, nonneg %v: %d, want %d", d, bits, x, y, constant, nonneg, got, want)
		return false
	}
	if constant && y > 0 && bits == 32 && (d.Floor || nonneg) && s.count[lower.Op(lower.DivS)]+s.count[lower.Op(lower.DivU)]+s.count[lower.Op(lower.RemS)] > 0 {
		t.Errorf("%+v by %d takes a division", d, y)
		return false
	}
	return true
}
