package arith

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// family builds an expression of about n nodes over few or many variables.
type family struct {
	name  string
	build func(v *familyVars, n int) tir.Expr
}

// familyVars hands out variables: x(k) for few, with ranges, and fresh ones.
type familyVars struct {
	few   []*tir.Var
	fresh int
}

func (f *familyVars) x(k int) tir.Expr { return f.few[k%len(f.few)] }

func (f *familyVars) new() tir.Expr {
	f.fresh++
	return tir.NewVar(fmt.Sprintf("v%d", f.fresh), dtype.Int32T)
}

func op(o tir.BinaryOp, a, b tir.Expr) tir.Expr { return tir.NewBinary(o, a, b) }
func lit(k int) tir.Expr                        { return tir.Int32(int64(k)) }

// chain applies step n times to a start.
func chain(start func(*familyVars) tir.Expr, per int, step func(v *familyVars, e tir.Expr, k int) tir.Expr) func(*familyVars, int) tir.Expr {
	return func(v *familyVars, n int) tir.Expr {
		e := start(v)
		for k := range n / per {
			e = step(v, e, k)
		}
		return e
	}
}

// balanced joins n/per leaves as a tree.
func balanced(per int, leaf func(v *familyVars, k int) tir.Expr, join func(a, b tir.Expr, k int) tir.Expr) func(*familyVars, int) tir.Expr {
	return func(v *familyVars, n int) tir.Expr {
		var build func(lo, hi int) tir.Expr
		build = func(lo, hi int) tir.Expr {
			if hi-lo <= 1 {
				return leaf(v, lo)
			}
			mid := (lo + hi) / 2
			return join(build(lo, mid), build(mid, hi), hi)
		}
		return build(0, max(n/per, 1))
	}
}

func startX(v *familyVars) tir.Expr { return v.x(0) }

func startCond(v *familyVars) tir.Expr { return op(tir.OpLT, v.x(0), lit(7)) }

var families = []family{
	{"sum of few variables", chain(startX, 2, func(v *familyVars, e tir.Expr, k int) tir.Expr { return op(tir.OpAdd, e, v.x(k)) })},
	{"sum of many variables", chain(startX, 2, func(v *familyVars, e tir.Expr, _ int) tir.Expr { return op(tir.OpAdd, e, v.new()) })},
	{"sum to the right", chain(startX, 2, func(v *familyVars, e tir.Expr, _ int) tir.Expr { return op(tir.OpAdd, v.new(), e) })},
	{"sum with factors", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAdd, e, op(tir.OpMul, v.new(), lit(k%97+2)))
	})},
	{"differences", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpSub, op(tir.OpAdd, e, v.new()), v.x(k))
	})},
	{"differences to the right", chain(startX, 2, func(v *familyVars, e tir.Expr, _ int) tir.Expr { return op(tir.OpSub, v.new(), e) })},
	{"tree of sums", balanced(2, func(v *familyVars, _ int) tir.Expr { return v.new() }, func(a, b tir.Expr, _ int) tir.Expr { return op(tir.OpAdd, a, b) })},
	{"product of few variables", chain(startX, 2, func(v *familyVars, e tir.Expr, k int) tir.Expr { return op(tir.OpMul, e, v.x(k)) })},
	{"product of many variables", chain(startX, 2, func(v *familyVars, e tir.Expr, _ int) tir.Expr { return op(tir.OpMul, e, v.new()) })},
	{"tree of products", balanced(2, func(v *familyVars, _ int) tir.Expr { return v.new() }, func(a, b tir.Expr, _ int) tir.Expr { return op(tir.OpMul, a, b) })},
	{"Horner", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAdd, op(tir.OpMul, e, lit(k%5+2)), v.x(k))
	})},
	{"Horner of variables", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAdd, op(tir.OpMul, e, v.x(k)), v.new())
	})},
	{"minimum of few", chain(startX, 2, func(v *familyVars, e tir.Expr, k int) tir.Expr { return op(tir.OpMin, e, v.x(k)) })},
	{"minimum of many", chain(startX, 2, func(v *familyVars, e tir.Expr, _ int) tir.Expr { return op(tir.OpMin, e, v.new()) })},
	{"maximum to the right", chain(startX, 2, func(v *familyVars, e tir.Expr, _ int) tir.Expr { return op(tir.OpMax, v.new(), e) })},
	{"clamps", chain(startX, 5, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpMin, op(tir.OpMax, op(tir.OpAdd, e, v.new()), lit(-k)), lit(k))
	})},
	{"minimum and maximum in turn", chain(startX, 4, func(v *familyVars, e tir.Expr, _ int) tir.Expr {
		return op(tir.OpMax, op(tir.OpMin, e, v.new()), v.new())
	})},
	{"minimum with offsets", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpMin, e, op(tir.OpAdd, v.new(), lit(k)))
	})},
	{"tree of minima", balanced(4, func(v *familyVars, k int) tir.Expr { return op(tir.OpAdd, v.x(k), v.new()) }, func(a, b tir.Expr, _ int) tir.Expr { return op(tir.OpMin, a, b) })},
	{"selections", chain(startX, 5, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return &tir.Select{Cond: op(tir.OpLT, v.x(0), lit(4*k)), True: v.new(), False: e}
	})},
	{"selections of different conditions", chain(startX, 5, func(v *familyVars, e tir.Expr, _ int) tir.Expr {
		return &tir.Select{Cond: op(tir.OpLT, v.new(), v.new()), True: e, False: v.new()}
	})},
	{"selections in conditions", chain(startX, 5, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return &tir.Select{Cond: op(tir.OpLT, e, lit(k)), True: v.new(), False: v.new()}
	})},
	{"calls of if_then_else", chain(startX, 5, func(v *familyVars, e tir.Expr, _ int) tir.Expr {
		return &tir.Call{Type: dtype.Int32T, Op: tir.OpIfThenElse, Args: []tir.Expr{op(tir.OpLT, v.new(), lit(3)), e, v.new()}}
	})},
	{"conjunction", chain(startCond, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAnd, e, op(tir.OpLT, v.new(), lit(k)))
	})},
	{"conjunction of bounds of one", chain(startCond, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAnd, e, op(tir.OpLT, v.x(0), lit(k)))
	})},
	{"conjunction to the right", chain(startCond, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAnd, op(tir.OpLT, v.new(), lit(k)), e)
	})},
	{"conjunction of inequalities", chain(startCond, 4, func(v *familyVars, e tir.Expr, _ int) tir.Expr {
		return op(tir.OpAnd, e, op(tir.OpNE, v.x(0), v.new()))
	})},
	{"disjunction", chain(startCond, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpOr, e, op(tir.OpEQ, v.new(), lit(k)))
	})},
	{"and and or in turn", chain(startCond, 8, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAnd, op(tir.OpOr, e, op(tir.OpLT, v.new(), lit(k))), op(tir.OpLE, lit(-k), v.new()))
	})},
	{"negations", chain(startCond, 5, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return &tir.Not{A: op(tir.OpAnd, e, op(tir.OpLT, v.new(), lit(k)))}
	})},
	{"tree of conditions", balanced(4, func(v *familyVars, k int) tir.Expr { return op(tir.OpLT, v.new(), lit(k)) }, func(a, b tir.Expr, k int) tir.Expr {
		return op([]tir.BinaryOp{tir.OpAnd, tir.OpOr}[k%2], a, b)
	})},
	{"division", chain(startX, 2, func(v *familyVars, e tir.Expr, k int) tir.Expr { return op(tir.OpFloorDiv, e, lit(k%3+2)) })},
	{"division and sum", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAdd, op(tir.OpFloorDiv, e, lit(k%3+2)), v.new())
	})},
	{"remainder and product", chain(startX, 6, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAdd, op(tir.OpMul, op(tir.OpFloorMod, e, lit(k%60+3)), lit(k%7+2)), v.new())
	})},
	{"digits", balanced(6, func(v *familyVars, k int) tir.Expr {
		return op(tir.OpFloorMod, op(tir.OpFloorDiv, v.x(k/8), lit(k%8+1)), lit(k%5+2))
	}, func(a, b tir.Expr, _ int) tir.Expr { return op(tir.OpAdd, a, b) })},
	{"division of a sum", func(v *familyVars, n int) tir.Expr {
		e := v.x(0)
		for k := range n / 4 {
			e = op(tir.OpAdd, e, op(tir.OpMul, v.new(), lit(k%6+2)))
		}
		return op(tir.OpFloorMod, op(tir.OpFloorDiv, e, lit(4)), lit(6))
	}},
	{"divisions by variables", chain(startX, 2, func(v *familyVars, e tir.Expr, _ int) tir.Expr { return op(tir.OpFloorDiv, e, v.new()) })},
	{"truncated division", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpMod, op(tir.OpDiv, op(tir.OpAdd, e, v.new()), lit(k%3+2)), lit(k%50+9))
	})},
	{"comparison of sums", func(v *familyVars, n int) tir.Expr {
		a, b := v.x(0), v.x(1)
		for range n / 4 {
			x := v.new()
			a, b = op(tir.OpAdd, a, x), op(tir.OpAdd, x, b)
		}
		return op(tir.OpLT, a, b)
	}},
	{"comparison of minima", func(v *familyVars, n int) tir.Expr {
		e := v.x(0)
		for range n / 2 {
			e = op(tir.OpMin, e, v.new())
		}
		return op(tir.OpLT, e, lit(5))
	}},
	{"lets inside each other", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		x := tir.NewVar("l", dtype.Int32T)
		return &tir.Let{Var: x, Value: op(tir.OpAdd, v.new(), lit(k)), Body: op(tir.OpAdd, x, e)}
	})},
	{"lets in values", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		x := tir.NewVar("l", dtype.Int32T)
		return &tir.Let{Var: x, Value: e, Body: op(tir.OpMul, x, lit(k%3+1))}
	})},
	{"lets used twice", func(v *familyVars, n int) tir.Expr {
		vars := []*tir.Var{}
		for range n / 5 {
			vars = append(vars, tir.NewVar("l", dtype.Int32T))
		}
		if len(vars) == 0 {
			return v.x(0)
		}
		e := tir.Expr(vars[len(vars)-1])
		for k := len(vars) - 1; k >= 0; k-- {
			prev := v.x(0)
			if k > 0 {
				prev = vars[k-1]
			}
			e = &tir.Let{Var: vars[k], Value: op(tir.OpMul, prev, prev), Body: e}
		}
		return e
	}},
	{"casts", chain(startX, 4, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return tir.CastTo(dtype.Int32T, op(tir.OpAdd, tir.CastTo(dtype.Int64T, e), tir.Const(dtype.Int64T, int64(k))))
	})},
	{"ramps", chain(func(v *familyVars) tir.Expr { return &tir.Ramp{Start: v.x(0), Stride: lit(1), Lanes: 4} }, 5, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpAdd, e, &tir.Broadcast{Value: op(tir.OpMul, v.new(), lit(k%5+1)), Lanes: 4})
	})},
	{"products of ramps", chain(func(v *familyVars) tir.Expr { return &tir.Ramp{Start: v.x(0), Stride: lit(1), Lanes: 4} }, 6, func(v *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpFloorDiv, op(tir.OpAdd, op(tir.OpMul, e, &tir.Broadcast{Value: lit(k%5 + 2), Lanes: 4}), &tir.Broadcast{Value: v.x(k), Lanes: 4}), &tir.Broadcast{Value: lit(k%3 + 2), Lanes: 4})
	})},
	{"floats", chain(func(*familyVars) tir.Expr { return tir.NewVar("f", dtype.Float32T) }, 4, func(_ *familyVars, e tir.Expr, k int) tir.Expr {
		return op(tir.OpMax, op(tir.OpAdd, e, tir.NewVar("g", dtype.Float32T)), tir.FloatConst(dtype.Float32T, float64(k)))
	})},
}

// familySteps returns the steps that simplifying the expression takes, nothing ending it early.
func familySteps(t *testing.T, f family, n int) float64 {
	t.Helper()
	v := &familyVars{}
	a := NewAnalyzer()
	a.MaxSteps = 2 * maxSteps
	for _, name := range []string{"a", "b", "c", "d"} {
		x := tir.NewVar(name, dtype.Int32T)
		a.BindRange(x, &tir.Range{Min: lit(0), Extent: lit(64)})
		v.few = append(v.few, x)
	}
	e := f.build(v, n)
	a.Budget = budget.New(t.Context(), maxSteps)
	if err := budget.Catch(func() { a.Simplify(e) }); err != nil {
		t.Fatalf("%d nodes: %v", n, err)
	}
	return float64(a.Budget.Used())
}

// maxSteps ends a simplification that grows without bound, so that the test fails and does not hang.
const maxSteps = 1 << 18

// TestFamiliesAreLinear simplifies expressions of many forms at 1,000, 4,000 and 16,000 nodes: the steps per n*log(n)
// do not grow.
func TestFamiliesAreLinear(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			var per []float64
			for _, n := range []int{1000, 4000, 16000} {
				steps := familySteps(t, f, n)
				per = append(per, steps/(float64(n)*math.Log2(float64(n))))
			}
			t.Logf("steps per n*log(n): %.3f %.3f %.3f", per[0], per[1], per[2])
			if per[1] > 1.25*per[0]+0.05 || per[2] > 1.25*per[1]+0.05 {
				t.Errorf("steps per n*log(n) grow from %.3f to %.3f and %.3f", per[0], per[1], per[2])
			}
		})
	}
}
