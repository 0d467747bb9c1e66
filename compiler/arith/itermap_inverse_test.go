package arith

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestRandomInverses inverts random bijective maps and compares the inputs with what the inverse
// makes of the values of the indices. Only maps with a scale that is not 1 or -1 have no inverse.
func TestRandomInverses(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		inverted, constrained := 0, 0
		for n := range 6000 {
			m := newMapMaker(r)
			indices := m.indices()
			pred := m.predicate(3)
			a := NewAnalyzer()
			sums := DetectIterMap(indices, m.dom, pred, Bijective, a, r.IntN(2) == 0).Indices
			if len(sums) == 0 {
				continue
			}
			outputs := make([]*tir.Var, len(indices))
			values := make([]tir.Expr, len(indices))
			scaled := false
			for i, s := range sums {
				outputs[i] = tir.NewVar("o", m.w.d)
				values[i] = outputs[i]
				for _, s := range s.Args {
					scaled = scaled || !isCst(s.Scale, 1) && !isCst(s.Scale, -1) && !isCst(s.Extent, 1)
				}
			}
			where := fmt.Sprintf("map %d: %s where %s", n, show(indices[0]), show(pred))
			inverse, err := InverseAffineIterMap(sums, values)
			if (err != nil) != scaled {
				t.Fatalf("%s: error %v, scaled %v", where, err, scaled)
			}
			if err != nil {
				continue
			}
			inverted++
			if pred != nil {
				constrained++
			}
			for k, v := range m.w.vars {
				if b := m.w.ranges[k]; inverse[v] == nil && pred == nil && !b.Const() {
					t.Fatalf("%s: %s has no value", where, v.Name)
				}
			}
			m.w.each(func(at map[*tir.Var]int64) {
				if pred != nil && evalAll(pred, at)[0] == 0 {
					return
				}
				out := map[*tir.Var]int64{}
				for i, e := range indices {
					out[outputs[i]] = evalAll(e, at)[0]
				}
				for v, e := range inverse {
					if got := evalAll(e, out)[0]; got != at[v] {
						t.Fatalf("%s: %s is %s, which is %d, want %d", where, v.Name, show(e), got, at[v])
					}
				}
			})
		}
		if inverted < 500 || constrained < 50 {
			t.Errorf("%d maps inverted, %d with a predicate", inverted, constrained)
		}
	})
}

// TestInverseRefuses checks what has no inverse.
func TestInverseRefuses(t *testing.T) {
	x, y := tir.NewVar("x", tir.Int32(0).Type), tir.NewVar("y", tir.Int32(0).Type)
	mark := func(e tir.Expr, n int64) *IterMark { return &IterMark{Expr: e, Extent: tir.Int32(n)} }
	scaled := func(m *IterMark, scale int64) *IterSplit {
		s := splitOf(m)
		s.Scale = tir.Int32(scale)
		return s
	}
	sum := func(args ...*IterSplit) *IterSum { return &IterSum{Args: args, Base: tir.Int32(0)} }
	mx := &IterMark{Var: x, Expr: x, Extent: tir.Int32(3)}
	my := &IterMark{Var: y, Expr: y, Extent: tir.Int32(4)}
	out := []tir.Expr{tir.NewVar("o", tir.Int32(0).Type)}
	for name, c := range map[string]struct {
		sum  *IterSum
		want error
	}{
		"a scale":               {sum(scaled(mx, 2)), errNotFused},
		"scales apart":          {sum(scaled(mx, 5), scaled(my, 1)), errNotFused},
		"scales in wrong order": {sum(scaled(mx, 1), scaled(my, 3)), errNotFused},
		"no variable":           {sum(splitOf(mark(tir.Mul(x, y), 3))), errNotFused},
		"no difference":         {sum(splitOf(mark(tir.Add(x, y), 3))), errNotFused},
		"an expression less 1":  {sum(splitOf(mark(tir.Sub(tir.Mul(x, y), tir.Int32(1)), 3))), errNotFused},
		"inside a sum":          {sum(splitOf(&IterMark{Sum: sum(scaled(mark(tir.Mul(x, y), 3), 4), scaled(my, 1)), Extent: tir.Int32(12)})), errNotFused},
		"nothing":               {sum(), nil},
		"a scaled 0":            {sum(scaled(&IterMark{Var: x, Expr: x, Extent: tir.Int32(1)}, 7)), nil},
		"digits":                {sum(scaled(mx, 4), scaled(my, 1)), nil},
		"negative":              {sum(scaled(mx, -1)), nil},
	} {
		got, err := InverseAffineIterMap([]*IterSum{c.sum}, out)
		if err != c.want || err != nil && got != nil {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if _, err := InverseAffineIterMap([]*IterSum{sum(splitOf(mx))}, nil); err == nil || err.Error() != "an iteration map needs one output for each index to be inverted" {
		t.Errorf("no outputs: got %v", err)
	}
}
