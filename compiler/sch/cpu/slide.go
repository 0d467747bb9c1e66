package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// slide is a tile of a reduction without reuse whose windows overlap: so many results along variable k share the columns of their windows.
type slide struct {
	k, r    int   // r is the reduction variable over the columns of a window, of which there are size
	size    int64 // columns of a window
	rows    int64 // steps of the reduction for a column
	step    int64 // columns from one result to the next
	results int64
	vectors int64 // registers for each
	first   int64 // 1 if the first value of a column takes an instruction: a maximum starts from it
}

// columns is how many columns the results have.
func (s slide) columns() int64 { return (s.results-1)*s.step + s.size }

// columnVectors is how many vectors of so many lanes hold the columns.
func (s slide) columnVectors(lanes int64) int64 { return (s.columns() + lanes - 1) / lanes }

// steps is how many times values are combined for a result.
func (s slide) steps() float64 {
	return float64(s.columns()*(s.rows-1+s.first)+s.results*(s.size-1)) / float64(s.results)
}

// leastSaved is the part of the steps that sharing columns must save.
const leastSaved = 0.15

// slides finds the tile, for vectors along v, with which columns that results share save most steps; ok is false where they save too few.
func (p *plan) slides(v int) (best slide, ok bool) {
	if p.registers > 1 || p.run > 0 || p.extent(v) == 0 || p.Lanes < p.leastLanes() {
		return best, false
	}
	all := int64(1)
	for _, r := range p.reduce {
		if p.extent(r) == 0 {
			return best, false
		}
		all *= p.extent(r)
	}
	first := p.firstStep()
	least := float64(all-1+first) * (1 - leastSaved) * (1 + waste(p.extent(v), p.Lanes))
	for _, k := range p.spatial {
		n := p.extent(k)
		if k == v || n < 2 {
			continue
		}
		for _, r := range p.reduce {
			step := sch.Slides(p.block(), k, r)
			if step == 0 || p.extent(r) > maxUnrolledWindow {
				continue
			}
			for vectors := int64(1); vectors*p.Lanes <= max(p.extent(v), p.Lanes); vectors *= 2 {
				for results := int64(2); results <= n; results++ {
					s := slide{k: k, r: r, size: p.extent(r), rows: all / p.extent(r), step: step, results: results, vectors: vectors, first: first}
					if (s.columns()+results)*vectors > p.machine.accumulators() {
						break
					}
					cost := s.steps() * (1 + waste(n, results)) * (1 + waste(p.extent(v), vectors*p.Lanes))
					if cost < least {
						best, least, ok = s, cost, true
					}
				}
			}
		}
	}
	return best, ok
}

// shareColumns tiles for columns that results share, if that pays. The number of steps that columns take is what window sees.
func (p *plan) shareColumns(v int) bool {
	s, ok := p.slides(v)
	if !ok {
		return false
	}
	p.Tile[v], p.Tile[s.k] = s.vectors*p.Lanes, s.results
	p.Slide, p.sliding = []int{s.k, s.r}, &s
	return true
}

// leastPicked is the shortest vector of which lanes are picked from others in a few instructions.
const leastPicked = 8

// pickColumns tiles for windows that lie two columns apart along the vectors: what they share are columns that vectors hold as memory does, and lanes of these are picked for the results. Beside each other are
// as many rows of results as a third of the registers holds the columns of: others have the numbers of lanes, and what maxima take.
func (p *plan) pickColumns(v int) bool {
	r := p.pickable(v)
	if r < 0 || p.Lanes < leastPicked || p.extent(v) < p.Lanes {
		return false
	}
	s := slide{k: v, r: r, size: p.extent(r), rows: 1, step: 2, results: p.Lanes, vectors: 1, first: p.firstStep()}
	for _, k := range p.reduce {
		if k != r {
			s.rows *= p.extent(k)
		}
	}
	p.Tile[v] = p.Lanes
	if i := len(p.spatial) - 1; i > 0 {
		k := p.spatial[i]
		if k == v {
			k = p.spatial[i-1]
		}
		vectors := s.columnVectors(p.Lanes) + 1
		p.Tile[k] = p.leastWaste(k, p.machine.Registers/3/vectors)
	}
	p.Slide, p.sliding = []int{v, r}, &s
	return true
}

// pickable finds the reduction variable over the columns of windows that lie two columns apart along vectors of results along v, -1 where there is none, or more is done than to combine what is read.
func (p *plan) pickable(v int) int {
	if !p.machine.Spreads || p.registers > 1 || p.run > 0 || len(p.loads) != 1 || p.loads[0].buf.DType.Bits != 32 || p.stride(p.loads[0], v) != 2 {
		return -1
	}
	if _, value, _, _ := sch.Combiner(p.block()); value != tir.Expr(p.loads[0].load) {
		return -1
	}
	found := -1
	for _, r := range p.reduce {
		switch n := p.extent(r); {
		case n == 0:
			return -1
		case n <= maxUnrolledWindow && sch.MovesBy(p.block(), v, r) == 2:
			found = r
		}
	}
	return found
}

// firstStep is 1 if the first value of a column takes an instruction: a maximum or minimum starts from it.
func (p *plan) firstStep() int64 {
	if op, _, _, _ := sch.Combiner(p.block()); op == tir.OpMax || op == tir.OpMin {
		return 0
	}
	return 1
}

// leastWaste is the tile of variable k, of up to most results and at least half as many, that computes fewest of them twice.
func (p *plan) leastWaste(k int, most int64) int64 { return p.leastWasteFrom(k, most/2, most) }

// leastWasteFrom is leastWaste for at least so many results, as far as there are as many.
func (p *plan) leastWasteFrom(k int, least, most int64) int64 {
	n := p.extent(k)
	if n == 0 {
		return 1
	}
	most = max(min(most, n), 1)
	best := most
	for t := most; t >= max(min(least, most), 1); t-- {
		if waste(n, t) < waste(n, best) {
			best = t
		}
	}
	return best
}

// withoutColumns are the reduction variables but for the one over columns.
func (p *plan) withoutColumns() []int {
	r := p.sliding.r
	return slices.DeleteFunc(slices.Clone(p.reduce), func(k int) bool { return k == r })
}

// columns tells the watcher what results share.
func (w reasons) columns() {
	s := w.sliding
	if s == nil {
		return
	}
	if s.k == w.Vector {
		w.took(ruleColumns, "%d windows of %s lie %s apart along %s: they have %d columns in %d vectors, of which lanes are picked once for all rows of a window", s.results, w.extentsOf(w.reduce), plural(s.step, "column"),
			w.name(s.k), s.columns(), s.columnVectors(w.Lanes))
		return
	}
	w.took(ruleColumns, "%d windows of %s lie %s apart along %s: they have %d columns, so that a result takes %.3g steps in place of %d", s.results, w.extentsOf(w.reduce), plural(s.step, "column"),
		w.name(s.k), s.columns(), s.steps(), s.size*s.rows-1+s.first)
}

// extentsOf writes the extents of variables: "3x3".
func (w reasons) extentsOf(list []int) string {
	text := ""
	for i, k := range list {
		if i > 0 {
			text += "x"
		}
		text += w.extentText(k)
	}
	return text
}
