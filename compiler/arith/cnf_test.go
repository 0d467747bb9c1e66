package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestConjunctiveForms simplifies random conditions over few atoms with each extension: the meaning
// stays, and with ConvertBooleanToAndOfOrs the result is a conjunction of disjunctions in which no
// clause is part of another one.
func TestConjunctiveForms(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		d := dtype.Int32T
		x, y := tir.NewVar("x", d), tir.NewVar("y", d)
		p, q, s := tir.NewVar("p", dtype.BoolT), tir.NewVar("q", dtype.BoolT), tir.NewVar("s", dtype.BoolT)
		var atoms []tir.Expr
		for _, v := range []tir.Expr{p, q, s} {
			atoms = append(atoms, v, &tir.Not{A: v})
		}
		for _, op := range compares {
			atoms = append(atoms, tir.NewBinary(op, x, tir.Int32(1)), tir.NewBinary(op, tir.Int32(2), x), tir.NewBinary(op, x, y))
		}
		var draw func(depth int) tir.Expr
		draw = func(depth int) tir.Expr {
			if depth == 0 {
				return atoms[r.IntN(len(atoms))]
			}
			return tir.NewBinary([]tir.BinaryOp{tir.OpAnd, tir.OpOr}[r.IntN(2)], draw(depth-1-r.IntN(depth)), draw(depth-1))
		}
		var points []map[*tir.Var]int64
		for i := range 8 {
			for vx := int64(0); vx <= 3; vx++ {
				for vy := int64(0); vy <= 3; vy += 1 + vx {
					points = append(points, map[*tir.Var]int64{x: vx, y: vy, p: int64(i & 1), q: int64(i >> 1 & 1), s: int64(i >> 2)})
				}
			}
		}
		for range 80 {
			e := draw(1 + r.IntN(3))
			for _, extensions := range []Extension{0, ConvertBooleanToAndOfOrs, ApplyConstraintsToBooleanBranches, ConvertBooleanToAndOfOrs | ApplyConstraintsToBooleanBranches} {
				a := NewAnalyzer()
				a.Extensions = extensions
				out := a.RewriteSimplify(e)
				for _, at := range points {
					if got, want := evalAll(out, at)[0], evalAll(e, at)[0]; got != want {
						t.Fatalf("extensions %d: %s became %s: %d at %v, want %d", extensions, show(e), show(out), got, point(at), want)
					}
				}
				if extensions != ConvertBooleanToAndOfOrs {
					continue
				}
				conjuncts(out, func(part tir.Expr) {
					splitOr(part, func(atom tir.Expr) {
						if op := bin(atom).Op; op == tir.OpAnd || op == tir.OpOr {
							t.Fatalf("%s became %s, which has %s in a clause", show(e), show(out), show(atom))
						}
					})
				})
			}
		}
	})
}

// TestConjunctiveFormsByHand has what each step of the conversion makes.
func TestConjunctiveFormsByHand(t *testing.T) {
	for _, c := range []struct{ before, want string }{
		{"p_bool || (q_bool && r_bool)", "(p_bool || q_bool) && (p_bool || r_bool)"},
		{"(p_bool && q_bool) || (r_bool && s_bool)", "(p_bool || r_bool) && (p_bool || s_bool) && (q_bool || r_bool) && (q_bool || s_bool)"},
		{"(p_bool || q_bool) && (q_bool || p_bool)", "p_bool || q_bool"},
		{"p_bool && (p_bool || q_bool)", "p_bool"},
		{"(p_bool || q_bool) && p_bool", "p_bool"},
		{"(p_bool || q_bool || r_bool) && (q_bool || p_bool)", "q_bool || p_bool"},
		{"(p_bool || q_bool) && (r_bool || q_bool || p_bool)", "p_bool || q_bool"},
		{"(p_bool || q_bool) && (p_bool || not(q_bool))", "p_bool"},
		{"(p_bool || q_bool || r_bool) && (p_bool || not(q_bool) || r_bool)", "p_bool || r_bool"},
		{"(p_bool || q_bool) && (not(p_bool) || r_bool)", "(p_bool || q_bool) && (not(p_bool) || r_bool)"},
		{"(p_bool || q_bool) && (p_bool || r_bool || s_bool)", "(p_bool || q_bool) && (p_bool || r_bool || s_bool)"},
		{"(p_bool || x < 3) && (p_bool || 5 < x)", "p_bool"},
		{"(p_bool || x < 3) && (p_bool || 1 < x)", "(p_bool || x < 3) && (p_bool || 1 < x)"},
		{"(x == 3 || p_bool) && (x == 3 || x == 4)", "(x == 3 || p_bool) && (x == 3 || x == 4)"},
		{"(x != 3 || p_bool) && (x != 3 || x == 4)", "x != 3"},
		{"(x < 3 || p_bool) && (x < 3 || x < 5)", "(x < 3 || p_bool) && (x < 3 || x < 5)"},
		{"p_bool && q_bool && not(p_bool)", "false"},
		{"(x == 3 && x <= 3) || (x < 3 && p_bool)", "x <= 3 && (x == 3 || p_bool)"},
		{"(x == 3 || p_bool || x < 3) && (x <= 3 || not(p_bool))", "x <= 3"},
		{"(p_bool || x < 3) && (p_bool || 5 < x || s_bool)", "(p_bool || x < 3) && (p_bool || 5 < x || s_bool)"},
		{"(p_bool || 5 < x || s_bool) && (p_bool || x < 3)", "(p_bool || 5 < x || s_bool) && (p_bool || x < 3)"},
		{"p_bool || q_bool || not(p_bool)", "true"},
		{"x < 3 && p_bool && 5 < x", "false"},
		{"x < 3 || p_bool || 1 < x", "true"},
		{"x == 3 && p_bool && x == 3", "x == 3 && p_bool"},
		{"x == 3 && x != 4", "x == 3"},
		{"p_bool && q_bool", "p_bool && q_bool"},
		{"p_bool || q_bool", "p_bool || q_bool"},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.Extensions = ConvertBooleanToAndOfOrs
		if got := a.RewriteSimplify(v.expr(c.before)); !Equal(got, v.expr(c.want)) {
			t.Errorf("%s is %s, want %s", c.before, show(got), c.want)
		}
		if a.inCNF {
			t.Fatal("the conversion did not end")
		}
	}
	// A form with too many clauses is not made: the condition stays a disjunction.
	for _, c := range []struct{ pairs, clauses int }{{5, 32}, {6, 64}, {7, 1}, {12, 1}} {
		a := NewAnalyzer()
		a.Extensions = ConvertBooleanToAndOfOrs
		var e tir.Expr
		for range c.pairs {
			pair := tir.NewBinary(tir.OpAnd, tir.NewVar("p", dtype.BoolT), tir.NewVar("q", dtype.BoolT))
			if e == nil {
				e = pair
			} else {
				e = tir.NewBinary(tir.OpOr, e, pair)
			}
		}
		got := a.RewriteSimplify(e)
		n := 0
		conjuncts(got, func(tir.Expr) { n++ })
		if n != c.clauses {
			t.Errorf("%d pairs have %d clauses", c.pairs, n)
		}
	}
}

// TestLoadsStayBehindTheirGuards: an access that is within bounds whatever stands before it may move, another may not.
func TestLoadsStayBehindTheirGuards(t *testing.T) {
	v := newEnv()
	n, i := tir.NewVar("n", dtype.Int32T), tir.NewVar("i", dtype.Int32T)
	four := tir.NewBuffer("b", dtype.Int32T, []tir.Expr{tir.Int32(4)}, "")
	square := tir.NewBuffer("s", dtype.Int32T, []tir.Expr{tir.Int32(4), tir.Int32(2)}, "")
	symbolic := tir.NewBuffer("c", dtype.Int32T, []tir.Expr{n}, "")
	below := func(e tir.Expr) tir.Expr { return tir.NewBinary(tir.OpLT, e, tir.Int32(3)) }
	for name, c := range map[string]struct {
		read  tir.Expr
		moves bool
	}{
		"first":           {below(tir.Load(four, tir.Int32(0))), true},
		"last":            {below(tir.Load(four, tir.Int32(3))), true},
		"behind the last": {below(tir.Load(four, tir.Int32(4))), false},
		"before":          {below(tir.Load(four, tir.Int32(-1))), false},
		"known":           {below(tir.Load(four, i)), true},
		"too far":         {below(tir.Load(four, tir.Add(i, tir.Int32(1)))), false},
		"second axis":     {below(tir.Load(square, i, tir.Int32(2))), false},
		"both axes":       {below(tir.Load(square, i, tir.Int32(1))), true},
		"symbolic":        {below(tir.Load(symbolic, tir.Int32(0))), false},
		"index in memory": {below(tir.Load(four, tir.Load(four, tir.Int32(0)))), false},
		"call":            {below(&tir.Call{Type: dtype.Int32T, Op: tir.OpCallExtern, Args: []tir.Expr{&tir.StringImm{Value: "f"}}}), false},
		"no memory":       {below(i), true},
	} {
		a := NewAnalyzer()
		a.Extensions = ConvertBooleanToAndOfOrs
		a.BindRange(i, &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(4)})
		guarded := tir.NewBinary(tir.OpOr, v.expr("p_bool"), tir.NewBinary(tir.OpAnd, v.expr("q_bool"), c.read))
		if got := a.RewriteSimplify(guarded); (bin(got).Op == tir.OpAnd) != c.moves {
			t.Errorf("%s: %s becomes %s", name, show(guarded), show(got))
		}
	}
}

// TestManyClauses has a contradiction between the first and the last of as many clauses as are
// looked at, and of one more.
func TestManyClauses(t *testing.T) {
	x := tir.NewVar("x", dtype.Int32T)
	var all func(n int) tir.Expr
	all = func(n int) tir.Expr {
		if n == 1 {
			return tir.NewVar("p", dtype.BoolT)
		}
		return tir.NewBinary(tir.OpAnd, all(n/2), all(n-n/2))
	}
	for _, n := range []int{8, maxClauses, maxClauses + 1} {
		e := tir.NewBinary(tir.OpAnd, tir.NewBinary(tir.OpAnd, tir.NewBinary(tir.OpLT, x, tir.Int32(3)), all(n-2)), tir.NewBinary(tir.OpLT, tir.Int32(5), x))
		a := NewAnalyzer()
		a.Extensions = ConvertBooleanToAndOfOrs
		if got := a.RewriteSimplify(e); isCst(got, 0) != (n <= maxClauses) {
			t.Errorf("%d clauses that contradict each other are simplified to %d parts", n, 1<<20-parts(got, 1<<20))
		}
	}
}

// TestBranchesKnowEachOther simplifies each side of a condition knowing the other one. The left side
// runs first: what it reads must be there whatever the right side says.
func TestBranchesKnowEachOther(t *testing.T) {
	for _, c := range []struct{ before, want string }{
		{"x < 3 && load(min(x, 5)) < 2.0", "x < 3 && load(x) < 2.0"},
		{"load(min(x, 5)) < 2.0 && x < 3", "load(min(x, 5)) < 2.0 && x < 3"},
		{"3 <= x || load(min(x, 5)) < 2.0", "3 <= x || load(x) < 2.0"},
		{"load(min(x, 5)) < 2.0 || 3 <= x", "load(min(x, 5)) < 2.0 || 3 <= x"},
		{"min(x, 5) < y && x < 3", "x < y && x < 3"},
		{"x < 3 && min(x, 5) < y", "x < 3 && x < y"},
		{"min(x, 5) == y || 3 <= x", "x == y || 3 <= x"},
		{"3 <= x || min(x, 5) == y", "3 <= x || x == y"},
		{"p_bool && (q_bool || not(p_bool))", "p_bool && q_bool"},
		{"(q_bool || not(p_bool)) && p_bool", "q_bool && p_bool"},
		{"p_bool || (q_bool && p_bool)", "p_bool"},
		{"p_bool || (q_bool && not(p_bool))", "p_bool || q_bool"},
		{"(x < 3 || q_bool) && (x < 5 && r_bool)", "(x < 3 || q_bool) && x < 5 && r_bool"},
		{"(p_bool || q_bool) && (not(p_bool) && r_bool)", "q_bool && not(p_bool) && r_bool"},
		{"x == 5 && y == x + 1", "x == 5 && y == x + 1"},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.Extensions = ApplyConstraintsToBooleanBranches
		if got := a.RewriteSimplify(v.expr(c.before)); !Equal(got, v.expr(c.want)) {
			t.Errorf("%s is %s, want %s", c.before, show(got), c.want)
		}
		if len(a.rw.literals) != 0 {
			t.Errorf("something of a side of %s is left", c.before)
		}
		e := v.expr(c.want)
		if got := a.RewriteSimplify(e); got != e {
			t.Errorf("%s became another node, %s", c.want, show(got))
		}
	}
}
