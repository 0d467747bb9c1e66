package cpu

import "slices"

// maxUnrolledWindow bounds the steps of a window that are unrolled.
const maxUnrolledWindow = 25

// maxUnrolledSums bounds the sums that are written in a row for a window of several axes, so that the loop stays in the caches of decoded instructions.
const maxUnrolledSums = 256

// maxStepsOfTurn bounds the steps of a turn where turns are dear: two of a window of 3x3, or sixteen of a product.
const maxStepsOfTurn = 18

// manySteps is how many steps along reduction variable k a turn takes around those that are unrolled, where turns are dear: a power of two that divides it, or after which little is left over.
func (p *plan) manySteps(k int, steps int64) int64 {
	n, factor := p.extent(k), max(4/steps, 1)
	for f := 2 * factor; f*steps <= maxStepsOfTurn && f*steps*p.sums() <= maxUnrolledSums; f *= 2 {
		if n == 0 || n%f == 0 || n >= 8*f {
			factor = f
		}
	}
	return factor
}

// window unrolls the innermost reduction variables as far as that stays small, and the next
// one by a factor where they are few, by one that divides it if there is one.
func (p *plan) window() {
	p.Unroll = nil
	steps, list := int64(1), p.reduce
	if s := p.sliding; s != nil { // columns are written out, behind what reduces them
		p.Unroll, list = []int{s.r}, p.withoutColumns()
	}
	for i := len(list) - 1; i >= 0 && p.stopAt(list[i], steps) == noStop; i-- {
		steps *= p.extent(list[i])
		p.Unroll = append(p.Unroll, list[i])
	}
	p.Factor = max(4/steps, 1)
	k := p.innerReduction()
	if k >= 0 && p.machine.dearTurns() {
		p.Factor = p.manySteps(k, steps)
	}
	if p.machine.Spreads && len(p.Unroll) == 0 && k >= 0 {
		for _, f := range []int64{4, 7, 6, 5, 3, 2} { // nothing is left over
			if n := p.extent(k); n != 0 && n%f == 0 && f <= p.spreadSteps(k) && f*p.sums() <= maxUnrolledSums {
				p.Factor = f
				break
			}
		}
	}
}

// stop is why a reduction variable is not unrolled.
type stop int

const (
	noStop       stop = iota
	stopSymbolic      // its extent is not known
	stopWindow        // the steps are more than maxUnrolledWindow
	stopSums          // the sums in a row are more than maxUnrolledSums
	stopSpread        // an element that is spread over lanes would be kept from one step to another
	stopKept          // all that is read of a factor would be kept from one tile of rows to another
)

// stopAt says why the loop over k is not unrolled around the steps of those that are.
func (p *plan) stopAt(k int, steps int64) stop {
	n := p.extent(k)
	switch {
	case n == 0:
		return stopSymbolic
	case n*steps > maxUnrolledWindow:
		return stopWindow
	case n*steps*p.sums() > maxUnrolledSums && (steps > 1 || p.machine.Spreads):
		return stopSums
	case p.spreadSteps(k) < n:
		return stopSpread
	case p.keptVectors(k, steps) > p.machine.Registers-p.machine.reserved()-p.sums():
		return stopKept
	}
	return noStop
}

// keptVectors is how many vectors of a factor would be read in front of the loop over tiles of rows if the loop over k were unrolled around the steps of those that are: all of the factor's, where no
// loop over steps is left. Those that have no register are then read from memory for each row of a tile.
func (p *plan) keptVectors(k int, steps int64) int64 {
	if !p.machine.Spreads || p.row < 0 || p.extent(p.row) <= p.Tile[p.row] {
		return 0
	}
	for _, j := range p.reduce {
		if j != k && !p.isUnrolled(j) && p.extent(j) != 1 {
			return 0
		}
	}
	n := steps * p.extent(k)
	for _, j := range p.factorAxes(p.Vector, true) {
		n *= p.Tile[j]
	}
	return n / p.Lanes
}

// spreadSteps is how many steps along reduction variable k may be unrolled so that no element that is spread over lanes enters two of them: it would be kept
// in a register from one to the other, which the sums need.
func (p *plan) spreadSteps(k int) int64 {
	n := max(p.extent(k), 1)
	if !p.machine.Spreads {
		return n
	}
	for _, a := range p.loads {
		if p.stride(a, p.Vector) == 0 && usesIn(a, p.iters[k].Var) {
			n = min(n, p.newIn(a, k, p.spatial))
		}
	}
	return n
}

// sums is how many vectors of sums a tile has: of the columns where results share those.
func (p *plan) sums() int64 {
	n := p.registers
	for _, t := range p.Tile {
		n *= t
	}
	if s := p.sliding; s != nil {
		columns := s.columns()
		if s.k == p.Vector {
			columns = s.columnVectors(p.Lanes) * p.Lanes
		}
		n = n / s.results * columns
	}
	return max(n/p.Lanes, 1)
}

// unrolledSteps is how many steps the unrolled reduction variables take, for a column where results share columns.
func (p *plan) unrolledSteps() int64 {
	n := int64(1)
	for _, k := range p.unrolledOf() {
		n *= max(p.extent(k), 1)
	}
	return n
}

// unrolledOf are the unrolled reduction variables, but for the one over columns that results share.
func (p *plan) unrolledOf() []int {
	return slices.DeleteFunc(slices.Clone(p.Unroll), func(k int) bool { return p.sliding != nil && k == p.sliding.r })
}

func (p *plan) isUnrolled(k int) bool { return slices.Contains(p.Unroll, k) }
