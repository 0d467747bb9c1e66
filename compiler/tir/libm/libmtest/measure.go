package libmtest

import (
	"math"
	"testing"
)

// Worst is the largest error that was found, in units in the last place, and where.
type Worst struct {
	ULP       float64
	X         float32
	Got, Want float64
}

// ULPs is the distance of got from the exact value want in units in the last place of float32.
// Infinity counts as 2^128, the number after the largest: so a result that overflows just too
// early is off by a little.
func ULPs(got float32, want float64) float64 {
	if want != want || got != got {
		if want != want && got != got {
			return 0
		}
		return math.Inf(1)
	}
	finite := func(x float64) float64 {
		return math.Copysign(math.Min(math.Abs(x), 0x1p128), x)
	}
	w := finite(want)
	_, e := math.Frexp(w)
	unit := math.Ldexp(1, max(min(e, 128)-24, -149))
	return math.Abs(finite(float64(got))-w) / unit
}

// Measure returns the largest error of results for arguments within the interval for which
// the bound of c is stated.
func Measure(c Case, x [][]float32, got []float32) Worst {
	var worst Worst
	args := make([]float64, len(x))
	for i := range got {
		within := true
		for k := range x {
			args[k] = float64(x[k][i])
		}
		want := c.Exact(args)
		if a := args[0]; c.Args == 1 && want == want && !math.IsInf(a, 0) {
			within = a >= c.Func.Lo && a <= c.Func.Hi && math.Abs(a) >= c.least
		}
		if c.Args == 3 {
			p := args[0] * args[1]
			within = math.Abs(want) >= math.Max(math.Abs(p), math.Abs(args[2])) && math.Abs(p) > 0x1p-100 && math.Abs(p) < 0x1p127
		}
		if !within {
			continue
		}
		if u := ULPs(got[i], want); u > worst.ULP || u != u {
			worst = Worst{u, x[0][i], float64(got[i]), want}
		}
	}
	return worst
}

// Check fails where results are further off than package libm states.
func Check(t testing.TB, c Case, x [][]float32, got []float32) Worst {
	t.Helper()
	w := Measure(c, x, got)
	if w.ULP > c.Func.ULP {
		t.Errorf("%s(%g) is %g, want %g: %.3f ulp off, stated are %g", c.Name, w.X, w.Got, w.Want, w.ULP, c.Func.ULP)
	}
	return w
}

// Same returns the first element in which two results differ in their bits, -1 if there is none. All
// NaNs are the same.
func Same(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
			return i
		}
	}
	return -1
}
