package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestLongConditions simplifies random conditions of long chains and negations, and compares values.
func TestLongConditions(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 23))
		vars := make([]*tir.Var, 3)
		for i := range vars {
			vars[i] = tir.NewVar(string(rune('x'+i)), dtype.Int32T)
		}
		leaf := func() tir.Expr {
			ops := []tir.BinaryOp{tir.OpLT, tir.OpLE, tir.OpEQ, tir.OpNE, tir.OpGT, tir.OpGE}
			y := tir.Expr(tir.Int32(int64(r.IntN(7) - 3)))
			if r.IntN(3) == 0 {
				y = vars[r.IntN(3)]
			}
			return tir.NewBinary(ops[r.IntN(6)], vars[r.IntN(3)], y)
		}
		op := []tir.BinaryOp{tir.OpAnd, tir.OpOr}[r.IntN(2)]
		cond := leaf()
		for range 4 + r.IntN(24) {
			switch r.IntN(8) {
			case 0:
				cond = &tir.Not{A: cond}
			case 1:
				op = tir.OpAnd + tir.OpOr - op
				fallthrough
			case 2:
				cond = tir.NewBinary(op, cond, leaf())
			default:
				cond = tir.NewBinary(op, leaf(), cond)
			}
		}
		a := NewAnalyzer()
		a.Trace = func(x Rewrote) {
			if x.Rule != "and.nest" && x.Rule != "or.nest" && x.Rule != "not.and" && x.Rule != "not.or" {
				return
			}
			for v := int64(-2); v <= 2; v++ {
				at := map[*tir.Var]int64{vars[0]: v, vars[1]: -v, vars[2]: v / 2}
				if _, equal := evalEqual(x.Before, x.After, at); !equal {
					t.Fatalf("seed %d: %s made %s of %s", seed, x.Rule, show(x.After), show(x.Before))
				}
			}
		}
		out := a.Simplify(cond)
		points(vars, -3, 3, func(at map[*tir.Var]int64) {
			if _, equal := evalEqual(cond, out, at); !equal {
				t.Fatalf("seed %d: %s became %s, which differs at %v", seed, show(cond), show(out), point(at))
			}
		})
	}
}
