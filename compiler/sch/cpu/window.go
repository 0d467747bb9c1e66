package cpu

import "slices"

// maxUnrolledWindow bounds the steps of a window that are unrolled.
const maxUnrolledWindow = 25

// maxUnrolledSums bounds the sums that are written in a row for a window of several axes, so that the loop stays in the caches of decoded instructions.
const maxUnrolledSums = 256

// window unrolls the innermost reduction variables as far as that stays small, and the next
// one by a factor where they are few, by one that divides it if there is one.
func (p *plan) window() {
	p.Unroll = nil
	steps := int64(1)
	for i := len(p.reduce) - 1; i >= 0 && p.stopAt(p.reduce[i], steps) == noStop; i-- {
		steps *= p.extent(p.reduce[i])
		p.Unroll = append(p.Unroll, p.reduce[i])
	}
	p.Factor = 1
	if steps < 4 {
		p.Factor = 4 / steps
	}
	if k := p.innerReduction(); p.machine.Spreads && len(p.Unroll) == 0 && k >= 0 {
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
	stopKept          // without a loop over steps, what all tiles read would be kept from one tile to the next, in more registers than there are
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
	case p.machine.Spreads && k == p.reduce[0] && steps > 1 && p.kept() > 0 && n*steps*p.kept()+p.sums() > p.machine.Registers:
		return stopKept
	}
	return noStop
}

// kept is how many vectors a step reads that other tiles read, too, beside elements that are spread, for which each is used several times; 0 where none is.
func (p *plan) kept() int64 {
	sum, spread := int64(0), false
	for _, a := range p.loads {
		spread = spread || p.stride(a, p.Vector) == 0
		if p.stride(a, p.Vector) == 0 || !p.reusedBeside(a) {
			continue
		}
		n := int64(1)
		for _, k := range p.spatial {
			if usesIn(a, p.iters[k].Var) {
				n *= p.Tile[k]
			}
		}
		sum += max(n/p.Lanes, 1)
	}
	if !spread {
		return 0
	}
	return sum
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

// sums is how many vectors of sums a tile has.
func (p *plan) sums() int64 {
	n := p.registers
	for _, t := range p.Tile {
		n *= t
	}
	return max(n/p.Lanes, 1)
}

// unrolledSteps is how many steps the unrolled reduction variables take.
func (p *plan) unrolledSteps() int64 {
	n := int64(1)
	for _, k := range p.reduce {
		if p.isUnrolled(k) {
			n *= max(p.extent(k), 1)
		}
	}
	return n
}

func (p *plan) isUnrolled(k int) bool { return slices.Contains(p.Unroll, k) }
