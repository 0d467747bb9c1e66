package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"pgregory.net/rapid"
)

// world is a set of variables with ranges, of which some may be unknown to the analyzer.
type world struct {
	vars   []*tir.Var
	ranges []Bound
	d      dtype.DType
}

func drawWorld(t *rapid.T) *world {
	w := &world{d: dtype.Int32T}
	if rapid.Bool().Draw(t, "int64") {
		w.d = dtype.Int64T
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "vars") {
		lo := rapid.Int64Range(-9, 4).Draw(t, "lo")
		if rapid.IntRange(0, 2).Draw(t, "zero") > 0 {
			lo = 0
		}
		n := rapid.SampledFrom([]int64{1, 2, 3, 4, 7, 8}).Draw(t, "extent")
		w.vars = append(w.vars, tir.NewVar(string(rune('x'+i)), w.d))
		w.ranges = append(w.ranges, Bound{lo, lo + n - 1})
	}
	return w
}

// each calls f for every point, in a few hundred points at most.
func (w *world) each(f func(at map[*tir.Var]int64)) {
	at := map[*tir.Var]int64{}
	var rec func(i int)
	rec = func(i int) {
		if i == len(w.vars) {
			f(at)
			return
		}
		for v := w.ranges[i].Min; v <= w.ranges[i].Max; v++ {
			at[w.vars[i]] = v
			rec(i + 1)
		}
	}
	rec(0)
}

func (w *world) analyzer(t *rapid.T) *Analyzer {
	a := NewAnalyzer()
	a.Extensions = Extension(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 4, 7, 15}).Draw(t, "extensions"))
	for i, v := range w.vars {
		b := w.ranges[i]
		switch rapid.IntRange(0, 3).Draw(t, "known") {
		case 0: // unknown to the analyzer
		case 1:
			a.UpdateBound(v, b)
		default:
			a.BindRange(v, &tir.Range{Min: num(w.d, b.Min), Extent: num(w.d, b.Max-b.Min+1)})
		}
	}
	return a
}

func (w *world) expr(t *rapid.T, depth int) tir.Expr {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 0 {
		if rapid.IntRange(0, 2).Draw(t, "const") == 0 {
			return num(w.d, rapid.SampledFrom([]int64{-12, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24}).Draw(t, "value"))
		}
		return rapid.SampledFrom(w.vars).Draw(t, "var")
	}
	op := rapid.SampledFrom([]tir.BinaryOp{
		tir.OpAdd, tir.OpAdd, tir.OpSub, tir.OpSub, tir.OpMul, tir.OpMul, tir.OpDiv, tir.OpMod,
		tir.OpFloorDiv, tir.OpFloorDiv, tir.OpFloorMod, tir.OpFloorMod, tir.OpMin, tir.OpMax, tir.OpEQ, tir.OpLT,
	}).Draw(t, "op")
	switch op {
	case tir.OpEQ:
		return &tir.Select{Cond: w.cond(t, depth-1), True: w.expr(t, depth-1), False: w.expr(t, depth-1)}
	case tir.OpLT:
		if rapid.Bool().Draw(t, "ite") {
			return tir.IfThenElseExpr(w.cond(t, depth-1), w.expr(t, depth-1), w.expr(t, depth-1))
		}
		v := tir.NewVar("v", w.d)
		in := &world{d: w.d, vars: append([]*tir.Var{v}, w.vars...)}
		return &tir.Let{Var: v, Value: w.expr(t, depth-1), Body: in.expr(t, depth-1)}
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod, tir.OpMul:
		if rapid.IntRange(0, 4).Draw(t, "by const") > 0 {
			c := rapid.SampledFrom([]int64{1, 2, 3, 4, 5, 6, 8, 12, 16, -2, -3}).Draw(t, "divisor")
			return tir.BinaryExpr(op, w.expr(t, depth-1), num(w.d, c))
		}
	}
	return tir.BinaryExpr(op, w.expr(t, depth-1), w.expr(t, depth-1))
}

func (w *world) cond(t *rapid.T, depth int) tir.Expr {
	op := rapid.SampledFrom([]tir.BinaryOp{
		tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpLT, tir.OpLE, tir.OpAnd, tir.OpOr, tir.OpAdd,
	}).Draw(t, "compare")
	switch {
	case depth > 0 && (op == tir.OpAnd || op == tir.OpOr):
		return tir.BinaryExpr(op, w.cond(t, depth-1), w.cond(t, depth-1))
	case op == tir.OpAdd && depth > 0:
		return tir.LogicalNot(w.cond(t, depth-1))
	case !op.IsCompare():
		op = tir.OpLT
	}
	return tir.BinaryExpr(op, w.expr(t, max(depth-1, 0)), w.expr(t, max(depth-1, 0)))
}

// defined reports whether e has a value at each point where cond holds; only then the
// analyzer promises anything.
func (w *world) defined(e, cond tir.Expr) bool {
	ok := true
	w.each(func(at map[*tir.Var]int64) {
		if !ok {
			return
		}
		c, defined := evalOK(cond, at)
		if !defined {
			ok = false
		} else if c[0] != 0 {
			_, ok = evalOK(e, at)
		}
	})
	return ok
}

func checkSame(t *rapid.T, w *world, name string, e, got, cond tir.Expr) {
	w.each(func(at map[*tir.Var]int64) {
		if c, _ := evalOK(cond, at); c[0] == 0 {
			return
		}
		want, _ := evalOK(e, at)
		have, ok := evalOK(got, at)
		if !ok || len(have) != len(want) {
			t.Fatalf("%s: %s => %s has no value at %v", name, show(e), show(got), point(at))
		}
		for i := range want {
			if want[i] != have[i] {
				t.Fatalf("%s: %s => %s\nat %v: want %v, got %v, assuming %s, in %v", name, show(e), show(got), point(at), want, have, show(cond), w.ranges)
			}
		}
	})
}

func point(at map[*tir.Var]int64) map[string]int64 {
	out := map[string]int64{}
	for v, x := range at {
		if v == nil {
			out["vscale()"] = x
			continue
		}
		out[v.Name] = x
	}
	return out
}

// TestSimplifyKeepsValue checks on random expressions that both simplifiers keep the value
// at every point, that bounds and modular sets hold every value, that interval sets cover,
// and that nothing false is proved.
func TestSimplifyKeepsValue(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		a := w.analyzer(t)
		e := w.expr(t, rapid.IntRange(1, 4).Draw(t, "depth"))
		cond := tir.Expr(tir.Bool(true))
		if rapid.IntRange(0, 2).Draw(t, "constrained") == 0 {
			cond = w.cond(t, 2)
		}
		if !w.defined(e, cond) {
			t.Skip("divides by zero")
		}
		exit := a.EnterConstraint(cond)
		defer exit()
		checkSame(t, w, "rewrite", e, a.RewriteSimplify(e), cond)
		checkSame(t, w, "canonical", e, a.CanonicalSimplify(e), cond)
		checkSame(t, w, "simplify", e, a.Simplify(e), cond)
		b, m, set := a.ConstIntBound(e), a.ModularSet(e), a.IntSet(e)
		w.each(func(at map[*tir.Var]int64) {
			if c, _ := evalOK(cond, at); c[0] == 0 {
				return
			}
			v := evalAll(e, at)[0]
			if v < b.Min || v > b.Max {
				t.Fatalf("%s is %d at %v, outside %v", show(e), v, point(at), b)
			}
			if r := floorModIntOr(v-m.Base, m.Coeff); r != 0 {
				t.Fatalf("%s is %d at %v, not in %v", show(e), v, point(at), m)
			}
			if set.Empty {
				t.Fatalf("%s is %d at %v, but its set is empty", show(e), v, point(at))
			}
			if set.Min != nil {
				if lo, ok := evalOK(set.Min, at); ok && lo[0] > v {
					t.Fatalf("%s is %d at %v, below %s", show(e), v, point(at), show(set.Min))
				}
			}
			if set.Max != nil {
				if hi, ok := evalOK(set.Max, at); ok && hi[0] < v {
					t.Fatalf("%s is %d at %v, above %s", show(e), v, point(at), show(set.Max))
				}
			}
		})
	})
}

func TestCanProveNeverLies(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		a := w.analyzer(t)
		claim := w.cond(t, 3)
		assumed := tir.Expr(tir.Bool(true))
		if rapid.Bool().Draw(t, "constrained") {
			assumed = w.cond(t, 1)
		}
		if !w.defined(claim, assumed) {
			t.Skip("divides by zero")
		}
		exit := a.EnterConstraint(assumed)
		defer exit()
		checkSame(t, w, "simplify", claim, a.Simplify(claim), assumed)
		strength := Strength(rapid.IntRange(0, 1).Draw(t, "strength"))
		if !a.CanProveWith(claim, strength) {
			return
		}
		w.each(func(at map[*tir.Var]int64) {
			if c, _ := evalOK(assumed, at); c[0] == 0 {
				return
			}
			if evalAll(claim, at)[0] == 0 {
				t.Fatalf("proved %s assuming %s, false at %v", show(claim), show(assumed), point(at))
			}
		})
	})
}

// TestEvalSetCovers checks that relaxing some variables over their ranges covers all values.
func TestEvalSetCovers(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		e := w.expr(t, 3)
		if !w.defined(e, tir.Bool(true)) {
			t.Skip("divides by zero")
		}
		dom := map[*tir.Var]IntSet{}
		for i, v := range w.vars {
			if rapid.Bool().Draw(t, "relaxed") {
				dom[v] = Interval(num(w.d, w.ranges[i].Min), num(w.d, w.ranges[i].Max))
			}
		}
		set := EvalSet(e, dom)
		w.each(func(at map[*tir.Var]int64) {
			v := evalAll(e, at)[0]
			if set.Min != nil {
				if lo, ok := evalOK(set.Min, at); ok && lo[0] > v {
					t.Fatalf("%s is %d at %v, below %s", show(e), v, point(at), show(set.Min))
				}
			}
			if set.Max != nil {
				if hi, ok := evalOK(set.Max, at); ok && hi[0] < v {
					t.Fatalf("%s is %d at %v, above %s", show(e), v, point(at), show(set.Max))
				}
			}
		})
	})
}
