package libm_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

const digits = 400 // of numbers in base 2

func number(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// bigPi is pi by Machin's formula.
func bigPi() *big.Float {
	arctan := func(n float64) *big.Float { // of 1/n
		sum, power := number(0), new(big.Float).Quo(number(1), number(n))
		square := number(n * n)
		for k := 1.0; k < digits; k += 2 {
			term := new(big.Float).Quo(power, number(k))
			if int(k)%4 == 3 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Quo(power, square)
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	return new(big.Float).Sub(a.Mul(a, number(16)), b.Mul(b, number(4)))
}

// TestTrigOfAllMagnitudes compares sin, cos and tan of random numbers of all exponents with what many digits of pi give.
func TestTrigOfAllMagnitudes(t *testing.T) {
	n := 1 << 20
	if testing.Short() {
		n = 1 << 14
	}
	r := seed.Rand(t)
	x := make([]float32, n)
	for i := range x {
		x[i] = math.Float32frombits(r.Uint32())
	}
	// Those that are nearest to a multiple of pi/2: 16367173 * 2^72, and multiples of pi/2 rounded.
	copy(x, []float32{16367173 * 0x1p72, -16367173 * 0x1p72, 0x1.921fb6p0, 0x1.921fb6p1, 0x1p20, 0x1.000002p20, math.MaxFloat32, -math.MaxFloat32, 0x1p-149, -0x1p-149, float32(math.Copysign(0, -1)), 0})
	pi := bigPi()
	quarter := new(big.Float).Quo(pi, number(2))
	turns := new(big.Float).Quo(number(2), pi)
	want := map[string][]float64{"sin": make([]float64, n), "cos": make([]float64, n), "tan": make([]float64, n)}
	q, whole, rest := number(0), new(big.Int), number(0)
	for i, v := range x {
		s, c := math.NaN(), math.NaN()
		if a := math.Abs(float64(v)); a <= math.MaxFloat32 {
			q.Mul(number(a), turns)
			rest.Add(q, number(0.5)).Int(whole)
			rest.Sub(q, rest.SetInt(whole))
			angle, _ := rest.Mul(rest, quarter).Float64()
			s, c = math.Sin(angle), math.Cos(angle)
			for range new(big.Int).And(whole, big.NewInt(3)).Int64() {
				s, c = c, -s
			}
			s = math.Copysign(1, float64(v)) * s
		}
		want["sin"][i], want["cos"][i], want["tan"][i] = s, c, s/c
	}
	for _, c := range libmtest.Cases() {
		exact, ok := want[c.Name]
		if !ok {
			continue
		}
		f := expand(t, c, libmtest.Function(c, dtype.Float32T, int64(n), 1))
		worst := 0.0
		for i, got := range evaluate(t, f, [][]float32{x}) {
			if got != got || exact[i] != exact[i] {
				if got == got || exact[i] == exact[i] {
					t.Fatalf("%s(%g) is %g, want %g", c.Name, x[i], got, exact[i])
				}
				continue
			}
			if got == 0 && math.Signbit(float64(got)) != math.Signbit(exact[i]) {
				t.Fatalf("%s(%g) is %g, want %g", c.Name, x[i], got, exact[i])
			}
			if worst = max(worst, libmtest.ULPs(got, exact[i])); worst > c.Func.ULP {
				t.Fatalf("%s(%g) is %g, want %g: %.3f ulp off, stated are %g", c.Name, x[i], got, exact[i], worst, c.Func.ULP)
			}
		}
		t.Logf("%s: at most %.4f ulp off", c.Name, worst)
	}
}
