package arith

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// smallValues lists small values of a variable, the ends of its bound and their neighbours.
func smallValues(v *tir.Var, bounds map[*tir.Var]Bound, reach int64) []int64 {
	var values []int64
	lo, hi := -reach, reach
	b, bounded := bounds[v]
	switch {
	case v.DType().IsBool():
		lo, hi = 0, 1
	case v.DType().IsUInt():
		lo = 0
	case bounded && b.Min > NegInf:
		values = append(values, b.Min, b.Min+1)
	}
	if bounded && b.Max < PosInf {
		values = append(values, b.Max-1, b.Max)
	}
	for x := lo; x <= hi; x++ {
		values = append(values, x)
	}
	slices.Sort(values)
	return slices.DeleteFunc(slices.Compact(values), func(x int64) bool { return bounded && (x < b.Min || x > b.Max) })
}

// eachPoint calls f for points of small values of the variables, until it returns false: for all of
// them where these are no more than most, else for some.
func eachPoint(vars []*tir.Var, bounds map[*tir.Var]Bound, most int, r *rand.Rand, f func(at map[*tir.Var]int64) bool) {
	reach := []int64{0, 24, 8, 3, 1, 1}[min(len(vars), 5)]
	values, all := make([][]int64, len(vars)), 1
	for i, v := range vars {
		values[i] = smallValues(v, bounds, reach)
		all *= len(values[i])
	}
	at := map[*tir.Var]int64{}
	for n := range min(all, most) {
		for i, v := range vars {
			k := n % len(values[i])
			n /= len(values[i])
			if all > most {
				k = r.IntN(len(values[i]))
			}
			at[v] = values[i][k]
		}
		if !f(at) {
			return
		}
	}
}

// form is what a row of a table of simplest forms needs.
type form struct {
	row
	env    *env
	a      *Analyzer
	before tir.Expr
	conds  []tir.Expr
	bounds map[*tir.Var]Bound
}

// newForm reads a row and tells an analyzer its conditions. A condition "x : 0..7" bounds a
// variable, "x % 8 = 3" is its remainder; others are assumed.
func newForm(t *testing.T, r row) *form {
	f := &form{row: r, env: newEnv(), a: NewAnalyzer(), bounds: map[*tir.Var]Bound{}}
	f.before = f.env.expr(r.before)
	for _, c := range r.conditions {
		if name, bounds, ok := strings.Cut(c, " : "); ok {
			lo, hi, _ := strings.Cut(bounds, "..")
			b := Bound{parseBoundEnd(t, lo), parseBoundEnd(t, hi)}
			f.bounds[f.env.variable(name)] = b
			f.a.UpdateBound(f.env.variable(name), b)
			continue
		}
		if name, rest, ok := strings.Cut(c, " % "); ok {
			var m Modular
			if _, err := fmt.Sscanf(rest, "%d = %d", &m.Coeff, &m.Base); err != nil {
				t.Fatal(err)
			}
			v := f.env.variable(name)
			f.a.UpdateModular(v, m)
			f.conds = append(f.conds, tir.EQ(tir.FloorMod(v, num(v.DType(), m.Coeff)), num(v.DType(), m.Base)))
			continue
		}
		cond := f.env.expr(c)
		f.conds = append(f.conds, cond)
		f.a.EnterConstraint(cond)
	}
	return f
}

// sameValue compares the values of what e became with those of e, at the number of points.
func (f *form) sameValue(t *testing.T, file string, e, out tir.Expr, most int) {
	holds := tir.Expr(tir.Bool(true))
	for _, c := range f.conds {
		holds = tir.And(holds, c)
	}
	all := holds
	for _, x := range []tir.Expr{e, out} {
		all = tir.And(all, tir.EQ(x, x))
	}
	vars, ok := evaluable(all)
	if !ok || e.DType().IsFloat() {
		return
	}
	eachPoint(vars, f.bounds, most, rand.New(rand.NewPCG(uint64(f.line), 1)), func(at map[*tir.Var]int64) bool {
		if c, ok := evalOK(holds, at); !ok || c[0] == 0 {
			return true
		}
		want, ok := evalOK(e, at)
		if !ok {
			return true
		}
		got, ok := evalOK(out, at)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s:%d: %s given %v became %s: %v at %v, want %v", file, f.line, show(e), f.conditions, show(out), got, point(at), want)
			return false
		}
		return true
	})
}

// checkForms simplifies each row of a table to the form that it names, and compares values.
func checkForms(t *testing.T, file string, simplify func(a *Analyzer, e tir.Expr) tir.Expr) {
	for _, r := range readRows(t, file) {
		f := newForm(t, r)
		if strings.HasPrefix(r.section, "ComparisonOfProductAndSum") {
			f.a.Extensions = ComparisonOfProductAndSum
		}
		got, want := simplify(f.a, f.before), f.env.expr(r.expected)
		if !Equal(got, want) {
			t.Errorf("%s:%d (%s): %s given %v\n got %s\nwant %s", file, r.line, r.section, show(f.before), r.conditions, show(got), show(want))
		}
		f.sameValue(t, file, f.before, got, 400)
	}
}

// TestCanonicalForms checks the canonical form of each row, of which many are near misses of
// others that stay as they are.
func TestCanonicalForms(t *testing.T) {
	checkForms(t, "canonical_forms.txt", (*Analyzer).CanonicalSimplify)
}

// TestRewriteForms checks what the rules make of each row. Rows that stay as they are lack one
// condition of a rule.
func TestRewriteForms(t *testing.T) {
	checkForms(t, "rewrite_forms.txt", (*Analyzer).RewriteSimplify)
	checkForms(t, "rewrite_vector_forms.txt", (*Analyzer).RewriteSimplify)
}

// withConstants returns e with k in place of all constants that are no bools.
func withConstants(e tir.Expr, k int64) tir.Expr {
	switch e := e.(type) {
	case *tir.IntImm:
		if !e.Type.IsBool() {
			return num(e.Type, k)
		}
	case *tir.Binary:
		return tir.NewBinary(e.Op, withConstants(e.A, k), withConstants(e.B, k))
	case *tir.Not:
		return &tir.Not{A: withConstants(e.A, k)}
	}
	return e
}

// TestRulesHoldForAnyOperands applies one rule to what is nearly the left side of each row, with
// operands that nobody simplified, as it happens where a question runs out of steps.
func TestRulesHoldForAnyOperands(t *testing.T) {
	for _, file := range []string{"rewrite_forms.txt", "rewrite_vector_forms.txt", "rewrite_rules.txt", "canonical_forms.txt"} {
		for _, r := range readRows(t, file) {
			f := newForm(t, r)
			if _, ok := evaluable(f.before); !ok || strings.Contains(r.before, "cast(") || strings.Contains(r.before, "_i64") {
				continue // the large values of these overflow
			}
			f.a.MaxSteps = 1
			most := 200
			check := func(e tir.Expr) {
				if out := f.a.RewriteSimplify(e); out != e {
					f.sameValue(t, file, e, out, most)
				}
				if out := f.a.CanonicalSimplify(e); out != e {
					f.sameValue(t, file, e, out, most)
				}
			}
			check(f.before)
			most = 30
			nearMisses(f.before, check)
			for k := int64(-1); k <= 1; k++ {
				check(withConstants(f.before, k))
			}
		}
	}
}
