package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
)

// shareRows tiles a reduction whose results along a variable beside the vectors read the same rows, as a convolution of each channel by itself does: a tile of such results reads
// each row once, and all of them use it while it is in a register. There must be registers for as many rows as results, beside the sums, and for the factors of a row. Half as many results as
// sums must be under way are enough: a processor begins with the next tile while the sums of one wait, and what is read less takes more time than waiting for what is left.
func (p *plan) shareRows(v int) bool {
	k, r := p.sharedRows(v)
	if k < 0 {
		return false
	}
	most := min((p.machine.Registers-p.machine.reserved()-p.extent(r))/2, p.extent(k))
	least := min(p.machine.chains()/2, p.extent(k))
	if most < least {
		return false
	}
	results := p.leastWasteFrom(k, max(least, most/2), most)
	p.Tile[v], p.Tile[k], p.rowsOver = p.Lanes, results, k
	not := func(x int) bool { return x == r }
	p.Reduce = append(slices.DeleteFunc(slices.Clone(p.reduce), not), r)
	p.reduce = p.Reduce
	return true
}

// sharedRows finds a variable of results, and the reduction variable over rows of a window, such that results read the same rows in vectors along v; -1 where there are none.
func (p *plan) sharedRows(v int) (k, r int) {
	if !p.machine.Spreads || p.registers > 1 || p.run > 0 || p.extent(v) == 0 {
		return -1, -1
	}
	for _, r := range p.reduce {
		if p.extent(r) == 0 {
			return -1, -1
		}
	}
	for i := len(p.spatial) - 1; i >= 0; i-- { // the innermost one, whose tiles read what lies close together
		k := p.spatial[i]
		if k == v || p.extent(k) < 2 {
			continue
		}
		for _, r := range p.reduce {
			for _, a := range p.loads {
				if n := p.stride(a, v); (n == 1 || n == 2 && p.picksRows(v)) && sch.SlidesIn(p.block(), k, r, a.indices...) > 0 {
					return k, r
				}
			}
		}
	}
	return -1, -1
}

// rows tells the watcher which results read the same rows.
func (w reasons) rows() {
	switch k := w.rowsOver; {
	case k >= 0 && w.ByResult:
		w.took(ruleShared, "%d results along %s share rows, of which lanes are picked once; each takes its %s before the next one", w.Tile[k], w.name(k), plural(w.unrolledSteps(), "step"))
	case k < 0 && w.ByResult && w.sharesSteps(w.Vector):
		w.took(ruleBytes, "each result takes its %s before the next one: some read the same elements along %s", plural(w.unrolledSteps(), "step"), w.name(w.Vector))
	case k >= 0:
		w.took(ruleShared, "%d results along %s read the rows of %s together, of the %d registers as many hold rows as sums", w.Tile[k], w.name(k), w.name(w.Reduce[len(w.Reduce)-1]), w.machine.Registers)
	}
}
