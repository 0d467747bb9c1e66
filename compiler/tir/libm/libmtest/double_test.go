package libmtest

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// doubles are n arguments in float64 for a function that is interesting from lo to hi: edges with their neighbors, all exponents, and the interval.
func doubles(lo, hi float64, n int) []float64 {
	var out []float64
	for _, e := range append([]float64{
		0, 0x1p-1074, 0x1p-1022, 0x1p-1000, 0x1p-54, 0x1p-53, 0x1p-27, 0.625, math.Sqrt2, math.Sqrt2 / 2, 22, 44, 88, 700, 709.782712893384, 708.4, 745.13, 745.14, 746, 1e300, math.MaxFloat64, math.Inf(1), math.NaN(),
	}, edges...) {
		for _, x := range []float64{e, -e} {
			out = append(out, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		out = append(out, math.Float64frombits(r.Uint64()), lo+(hi-lo)*r.Float64())
	}
	return out
}

// ofDoubles runs the definition of a function on float64 arguments in the interpreter.
func ofDoubles(t *testing.T, c Case, x []float64, p ...*pass.Pass) []float64 {
	t.Helper()
	tgt, err := target.Parse("x86 -mattr=+avx2,+fma")
	if err != nil {
		t.Fatal(err)
	}
	m := ir.NewModule().With("kernel", Function(c, dtype.Float64T, int64(len(x)), 1))
	for _, p := range p {
		if m, err = p.Run(passtest.NewContext(pass.WithTarget(tgt)), m); err != nil {
			t.Fatal(err)
		}
	}
	f := m.Lookup("kernel").(*tir.PrimFunc)
	ir.Walk(f.Body, func(n ir.Node) bool {
		if call, ok := n.(*tir.Call); ok && call.Op == tir.LookupBuiltin("tir."+c.Func.Name).Op && c.Func.Name != "fma" {
			t.Errorf("%s is still called", c.Name)
		}
		return true
	})
	out := tensor.MustNew(dtype.Float64T, int64(len(x)))
	if err := interp.Run(context.Background(), f, []any{tensor.MustOf([]int64{int64(len(x))}, x), out}, &interp.Options{MaxSteps: math.MaxInt64}); err != nil {
		t.Fatal(err)
	}
	got := make([]float64, len(x))
	for i := range got {
		got[i] = out.Float(i)
	}
	return got
}

// doubleULPs is the distance of got from the exact value want in units in the last place of float64, where infinity counts as 2^1024.
func doubleULPs(got float64, want *big.Float) float64 {
	if math.IsInf(got, 0) {
		return unitsApart(shift(num(math.Copysign(1, got)), 1024), want)
	}
	return unitsApart(num(got), want)
}

func unitsApart(got, want *big.Float) float64 {
	if want.MantExp(nil) > 1024 {
		want = shift(num(float64(want.Sign())), 1024)
	}
	e := max(min(want.MantExp(nil), 1024)-53, -1074)
	if want.Sign() == 0 {
		e = -1074
	}
	d, _ := shift(sub(got, want), -e).Float64()
	return math.Abs(d)
}

// specialDouble is the value of a function where it is not to be computed: of what is no finite number, outside of its domain, and far beyond where it reaches its limits.
func specialDouble(name string, x float64) (y float64, is bool) {
	far := func(below, above float64) (float64, bool) {
		switch {
		case x < -800:
			return below, true
		case x > 800:
			return above, true
		}
		return 0, false
	}
	switch {
	case x != x:
		return x, true
	case strings.HasPrefix(name, "pow "):
		return 0, false
	case name == "exp":
		return far(0, math.Inf(1))
	case name == "tanh":
		return far(-1, 1)
	case name == "sigmoid":
		return far(0, 1)
	case x < 0:
		return math.NaN(), true
	case x == 0 && name == "log":
		return math.Inf(-1), true
	case x == 0:
		return 1 / x, true
	case math.IsInf(x, 1) && name == "rsqrt":
		return 0, true
	}
	return x, math.IsInf(x, 1)
}

// bigPow is the power with an exponent that is a multiple of 1/4.
func bigPow(t *testing.T, exponent string) func(x *big.Float) *big.Float {
	t.Helper()
	k, err := strconv.ParseFloat(exponent, 64)
	if err != nil {
		t.Fatal(err)
	}
	return func(x *big.Float) *big.Float {
		root := new(big.Float).SetPrec(prec).Sqrt(new(big.Float).SetPrec(prec).Sqrt(x))
		out := num(1)
		for range int(math.Abs(4 * k)) {
			out = mul(out, root)
		}
		if k < 0 {
			return quo(num(1), out)
		}
		return out
	}
}

// TestDoubles holds the definitions in float64, with and without products fused with sums, against their stated bounds.
func TestDoubles(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 300
	}
	for _, c := range Cases() {
		f, at := bigReferences[c.Name], references[c.Name]
		if k, ok := strings.CutPrefix(c.Name, "pow "); ok {
			f, at = bigPow(t, k), reference{lo: 0x1p-20, hi: 6}
		}
		if !c.Func.Double || f == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			x := doubles(at.lo, at.hi, n)
			if strings.HasPrefix(c.Name, "pow ") { // the powers of others are subnormal, infinite or of numbers below 0
				x = slices.DeleteFunc(x, func(a float64) bool { return !(a > 0x1p-200 && a < 0x1p200) })
			}
			results := map[string][]float64{"plain": ofDoubles(t, c, x, tirpass.LowerMath), "fused": ofDoubles(t, c, x, tirpass.LowerMath, tirpass.ContractFMA)}
			worst := 0.0
			for kind, got := range results {
				for i, a := range x {
					if want, ok := specialDouble(c.Name, a); ok {
						if got[i] != want && (got[i] == got[i] || want == want) {
							t.Errorf("%s %s(%g) is %g, want %g", kind, c.Name, a, got[i], want)
						}
						continue
					}
					want := f(num(a))
					u := doubleULPs(got[i], want)
					if c.Name == "sigmoid" && a < -708 { // e^-x overflows
						continue
					}
					if u > c.Func.DoubleULP || u != u {
						t.Fatalf("%s %s(%g) is %g, want %.20g: %.3f ulp off, stated are %g", kind, c.Name, a, got[i], want, u, c.Func.DoubleULP)
					}
					worst = max(worst, u)
				}
			}
			t.Logf("%.3f ulp", worst)
			if worst < 0.6*c.Func.DoubleULP && c.Func.Name != "pow" && !testing.Short() {
				t.Errorf("the largest error found is %.3f ulp, so that a bound of %g says little", worst, c.Func.DoubleULP)
			}
		})
	}
}
