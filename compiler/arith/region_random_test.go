package arith

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestRandomRegions compares the bounds of random regions with the elements that they touch: the
// strict and the lower bound have no element that is not touched, and no bound lacks one.
func TestRandomRegions(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		strict, gaps := 0, 0
		for n := range 3000 {
			m := newMapMaker(r)
			pred := m.predicate(2)
			region := []*tir.Range{}
			for _, e := range m.indices() {
				region = append(region, &tir.Range{Min: e, Extent: m.num(oneOf[int64](r, 0, 1, 1, 2, 3, 5))})
			}
			touched := map[string]bool{}
			hulls := make([]Bound, len(region))
			for i := range hulls {
				hulls[i] = Bound{PosInf, NegInf}
			}
			m.w.each(func(at map[*tir.Var]int64) {
				if pred == nil || evalAll(pred, at)[0] != 0 {
					eachElement(boxAt(region, at), func(p []int64) {
						for i, x := range p {
							hulls[i] = hulls[i].union(Bound{x, x})
						}
						touched[fmt.Sprint(p)] = true
					})
				}
			})
			if len(touched) == 0 {
				continue
			}
			var text []string
			for _, x := range region {
				text = append(text, show(x.Min)+" + "+show(x.Extent))
			}
			where := fmt.Sprintf("map %d: %s in %v where %s", n, strings.Join(text, ", "), m.w.ranges, show(pred))
			a := NewAnalyzer()
			for i, s := range EstimateRegionUpperBound(region, m.dom, pred, a) {
				if b := s.ConstBound(a); s.Empty || b.Min > hulls[i].Min || b.Max < hulls[i].Max {
					t.Fatalf("%s: at most %s..%s in dimension %d, but %v is touched", where, show(s.Min), show(s.Max), i, hulls[i])
				}
			}
			for name, f := range map[string]func([]*tir.Range, map[*tir.Var]*tir.Range, tir.Expr, *Analyzer) ([]IntSet, bool){"strict": EstimateRegionStrictBound, "lower": EstimateRegionLowerBound} {
				sets, ok := f(region, m.dom, pred, a)
				if !ok {
					if sets != nil {
						t.Fatalf("%s: a bound and none", where)
					}
					gaps++
					continue
				}
				strict++
				var box []Bound
				volume := int64(1)
				for i, s := range sets {
					b := s.ConstBound(a)
					if s.Empty || b != hulls[i] {
						t.Fatalf("%s: %s bound %v in dimension %d, but %v is touched", where, name, b, i, hulls[i])
					}
					box = append(box, b)
					volume *= b.Max - b.Min + 1
				}
				if int64(len(touched)) != volume {
					t.Fatalf("%s: %s bound %v of %d elements, %d are touched", where, name, box, volume, len(touched))
				}
			}
		}
		if strict < 1000 || gaps < 500 {
			t.Errorf("%d regions with a strict bound, %d without", strict, gaps)
		}
	})
}

func boxAt(region []*tir.Range, at map[*tir.Var]int64) (box []Bound) {
	for _, x := range region {
		lo, n := evalAll(x.Min, at)[0], evalAll(x.Extent, at)[0]
		box = append(box, Bound{lo, lo + n - 1})
	}
	return box
}

func eachElement(box []Bound, f func(p []int64)) {
	p := make([]int64, len(box))
	var rec func(i int)
	rec = func(i int) {
		if i == len(box) {
			f(p)
			return
		}
		for p[i] = box[i].Min; p[i] <= box[i].Max; p[i]++ {
			rec(i + 1)
		}
	}
	rec(0)
}

// TestRegionsOfNothing checks regions that touch no element.
func TestRegionsOfNothing(t *testing.T) {
	v, a := newEnv(), NewAnalyzer()
	none := []*tir.Range{{Min: v.expr("x"), Extent: tir.Int32(0)}}
	if sets, ok := EstimateRegionStrictBound(none, domains(v, "x : 4"), nil, a); !ok || len(sets) != 1 || !sets[0].Empty {
		t.Errorf("an extent of 0: got %v, %v", sets, ok)
	}
	one := []*tir.Range{{Min: v.expr("x"), Extent: tir.Int32(1)}}
	if sets, ok := EstimateRegionStrictBound(one, domains(v, "x : 0"), nil, a); !ok || len(sets) != 1 || !sets[0].Empty {
		t.Errorf("an iterator of no values: got %v, %v", sets, ok)
	}
}

// TestRegionsOfSymbols checks regions of which an extent or the place is symbolic.
func TestRegionsOfSymbols(t *testing.T) {
	for _, c := range []struct{ min, extent, dom, strict, upper string }{
		{min: "x + n", extent: "2", dom: "x : 4", strict: "n..n + 4", upper: "n..n + 4"},
		{min: "n", extent: "2", dom: "x : 4", strict: "n..n + 1", upper: "n..n + 1"},
		{min: "n", extent: "1", dom: "x : 4", strict: "n", upper: "n"},
		{min: "x", extent: "n", dom: "x : 4", upper: "0..3 + (n - 1)"},
		{min: "x * 2", extent: "x + 2", dom: "x : 4", upper: "0..10"},
		{min: "x * 4", extent: "x + 2", dom: "x : 4", upper: "0..16"},
		{min: "x * 9", extent: "x + 2", dom: "x : 4", upper: "0..31"},
		{min: "0 - x * 2", extent: "2", dom: "x : 4", strict: "-6..1", upper: "-6..1"},
		{min: "0 - x * 2", extent: "1", dom: "x : 4", upper: "-6..0"},
		{min: "x * 3", extent: "2", dom: "x : 4", upper: "0..10"},
		{min: "x * y", extent: "2", dom: "x : 4 ; y : 3", upper: "0..7"},
		{min: "x", extent: "clz(x)", dom: "x : 4", upper: "0.."},
		{min: "x * s", extent: "2", dom: "x : 4", upper: "select(s >= 0, 0, s * 3)..select(s >= 0, s * 3 + 1, 1)"},
		{min: "x * p", extent: "2", dom: "x : 4", strict: "0..p * 3 + 1", upper: "0..p * 3 + 1"},
		{min: "x * q", extent: "2", dom: "x : 4", strict: "q * 3..1", upper: "q * 3..1"},
	} {
		v, a := newEnv(), NewAnalyzer()
		a.UpdateBound(v.variable("s"), Bound{-1, 1})
		a.UpdateBound(v.variable("p"), Bound{1, 2})
		a.UpdateBound(v.variable("q"), Bound{-2, -1})
		dom := domains(v, c.dom)
		region := []*tir.Range{{Min: v.expr(c.min), Extent: v.expr(c.extent)}}
		sets, ok := EstimateRegionStrictBound(region, dom, nil, a)
		if ok != (c.strict != "") {
			t.Errorf("%s of %s: strict bound %v", c.extent, c.min, ok)
		}
		if ok {
			sameSet(t, "strictly "+c.extent+" from "+c.min, v, sets[0], c.strict)
		}
		sameSet(t, c.extent+" from "+c.min, v, EstimateRegionUpperBound(region, dom, nil, a)[0], c.upper)
	}
}

// TestTouchedDomains checks what statements of all kinds touch.
func TestTouchedDomains(t *testing.T) {
	v := newEnv()
	i, n := v.variable("i"), v.variable("n")
	b := tir.NewBuffer("B", dtype.Float32T, []tir.Expr{tir.Int32(100)}, "")
	other := tir.NewBuffer("other", dtype.Int32T, []tir.Expr{tir.Int32(100)}, "")
	at := func(s string) tir.Stmt { return tir.Store(b, tir.FloatConst(dtype.Float32T, 1), v.expr(s)) }
	loop := func(body tir.Stmt) tir.Stmt {
		return &tir.For{LoopVar: i, Min: tir.Int32(3), Extent: tir.Int32(10), Body: body}
	}
	iter := &tir.IterVar{Var: i, Dom: &tir.Range{Min: tir.Int32(3), Extent: tir.Int32(10)}}
	for name, c := range map[string]struct {
		s    tir.Stmt
		want string
	}{
		"a loop":      {loop(at("i + 1")), "4..13"},
		"one element": {at("n"), "n"},
		"a condition": {loop(&tir.IfThenElse{Cond: v.expr("i < 7"), Then: at("i")}), "3..6"},
		"both sides":  {loop(&tir.IfThenElse{Cond: v.expr("i < 7"), Then: at("i + 50"), Else: at("i")}), "7..56"},
		"the other":   {loop(&tir.IfThenElse{Cond: v.expr("i < 7"), Then: tir.Store(other, tir.Int32(1), i), Else: at("i")}), "7..12"},
		"after it":    {loop(tir.Seq(&tir.IfThenElse{Cond: v.expr("i < 7"), Then: at("i")}, at("i"))), "3..12"},
		"a name":      {loop(&tir.LetStmt{Var: v.variable("x"), Value: v.expr("i * 2"), Body: at("x")}), "6..24"},
		"a thread":    {&tir.AttrStmt{Node: iter, Key: "thread_extent", Value: tir.Int32(8), Body: at("i")}, "0..7"},
		"virtual":     {&tir.AttrStmt{Node: iter, Key: "virtual_thread", Value: tir.Int32(8), Body: at("i")}, "0..7"},
		"no iterator": {&tir.AttrStmt{Key: "thread_extent", Value: tir.Int32(8), Body: at("i")}, "i"},
		"another key": {&tir.AttrStmt{Node: iter, Key: "pragma", Value: tir.Int32(8), Body: at("i")}, "i"},
		"a block":     {&tir.Block{Name: "b", IterVars: []*tir.IterVar{iter}, Body: at("i")}, "3..12"},
	} {
		got := TouchedDomains(c.s)[b]
		if got == nil || len(got.Stores) != 1 || len(got.Both) != 1 || len(got.Loads) != 0 {
			t.Errorf("%s: got %v", name, got)
			continue
		}
		sameSet(t, name, v, Union(got.Stores[0]...), c.want)
		sameSet(t, name, v, Union(got.Both[0]...), c.want)
	}
	// A condition, and the index of another element, are read.
	s := loop(&tir.IfThenElse{Cond: tir.LT(tir.Load(other, i), tir.Int32(3)), Then: tir.Store(b, tir.Load(b, n), tir.Load(other, tir.Add(i, tir.Int32(20))))})
	touched := TouchedDomains(s)
	sameSet(t, "indices", v, Union(touched[other].Loads[0]...), "3..32")
	if len(touched[other].Stores) != 0 || len(touched[b].Loads) != 1 {
		t.Errorf("got %v and %v", touched[other], touched[b])
	}
	// What is unbounded is all of the buffer.
	for _, both := range []bool{false, true} {
		r := DomainTouched(s, b, both, true)
		if len(r) != 1 || !isCst(r[0].Min, 0) || !isCst(r[0].Extent, 100) {
			t.Errorf("an element that is read: got %v", r)
		}
	}
	if r := DomainTouched(s, b, false, false); r != nil {
		t.Errorf("neither loads nor stores: got %v", r)
	}
	if r := DomainTouched(s, tir.NewBuffer("C", dtype.Float32T, b.Shape, ""), true, true); r != nil {
		t.Errorf("a buffer that is not touched: got %v", r)
	}
}
