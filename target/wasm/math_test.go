package wasm_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target/wasm"
)

// TestMathAccuracy holds the definitions of tir.LowerMath as generated code, scalar and in vectors,
// against their stated bounds, and to the bits that the interpreter computes from the same text.
func TestMathAccuracy(t *testing.T) {
	n := 1 << 16
	if testing.Short() {
		n = 1 << 12
	}
	for _, c := range libmtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			x := libmtest.Samples(c, n)
			size := int64(len(x[0]))
			args := func() []any {
				var out []any
				for _, xs := range x {
					out = append(out, tensor.MustOf([]int64{size}, xs))
				}
				return append(out, tensor.MustNew(dtype.Float32T, size))
			}
			values := func(args []any) []float32 {
				last, out := args[len(args)-1].(*tensor.Tensor), make([]float32, size)
				for i := range out {
					out[i] = float32(last.Float(i))
				}
				return out
			}
			for _, lanes := range []int{1, 2, 4, 8} {
				f := libmtest.Function(c, dtype.Float32T, size, lanes)
				lowered, err := tirpass.LowerMath.Run(newContext(t), ir.NewModule().With("kernel", f))
				if err != nil {
					t.Fatal(err)
				}
				want := args()
				if err := interp.Run(context.Background(), lowered.Lookup("kernel").(*tir.PrimFunc), want, &interp.Options{MaxSteps: math.MaxInt64}); err != nil {
					t.Fatal(err)
				}
				_, mod, d := load(t, pack(t, f), mustTarget("wasm"))
				out := args()
				if err := runWasm(t, mod, d, out); err != nil {
					t.Fatal(err)
				}
				got := values(out)
				libmtest.Check(t, c, x, got)
				if i := libmtest.Same(got, values(want)); i >= 0 {
					t.Errorf("%d lanes: %s(%g) is %g, in the interpreter %g", lanes, c.Name, x[0][i], got[i], values(want)[i])
				}
			}
		})
	}
}

// TestMathDoubles compares the definitions in float64 as generated code with the interpreter, bit for bit.
func TestMathDoubles(t *testing.T) {
	for _, c := range libmtest.Cases() {
		if !c.Func.Double || c.Args > 1 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			var x []float64
			for i, v := range libmtest.Samples(c, 1<<10)[0] {
				x = append(x, math.Ldexp(float64(v)*(1+0x1p-40*float64(i%7)), i%3*(i%21-10)*10))
			}
			size := int64(len(x))
			args := func() []any { return []any{tensor.MustOf([]int64{size}, x), tensor.MustNew(dtype.Float64T, size)} }
			for _, lanes := range []int{1, 2, 4} {
				f := libmtest.Function(c, dtype.Float64T, size, lanes)
				lowered, err := tirpass.LowerMath.Run(newContext(t), ir.NewModule().With("kernel", f))
				if err != nil {
					t.Fatal(err)
				}
				want, got := args(), args()
				if err := interp.Run(context.Background(), lowered.Lookup("kernel").(*tir.PrimFunc), want, &interp.Options{MaxSteps: math.MaxInt64}); err != nil {
					t.Fatal(err)
				}
				_, mod, d := load(t, pack(t, f), mustTarget("wasm"))
				if err := runWasm(t, mod, d, got); err != nil {
					t.Fatal(err)
				}
				for i := range x {
					a, b := got[1].(*tensor.Tensor).Float(i), want[1].(*tensor.Tensor).Float(i)
					if math.Float64bits(a) != math.Float64bits(b) && (a == a || b == b) {
						t.Fatalf("%d lanes: %s(%g) is %g, in the interpreter %g", lanes, c.Name, x[i], a, b)
					}
				}
			}
		})
	}
}

// TestMathInstructions compares the intrinsics that wasm or the host computes with the interpreter, bit
// for bit, with special values among the arguments.
func TestMathInstructions(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -1e-40, 1e38, -1e38, 2.5, -2.5, 3.5, 1.5}
	const n = 512
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T, dtype.Float16T} {
		in := tensor.MustNew(d, n)
		for i := range n {
			in.SetFloat(i, float64(i-n/2)/16)
		}
		for i, x := range special {
			in.SetFloat(i, x)
		}
		for _, op := range []string{"sqrt", "floor", "ceil", "trunc", "nearbyint", "fabs", "asin", "sinh", "atan"} {
			for _, lanes := range []int{1, 8} {
				f := unary("tir."+op, d, n, lanes)
				want := []any{in.Clone(), in.Clone()}
				if err := interp.Run(context.Background(), f, want, nil); err != nil {
					t.Fatal(err)
				}
				out := runUnary(t, "tir."+op, lanes, in)
				if i := differ(out, want[1].(*tensor.Tensor), 0); i >= 0 {
					t.Errorf("%s of %s, %d lanes: %s(%g) is %g, want %g", op, d, lanes, op, in.Float(i), out.Float(i), want[1].(*tensor.Tensor).Float(i))
				}
			}
		}
	}
}

// TestMathWithoutLowering computes what the host has by the host and refuses the rest by name.
func TestMathWithoutLowering(t *testing.T) {
	in := tensor.MustOf([]int64{4}, []float32{-1, 0, 0.5, 3})
	_, mod, d := load(t, packed(t, unary("tir.exp", dtype.Float32T, 4, 4)), mustTarget("wasm"))
	out := in.Clone()
	if err := runWasm(t, mod, d, []any{in.Clone(), out}); err != nil {
		t.Fatal(err)
	}
	for i := range in.Len() {
		if got, want := float32(out.Float(i)), float32(math.Exp(in.Float(i))); got != want {
			t.Errorf("exp(%g) is %g, want %g", in.Float(i), got, want)
		}
	}
	_, err := wasm.Build(context.Background(), packed(t, unary("tir.sigmoid", dtype.Float32T, 4, 4)), mustTarget("wasm"))
	if err == nil || !strings.Contains(err.Error(), "run tir.LowerMath first") {
		t.Errorf("sigmoid: %v", err)
	}
}

// TestAllLanesAreTestedAtOnce looks for the test of whether sin must reduce an argument with many digits of pi.
func TestAllLanesAreTestedAtOnce(t *testing.T) {
	lib, _, _ := load(t, pack(t, unary("tir.sin", dtype.Float32T, 8, 8)), mustTarget("wasm"))
	text := lib.Kernels[0].Text()
	if n := strings.Count(text, "i32x4.all_true"); n != 2 || strings.Contains(text, "i32x4.extract_lane") {
		t.Errorf("%d tests of all lanes, want one for each vector\n%s", n, text)
	}
}

// unary applies an intrinsic to all elements.
func unary(op string, d dtype.DType, n int64, lanes int) *tir.PrimFunc {
	a, b := flat("A", d, n), flat("B", d, n)
	i := i32var("i")
	at := tir.Expr(i)
	if lanes > 1 {
		at = ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)
	}
	return primFunc("unary", []any{a, b}, forLoop(i, tir.Int32(n/int64(lanes)),
		tir.Store(b, tir.NewCall(tir.LookupBuiltin(op).Op, tir.Load(a, at)), at)))
}

// runUnary applies an intrinsic to all elements in generated code.
func runUnary(t *testing.T, op string, lanes int, in *tensor.Tensor) *tensor.Tensor {
	t.Helper()
	_, mod, d := load(t, pack(t, unary(op, in.DType, int64(in.Len()), lanes)), mustTarget("wasm"))
	out := in.Clone()
	if err := runWasm(t, mod, d, []any{in.Clone(), out}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestMathOfOtherTypes runs float64, which goes to the host, float16, which goes by way of
// float32, and functions of two arguments, against the interpreter.
func TestMathOfOtherTypes(t *testing.T) {
	const n = 16
	for _, c := range []struct {
		d   string
		tol float64
	}{{"float64", 1e-15}, {"float32", 2e-6}, {"float16", 2e-3}, {"bfloat16", 2e-2}} {
		d := dtype.MustParse(c.d)
		x, y, z := flat("X", d, n), flat("Y", d, n), flat("Z", d, n)
		var body []tir.Stmt
		for k, e := range []func(a, b tir.Expr) tir.Expr{
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpExp, a) },
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpTanh, tir.Mul(a, b)) },
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpPow, tir.NewCall(tir.OpFabs, a), b) },
			func(a, b tir.Expr) tir.Expr {
				return tir.NewCall(tir.OpPow, a, tir.FloatConst(a.DType(), 2))
			},
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpCopysign, a, b) },
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpAtan2, a, b) },
			func(a, b tir.Expr) tir.Expr {
				return &tir.Select{Cond: &tir.Call{Type: dtype.BoolT.WithLanes(int(a.DType().Lanes)), Op: tir.OpIsNaN, Args: []tir.Expr{a}}, True: a, False: b}
			},
		} {
			i := i32var("i")
			at := ramp(tir.Mul(i, tir.Int32(4)), 1, 4)
			body = append(body, forLoop(i, tir.Int32(n/4), tir.Store(z, tir.Add(tir.Load(z, at), e(tir.Load(x, at), tir.Load(y, at))), at)))
			if k%2 == 0 {
				body = append(body, forLoop(i32var("j"), tir.Int32(1), tir.Store(z, e(tir.Load(x, tir.Int32(3)), tir.Load(y, tir.Int32(4))), tir.Int32(5))))
			}
		}
		t.Run(c.d, func(t *testing.T) {
			check(t, primFunc("mixed", []any{x, y, z}, body...), c.tol, random(d, 1, n), random(d, 2, n), random(d, 3, n))
		})
	}
}

// TestIntegerDivisionByConstants compares the multiplication by a reciprocal with Go.
func TestIntegerDivisionByConstants(t *testing.T) {
	vals := []int32{0, 1, 2, 3, 6, 7, 8, 99, 100, 101, 1 << 30, math.MaxInt32, math.MaxInt32 - 1, 123456789, -1, -2, -7, -8, -100, math.MinInt32, math.MinInt32 + 1}
	in := tensor.MustOf([]int64{int64(len(vals))}, vals)
	for _, c := range []int64{1, 2, 3, 5, 7, 8, 9, 10, 49, 56, 100, 641, 1000, 3136, 65535, 65537, 1 << 20, 1<<30 + 1, math.MaxInt32} {
		a, b := flat("A", dtype.Int32T, int64(len(vals))), flat("B", dtype.Int32T, int64(len(vals)*6))
		i := i32var("i")
		var body []tir.Stmt
		x := tir.Load(a, i)
		clipped := tir.NewCall(tir.OpBitwiseAnd, x, tir.Int32(math.MaxInt32)) // known to be non-negative
		for k, e := range []tir.Expr{
			tir.NewBinary(tir.OpFloorDiv, x, tir.Int32(c)), tir.NewBinary(tir.OpFloorMod, x, tir.Int32(c)),
			tir.NewBinary(tir.OpDiv, x, tir.Int32(c)), tir.NewBinary(tir.OpMod, x, tir.Int32(c)),
			tir.NewBinary(tir.OpFloorDiv, clipped, tir.Int32(c)), tir.NewBinary(tir.OpFloorMod, clipped, tir.Int32(c)),
		} {
			body = append(body, tir.Store(b, e, tir.Add(i, tir.Int32(int64(k*len(vals))))))
		}
		check(t, primFunc("div", []any{a, b}, forLoop(i, tir.Int32(int64(len(vals))), body...)), 0, in, tensor.MustNew(dtype.Int32T, int64(len(vals)*6)))
	}
}
