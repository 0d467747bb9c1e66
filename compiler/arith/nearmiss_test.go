package arith

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// nearMisses calls f for e with one thing changed: a variable that becomes another one, a constant
// that becomes a neighbour or its opposite, an operation that becomes a similar one. A rule that
// fires for e mostly must not fire for these.
func nearMisses(e tir.Expr, f func(miss tir.Expr)) {
	swap := map[tir.BinaryOp]tir.BinaryOp{
		tir.OpFloorDiv: tir.OpDiv, tir.OpDiv: tir.OpFloorDiv, tir.OpFloorMod: tir.OpMod, tir.OpMod: tir.OpFloorMod,
		tir.OpMin: tir.OpMax, tir.OpMax: tir.OpMin, tir.OpAdd: tir.OpSub, tir.OpSub: tir.OpAdd,
		tir.OpAnd: tir.OpOr, tir.OpOr: tir.OpAnd, tir.OpEQ: tir.OpNE, tir.OpNE: tir.OpEQ,
		tir.OpLT: tir.OpLE, tir.OpLE: tir.OpLT, tir.OpGT: tir.OpGE, tir.OpGE: tir.OpGT,
	}
	places := 0
	at, variant := -1, 0
	var visit func(e tir.Expr) tir.Expr
	visit = func(e tir.Expr) tir.Expr {
		here := places
		places++
		switch x := e.(type) {
		case *tir.Var:
			if here == at && x.DType().Lanes == 1 {
				switch variant {
				case 0:
					return tir.NewVar("miss", x.DType())
				case 1:
					return tir.Const(x.DType(), 2)
				}
			}
			return e
		case *tir.IntImm:
			if here == at {
				delta := []int64{1, -1, -2 * x.Value, x.Value, -x.Value}
				if x.Type.IsBool() || x.Value > 1<<20 || x.Value < -1<<20 {
					return e
				}
				return &tir.IntImm{Type: x.Type, Value: x.Value + delta[variant]}
			}
			return e
		case *tir.Binary:
			op := x.Op
			if here == at {
				if o, ok := swap[op]; ok && variant == 0 {
					op = o
				}
				if variant == 1 {
					return tir.NewBinary(op, visit(x.B), visit(x.A))
				}
			}
			return tir.NewBinary(op, visit(x.A), visit(x.B))
		case *tir.Not:
			return &tir.Not{A: visit(x.A)}
		case *tir.Ramp:
			return &tir.Ramp{Start: visit(x.Start), Stride: visit(x.Stride), Lanes: x.Lanes}
		case *tir.Broadcast:
			return &tir.Broadcast{Value: visit(x.Value), Lanes: x.Lanes}
		case *tir.Select:
			return &tir.Select{Cond: visit(x.Cond), True: visit(x.True), False: visit(x.False)}
		}
		return e
	}
	visit(e)
	for at = range places {
		for variant = range 5 {
			places = 0
			if out := visit(e); !Equal(out, e) {
				f(out)
			}
		}
	}
}

// evaluable reports whether evalAll knows everything in e, and its variables.
func evaluable(e tir.Expr) (vars []*tir.Var, ok bool) {
	ok = true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			if !n.DType().IsInteger() || n.DType().Lanes > 1 {
				ok = false
			}
			if !slices.Contains(vars, n) {
				vars = append(vars, n)
			}
		case *tir.FloatImm, *tir.Call, *tir.BufferLoad, *tir.Let:
			ok = false
		}
		return ok
	})
	return vars, ok
}

// someValues lists points for the variables, mostly near zero.
func someValues(r *rand.Rand, vars []*tir.Var, n int) []map[*tir.Var]int64 {
	points := make([]map[*tir.Var]int64, n)
	for i := range points {
		points[i] = map[*tir.Var]int64{}
		for _, v := range vars {
			x := int64(r.IntN(9) - 4)
			switch r.IntN(8) {
			case 0, 1, 2:
				x = int64(r.IntN(81) - 40)
			case 3:
				x = int64(r.IntN(121) - 60)
			}
			switch {
			case v.DType().IsBool():
				x &= 1
			case v.DType().IsUInt() && x < 0:
				x = -x
			case v.DType().Bits == 8:
				x %= 10
			}
			points[i][v] = x
		}
	}
	return points
}

// TestNearMissesKeepValue simplifies what is nearly the left side of each row, knowing all of its
// conditions and all but one, and compares values at some points.
func TestNearMissesKeepValue(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		for _, file := range []string{"rewrite_simplify.txt", "rewrite_rules.txt", "canonical_simplify.txt"} {
			for _, row := range readRows(t, file) {
				if strings.HasPrefix(row.section, "ComparisonOfProductAndSum") || row.section == "Cast" || strings.Contains(row.before, "cast(") {
					continue
				}
				v := newEnv()
				e := v.expr(row.before)
				if _, ok := evaluable(e); !ok {
					continue
				}
				sets := [][]string{row.conditions}
				for i := range row.conditions {
					sets = append(sets, slices.Delete(slices.Clone(row.conditions), i, i+1))
				}
				for i, conds := range sets {
					check := func(e tir.Expr) { sameAtPoints(t, r, fmt.Sprintf("%s:%d", file, row.line), v, e, conds) }
					check(e)
					if i == 0 {
						nearMisses(e, check)
					}
				}
			}
		}
	})
}

// sameAtPoints compares e with what the simplifiers make of it.
func sameAtPoints(t *testing.T, r *rand.Rand, where string, v *env, e tir.Expr, conditions []string) {
	a := NewAnalyzer()
	exit := assume(t, a, v, conditions)
	defer exit()
	holds := tir.Expr(tir.Bool(true))
	for _, c := range conditions {
		if name, bounds, ok := strings.Cut(c, " : "); ok {
			lo, hi, _ := strings.Cut(bounds, "..")
			x := v.variable(name)
			for end, text := range map[bool]string{true: lo, false: hi} {
				switch n := parseBoundEnd(t, text); {
				case n == NegInf || n == PosInf:
				case end:
					holds = tir.And(holds, tir.GE(x, num(x.DType(), n)))
				default:
					holds = tir.And(holds, tir.LE(x, num(x.DType(), n)))
				}
			}
			continue
		}
		holds = tir.And(holds, v.expr(c))
	}
	vars, ok := evaluable(tir.And(holds, tir.EQ(tir.Const(dtype.Int32T, 0), tir.Const(dtype.Int32T, 0))))
	if !ok {
		return
	}
	more, _ := evaluable(e)
	for _, x := range more {
		if !slices.Contains(vars, x) {
			vars = append(vars, x)
		}
	}
	rewritten, canonical := a.RewriteSimplify(e), a.CanonicalSimplify(e)
	for _, at := range someValues(r, vars, 24) {
		if c, ok := evalOK(holds, at); !ok || c[0] == 0 {
			continue
		}
		want, ok := evalOK(e, at)
		if !ok {
			continue
		}
		for name, out := range map[string]tir.Expr{"rewritten": rewritten, "canonical": canonical} {
			if got, ok := evalOK(out, at); !ok || !slices.Equal(got, want) {
				t.Errorf("%s: %s given %v\n%s as %s: %v at %v, want %v", where, show(e), conditions, name, show(out), got, point(at), want)
				return
			}
		}
	}
}
