package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestPaddedMaps takes iterators apart by divisors that need not fit, and checks for every point that the indices count whether an input leads
// there: nothing does exactly where empty holds.
func TestPaddedMaps(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		detected, holes := 0, 0
		for range 600 {
			d := tir.Int32(0).Type
			dom := map[*tir.Var]*tir.Range{}
			var vars []*tir.Var
			var indices []tir.Expr
			for i := range 1 + r.IntN(2) {
				v := tir.NewVar(string(rune('x'+i)), d)
				vars = append(vars, v)
				dom[v] = &tir.Range{Min: num(d, 0), Extent: num(d, 1+r.Int64N(9))}
				e, by := tir.Expr(v), num(d, 2+r.Int64N(4))
				if r.IntN(3) == 0 {
					e = tir.NewBinary(tir.OpAdd, e, num(d, r.Int64N(4)))
				}
				outer := tir.Expr(tir.NewBinary(tir.OpFloorDiv, e, by))
				indices = append(indices, tir.NewBinary(tir.OpFloorMod, e, by))
				if r.IntN(2) == 0 {
					again := num(d, 2)
					indices = append(indices, tir.NewBinary(tir.OpFloorMod, outer, again))
					outer = tir.NewBinary(tir.OpFloorDiv, outer, again)
				}
				indices = append(indices, outer)
			}
			r.Shuffle(len(indices), func(i, j int) { indices[i], indices[j] = indices[j], indices[i] })
			a := NewAnalyzer()
			res, empty := DetectPaddedIterMap(indices, dom, a, false)
			if len(res.Indices) == 0 {
				continue // the starts have nothing in common
			}
			outputs := make([]*tir.Var, len(indices))
			values := make([]tir.Expr, len(indices))
			for i := range indices {
				outputs[i] = tir.NewVar("o", d)
				values[i] = outputs[i]
			}
			inverse, err := InverseAffineIterMap(res.Indices, values)
			if err != nil {
				t.Fatal(err)
			}
			reached := map[string]bool{}
			key := func(at map[*tir.Var]int64, es []tir.Expr) string {
				s := ""
				for _, e := range es {
					s += show(num(d, evalAll(e, at)[0])) + " "
				}
				return s
			}
			in := map[*tir.Var]int64{}
			var each func(i int, vars []*tir.Var, from, to []int64, f func())
			each = func(i int, vars []*tir.Var, from, to []int64, f func()) {
				if i == len(vars) {
					f()
					return
				}
				for in[vars[i]] = from[i]; in[vars[i]] < to[i]; in[vars[i]]++ {
					each(i+1, vars, from, to, f)
				}
			}
			var sizes []int64
			for _, v := range vars {
				n, _ := cst(dom[v].Extent)
				sizes = append(sizes, n)
			}
			each(0, vars, make([]int64, len(vars)), sizes, func() { reached[key(in, indices)] = true })
			var lo, box []int64
			for _, s := range res.Indices {
				n := int64(1)
				if len(s.Args) > 0 {
					e, _ := cst(a.Simplify(s.Args[0].Extent))
					n = e
				}
				b, _ := cst(a.Simplify(s.Base))
				lo, box = append(lo, b), append(box, b+n)
			}
			detected++
			each(0, outputs, lo, box, func() {
				for v, e := range inverse {
					in[v] = evalAll(e, in)[0]
				}
				for _, v := range vars {
					if inverse[v] == nil {
						in[v] = 0
					}
				}
				hole := evalAll(empty, in)[0] != 0
				if hole {
					holes++
				}
				if at := key(in, values); hole == reached[at] {
					t.Fatalf("%v of %v at %s: empty is %v, by %s", indices, sizes, at, hole, show(empty))
				}
			})
		}
		t.Logf("%d maps, %d empty places", detected, holes)
		if holes < 500 || detected < 400 {
			t.Errorf("%d empty places in %d maps", holes, detected)
		}
	})
}
