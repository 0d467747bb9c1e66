package arith

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"pgregory.net/rapid"
)

// special are the values of float variables. All are small integers where they are finite,
// so that sums are exact.
var special = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -2, 0, 1, 2}

// floatWorld draws expressions over float variables.
type floatWorld struct {
	t    *rapid.T
	vars []*tir.Var
}

func (w *floatWorld) value(depth int) tir.Expr {
	if depth == 0 {
		if rapid.IntRange(0, 3).Draw(w.t, "leaf") == 0 {
			return tir.FloatConst(dtype.Float32T, rapid.SampledFrom(special).Draw(w.t, "constant"))
		}
		return rapid.SampledFrom(w.vars).Draw(w.t, "variable")
	}
	switch k := rapid.IntRange(0, 5).Draw(w.t, "value"); k {
	case 0:
		return w.value(0)
	case 1:
		return &tir.Select{Cond: w.cond(depth - 1), True: w.value(depth - 1), False: w.value(depth - 1)}
	default:
		op := []tir.BinaryOp{tir.OpAdd, tir.OpSub, tir.OpMin, tir.OpMax}[k-2]
		return tir.NewBinary(op, w.value(depth-1), w.value(depth-1))
	}
}

func (w *floatWorld) cond(depth int) tir.Expr {
	switch k := rapid.IntRange(0, 8).Draw(w.t, "cond"); {
	case depth > 0 && k == 0:
		return &tir.Not{A: w.cond(depth - 1)}
	case depth > 0 && k == 1:
		return tir.NewBinary(tir.OpAnd, w.cond(depth-1), w.cond(depth-1))
	case depth > 0 && k == 2:
		return tir.NewBinary(tir.OpOr, w.cond(depth-1), w.cond(depth-1))
	default:
		op := rapid.SampledFrom([]tir.BinaryOp{tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE}).Draw(w.t, "compare")
		return tir.NewBinary(op, w.value(max(depth-1, 0)), w.value(max(depth-1, 0)))
	}
}

// floatEval computes e as IEEE 754 has it; a minimum or maximum with a NaN is NaN. Bools are 0 and 1.
func floatEval(e tir.Expr, at map[*tir.Var]float64) float64 {
	truth := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	switch e := e.(type) {
	case *tir.FloatImm:
		return e.Value
	case *tir.IntImm:
		return float64(e.Value)
	case *tir.Var:
		return at[e]
	case *tir.Not:
		return 1 - floatEval(e.A, at)
	case *tir.Select:
		if floatEval(e.Cond, at) != 0 {
			return floatEval(e.True, at)
		}
		return floatEval(e.False, at)
	case *tir.Binary:
		x, y := floatEval(e.A, at), floatEval(e.B, at)
		switch e.Op {
		case tir.OpAdd:
			return x + y
		case tir.OpSub:
			return x - y
		case tir.OpMin:
			return min(x, y)
		case tir.OpMax:
			return max(x, y)
		case tir.OpEQ:
			return truth(x == y)
		case tir.OpNE:
			return truth(x != y)
		case tir.OpLT:
			return truth(x < y)
		case tir.OpLE:
			return truth(x <= y)
		case tir.OpGT:
			return truth(x > y)
		case tir.OpGE:
			return truth(x >= y)
		case tir.OpAnd:
			return x * y
		case tir.OpOr:
			return max(x, y)
		}
	}
	panic(fmt.Sprintf("floatEval of %T", e))
}

// TestFloatsKeepNaN simplifies random expressions of floats and compares their values where
// variables are NaN, infinite or equal.
func TestFloatsKeepNaN(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		w := &floatWorld{t: t, vars: []*tir.Var{tir.NewVar("x", dtype.Float32T), tir.NewVar("y", dtype.Float32T)}}
		e := w.value(4)
		if rapid.Bool().Draw(t, "condition") {
			e = w.cond(4)
		}
		a := NewAnalyzer()
		a.Extensions = Extension(rapid.SampledFrom([]int{0, 0, 1, 2, 4, 7, 15}).Draw(t, "extensions"))
		for name, f := range map[string]func(tir.Expr) tir.Expr{
			"Simplify": a.Simplify, "RewriteSimplify": a.RewriteSimplify, "CanonicalSimplify": a.CanonicalSimplify,
		} {
			out := f(e)
			for _, x := range special {
				for _, y := range special {
					at := map[*tir.Var]float64{w.vars[0]: x, w.vars[1]: y}
					if got, want := floatEval(out, at), floatEval(e, at); got != want && (got == got || want == want) {
						t.Fatalf("%s with x = %v, y = %v: %v, want %v\nbefore %v\nafter  %v", name, x, y, got, want, show(e), show(out))
					}
				}
			}
		}
	})
}

// TestFloatsKeepNaNByRule has what random expressions rarely hit: two sides of one rule.
func TestFloatsKeepNaNByRule(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Float32T), tir.NewVar("y", dtype.Float32T)
	b := func(op tir.BinaryOp, a, b tir.Expr) *tir.Binary { return tir.NewBinary(op, a, b) }
	select1 := func(a, b tir.Expr) tir.Expr {
		return &tir.Select{Cond: tir.NewBinary(tir.OpLT, x, y), True: a, False: b}
	}
	for _, e := range []tir.Expr{
		b(tir.OpEQ, x, x), b(tir.OpNE, x, x), b(tir.OpLE, x, x), b(tir.OpLT, x, x),
		b(tir.OpOr, b(tir.OpLE, x, y), b(tir.OpLT, y, x)), b(tir.OpOr, b(tir.OpLT, x, y), b(tir.OpLE, y, x)),
		b(tir.OpOr, b(tir.OpLT, x, y), b(tir.OpLT, y, x)), b(tir.OpOr, b(tir.OpLT, x, y), b(tir.OpEQ, y, x)),
		b(tir.OpAnd, b(tir.OpLE, x, y), b(tir.OpLE, y, x)),
		&tir.Not{A: b(tir.OpLT, x, y)}, &tir.Not{A: b(tir.OpLE, x, y)}, &tir.Not{A: b(tir.OpGT, x, y)}, &tir.Not{A: b(tir.OpGE, x, y)},
		&tir.Not{A: b(tir.OpOr, b(tir.OpLT, x, y), b(tir.OpEQ, x, y))},
		b(tir.OpSub, x, x), b(tir.OpSub, b(tir.OpAdd, x, y), y), b(tir.OpSub, y, b(tir.OpAdd, x, y)),
		b(tir.OpSub, select1(x, y), y), b(tir.OpSub, select1(x, y), x),
		select1(b(tir.OpLE, x, y), b(tir.OpLE, y, x)), select1(x, select1(x, y)),
		b(tir.OpMax, b(tir.OpMin, x, y), x), b(tir.OpMin, b(tir.OpMax, x, y), y),
	} {
		for _, ext := range []Extension{0, 1, 2, 4, 15} {
			a := NewAnalyzer()
			a.Extensions = ext
			out := a.Simplify(e)
			for _, vx := range special {
				for _, vy := range special {
					at := map[*tir.Var]float64{x: vx, y: vy}
					if got, want := floatEval(out, at), floatEval(e, at); got != want && (got == got || want == want) {
						t.Errorf("%s became %s: with x = %v, y = %v it is %v, want %v", show(e), show(out), vx, vy, got, want)
					}
				}
			}
		}
	}
}
