package arith

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestRandomSubspaces divides random maps at a random set of iterators: each index must be the
// outer part times the inner extent plus the inner part, each part must use its side alone and,
// but for the base of the index, lie in its extent, and the two predicates must say what the
// predicate says.
func TestRandomSubspaces(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		divisions, both := 0, 0
		for n := range 8000 {
			m := newMapMaker(r)
			bindings := m.indices()
			pred := m.predicate(2)
			sub := map[*tir.Var]bool{}
			for _, v := range m.w.vars {
				if r.IntN(2) == 0 {
					sub[v] = true
				}
			}
			a := NewAnalyzer()
			got, outerPred, innerPred := SubspaceDivide(bindings, m.dom, sub, pred, Surjective, a, r.IntN(2) == 0)
			if got == nil {
				continue
			}
			divisions++
			inSub := func(v *tir.Var) bool { return sub[v] }
			notInSub := func(v *tir.Var) bool { return m.dom[v] != nil && !sub[v] }
			for i, d := range got {
				where := fmt.Sprintf("map %d: %s divided at %v where %s", n, show(bindings[i]), names(sub), show(pred))
				outer, inner := d.Outer.ExprOf(a), d.Inner.ExprOf(a)
				if UsesVar(outer, inSub) || UsesVar(outerPred, inSub) || UsesVar(inner, notInSub) || UsesVar(innerPred, notInSub) {
					t.Fatalf("%s: outer %s if %s, inner %s if %s", where, show(outer), show(outerPred), show(inner), show(innerPred))
				}
				so, ok1 := cst(a.Simplify(d.Outer.Extent))
				si, ok2 := cst(a.Simplify(d.Inner.Extent))
				base, ok3 := cst(a.Simplify(d.Inner.Sum.Base))
				if !ok1 || !ok2 || !ok3 {
					t.Fatalf("%s: extents %s and %s, base %s", where, show(d.Outer.Extent), show(d.Inner.Extent), show(d.Inner.Sum.Base))
				}
				if so > 1 && si > 1 {
					both++
				}
				m.w.each(func(at map[*tir.Var]int64) {
					holds := pred == nil || evalAll(pred, at)[0] != 0
					if (evalAll(outerPred, at)[0] != 0 && evalAll(innerPred, at)[0] != 0) != holds {
						t.Fatalf("%s: %s and %s at %v", where, show(outerPred), show(innerPred), point(at))
					}
					if !holds {
						return
					}
					o, x := evalAll(outer, at)[0], evalAll(inner, at)[0]
					if want := evalAll(bindings[i], at)[0]; o*si+x != want || o < 0 || o >= so || x < base || x >= base+si {
						t.Fatalf("%s: %s is %d of %d, %s is %d of %d at %v, want %d", where, show(outer), o, so, show(inner), x, si, point(at), want)
					}
				})
			}
		}
		if divisions < 1000 || both < 50 {
			t.Errorf("%d maps divided, %d indices with parts on both sides", divisions, both)
		}
	})
}

// TestSubspacePredicates checks on which side each bound of a predicate goes.
func TestSubspacePredicates(t *testing.T) {
	for _, c := range []struct{ dom, sub, pred, binding, outer, inner string }{
		{"x : 8 ; y : 8", "y", "", "x * 8 + y", "true", "true"},
		{"x : Sn ; y : 8", "y", "", "x * 8 + y", "true", "true"},
		{"x : 8 ; y : Sn", "y", "", "x * Sn + y", "true", "true"},
		{"x : 8 ; y : Sn", "y", "", "flm(x * Sn + y, Sn)", "true", "true"},
		{"x : 8 ; y : 8", "y", "true", "x * 8 + y", "true", "true"},
		{"x : 8 ; y : 8", "y", "x < 5", "x * 8 + y", "x < 5", "true"},
		{"x : 8 ; y : 8", "y", "y < n", "x", "true", "y < n"},
		{"x : 8 ; y : 8", "y", "x < n && y >= 2 && x > 1", "x", "x < n && x > 1", "y >= 2"},
		{"x : 8 ; y : 8", "y", "n < 3", "x * 8 + y", "n < 3", "true"},
		{"x : 8 ; y : 8 ; z : 8", "y z", "y * 8 + z < 60", "x * 64 + y * 8 + z", "", ""},
		{"x : 8 ; y : 8 ; z : 8", "y z", "y * 8 + z < 60", "y * 8 + z", "true", "y * 8 + z < 60"},
		{"x : 8 ; y : 8 ; z : 8", "z", "x * 8 + y < 60", "x * 64 + y * 8 + z", "x * 8 + y < 60", "true"},
		{"x : 8 ; y : 8", "y", "x * 8 + y < 60", "x * 8 + y", "", ""},
		{"x : 8 ; y : 8", "x", "", "x * 8 + y", "", ""},
		{"x : 8 ; y : 8", "y", "", "(x * 8 + y) * 2", "", ""},
		{"x : 8 ; y : 8", "y", "", "fld(x * 8 + y, 3)", "", ""},
		{"x : 8 ; y : 8", "y", "", "flm(x * 8 + y, 3)", "", ""},
		{"x : 8 ; y : 8", "y", "", "flm(x * 8 + y, 4)", "true", "true"},
		{"x : 8 ; y : 8", "y", "", "flm(fld(x * 8 + y, 16), 4)", "true", "true"},
		{"x : 8 ; y : 8", "y", "", "flm(fld(x * 8 + y, 4), 8)", "", ""},
		{"x : 8 ; y : 8", "y", "", "x * 7 + y", "", ""},
		{"x : 8 ; y : 8 ; z : 2", "y z", "", "x * 7 + y", "", ""},
		{"x : 8 ; y : 8 ; z : 2", "x y", "", "z * 57 + x * 7 + y", "", ""},
	} {
		v := newEnv()
		dom := domains(v, c.dom)
		sub := map[*tir.Var]bool{}
		for _, name := range strings.Fields(c.sub) {
			sub[v.variable(name)] = true
		}
		var pred tir.Expr
		if c.pred != "" {
			pred = v.expr(c.pred)
		}
		ds, outer, inner := SubspaceDivide([]tir.Expr{v.expr(c.binding)}, dom, sub, pred, Surjective, NewAnalyzer(), true)
		if (ds != nil) != (c.outer != "") {
			t.Errorf("%s where %q at %s: divided %v", c.binding, c.pred, c.sub, ds != nil)
		}
		if ds == nil {
			if outer != nil || inner != nil {
				t.Errorf("%s where %q at %s: predicates but no parts", c.binding, c.pred, c.sub)
			}
			continue
		}
		if c.pred == "" && !strings.Contains(c.dom, "S") {
			w := &world{}
			for x, r := range dom {
				n, _ := cst(r.Extent)
				w.vars, w.ranges = append(w.vars, x), append(w.ranges, Bound{0, n - 1})
			}
			value := tir.Add(tir.Mul(ds[0].Outer.ExprOf(NewAnalyzer()), ds[0].Inner.Extent), ds[0].Inner.ExprOf(NewAnalyzer()))
			w.each(func(at map[*tir.Var]int64) {
				if got, want := evalAll(value, at)[0], evalAll(v.expr(c.binding), at)[0]; got != want {
					t.Fatalf("%s at %s: %s is %d at %v, want %d", c.binding, c.sub, show(value), got, point(at), want)
				}
			})
		}
		if !Equal(outer, v.expr(c.outer)) || !Equal(inner, v.expr(c.inner)) {
			t.Errorf("%s where %q at %s: %s and %s, want %s and %s", c.binding, c.pred, c.sub, show(outer), show(inner), c.outer, c.inner)
		}
	}
}

// TestSubspacesShareMarks checks that the digits of one iterator are digits of one part of it.
func TestSubspacesShareMarks(t *testing.T) {
	v := newEnv()
	dom := domains(v, "x : 8 ; y : 4 ; z : 4")
	bindings := []tir.Expr{v.expr("flm(x * 16 + y * 4 + z, 2)"), v.expr("flm(fld(x * 16 + y * 4 + z, 2), 8)"), v.expr("fld(x * 16 + y * 4 + z, 16)")}
	sub := map[*tir.Var]bool{v.variable("y"): true, v.variable("z"): true}
	ds, _, _ := SubspaceDivide(bindings, dom, sub, nil, Bijective, NewAnalyzer(), true)
	if len(ds) != 3 {
		t.Fatal("not divided")
	}
	if ds[0].Inner.Sum.Args[0].Source != ds[1].Inner.Sum.Args[0].Source {
		t.Error("the inner digits have two sources")
	}
	for i, want := range []string{"1 2", "1 8", "8 1"} {
		a := NewAnalyzer()
		if got := show(a.Simplify(ds[i].Outer.Extent)) + " " + show(a.Simplify(ds[i].Inner.Extent)); got != want {
			t.Errorf("extents of index %d: got %s, want %s", i, got, want)
		}
	}
}

func names(vars map[*tir.Var]bool) (out []string) {
	for v := range vars {
		out = append(out, v.Name)
	}
	return out
}
