package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// system reads conditions on variables with ranges, both ends included.
func system(v *env, vars string, ranges map[string][2]int64, conds ...string) *IntConstraints {
	c := &IntConstraints{Ranges: map[*tir.Var]*tir.Range{}}
	for _, name := range vars {
		c.Variables = append(c.Variables, v.variable(string(name)))
	}
	for name, r := range ranges {
		c.Ranges[v.variable(name)] = &tir.Range{Min: tir.Int32(r[0]), Extent: tir.Int32(r[1] - r[0] + 1)}
	}
	for _, s := range conds {
		c.Relations = append(c.Relations, v.expr(s))
	}
	return c
}

func same(t *testing.T, v *env, got tir.Expr, want string) {
	t.Helper()
	if got == nil || !Equal(got, v.expr(want)) {
		t.Errorf("got %s, want %s", show(got), want)
	}
}

func sameRange(t *testing.T, v *env, r *tir.Range, lo, extent string) {
	t.Helper()
	if r == nil {
		t.Fatalf("no range, want one from %s", lo)
	}
	same(t, v, r.Min, lo)
	same(t, v, r.Extent, extent)
}

func TestSolveInequalities(t *testing.T) {
	v := newEnv()
	x, y := v.variable("x"), v.variable("y")
	c := system(v, "xy", map[string][2]int64{"x": {-100, 99}, "y": {0, 9}}, "x + y <= 20", "x - y >= 10")
	conds := SolveInequalities(c).Conditions(c.Variables)
	for i, want := range []string{"x >= y + 10", "x <= 20 - y", "y >= 0", "y <= 5"} {
		same(t, v, conds[i], want)
	}
	ranges := SolveInequalitiesToRange(c).Ranges
	sameRange(t, v, ranges[y], "0", "6")
	sameRange(t, v, ranges[x], "y + 10", "11")

	d := SolveInequalitiesDeskewRange(c)
	v.vars["X"], v.vars["Y"] = d.Dst.Variables[0], d.Dst.Variables[1]
	sameRange(t, v, d.Dst.Ranges[v.vars["X"]], "0", "11")
	sameRange(t, v, d.Dst.Ranges[v.vars["Y"]], "0", "6")
	same(t, v, d.Dst.Relations[0], "Y * 2 + X <= 10")
	same(t, v, d.SrcToDst[x], "X + (Y + 10)")
	same(t, v, d.SrcToDst[y], "Y")
	same(t, v, d.DstToSrc[v.vars["X"]], "x - y - 10")
	same(t, v, d.DstToSrc[v.vars["Y"]], "y")
}

// TestSolveInequalitiesToPoint solves systems that leave one value, or none.
func TestSolveInequalitiesToPoint(t *testing.T) {
	v := newEnv()
	x, y, z := v.variable("x"), v.variable("y"), v.variable("z")
	c := system(v, "xy", nil, "x + y >= 10", "x - y >= 2", "x <= 6")
	ranges := SolveInequalitiesToRange(c).Ranges
	sameRange(t, v, ranges[x], "6", "1")
	sameRange(t, v, ranges[y], "4", "1")
	d := SolveInequalitiesDeskewRange(c)
	if len(d.Dst.Variables)+len(d.Dst.Ranges)+len(d.Dst.Relations) > 0 {
		t.Errorf("one point becomes %v", d.Dst)
	}
	same(t, v, d.SrcToDst[x], "6")
	same(t, v, d.SrcToDst[y], "4")

	c = system(v, "xyz", nil, "x <= 6", "x >= 6", "x - z * y >= 0", "x - z * y <= 0")
	r := SolveInequalitiesToRange(c)
	sameRange(t, v, r.Ranges[x], "6", "1")
	if len(r.Relations) != 3 {
		t.Fatalf("relations %v", r.Relations)
	}
	same(t, v, r.Relations[0], "x == z * y")
	d = SolveInequalitiesDeskewRange(c)
	if d.SrcToDst[y] != tir.Expr(y) || d.SrcToDst[z] != tir.Expr(z) {
		t.Error("variables without bounds are replaced")
	}
	same(t, v, d.SrcToDst[x], "6")

	c = system(v, "x", map[string][2]int64{"x": {-20, 20}}, "-1 * x - 4 <= -5 * x + 2", "x * 4 + 5 <= x * 5")
	d = SolveInequalitiesDeskewRange(c)
	if len(d.Dst.Variables)+len(d.SrcToDst)+len(d.DstToSrc) > 0 || len(d.Dst.Relations) != 1 || !isCst(d.Dst.Relations[0], 0) {
		t.Errorf("no solution becomes %v", d.Dst)
	}
	r = SolveInequalitiesToRange(c)
	if len(r.Variables)+len(r.Ranges) > 0 || len(r.Relations) != 1 || !isCst(r.Relations[0], 0) {
		t.Errorf("no solution becomes %v", r)
	}

	// The end of the range is no number.
	free := v.variable("fv")
	c = system(v, "x", nil, "x > 3")
	log := &tir.Call{Type: dtype.Float32T, Op: tir.OpLog, Args: []tir.Expr{tir.CastTo(dtype.Float32T, free)}}
	c.Ranges[x] = &tir.Range{Min: tir.Int32(0), Extent: tir.CastTo(dtype.Int32T, log)}
	if r = SolveInequalitiesToRange(c); len(r.Variables) != 1 || len(r.Ranges) != 0 || len(r.Relations) != 3 {
		t.Errorf("a range of unknown end becomes %v in %v", r.Relations, r.Ranges)
	}
}

// TestSolveInequalitiesRandom compares the solutions of random systems with those of what they become.
func TestSolveInequalitiesRandom(t *testing.T) {
	ops := []tir.BinaryOp{tir.OpEQ, tir.OpLE, tir.OpLT, tir.OpGE, tir.OpGT, tir.OpLE, tir.OpGE, tir.OpNE}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 17))
		c := randomSystem(r, 1+r.IntN(3), 1+r.IntN(4), -4, 4, ops...)
		switch v := c.Variables[0]; r.IntN(5) {
		case 0:
			delete(c.Ranges, c.Variables[len(c.Variables)-1])
			c.Relations = append(c.Relations, tir.LE(c.Variables[len(c.Variables)-1], tir.Int32(3)))
		case 1: // one range depends on another one
			c.Ranges[v] = &tir.Range{Min: c.Variables[len(c.Variables)-1], Extent: tir.Int32(3)}
		case 2:
			c.Ranges[v] = &tir.Range{Min: tir.Int32(2), Extent: tir.Int32(int64(r.IntN(2)))}
		}
		solved := SolveInequalities(c)
		ranges := SolveInequalitiesToRange(c)
		conds := solved.Conditions(c.Variables)
		points(c.Variables, -5, 5, func(at map[*tir.Var]int64) {
			before := inRanges(t, c, c.Variables, at) && holds(t, c.Relations, at)
			if after := holds(t, conds, at); after != before {
				t.Fatalf("seed %d: %v in %v: %v at %v, and the solution %v: %v", seed, c.Relations, c.Ranges, before, at, conds, after)
			}
			if after := inRanges(t, ranges, c.Variables, at) && holds(t, ranges.Relations, at); after != before {
				t.Fatalf("seed %d: %v: %v at %v, and with the ranges %v, %v: %v", seed, c.Relations, before, at, ranges.Ranges, ranges.Relations, after)
			}
		})
		checkTransform(t, SolveInequalitiesDeskewRange(c), -5, 5)
	}
}

// TestSolveManyInequalities solves systems whose pairs would double in number with each variable, and one with
// numbers beyond all bounds: the results are small, and equivalent.
func TestSolveManyInequalities(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	c := randomSystem(r, 6, 24, -1, 1, tir.OpLE, tir.OpGE)
	a := NewAnalyzer()
	a.Budget = budget.New(t.Context(), 0)
	conds := SolveInequalities(c).Conditions(c.Variables)
	if len(conds) > 2000 {
		t.Fatalf("24 conditions become %d", len(conds))
	}
	solutions := 0
	points(c.Variables, -1, 1, func(at map[*tir.Var]int64) {
		before := holds(t, c.Relations, at)
		if before {
			solutions++
		}
		if holds(t, conds, at) != before {
			t.Fatalf("the solution differs at %v", at)
		}
	})
	v := newEnv()
	c = system(v, "xy", nil, "x * 1073741823 + y * 1073741822 <= 7", "y - x * 1073741821 <= 3", "x * 3 <= 2000000000", "x * 5 >= y + 2000000000")
	got := SolveInequalities(c)
	points(c.Variables, -2, 2, func(at map[*tir.Var]int64) {
		if holds(t, got.Conditions(c.Variables), at) != holds(t, c.Relations, at) {
			t.Fatalf("%v becomes %v, which differs at %v", c.Relations, got.Conditions(c.Variables), at)
		}
	})
}
