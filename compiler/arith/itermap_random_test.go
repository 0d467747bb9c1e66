package arith

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// mapMaker makes indices that are nearly, and often enough truly, iteration maps: it takes
// iterators apart and joins them, sometimes with a wrong number.
type mapMaker struct {
	*rand.Rand
	w     *world
	dom   map[*tir.Var]*tir.Range
	parts []tir.Expr
	sizes []int64 // how many values each part has if all numbers are right
}

func newMapMaker(r *rand.Rand) *mapMaker {
	m := &mapMaker{Rand: r, w: &world{d: tir.Int32(0).Type}, dom: map[*tir.Var]*tir.Range{}}
	points := int64(1)
	for i := range 1 + r.IntN(3) {
		n := oneOf[int64](r, 1, 2, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24)
		if points *= n; points > 200 && i > 0 {
			break
		}
		lo := int64(0)
		if r.IntN(5) == 0 {
			lo = int64(r.IntN(9) - 4)
		}
		v := tir.NewVar(string(rune('x'+i)), m.w.d)
		m.w.vars, m.w.ranges = append(m.w.vars, v), append(m.w.ranges, Bound{lo, lo + n - 1})
		m.dom[v] = &tir.Range{Min: num(m.w.d, lo), Extent: num(m.w.d, n)}
		m.parts, m.sizes = append(m.parts, v), append(m.sizes, n)
	}
	for range r.IntN(6) {
		m.step()
	}
	return m
}

func oneOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (m *mapMaker) num(n int64) tir.Expr { return num(m.w.d, n) }

func (m *mapMaker) step() {
	i := m.IntN(len(m.parts))
	e, n := m.parts[i], m.sizes[i]
	switch m.IntN(8) {
	case 0, 1, 2: // take it apart
		f := oneOf[int64](m.Rand, 1, 2, 2, 3, 4, 5, 6, 8, 16, n)
		if m.IntN(3) > 0 && n%f != 0 {
			return
		}
		m.parts[i], m.sizes[i] = tir.NewBinary(tir.OpFloorMod, e, m.num(f)), f
		if m.IntN(4) > 0 {
			m.parts, m.sizes = append(m.parts, tir.NewBinary(tir.OpFloorDiv, e, m.num(f))), append(m.sizes, (n+f-1)/f)
		}
	case 3, 4: // join it with another one
		j := m.IntN(len(m.parts))
		if i == j {
			return
		}
		by := m.sizes[j]
		if m.IntN(6) == 0 {
			by += int64(m.IntN(3) - 1)
		}
		m.parts[i] = tir.Add(tir.Mul(e, m.num(by)), m.parts[j])
		if m.IntN(4) == 0 {
			m.parts[i] = tir.Add(m.parts[j], tir.Mul(e, m.num(by)))
		}
		m.sizes[i] *= m.sizes[j]
		m.parts, m.sizes = slices.Delete(m.parts, j, j+1), slices.Delete(m.sizes, j, j+1)
	case 5, 6:
		m.parts[i] = tir.Add(e, m.num(int64(m.IntN(15)-4)))
	case 7:
		switch m.IntN(4) {
		case 0:
			m.parts[i] = tir.Mul(e, m.num(oneOf[int64](m.Rand, -2, -1, 0, 2, 3, 4)))
		case 1:
			m.parts[i] = tir.Sub(m.num(n-1), e)
		case 2:
			m.parts[i] = tir.Sub(e, m.parts[m.IntN(len(m.parts))])
		case 3:
			m.parts[i] = tir.Add(e, m.parts[m.IntN(len(m.parts))])
		}
	}
}

// indices returns some of the parts.
func (m *mapMaker) indices() []tir.Expr {
	out := slices.Clone(m.parts)
	m.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:1+m.IntN(len(out))]
}

// predicate returns bounds of parts for one map of n, if any; else nil.
func (m *mapMaker) predicate(n int) (pred tir.Expr) {
	if m.IntN(n) > 0 {
		return nil
	}
	for range m.IntN(3) {
		i := m.IntN(len(m.parts))
		e := m.parts[i]
		if m.IntN(3) == 0 && len(m.w.vars) > 1 {
			n, _ := cst(m.dom[m.w.vars[1]].Extent)
			e = tir.Add(tir.Mul(m.w.vars[0], m.num(n)), m.w.vars[1])
		}
		op := oneOf(m.Rand, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE)
		c := tir.BinaryExpr(op, e, m.num(int64(m.IntN(int(m.sizes[i])+3)-1)))
		if pred == nil {
			pred = c
		} else {
			pred = tir.And(pred, c)
		}
	}
	return pred
}

// TestRandomIterMaps compares what is detected with the values of the indices at all points.
func TestRandomIterMaps(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		found := map[IterMapLevel]int{}
		for i := range 6000 {
			m := newMapMaker(r)
			level := oneOf(r, Surjective, Surjective, Surjective, Bijective)
			pred := m.predicate(2)
			if checkMap(t, fmt.Sprint("map ", i), m.w, m.dom, m.indices(), pred, level, r.IntN(2) == 0) {
				found[level]++
			}
		}
		if found[Surjective] < 1000 || found[Bijective] < 200 {
			t.Errorf("%d surjective and %d bijective maps found", found[Surjective], found[Bijective])
		}
	})
}
