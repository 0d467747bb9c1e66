package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
)

// A convolution of each channel by itself has other weights for each column, so columns cannot be reduced before lanes are picked of them. With windows two columns apart lanes are picked of each row:
// an instruction for each column of a window, of vectors that all columns share. Results below each other share rows; each takes all of its products before the next one, so that a row is in
// registers until the result below has used it, and no longer.

// picksRows reports whether vectors of results along v are sums of products of what is the same for a vector with lanes that are picked of rows, of windows that are two columns apart. All steps are
// unrolled, and the products have no axis of which tiles would use a lane again.
func (p *plan) picksRows(v int) bool {
	if !p.machine.Spreads || p.registers > 1 || p.run > 0 || p.Lanes < leastPicked || p.extent(v) < leastPicked || !p.product() || len(p.rowAxes(v)) > 0 {
		return false
	}
	picked := -1
	for i, a := range p.loads {
		switch n := p.stride(a, v); {
		case n == 2 && picked < 0 && a.buf.DType.Bits == 32:
			picked = i
		case n != 0:
			return false
		}
	}
	if picked < 0 || p.windowSteps() > maxUnrolledWindow {
		return false
	}
	return slices.ContainsFunc(p.reduce, func(r int) bool { return sch.SlidesIn(p.block(), v, r, p.loads[picked].indices...) == 2 })
}

// windowSteps is how many steps a result takes, more than any number that is unrolled where that is not known.
func (p *plan) windowSteps() int64 {
	n := int64(1)
	for _, r := range p.reduce {
		if p.extent(r) == 0 || n > maxUnrolledWindow {
			return maxUnrolledWindow + 1
		}
		n *= p.extent(r)
	}
	return n
}

// pickRows tiles for such results: so many below each other that a third of the registers which factors leave holds the sums, and others the lanes of two rows.
func (p *plan) pickRows(v int) bool {
	if !p.picksRows(v) {
		return false
	}
	p.Tile[v], p.ByResult = p.Lanes, true
	if k, _ := p.sharedRows(v); k >= 0 {
		p.rowsOver = k
		p.Tile[k] = p.leastWaste(k, (p.machine.Registers-p.machine.reserved()-p.windowSteps())/3)
	}
	return true
}
