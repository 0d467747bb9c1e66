package cpu

// shape is a tile of the results of a product: rows, by vectors along the vector variable, by what is taken of another axis of the same factor.
type shape struct {
	rows, vectors, beside int64
	lanes                 int64 // of a vector
}

// extents are those of the axes that a shape tiles, 0 for symbolic ones. beside is 1 where there is no such axis. kept is how many rows the first cache keeps
// until they are read again, 0 for as many as there are.
type extents struct{ rows, cols, beside, kept int64 }

// shaping is a choice of a shape: the axis of its rows and the one beside the vectors, -1 for none, what bestShape was asked for with vectors of so many lanes,
// and what it answered.
type shaping struct {
	row, beside int
	n           extents
	panel       panel
	lanes       int64
	shape
	time float64
}

// panel is how many bytes a vector of the factor with the columns takes that a tile reads: for all steps of the reduction.
type panel int64

// time is the time of a step of the reduction for a shape.
func (p *plan) time(s shape, n extents, one panel) float64 {
	t := p.machine.times()
	spread := t.spread
	if n.kept != 0 && s.rows > n.kept {
		spread = t.lost
	}
	vectors := s.vectors * s.beside * p.registers
	load := t.near
	if int64(one)*vectors > p.machine.L1/2 {
		load = t.far
	}
	return max(t.step+t.product*float64(s.rows*vectors)+spread*float64(s.rows)+load*float64(vectors), t.chain)
}

// fits reports whether a shape has its sums in registers, with room for its vectors.
func (p *plan) fits(s shape) bool {
	m, vectors := p.machine, s.vectors*s.beside*p.registers
	sums := s.rows * vectors
	return m.Registers == 0 || sums <= m.accumulators() && (!m.Spreads || sums+vectors <= m.Registers-m.reserved())
}

// maxSymbolic is how many rows of a symbolic number a tile has that may have fewer.
const maxSymbolic = 4

// eachShape goes through the shapes of tiles for axes of the given extents, also through those that do not fit the registers. Vectors have fewer lanes where
// the columns fill no whole ones; symbolic rows are few unless whole tiles of them may be asked for.
func (p *plan) eachShape(n extents, visit func(shape)) {
	most := p.machine.accumulators()
	for lanes := p.Lanes; lanes >= p.leastLanes(); lanes /= 2 {
		for rows := most; rows >= 1; rows-- {
			if n.rows != 0 && rows > n.rows || n.rows == 0 && rows > maxSymbolic && !p.mayHold() {
				continue
			}
			for vectors := int64(1); vectors <= most/rows && (n.cols == 0 || vectors*lanes <= n.cols); vectors++ {
				for beside := int64(1); beside <= max(n.beside, 1) && beside <= most/rows/vectors; beside++ {
					visit(shape{rows, vectors, beside, lanes})
				}
			}
		}
	}
}

// unknownRows is how much longer rows of an unknown number are taken to need: the last tile of them may compute most rows twice, so axes of known extents go first.
const unknownRows = 1.1

// timeOf is the time that a shape takes for a result, also for those that it computes twice. one is the panel of a vector of all lanes.
func (p *plan) timeOf(s shape, n extents, one panel) float64 {
	c := p.time(s, n, one*panel(s.lanes)/panel(p.Lanes)) / float64(s.rows*s.vectors*s.beside*s.lanes)
	if n.rows == 0 && s.rows > 1 {
		c *= unknownRows
	}
	return c * (1 + s.twice(n))
}

// twice is the share of work beyond the results for axes of the given extents.
func (s shape) twice(n extents) float64 {
	all := 1.0
	for _, x := range [][2]int64{{n.rows, s.rows}, {n.cols, s.vectors * s.lanes}, {n.beside, s.beside}} {
		if x[0] != 0 {
			all *= 1 + waste(x[0], x[1])
		}
	}
	return all - 1
}

// bestShape is the shape that takes the least time for a result, and that time. one is the panel of a vector of all lanes.
func (p *plan) bestShape(n extents, one panel) (shape, float64) {
	best, cost := shape{1, 1, 1, p.Lanes}, 0.0
	p.eachShape(n, func(s shape) {
		if !p.fits(s) {
			return
		}
		if c := p.timeOf(s, n, one); cost == 0 || c < cost {
			best, cost = s, c
		}
	})
	return best, cost
}

// leastLanes is the least number of lanes of vectors for the block's sums.
func (p *plan) leastLanes() int64 {
	if p.registers > 1 {
		return p.Lanes
	}
	return min(p.Lanes, p.machine.leastLanes())
}

// mayHold reports whether this version of the function may ask for whole tiles of rows.
func (p *plan) mayHold() bool { return p.machine.Spreads && p.r != nil && p.r.whole }

// waste is the share of work beyond n results in tiles of t.
func waste(n, t int64) float64 { return float64((n+t-1)/t*t)/float64(n) - 1 }
