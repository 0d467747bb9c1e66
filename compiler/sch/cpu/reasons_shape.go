package cpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// mostOthers is how many of the tiles that lost are told of.
const mostOthers = 3

// shapes says why a product has its tile: what registers and caches leave room for, and which other tiles take longer.
func (w reasons) shapes() {
	for _, x := range w.shapings {
		if x.row == w.row {
			w.shaped(x)
		}
	}
	for _, x := range w.shapings {
		if x.row != w.row {
			w.declined(ruleOtherTile, "rows along %s: the best, %s, takes %s", w.name(x.row), w.shapeText(x, x.shape), w.longer(x.time))
		}
	}
}

// matrix says what tiles of the target compute a product, and how long vectors would take.
func (w reasons) matrix() {
	m := w.matrices
	x, y := m.down*m.above, m.columns*m.beside
	w.took(ruleMatrix, "a step makes %s of %d rows of %d words by %d columns, of %s of the target's %d: %s for a result", plural(x*y, "product"), m.rows, m.words, tileWords, plural(x*y+min(x, y)+1, "tile"), tileRegisters, cycles(m.time))
	steps := float64(w.stepsBeside(-1))
	w.declined(ruleOtherTile, "the best in vectors, %s, takes %.2f times as long for a result", w.shapeText(w.inVectors, w.inVectors.shape), w.inVectors.time*steps/m.time)
}

// shaped explains the choice of a shape.
func (w reasons) shaped(x shaping) {
	// Times are those for vectors of as many lanes as the choice began with.
	p := *w.plan
	p.Lanes = x.lanes
	w.took(ruleFastest, "%s: %s for a result, by the times of the target", w.stepText(&p, x, x.shape), cycles(x.time))
	if t := w.machine.times(); t.near != t.far {
		all := float64(x.panel) * float64(x.shape.lanes*x.vectors*x.shape.beside*w.registers) / float64(x.lanes)
		text := fmt.Sprintf("a tile reads %s of the factor along %s", bytes(all), w.name(w.Vector))
		if half := float64(w.machine.L1) / 2; all <= half {
			w.took(ruleNear, "%s, which fits half of the %s of the first cache: a vector of it takes %s", text, bytes(2*half), cycles(t.near))
		} else {
			w.declined(ruleNear, "%s, more than half of the %s of the first cache: a vector of it takes %s", text, bytes(2*half), cycles(t.far))
		}
	}
	if x.n.kept > 0 && x.n.kept < min(w.machine.accumulators(), x.n.rows) && w.machine.times().lost > w.machine.times().spread {
		w.declined(ruleOtherTile, "more than %d rows along %s: they lie so far apart that the first cache keeps no more of them, and an element of another takes %s", x.n.kept, w.name(x.row), cycles(w.machine.times().lost))
	}
	for _, s := range p.runnersUp(x) {
		w.declined(ruleOtherTile, "%s takes %s: %s", w.shapeText(x, s), w.longer(p.timeOf(s, x.n, x.panel)), w.stepText(&p, x, s))
	}
	if s, ok := p.tooLarge(x); ok {
		w.declined(ruleOtherTile, "%s would take %s, but its %s", w.shapeText(x, s), w.longer(p.timeOf(s, x.n, x.panel)), w.roomText(s))
	}
}

// stepText says what a step of the reduction costs for a shape.
func (w reasons) stepText(p *plan, x shaping, s shape) string {
	vectors := s.vectors * s.beside * w.registers
	out := []string{fmt.Sprintf("a step makes %s of %s", plural(s.rows*vectors, "product"), plural(s.rows+vectors, "load"))}
	if t := p.time(s, x.n, x.panel*panel(s.lanes)/panel(x.lanes)); t == w.machine.times().chain {
		out = append(out, "waits for the step before")
	}
	if s.lanes < x.lanes {
		out = append(out, fmt.Sprintf("fills %d of %d lanes", s.lanes, x.lanes))
	}
	if n := s.twice(x.n); n > 0 {
		out = append(out, fmt.Sprintf("and %s is done twice", percent(n)))
	}
	return strings.Join(out, ", ")
}

// roomText says why a shape does not fit the registers.
func (w reasons) roomText(s shape) string {
	m, vectors := w.machine, s.vectors*s.beside*w.registers
	sums := s.rows * vectors
	if sums > m.accumulators() {
		return fmt.Sprintf("sums take %s, and %d of %d may hold sums", plural(sums, "register"), m.accumulators(), m.Registers)
	}
	return fmt.Sprintf("sums take %s and the factor %d, and %d of %d may hold either", plural(sums, "register"), vectors, m.Registers-m.reserved(), m.Registers)
}

// shapeText describes a shape.
func (w reasons) shapeText(x shaping, s shape) string {
	return w.extentsText(func(k int) int64 {
		switch k {
		case x.row:
			return s.rows
		case w.Vector:
			return s.vectors * s.lanes
		case x.beside:
			return s.beside
		}
		return 1
	}, s.lanes)
}

// longer compares a time for a result with that of the tile that was taken.
func (w reasons) longer(time float64) string {
	best := time
	for _, x := range w.shapings {
		if x.row == w.row {
			best = x.time
		}
	}
	if time == best {
		return "as long"
	}
	return fmt.Sprintf("%.2f times as long for a result", time/best)
}

// runnersUp are the best of the other shapes that fit: one for each number of vectors and lanes, the fastest first.
func (p *plan) runnersUp(x shaping) []shape {
	type width struct{ vectors, lanes int64 }
	best := map[width]shape{}
	p.eachShape(x.n, func(s shape) {
		w := width{s.vectors * s.beside, s.lanes}
		if old, ok := best[w]; p.fits(s) && s != x.shape && (!ok || p.timeOf(s, x.n, x.panel) < p.timeOf(old, x.n, x.panel)) {
			best[w] = s
		}
	})
	var out []shape
	for _, s := range best {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b shape) int {
		return cmp.Or(cmp.Compare(p.timeOf(a, x.n, x.panel), p.timeOf(b, x.n, x.panel)), cmp.Compare(b.rows, a.rows), cmp.Compare(b.vectors, a.vectors), cmp.Compare(b.lanes, a.lanes), cmp.Compare(b.beside, a.beside))
	})
	return out[:min(len(out), mostOthers)]
}

// tooLarge is the smallest shape with more rows or vectors than the one that was chosen that would be faster, and that registers do not hold.
func (p *plan) tooLarge(x shaping) (shape, bool) {
	best, found := shape{}, false
	size := func(s shape) int64 { return s.rows * s.vectors * s.beside }
	for rows := x.rows; rows <= 2*x.rows && (x.n.rows == 0 && p.mayHold() || rows <= x.n.rows); rows++ {
		for vectors := x.vectors; vectors <= x.vectors+1 && (x.n.cols == 0 || vectors*x.shape.lanes <= x.n.cols); vectors++ {
			s := shape{rows, vectors, x.shape.beside, x.shape.lanes}
			if !p.fits(s) && p.timeOf(s, x.n, x.panel) < x.time && (!found || size(s) < size(best)) {
				best, found = s, true
			}
		}
	}
	return best, found
}

func cycles(t float64) string { return fmt.Sprintf("%.3g cycles", t) }

func percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }
