package tirpass_test

import (
	"context"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

func mathCases() []goldenCase {
	a, b := floats("A", 16), floats("B", 16)
	i := index("i")
	at := &tir.Ramp{Start: mul(i, n(4)), Stride: n(1), Lanes: 4}
	vector := func(op *ir.Op) *tir.PrimFunc {
		return fn(loop(i, 4, store(b, tir.NewCall(op, load(a, at)), at)), a, b)
	}
	x := load(a, i)
	return []goldenCase{
		{name: "exp", f: fn(loop(i, 16, store(b, tir.NewCall(tir.OpExp, x), i)), a, b)},
		{name: "exp of vectors", f: vector(tir.OpExp)},
		{name: "tanh of vectors", f: vector(tir.OpTanh)},
		{name: "sin", f: fn(loop(i, 16, store(b, tir.NewCall(tir.OpSin, x), i)), a, b)},
		{name: "sin of vectors", f: vector(tir.OpSin)},
	}
}

const mathHeader = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), H: T.Buffer((16,), "float16"), D: T.Buffer((16,), "float64")):`

// TestLowerMathPairs has short definitions: where what they use twice is bound, and what stays.
func TestLowerMathPairs(t *testing.T) {
	checkPairs(t, tirpass.LowerMath, mathHeader, []pair{
		{name: "what wasm computes", before: `
    for i in range(16):
        B[i] = T.sqrt(A[i]) + T.floor(A[i]) + T.ceil(A[i]) + T.trunc(A[i]) + T.nearbyint(A[i]) + T.fabs(A[i]) + T.copysign(A[i], B[i])`},
		{name: "what the runtime computes", before: `
    for i in range(16):
        B[i] = T.pow(A[i], B[i]) + T.pow(A[i], T.float32(0.6)) + T.atan2(A[i], B[i]) + T.asin(A[i])
        D[i] = T.erf(D[i]) + T.pow(D[i], T.float64(0.6))`},
		{name: "no binding", before: `
    for i in range(16):
        B[i] = T.rsqrt(A[i])`, after: `
    for i in range(16):
        B[i] = T.float32(1.0) / T.sqrt(A[i])`},
		{name: "bound before its statement", before: `
    for i in range(16):
        B[i] = T.pow(A[i] + T.float32(1.0), T.float32(2.0))`, after: `
    for i in range(16):
        x: T.float32 = A[i] + T.float32(1.0)
        B[i] = x * x`},
		{name: "the rest of a sequence stands inside", before: `
    for i in range(16):
        A[i] = B[i]
        B[i] = T.pow(A[i], T.float32(2.0))
        A[i] = B[i]
        B[i] = T.pow(A[i], T.float32(3.0))
        A[i] = B[i]`, after: `
    for i in range(16):
        A[i] = B[i]
        x: T.float32 = A[i]
        B[i] = x * x
        A[i] = B[i]
        x_1: T.float32 = A[i]
        B[i] = x_1 * x_1 * x_1
        A[i] = B[i]`},
		{name: "value of a binding", before: `
    for i in range(16):
        v: T.float32 = T.pow(A[i], T.float32(2.0))
        B[i] = v`, after: `
    for i in range(16):
        x: T.float32 = A[i]
        v: T.float32 = x * x
        B[i] = v`},
		{name: "call in a call", before: `
    for i in range(16):
        B[i] = T.pow(T.pow(A[i], T.float32(2.0)), T.float32(3.0))`, after: `
    for i in range(16):
        x: T.float32 = A[i]
        x_1: T.float32 = x * x
        B[i] = x_1 * x_1 * x_1`},
		{name: "guarded values stay guarded", before: `
    for i in range(16):
        B[i] = T.if_then_else(i < 8, T.pow(A[i + 8], T.float32(2.0)), T.float32(0.0))`, after: `
    for i in range(16):
        B[i] = T.if_then_else(i < 8, T.Let(x * x, where={x: A[i + 8]}), T.float32(0.0))`},
		{name: "branches of a select", before: `
    for i in range(16):
        B[i] = T.Select(T.float32(0.0) < A[i], T.pow(A[i], T.float32(2.0)), T.float32(0.0))`, after: `
    for i in range(16):
        B[i] = T.Select(T.float32(0.0) < A[i], T.Let(x * x, where={x: A[i]}), T.float32(0.0))`},
		{name: "float16 by way of float32", before: `
    for i in range(16):
        H[i] = T.rsqrt(H[i])`, after: `
    for i in range(16):
        H[i] = T.Cast("float16", T.float32(1.0) / T.sqrt(T.Cast("float32", H[i])))`},
		{name: "float64", before: `
    for i in range(16):
        D[i] = T.rsqrt(D[i]) + T.fma(D[i], D[i], D[i])`, after: `
    for i in range(16):
        D[i] = T.float64(1.0) / T.sqrt(D[i]) + (D[i] * D[i] + D[i])`},
	})
}

// TestLowerMathAsksTheTarget leaves what the target of the function, or else of the run, has.
func TestLowerMathAsksTheTarget(t *testing.T) {
	kind := target.Kinds()[0]
	for _, name := range kind.Math {
		if tir.LookupBuiltin("tir."+name) == nil {
			t.Errorf("target %s computes %q, which is not an intrinsic", kind.Name, name)
		}
	}
	if kind.HasMath("exp") || !kind.HasMath("sqrt") {
		t.Errorf("target %s computes %v", kind.Name, kind.Math)
	}
	f := parseFunc(t, mathHeader+`
    for i in range(16):
        B[i] = T.rsqrt(A[i])`)
	c, err := pass.NewContext(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Run(tirpass.LowerMath, moduleOf(f)) // without a target
	if err != nil {
		t.Fatal(err)
	}
	if funcOf(out) == f {
		t.Error("without a target nothing is replaced")
	}
}

// TestLowerMathScales leaves products with powers of two to a target that has an instruction for them, with a number for the exponent, whatever it was.
func TestLowerMathScales(t *testing.T) {
	f := parseFunc(t, mathHeader+`
    for i in range(16):
        B[i] = T.exp(A[i]) + T.ldexp(A[i], i) + T.ldexp(A[i], B[i])`)
	for features, want := range map[string]int{"+avx2": 0, "+avx512f": 3} {
		tgt, err := target.Parse("x86 -mattr=" + features)
		if err != nil {
			t.Fatal(err)
		}
		out, err := tirpass.LowerMath.Run(passtest.NewContext(pass.WithTarget(tgt)), moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		ir.Walk(funcOf(out).Body, func(n ir.Node) bool {
			if c, ok := n.(*tir.Call); ok && c.Op == tir.OpLdexp {
				if calls++; !c.Args[1].DType().IsFloat() {
					t.Errorf("%s: the exponent of %v is no number", features, c)
				}
			}
			return true
		})
		if calls != want {
			t.Errorf("%s: %d products with powers of two, want %d", features, calls, want)
		}
	}
}

// TestLowerMathKeepsAccuracy runs what the pass makes, scalar and in vectors, in the interpreter: the
// results are the same bits, within the stated bounds.
func TestLowerMathKeepsAccuracy(t *testing.T) {
	n := 1 << 13
	if testing.Short() {
		n = 1 << 10
	}
	for _, c := range libmtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			x := libmtest.Samples(c, n)
			var first []float32
			for _, lanes := range []int{1, 4, 8} {
				f := funcOf(mustApply(t, tirpass.LowerMath, libmtest.Function(c, dtype.Float32T, int64(len(x[0])), lanes)))
				got := float32s(t, f, x)
				libmtest.Check(t, c, x, got)
				if first == nil {
					first = got
				} else if i := libmtest.Same(got, first); i >= 0 {
					t.Fatalf("%d lanes: %s(%g) is %g, as a scalar %g", lanes, c.Name, x[0][i], got[i], first[i])
				}
			}
		})
	}
}

func mustApply(t *testing.T, p *pass.Pass, f *tir.PrimFunc) *ir.Module {
	t.Helper()
	return moduleOf(apply(t, passtest.NewContext(), p, f))
}

// float32s runs a kernel on float32 arguments and returns its last buffer.
func float32s(t *testing.T, f *tir.PrimFunc, x [][]float32) []float32 {
	t.Helper()
	var args []any
	for _, xs := range x {
		args = append(args, tensor.MustOf([]int64{int64(len(xs))}, xs))
	}
	out := tensor.MustNew(dtype.Float32T, int64(len(x[0])))
	if err := interp.Run(context.Background(), f, append(args, out), &interp.Options{MaxSteps: math.MaxInt64}); err != nil {
		t.Fatal(err)
	}
	got := make([]float32, len(x[0]))
	for i := range got {
		got[i] = float32(out.Float(i))
	}
	return got
}
