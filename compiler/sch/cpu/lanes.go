package cpu

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
		p.widen(d, n, 4)
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
