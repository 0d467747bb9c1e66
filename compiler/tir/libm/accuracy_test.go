package libm_test

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/libm"
	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// expand puts definitions in place of the calls of a kernel, as Let, for a target that has some functions.
func expand(t *testing.T, c libmtest.Case, f *tir.PrimFunc, native ...string) *tir.PrimFunc {
	t.Helper()
	return f.WithBody(tir.RewriteStmt(f.Body, nil, func(e tir.Expr) tir.Expr {
		call, ok := e.(*tir.Call)
		if !ok {
			return e
		}
		var lets []*tir.Let
		out := c.Func.Expand(call, call.Args, has(native...), func(name string, value tir.Expr) *tir.Var {
			v := tir.NewVar(name, value.DType())
			lets = append(lets, &tir.Let{Var: v, Value: value})
			return v
		})
		if out == nil {
			t.Fatalf("%s is not defined for %s", c.Name, call.Type)
		}
		for i := len(lets) - 1; i >= 0; i-- {
			lets[i].Body = out
			out = lets[i]
		}
		return out
	}))
}

func has(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

// evaluate runs a kernel on float32 samples in the interpreter.
func evaluate(t *testing.T, f *tir.PrimFunc, x [][]float32) []float32 {
	t.Helper()
	n := int64(len(x[0]))
	var args []any
	for _, xs := range x {
		args = append(args, tensor.MustOf([]int64{n}, xs))
	}
	out := tensor.MustNew(dtype.Float32T, n)
	if err := interp.Run(context.Background(), f, append(args, out), &interp.Options{MaxSteps: math.MaxInt64}); err != nil {
		t.Fatal(err)
	}
	got := make([]float32, n)
	for i := range got {
		got[i] = float32(out.Float(i))
	}
	return got
}

// TestAccuracy holds each definition, as the interpreter runs it, against its stated bound.
func TestAccuracy(t *testing.T) {
	n := 1 << 17
	if testing.Short() {
		n = 1 << 13
	}
	for _, c := range libmtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			x := libmtest.Samples(c, n)
			f := libmtest.Function(c, dtype.Float32T, int64(len(x[0])), 1)
			w := libmtest.Check(t, c, x, evaluate(t, expand(t, c, f), x))
			if slack := 0.75 * c.Func.ULP; w.ULP < slack && c.Func.Name != "pow" && !testing.Short() {
				t.Errorf("%s: the largest error found is %.3f ulp, so that a bound of %g says little", c.Name, w.ULP, c.Func.ULP)
			}
		})
	}
}

// TestPowersOfTwo: a target that multiplies by powers of two itself gets the bits that others get, and fewer operations.
func TestPowersOfTwo(t *testing.T) {
	shorter := 0
	for _, c := range libmtest.Cases() {
		x := libmtest.Samples(c, 1<<12)
		f := libmtest.Function(c, dtype.Float32T, int64(len(x[0])), 1)
		defined, native := expand(t, c, f), expand(t, c, f, "ldexp")
		if ir.StructuralEqual(defined, native, ir.EqualOpts{}) {
			continue
		}
		shorter++
		a, b := evaluate(t, defined, x), evaluate(t, native, x)
		if i := libmtest.Same(a, b); i >= 0 {
			t.Errorf("%s(%g) is %g of its definition and %g with ldexp", c.Name, x[0][i], a[i], b[i])
		}
	}
	if shorter < 7 {
		t.Errorf("%d functions use ldexp: exp, exp2, exp10, sigmoid, tanh, erf and ldexp itself do", shorter)
	}
}

// TestLdexp computes products with powers of two of all types against exact ones.
func TestLdexp(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 1, -1.5, 0x1p-126, 0x1.8p-127, 0x1p-149, 0x1.fffffep127, -0x1.fffffep-3, 0x1.000002p0, 0x1p-1074, 0x1.fffffffffffffp1023, math.Inf(-1), math.NaN()}
	for _, native := range [][]string{nil, {"ldexp"}} {
		for _, d := range []dtype.DType{dtype.Float16T, dtype.Float32T, dtype.Float64T} {
			for _, e := range []dtype.DType{dtype.Int32T, dtype.Int64T, d} {
				x, n := tir.NewBuffer("x", d, []tir.Expr{tir.Int32(1)}, ""), tir.NewBuffer("n", e, []tir.Expr{tir.Int32(1)}, "")
				y := tir.NewBuffer("y", d, []tir.Expr{tir.Int32(1)}, "")
				f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel")}
				for _, b := range []*tir.Buffer{x, n, y} {
					f.Params, f.Buffers = append(f.Params, tir.NewVar(b.Name+"_handle", dtype.HandleT)), append(f.Buffers, b)
				}
				zero := tir.Int32(0)
				f.Body = tir.Store(y, &tir.Call{Type: d, Op: tir.OpLdexp, Args: []tir.Expr{tir.Load(x, zero), tir.Load(n, zero)}}, zero)
				f = expand(t, libmtest.Case{Name: "ldexp", Func: libm.Lookup(tir.OpLdexp)}, f, native...)
				for _, v := range values {
					for _, k := range []float64{0, 1, -1, 3, -22, 126, 127, 128, -126, -127, -130, -148, -149, -150, 252, -253, 277, -280, 300, -1000, 1023, -1074, 2098, -2100, 2.5, -2.5, -0.25} {
						if e != d {
							k = math.Trunc(k)
						}
						a, b, out := tensor.MustNew(d, 1), tensor.MustNew(e, 1), tensor.MustNew(d, 1)
						a.SetFloat(0, v)
						if b.SetFloat(0, k); e == d && b.Float(0) != k { // float16 has no such number
							continue
						}
						if e != d {
							b.SetInt(0, int64(k))
						}
						if err := interp.Run(context.Background(), f, []any{a, b, out}, nil); err != nil {
							t.Fatal(err)
						}
						want := tensor.MustNew(d, 1)
						want.SetFloat(0, math.Ldexp(a.Float(0), int(math.Floor(k))))
						if got, want := out.Float(0), want.Float(0); got != want && (got == got || want == want) || math.Signbit(got) != math.Signbit(want) && got == got {
							t.Errorf("%s, exponent %s, native %v: ldexp(%g, %g) is %g, want %g", d, e, native, a.Float(0), k, got, want)
						}
					}
				}
			}
		}
	}
}

// TestZeros evaluates each function of one argument at both zeros: what is zero there has the sign of the exact result.
func TestZeros(t *testing.T) {
	for _, c := range libmtest.Cases() {
		if c.Args != 1 {
			continue
		}
		for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T} {
			if d == dtype.Float64T && !c.Func.Double {
				continue
			}
			x, out := tensor.MustNew(d, 2), tensor.MustNew(d, 2)
			x.SetFloat(1, math.Copysign(0, -1))
			f := expand(t, c, libmtest.Function(c, d, 2, 1))
			if err := interp.Run(context.Background(), f, []any{x, out}, nil); err != nil {
				t.Fatal(err)
			}
			for i := range 2 {
				got, want := out.Float(i), c.Exact([]float64{x.Float(i)})
				if want == 0 && (got != 0 || math.Signbit(got) != math.Signbit(want)) {
					t.Errorf("%s of %s %g is %g, want %g", c.Name, d, x.Float(i), got, want)
				}
			}
		}
	}
}

// TestDocumentedBounds keeps docs/math.md in step with the table.
func TestDocumentedBounds(t *testing.T) {
	text, err := os.ReadFile("../../../docs/math.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "| `") {
			rows[line] = true
		}
	}
	for _, f := range libm.Funcs() {
		if row := f.Row(); !rows[row] {
			t.Errorf("docs/math.md lacks the row\n%s", row)
		} else {
			delete(rows, row)
		}
	}
	for row := range rows {
		t.Errorf("docs/math.md has a row too many\n%s", row)
	}
}

// TestTypes checks which calls have definitions.
func TestTypes(t *testing.T) {
	for _, f := range libm.Funcs() {
		op := tir.LookupBuiltin("tir." + f.Name).Op
		if libm.Lookup(op) != f {
			t.Errorf("%s is not found", f.Name)
		}
		for name, want := range map[string]bool{
			"float16": true, "bfloat16": true, "float32": true, "float32x4": true, "float16x8": true, "float64": f.Double, "float64x2": f.Double, "int32": f.Name == "pow", "bool": false,
		} {
			d := dtype.MustParse(name)
			args := []tir.Expr{tir.NewVar("x", d), tir.FloatConst(d, 2), tir.NewVar("y", d)}[:tir.LookupBuiltin(op.Name).Arity]
			call := tir.NewCall(op, args...)
			out := f.Expand(call, args, has(), func(s string, v tir.Expr) *tir.Var { return tir.NewVar(s, v.DType()) })
			if (out != nil) != want {
				t.Errorf("%s of %s: defined is %v", f.Name, d, out != nil)
			}
			if out != nil && out.DType() != d {
				t.Errorf("%s of %s is a %s", f.Name, d, out.DType())
			}
		}
	}
	x := tir.NewVar("x", dtype.Float32T)
	for _, y := range []tir.Expr{x, tir.FloatConst(dtype.Float32T, 0.6)} {
		call := tir.NewCall(tir.OpPow, x, y)
		if out := libm.Lookup(tir.OpPow).Expand(call, call.Args, has(), nil); out != nil {
			t.Errorf("pow with exponent %v is defined", y)
		}
	}
	if libm.Lookup(tir.OpSqrt) != nil || libm.Lookup(tir.OpAsin) != nil {
		t.Error("sqrt and asin have no definitions")
	}
}
