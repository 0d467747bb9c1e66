package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// evalAt evaluates e where the variables have the values of at.
func evalAt(_ *testing.T, e tir.Expr, at map[*tir.Var]int64) int64 { return evalAll(e, at)[0] }

// points calls f with each choice of values of vars between lo and hi.
func points(vars []*tir.Var, lo, hi int64, f func(map[*tir.Var]int64)) {
	at := map[*tir.Var]int64{}
	var walk func(int)
	walk = func(i int) {
		if i == len(vars) {
			f(at)
			return
		}
		for x := lo; x <= hi; x++ {
			at[vars[i]] = x
			walk(i + 1)
		}
	}
	walk(0)
}

func holds(t *testing.T, conds []tir.Expr, at map[*tir.Var]int64) bool {
	for _, c := range conds {
		if evalAt(t, c, at) == 0 {
			return false
		}
	}
	return true
}

func inRanges(t *testing.T, c *IntConstraints, vars []*tir.Var, at map[*tir.Var]int64) bool {
	for _, v := range vars {
		if r := c.Ranges[v]; r != nil {
			lo := evalAt(t, r.Min, at)
			if at[v] < lo || at[v] >= lo+evalAt(t, r.Extent, at) {
				return false
			}
		}
	}
	return true
}

// mapAll evaluates the expressions of m.
func mapAll(t *testing.T, m map[*tir.Var]tir.Expr, at map[*tir.Var]int64) map[*tir.Var]int64 {
	out := map[*tir.Var]int64{}
	for v, e := range m {
		out[v] = evalAt(t, e, at)
	}
	return out
}

// checkTransform compares the solutions of the two systems at all points.
func checkTransform(t *testing.T, x *IntConstraintsTransform, lo, hi int64) {
	t.Helper()
	points(x.Src.Variables, lo, hi, func(at map[*tir.Var]int64) {
		if !inRanges(t, x.Src, x.Src.Variables, at) || !holds(t, x.Src.Relations, at) {
			return
		}
		if len(x.DstToSrc) < len(x.Dst.Variables) || len(x.SrcToDst) < len(x.Src.Variables) {
			t.Fatalf("%v has the solution %v, which the transform lacks", x.Src.Relations, at)
		}
		there := mapAll(t, x.DstToSrc, at)
		if !inRanges(t, x.Dst, x.Dst.Variables, there) || !holds(t, x.Dst.Relations, there) {
			t.Fatalf("%v: solution %v is none of %v in %v", x.Src.Relations, at, x.Dst.Relations, x.Dst.Ranges)
		}
		for v, got := range mapAll(t, x.SrcToDst, there) {
			if got != at[v] {
				t.Fatalf("%v: %v comes back as %v = %d", x.Src.Relations, at, v.Name, got)
			}
		}
	})
	if len(x.Dst.Variables) > 3 {
		return
	}
	points(x.Dst.Variables, 2*lo, 2*hi, func(at map[*tir.Var]int64) {
		if !inRanges(t, x.Dst, x.Dst.Variables, at) || !holds(t, x.Dst.Relations, at) {
			return
		}
		there := mapAll(t, x.SrcToDst, at)
		if !inRanges(t, x.Src, x.Src.Variables, there) || !holds(t, x.Src.Relations, there) {
			t.Fatalf("%v: %v solves only the result, %v", x.Src.Relations, there, x.Dst.Relations)
		}
	})
}

// randomSystem draws conditions that are linear in n variables.
func randomSystem(r *rand.Rand, n, conds int, lo, hi int64, ops ...tir.BinaryOp) *IntConstraints {
	c := &IntConstraints{Ranges: map[*tir.Var]*tir.Range{}}
	for i := range n {
		v := tir.NewVar("x"+string(rune('0'+i)), dtype.Int32T)
		c.Variables = append(c.Variables, v)
		c.Ranges[v] = &tir.Range{Min: tir.Int32(lo), Extent: tir.Int32(hi - lo + 1)}
	}
	side := func() tir.Expr {
		e := tir.Expr(tir.Int32(r.Int64N(9) - 4))
		for _, v := range c.Variables {
			e = tir.Add(e, tir.Mul(v, tir.Int32(r.Int64N(9)-4)))
		}
		return e
	}
	for range conds {
		c.Relations = append(c.Relations, tir.NewBinary(ops[r.IntN(len(ops))], side(), side()))
	}
	return c
}

func TestSolveLinearEquationsRandom(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 1 + r.IntN(3)
		c := randomSystem(r, n, 1+r.IntN(3), -5, 5, tir.OpEQ, tir.OpEQ, tir.OpEQ, tir.OpLE, tir.OpLT, tir.OpGE, tir.OpGT)
		checkTransform(t, SolveLinearEquations(c), -5, 5)
	}
}

func TestSolveLinearEquations(t *testing.T) {
	v := newEnv()
	eq := func(vars string, ranges map[string][2]int64, conds ...string) *IntConstraintsTransform {
		c := &IntConstraints{Ranges: map[*tir.Var]*tir.Range{}}
		for _, name := range vars {
			c.Variables = append(c.Variables, v.variable(string(name)))
		}
		for name, r := range ranges {
			c.Ranges[v.variable(name)] = &tir.Range{Min: tir.Int32(r[0]), Extent: tir.Int32(r[1])}
		}
		for _, s := range conds {
			c.Relations = append(c.Relations, v.expr(s))
		}
		return SolveLinearEquations(c)
	}
	is := func(got tir.Expr, want tir.Expr) {
		t.Helper()
		if !Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	x, y, z := v.variable("x"), v.variable("y"), v.variable("z")

	s := eq("xy", nil, "x + y == 20", "x - y == 10")
	is(s.SrcToDst[x], tir.Int32(15))
	is(s.SrcToDst[y], tir.Int32(5))

	s = eq("xyz", nil, "x + y + z == 15", "x + y == 10")
	n0 := s.Dst.Variables[0]
	is(s.SrcToDst[x], tir.Add(n0, tir.Int32(10)))
	is(s.SrcToDst[y], tir.Mul(n0, tir.Int32(-1)))
	is(s.SrcToDst[z], tir.Int32(5))

	s = eq("xy", map[string][2]int64{"x": {-5, 10}, "y": {0, 10}}, "x + y == 0")
	n0 = s.Dst.Variables[0]
	is(s.Dst.Ranges[n0].Min, tir.Int32(-9))
	is(s.Dst.Ranges[n0].Extent, tir.Int32(10))
	if len(s.Dst.Relations) != 1 {
		t.Errorf("the range of x gives %v", s.Dst.Relations)
	}

	s = eq("xy", nil, "x + y == 0", "x - y == 0", "x == 5")
	if len(s.Dst.Relations) != 1 || !isCst(s.Dst.Relations[0], 0) || len(s.SrcToDst) != 0 {
		t.Errorf("a contradiction gives %v", s.Dst.Relations)
	}

	s = eq("", nil, "x + y == 20", "x - y == 10")
	if len(s.SrcToDst) != 0 || len(s.Dst.Relations) != 2 {
		t.Errorf("without variables: %v", s.Dst.Relations)
	}

	// Numbers beyond the bound: the equation stays one.
	s = eq("xy", nil, "x * 1073741823 + y * 1073741822 == 7", "x * 1073741821 - y * 1073741820 == 3")
	if len(s.Dst.Relations) != 2 || len(s.Dst.Variables) != 2 {
		t.Errorf("large numbers: %v", s.Dst.Relations)
	}
}

func TestNarrowPredicateExpression(t *testing.T) {
	v := newEnv()
	n := v.variable("n")
	params := map[*tir.Var]*tir.Range{n: {Min: tir.Int32(0), Extent: tir.Int32(8)}}
	for _, c := range [][2]string{
		{"i > 5", "i > 5"},
		{"i > n", "i > 7"},
		{"n <= i", "7 <= i"},
		{"i < n", "i < 0"},
		{"i == n", "i <= 0 && 7 <= i"},
		{"n != i", "7 < i || i < 0"},
		{"n < fld(i, 4)", "7 < fld(i, 4)"},
		{"i + n < 10", "i + 7 < 10"},
		{"i + n * -2 < 10", "i < 10"},
		{"n * -2 > i", "-14 > i"},
		{"flm(i, 8) == n", "flm(i, 8) <= 0 && 7 <= flm(i, 8)"},
		{"flm(n, 8) <= i", "1 < 0"},
		{"fld(i, n) == 0", "1 < 0"},
		{"n * i < 4", "1 < 0"},
		{"i < 3 || n < 0", "i < 3"},
	} {
		got := NewAnalyzer().Simplify(NarrowPredicateExpression(v.expr(c[0]), params))
		if want := NewAnalyzer().Simplify(v.expr(c[1])); !Equal(got, want) {
			t.Errorf("%s becomes %v, not %s", c[0], got, c[1])
		}
	}
	b := tir.NewBuffer("B", dtype.Int32T, []tir.Expr{tir.Int32(16)}, "")
	load := tir.GT(tir.Load(b, v.variable("i")), tir.Int32(0))
	for _, cond := range []tir.Expr{load, &tir.Not{A: load}, tir.And(load, v.expr("i < 2"))} {
		if got := NarrowPredicateExpression(cond, nil); !isCst(NewAnalyzer().Simplify(got), 0) {
			t.Errorf("%v, which reads memory, becomes %v", cond, got)
		}
	}
}

// TestNarrowRandom narrows random conditions: where the result holds, they hold for all values.
func TestNarrowRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := randomSystem(r, 3, 3, -3, 3, tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE)
		cond := c.Relations[0]
		for _, other := range c.Relations[1:] {
			switch r.IntN(3) {
			case 0:
				cond = tir.And(cond, other)
			case 1:
				cond = tir.Or(cond, other)
			default:
				cond = tir.LogicalNot(tir.And(other, cond))
			}
		}
		n := c.Variables[0]
		got := NarrowPredicateExpression(cond, map[*tir.Var]*tir.Range{n: c.Ranges[n]})
		ir.Walk(got, func(x ir.Node) bool {
			if x == ir.Node(n) {
				t.Fatalf("%v still uses the parameter", got)
			}
			return true
		})
		points(c.Variables, -3, 3, func(at map[*tir.Var]int64) {
			if evalAt(t, got, at) == 1 && evalAt(t, cond, at) == 0 {
				t.Fatalf("%v holds at %v, where %v does not", got, at, cond)
			}
		})
	}
}
