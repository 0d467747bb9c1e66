package tirpass_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// quantization is a function that quantizes n numbers: X to integers in Y.
func quantization(t *testing.T, n int, value string) *tir.PrimFunc {
	t.Helper()
	return parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(X: T.Buffer((%[1]d,), "float32"), Y: T.Buffer((%[1]d,), "int32")):
    for i in range(%[1]d):
        Y[i] = T.Cast("int32", %[2]s)`, n, value))
}

// middles are numbers next to those whose quotient by c is in the middle between two integers, and the others for which quotients are special.
func middles(c float32, r *rand.Rand) []float32 {
	inf := float32(math.Inf(1))
	list := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, c, -c}
	for k := -300; k <= 300; k++ {
		x := float32((float64(k) + 0.5) * float64(c))
		list = append(list, x, math.Nextafter32(x, inf), math.Nextafter32(x, -inf), float32(float64(k)*float64(c)*(1+1e-3*r.Float64())))
	}
	return list
}

// TestContractQuotient quantizes by random scales: integers are the same to the last, whatever is quantized.
func TestContractQuotient(t *testing.T) {
	opt, changed, all := fusing(t), 0, 0
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		all++
		c := float32(math.Exp2(40*r.Float64() - 20))
		switch r.IntN(4) {
		case 0:
			c = []float32{1, 0.5, 0.25, 3, 6. / 255, 8. / 255, 1. / 3, 1. / 255}[r.IntN(8)]
		case 1: // few bits, so that quotients lie in the middle
			c = float32(1+r.IntN(64)) / 64
		}
		zero, lo, hi := r.IntN(256), 0, 255
		if r.IntN(2) == 0 {
			zero, lo, hi = zero-128, -128, 127
		}
		x := "X[i]"
		at := func(k int) string { return fmt.Sprintf("T.float32(%v)", float64(float32(k)*c)) }
		switch r.IntN(5) {
		case 0:
			x = "T.max(X[i], T.float32(0))"
		case 1:
			x = "T.max(T.min(X[i], " + at(r.IntN(400)) + "), " + at(-r.IntN(400)) + ")"
		case 2:
			x = "T.min(T.max(X[i], " + at(-r.IntN(400)) + "), " + at(r.IntN(400)) + ")"
		case 3:
			x = "T.min(X[i], " + at(r.IntN(600)-300) + ")"
		}
		q := fmt.Sprintf("T.nearbyint(%s / T.float32(%v))", x, float64(c))
		if zero != 0 {
			q += fmt.Sprintf(" + T.float32(%d)", zero)
		}
		value := fmt.Sprintf("T.max(T.min(%s, T.float32(%d)), T.float32(%d))", q, hi, lo)
		if r.IntN(2) == 0 {
			value = fmt.Sprintf("T.min(T.max(%s, T.float32(%d)), T.float32(%d))", q, lo, hi)
		}
		data := middles(c, r)
		f := quantization(t, len(data), value)
		out, err := passtest.NewContext(opt).Run(tirpass.ContractFMA, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		g := funcOf(out)
		if g == f {
			return
		}
		changed++
		wellFormed(t, "tir.ContractFMA", g)
		run := func(f *tir.PrimFunc) *tensor.Tensor {
			y := tensor.MustNew(dtype.Int32T, int64(len(data)))
			if err := interp.Run(context.Background(), f, []any{tensor.MustOf([]int64{int64(len(data))}, data), y}, &interp.Options{MaxSteps: math.MaxInt64}); err != nil {
				t.Fatal(err)
			}
			return y
		}
		want, got := run(f), run(g)
		for i := range data {
			if want.Float(i) != got.Float(i) {
				t.Fatalf("%v is quantized to %v by %v, want %v\n%s", data[i], got.Float(i), c, want.Float(i), print(g))
			}
		}
	})
	if 3*changed < 2*all {
		t.Errorf("%d of %d quotients became products", changed, all)
	}
}

// TestContractQuotientStays lists what remains a quotient.
func TestContractQuotientStays(t *testing.T) {
	for name, value := range map[string]string{
		"no limits":           "T.nearbyint(X[i] / T.float32(3))",
		"one limit":           "T.min(T.nearbyint(X[i] / T.float32(3)), T.float32(255))",
		"limits of fractions": "T.max(T.min(T.nearbyint(X[i] / T.float32(3)), T.float32(2.5)), T.float32(0))",
		"limits in no order":  "T.max(T.min(T.nearbyint(X[i] / T.float32(3)), T.float32(0)), T.float32(255))",
		"many integers":       "T.max(T.min(T.nearbyint(X[i] / T.float32(3)), T.float32(65535)), T.float32(0))",
		"not rounded":         "T.max(T.min(X[i] / T.float32(3), T.float32(255)), T.float32(0))",
		"a negative divisor":  "T.max(T.min(T.nearbyint(X[i] / T.float32(-3)), T.float32(255)), T.float32(0))",
		"a tiny divisor":      "T.max(T.min(T.nearbyint(X[i] / T.float32(1e-30)), T.float32(255)), T.float32(0))",
		"no constant":         "T.max(T.min(T.nearbyint(X[i] / X[i + 1]), T.float32(255)), T.float32(0))",
		"no whole zero":       "T.max(T.min(T.nearbyint(X[i] / T.float32(3)) + T.float32(0.5), T.float32(255)), T.float32(0))",
	} {
		f := quantization(t, 16, value)
		out, err := passtest.NewContext(fusing(t)).Run(tirpass.ContractFMA, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		if text := print(funcOf(out)); strings.Contains(text, "T.fma") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
