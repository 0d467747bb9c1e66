package libm_test

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/libm"
	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// expand puts definitions in place of the calls of a kernel, as Let.
func expand(t *testing.T, c libmtest.Case, f *tir.PrimFunc) *tir.PrimFunc {
	t.Helper()
	return f.WithBody(tir.RewriteStmt(f.Body, nil, func(e tir.Expr) tir.Expr {
		call, ok := e.(*tir.Call)
		if !ok {
			return e
		}
		var lets []*tir.Let
		out := c.Func.Expand(call, call.Args, func(name string, value tir.Expr) *tir.Var {
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
			out := f.Expand(call, args, func(s string, v tir.Expr) *tir.Var { return tir.NewVar(s, v.DType()) })
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
		if out := libm.Lookup(tir.OpPow).Expand(call, call.Args, nil); out != nil {
			t.Errorf("pow with exponent %v is defined", y)
		}
	}
	if libm.Lookup(tir.OpSqrt) != nil || libm.Lookup(tir.OpAsin) != nil {
		t.Error("sqrt and asin have no definitions")
	}
}
