package arith

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestIterMapsAreWhatTheySay evaluates the maps of the table, and what is nearly one of them, at
// all points: the sums have the values of the indices, together they reach all of the product of
// their extents and nothing else, and for a bijection no two points agree.
func TestIterMapsAreWhatTheySay(t *testing.T) {
	data, err := os.ReadFile("testdata/iter_map.txt")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i, line := range strings.Split(string(data), "\n") {
		f := strings.Split(line, " | ")
		if line == "" || line[0] == '#' || strings.Contains(f[1], "S") {
			continue
		}
		v := newEnv()
		dom := domains(v, f[1])
		w, points := &world{}, int64(1)
		for x, r := range dom {
			n, ok := cst(r.Extent)
			if !ok {
				points = 1 << 30
				break
			}
			points *= n
			w.d = x.DType()
			w.vars, w.ranges = append(w.vars, x), append(w.ranges, Bound{0, n - 1})
		}
		if points > 160 {
			continue
		}
		var pred tir.Expr
		if p := strings.TrimSpace(f[2]); p != "" {
			pred = v.expr(p)
		}
		var indices []tir.Expr
		for _, item := range f[3:] {
			index, _, _ := strings.Cut(item, " => ")
			indices = append(indices, v.expr(index))
		}
		check := func(indices []tir.Expr, pred tir.Expr) {
			for _, level := range []IterMapLevel{Surjective, Bijective} {
				checked++
				checkMap(t, fmt.Sprintf("line %d", i+1), w, dom, indices, pred, level, checked%4 < 2)
			}
		}
		check(indices, pred)
		for k := range indices {
			nearMisses(indices[k], func(miss tir.Expr) {
				changed := append([]tir.Expr{}, indices...)
				changed[k] = miss
				check(changed, nil)
				if pred != nil {
					check(changed, pred)
				}
			})
		}
		if pred != nil {
			check(indices, nil)
		}
	}
	if checked < 500 {
		t.Errorf("%d maps checked", checked)
	}
}

// checkMap compares what DetectIterMap says of indices with their values, and reports whether it
// found a map.
func checkMap(t *testing.T, where string, w *world, dom map[*tir.Var]*tir.Range, indices []tir.Expr, pred tir.Expr, level IterMapLevel, trivial bool) bool {
	known := map[*tir.Var]bool{}
	for _, x := range w.vars {
		known[x] = true
	}
	free := func(x *tir.Var) bool { return !known[x] }
	for _, e := range append(indices, pred) {
		if e != nil && UsesVar(e, free) {
			return false
		}
	}
	a := NewAnalyzer()
	res := DetectIterMap(indices, dom, pred, level, a, trivial)
	if len(res.Indices) == 0 {
		if len(res.Errors) == 0 {
			t.Errorf("%s: no map, and no reason", where)
		}
		return false
	}
	name := func() string {
		var s []string
		for _, e := range indices {
			s = append(s, show(e))
		}
		return fmt.Sprintf("%s: %s in %v where %s", where, strings.Join(s, ", "), w.ranges, show(pred))
	}
	exprs := make([]tir.Expr, len(indices))
	seen := make([]map[int64]bool, len(indices))
	for i, s := range res.Indices {
		exprs[i], seen[i] = NormalizeIterMapToExpr(s), map[int64]bool{}
	}
	together := map[string]int{}
	bad := ""
	w.each(func(at map[*tir.Var]int64) {
		if bad != "" {
			return
		}
		if pred != nil {
			if c, ok := evalOK(pred, at); !ok || c[0] == 0 {
				return
			}
		}
		var all []int64
		for i, e := range indices {
			want, ok := evalOK(e, at)
			if !ok {
				bad = "it divides by zero"
				return
			}
			got, ok := evalOK(exprs[i], at)
			if !ok || got[0] != want[0] {
				bad = fmt.Sprintf("%s is %v at %v, want %v", show(exprs[i]), got, point(at), want)
				return
			}
			seen[i][want[0]] = true
			all = append(all, want[0])
		}
		together[fmt.Sprint(all)]++
	})
	if bad != "" {
		t.Errorf("%s: %s", name(), bad)
		return true
	}
	if len(together) == 0 {
		return true // the predicate holds nowhere
	}
	product := 1
	for i, s := range res.Indices {
		base := a.Simplify(s.Base)
		at, ok := cst(base)
		if !ok {
			return true
		}
		extent, scale := int64(1), int64(1)
		if len(s.Args) > 1 {
			t.Errorf("%s: %d terms", name(), len(s.Args))
			return true
		}
		if len(s.Args) == 1 {
			extent, _ = cst(a.Simplify(s.Args[0].Extent))
			scale, _ = cst(a.Simplify(s.Args[0].Scale))
		}
		for k := range extent {
			if !seen[i][at+k*scale] {
				t.Errorf("%s: %s never is %d", name(), show(indices[i]), at+k*scale)
				return true
			}
		}
		if len(seen[i]) != int(extent) {
			t.Errorf("%s: %s has %d values, not %d", name(), show(indices[i]), len(seen[i]), extent)
			return true
		}
		product *= int(extent)
	}
	if len(together) != product {
		t.Errorf("%s: %d values of %d", name(), len(together), product)
	}
	if level != Bijective {
		return true
	}
	for at, n := range together {
		if n > 1 {
			t.Errorf("%s: %d points are mapped to %s", name(), n, at)
			return true
		}
	}
	return true
}
