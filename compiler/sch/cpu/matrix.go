package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// Tiles of AMX are registers for matrices: 16 rows of 16 words, or fewer of either. An instruction adds the products of the bytes of two of them to a third one. A
// tile of results is then several such registers, which lie in local memory before and behind the reduction; all loops within it are for the code generator, which
// takes the nest as a whole (sch.TileSpec.Matrix).
const (
	tileRegisters = 8
	tileRows      = 16
	tileWords     = 16
	// mostTileDistance is how many bytes apart the rows of a register may lie in memory.
	mostTileDistance = 1<<16 - 1
	// leastTileWords is the least number of words that a row of a factor has, and leastTileRows of rows: fewer take as long as the other factor takes to read, in vectors too.
	leastTileWords = 4
	leastTileRows  = 4
)

// Times of instructions on tiles in cycles, measured on a Sapphire Rapids: a product takes a cycle for each row of the first factor, and some at least; a load half
// a cycle for each row, most of it beside products. Sums are loaded and stored once.
const (
	leastTileProduct = 10.0
	tileLoadRow      = 0.55
	tileLoadSeen     = 0.25       // the part of a load that is not hidden behind products
	tileSums         = 9 + 17 + 8 // to load, to store, and to start from zero
)

// matrix is how the results of a product are computed in tiles of the target, for vectors along v.
type matrix struct {
	row, over   int   // variables of the rows, and of others beside them, -1 for none
	rows        int64 // of a register
	down, above int64 // registers along row, and along over
	words       int64 // of a step of the reduction
	columns     int64 // registers along the vectors
	beside      int64 // and along the variable beside them
	time        float64
}

// matrix finds the fastest way to compute a product on tiles, nil where it is none or the target has no tiles. beside is the variable beside the vectors, -1 for none.
func (p *plan) matrix(v, beside int) *matrix {
	x, y := p.factors(v)
	k := p.reduce[len(p.reduce)-1]
	n := p.extent(k)
	if !p.machine.Tiles || x == nil || p.Lanes != tileWords || p.run > 0 || p.extent(v) < tileWords || n == 0 || p.stride(*x, k) != 1 || p.bytesApart(*y, k) <= 0 {
		return nil
	}
	words := min(n, tileWords)
	for n%words != 0 {
		words--
	}
	steps := n / words * p.stepsBeside(k)
	if words < leastTileWords || steps == 0 {
		return nil
	}
	var best *matrix
	rows := p.rowAxes(v)
	for _, row := range rows {
		if d := p.bytesApart(*x, row); d <= 0 || d > mostTileDistance {
			continue
		}
		var fastest *matrix
		for _, over := range append(slices.Clone(rows), -1) {
			if over == row || over >= 0 && (p.extent(over) < 2 || p.ofBands(over)) {
				continue
			}
			p.eachMatrix(matrix{row: row, over: over, words: words}, v, beside, func(m matrix) {
				if fastest == nil || m.time < fastest.time {
					fastest = &m
				}
			}, float64(steps))
		}
		if fastest != nil && (best == nil || fastest.time <= best.time) { // the inner one of equals: its rows lie closer together
			best = fastest
		}
	}
	if best == nil || p.bytesApart(*y, k) > mostTileDistance && p.extent(best.row) < minUses {
		return nil
	}
	return best
}

// factors are the one that is the same along v, and the one that goes along it, of a product of words; nil where they are not.
func (p *plan) factors(v int) (x, y *access) {
	_, value, _, _ := sch.Combiner(p.block())
	if _, ok := tir.IsCallTo(value, tir.OpDp4a); !ok || len(p.loads) != 2 || p.store.buf.DType.Bits != 32 {
		return nil, nil
	}
	_, guarded := p.numbers()
	for i := range p.loads {
		a := &p.loads[i]
		switch s := p.stride(*a, v); {
		case guarded(*a), slices.ContainsFunc(slices.Concat(p.spatial, p.reduce), func(k int) bool { return p.stride(*a, k) == sch.NoStride }):
			return nil, nil
		case s == 0:
			x = a
		case s == 1:
			y = a
		}
	}
	if x == nil || y == nil {
		return nil, nil
	}
	return x, y
}

// eachMatrix visits the ways to use the registers.
func (p *plan) eachMatrix(m matrix, v, beside int, visit func(matrix), steps float64) {
	n, over, cols, next := p.extent(m.row), int64(1), p.extent(v)/tileWords, int64(1)
	if m.over >= 0 {
		over = p.extent(m.over)
	}
	if beside >= 0 {
		next = p.extent(beside)
	}
	if n == 0 && !p.mayHold() {
		return
	}
	for m.rows = tileRows; m.rows >= leastTileRows; m.rows-- {
		if n != 0 && m.rows > n || n == 0 && m.rows < tileRows {
			continue
		}
		for m.down = 1; m.down < tileRegisters && (n == 0 || m.down*m.rows <= n); m.down++ {
			for m.above = 1; m.above*m.down < tileRegisters && m.above <= over; m.above++ {
				for m.columns = 1; m.columns < tileRegisters && m.columns <= cols; m.columns++ {
					for m.beside = 1; m.beside*m.columns < tileRegisters && m.beside <= next; m.beside++ {
						x, y := m.down*m.above, m.columns*m.beside
						if m.over < 0 && m.above > 1 || x*y+min(x, y)+1 > tileRegisters {
							continue
						}
						m.time = m.timeOf(steps) / float64(m.rows*x*y*tileWords)
						for _, e := range [][2]int64{{n, m.rows * m.down}, {over, m.above}, {p.extent(v), m.columns * tileWords}, {next, m.beside}} {
							if e[0] > 0 {
								m.time *= 1 + waste(e[0], e[1])
							}
						}
						visit(m)
					}
				}
			}
		}
	}
}

// timeOf is the time of a tile of results in cycles.
func (m *matrix) timeOf(steps float64) float64 {
	x, y := float64(m.down*m.above), float64(m.columns*m.beside)
	product := x * y * max(float64(m.rows), leastTileProduct)
	load := tileLoadRow * (x*float64(m.rows) + y*float64(m.words))
	return steps*(max(product, load)+tileLoadSeen*load) + tileSums*x*y
}

// onTiles has a product be computed on tiles, for results along v, and returns the variable of its rows.
func (p *plan) onTiles(m *matrix, v, beside int) int {
	p.Tile[m.row], p.Tile[v] = m.rows*m.down, m.columns*tileWords
	if m.over >= 0 {
		p.Tile[m.over] = m.above
	}
	if beside >= 0 {
		p.Tile[beside] = m.beside
	}
	p.Matrix, p.matrices = true, m
	if p.extent(m.row) == 0 {
		p.holdsTile(m.row)
	}
	return m.row
}

// leastTileUses and leastFarUses are how many tiles of rows must use a factor so that copying it pays, where the second cache holds all of it, and where it does not: the numbers at which both took
// as long.
const (
	leastTileUses = 8
	leastFarUses  = 2
)

// rowTiles is how many tiles use an element of the factor along vectors.
func (p *plan) rowTiles() int64 { return int64(p.tilesOf(p.rowAxes(p.Vector))) }

// tileUses is how many must, so that copying it pays.
func (p *plan) tileUses() int64 {
	if p.bytesOf(p.factorAxes(p.Vector, true)) > float64(p.machine.L2) {
		return leastFarUses
	}
	return leastTileUses
}
