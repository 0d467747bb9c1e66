package cpu

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// alongReduction tiles for vectors along reduction variable d, whose lanes are combined at
// the end.
func (p *plan) alongReduction(d int) bool {
	p.Vector = d
	n := p.extent(d)
	for n != 0 && n < 2*p.Lanes && p.Lanes > p.leastLanes() {
		p.Lanes /= 2
	}
	budget := p.machine.accumulators() / p.registers
	rows := p.spatialByUse()
	p.Tile[d] = p.Lanes
	switch {
	case p.product() && len(rows) >= 2:
		p.tileTwo(rows[0], rows[1], budget)
	case p.product() && len(rows) >= 1:
		t := p.fit(rows[0], 4/p.registers)
		p.Tile[rows[0]] = t
		p.widen(d, n, min(budget, 2*p.machine.chains())/t)
	default:
		p.widen(d, n, max(4/p.beside(d), 1))
	}
	p.Factor = 1
	for _, k := range p.spatial {
		if p.r.whole && p.extent(k) == 0 && p.Tile[k] > 1 {
			p.holdsTile(k)
		}
	}
	// The vector variable is the innermost loop.
	p.Reduce = nil
	for _, k := range p.reduce {
		if k != d {
			p.Reduce = append(p.Reduce, k)
		}
	}
	p.Reduce = append(p.Reduce, d)
	return true
}

// mostBeside is how many rows are combined beside each other at most. Combining the lanes of a row, and what follows from them, are chains of some fifty cycles: beyond this, little is left of them.
const mostBeside = 8

// beside tiles the innermost variable of results, of which each combines a row along reduction variable d, where there are registers for their sums and half of the first cache holds the rows twice, as
// what is computed of them is as large. The lanes of several rows are then combined in the time of one, and short rows wait for each other's sums instead of their own. It returns how many rows
// are beside each other.
func (p *plan) beside(d int) int64 {
	if !p.machine.Spreads || len(p.spatial) == 0 || p.extent(d) == 0 {
		return 1
	}
	k, row := p.spatial[len(p.spatial)-1], int64(1)
	for _, x := range p.reduce {
		row *= p.extent(x)
	}
	row *= int64(p.store.buf.DType.Bits+7) / 8
	most, near := int64(mostBeside), func(t int64) bool { return row > 0 && 2*t*row <= p.machine.L1/2 }
	if p.r.pipelines() {
		most, near = abreastStages, func(t int64) bool { return p.r.staged.fits(t, p.machine.L1/2) }
	}
	n, axis := p.extent(k), quotientOf(p.block(), p.iters[k].Var)
	for t := most; t > 1; t /= 2 {
		if n%t == 0 && axis%t == 0 && n >= t*max(p.machine.Threads, 1) && near(t) && t*p.registers <= p.machine.accumulators() {
			p.Tile[k] = t
			return t
		}
	}
	return 1
}

// spatialByUse lists the variables that one factor depends on alone, the innermost first and
// different factors first.
func (p *plan) spatialByUse() []int {
	var out []int
	used := map[int]bool{}
	for i := len(p.spatial) - 1; i >= 0; i-- {
		k := p.spatial[i]
		by := -1
		for j, a := range p.loads {
			if usesIn(a, p.iters[k].Var) {
				if by >= 0 {
					by = -2
					break
				}
				by = j
			}
		}
		if by >= 0 && !used[by] {
			used[by] = true
			out = append(out, k)
		}
	}
	return out
}

// fit returns the largest tile up to t that suits the extent of k.
func (p *plan) fit(k int, t int64) int64 {
	n := p.extent(k)
	if n == 0 {
		return min(t, 4)
	}
	t = min(t, n)
	for waste(n, t) > 0.25 {
		t--
	}
	return t
}

// tileTwo tiles two variables, up to budget accumulators in all.
func (p *plan) tileTwo(col, row int, budget int64) {
	most := int64(1)
	for most*most < budget && most < budget/2 { // a square reads least, and powers of two divide most extents
		most *= 2
	}
	c := p.fit(col, most)
	p.Tile[col] = c
	p.Tile[row] = p.fit(row, max(budget/c, 2))
	if p.extent(row) == 0 {
		p.Tile[row] = min(p.Tile[row], 2)
	}
}

// widen gives each result up to vectors accumulators, as far as the extent has use for them: what is left over behind them is added one by one, and each such term waits for the one before
// as long as all of them do.
func (p *plan) widen(d int, n, vectors int64) {
	for vectors > 1 && n != 0 && vectors*p.Lanes*2 > n {
		vectors /= 2
	}
	best := max(vectors, 1)
	waits := func(v int64) int64 { return n/(v*p.Lanes) + n%(v*p.Lanes) + v }
	for v := best / 2; v >= 1 && n != 0; v /= 2 {
		if waits(v) < waits(best) {
			best = v
		}
	}
	p.Tile[d] = p.Lanes * best
}

// quotientOf is the largest number that divides all those by which indices of a block divide a variable, 0 where none does: so many of its values have the same quotients.
func quotientOf(b *tir.Block, v *tir.Var) int64 {
	out := int64(0)
	ir.Walk(b, func(n ir.Node) bool {
		if d, ok := n.(*tir.Binary); ok && (d.Op == tir.OpFloorDiv || d.Op == tir.OpFloorMod) && uses(d.A, v) {
			c, _ := tir.AsInt(d.B)
			out = arith.GCD(out, c)
		}
		return true
	})
	return out
}
