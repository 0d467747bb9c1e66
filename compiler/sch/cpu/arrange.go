package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
)

// arrange puts the loops over the tiles of a product in order for the caches, for vectors along v and tiles of rows along row. The loop over tiles of rows is
// innermost, so that what they read of the factor along v, a panel, stays near. Of the loops around it the other rows come first while that factor is small
// enough to stay in the second cache, or else the panels, whichever reads less from beyond it. Where rows read more than half of that cache they come in
// blocks of that size. Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008), derives such orders.
func (p *plan) arrange(v, row int) {
	rows, cols := p.rowAxes(v), p.factorAxes(v, true)
	var bands, batch, others []int
	for _, k := range p.spatial {
		switch {
		case k == row:
		case p.ofBands(k):
			bands = append(bands, k)
		case slices.Contains(cols, k):
		case slices.Contains(rows, k):
			others = append(others, k)
		default:
			batch = append(batch, k)
		}
	}
	batch = append(bands, batch...)
	half := float64(p.machine.L2) / 2
	whole, panels := p.bytesOf(cols), p.tilesOf(cols)
	rowBytes, one := p.bytesOf(append(slices.Clone(others), row)), p.bytesOf([]int{row})
	t := traffic{others: others, rowsFirst: rowBytes + whole, panelsFirst: rowBytes + whole, one: one, panels: panels}
	if whole > half {
		t.rowsFirst = rowBytes + whole*p.tilesOf(others)
	}
	if rowBytes > half {
		t.panelsFirst = rowBytes*panels + whole
	}
	p.traffic = t
	inside := slices.Concat(cols, []int{row})
	if t.rowsFirst <= t.panelsFirst {
		p.Order = slices.Concat(batch, others, inside)
	} else {
		p.Order = slices.Concat(batch, cols, others, []int{row})
	}
	if p.bands(v); p.traffic.band > 0 {
		at := len(others) - 1
		p.Order = slices.Concat(batch, others, cols, others[at:], []int{row})
		p.Blocks = make([]int64, len(p.iters))
		p.Blocks[others[at]] = p.traffic.band
		return
	}
	if p.inOneBlock(row) {
		return
	}
	tiles := int64(p.tilesOf([]int{row}))
	most := max(int64(float64(tiles)*half/one), 1)
	size := most
	for n := most; n > most/2; n-- {
		if waste(tiles, n) < waste(tiles, size) {
			size = n
		}
	}
	p.Blocks = make([]int64, len(p.iters))
	p.Blocks[row] = size
	at := slices.Index(p.Order, cols[0])
	p.Order = slices.Insert(p.Order, at, row)
}

// traffic is what the order of loops follows from, in bytes: what is read from beyond the second cache with the other rows outside, and with the panels outside,
// and what all tiles of rows read of their factor for one panel; with how many panels there are.
type traffic struct {
	others                      []int
	rowsFirst, panelsFirst, one float64
	panels                      float64
	// band is how many of the innermost of the other rows make a band, 0 for none, and banded what is read then.
	band   int64
	banded float64
}

// bands decides whether the innermost of the other rows come in bands, so that a band and a panel take three quarters of the second cache at most. Panels that stay in that cache need none.
func (p *plan) bands(v int) {
	t := &p.traffic
	if len(t.others) == 0 || t.panels <= 1 {
		return
	}
	h := t.others[len(t.others)-1]
	n, sweep, whole := p.extent(h), p.sweep(), p.bytesOf(p.factorAxes(v, true))
	if n < 4 || p.Tile[h] > 1 || p.extent(p.row) == 0 || whole <= float64(p.machine.L2)/2 {
		return
	}
	room := 3*float64(p.machine.L2)/4 - p.tilePanel(v) - sweep
	most := min(int64(room/t.one)+1, n/2)
	if room < 0 || most < 2 {
		return
	}
	b := most
	for k := most; k > most/2; k-- {
		if waste(n, k) < waste(n, b) {
			b = k
		}
	}
	if waste(n, b) > mostBandWaste {
		return
	}
	bands := float64((n+b-1)/b) * p.tilesOf(t.others[:len(t.others)-1])
	if all := bands * (sweep + float64(b-1)*t.one + whole); all < min(t.rowsFirst, t.panelsFirst) {
		t.band, t.banded = b, all
	}
}

// mostBandWaste is the largest share of rows that may be computed twice as bands do not divide them.
const mostBandWaste = 0.03

// inOneBlock reports whether all tiles of rows make one block.
func (p *plan) inOneBlock(row int) bool {
	t := p.traffic
	return len(t.others) > 0 && t.rowsFirst > t.panelsFirst || p.extent(row) <= p.Tile[row] || t.one <= float64(p.machine.L2)/2 || t.panels <= 1
}

// bytesOf is about how many bytes of a factor are read for all values of some variables that it depends on. Symbolic extents are taken as one.
func (p *plan) bytesOf(axes []int) float64 {
	n := 1.0
	for _, a := range p.loads {
		if len(axes) > 0 && usesIn(a, p.iters[axes[0]].Var) {
			n = float64(a.buf.DType.Bits) / 8
			for _, k := range p.reduce {
				n *= float64(p.newIn(a, k, p.spatial))
			}
			break
		}
	}
	for _, k := range axes {
		n *= float64(max(p.extent(k), 1))
	}
	return n
}

// newIn is how many elements of a factor a result reads along reduction variable k that its neighbours along some variables have not read: all, or those by which a window moves on.
func (p *plan) newIn(a access, k int, beside []int) int64 {
	if !usesIn(a, p.iters[k].Var) {
		return 1
	}
	n, step := max(p.extent(k), 1), p.stride(a, k)
	if step <= 0 || step == sch.NoStride {
		return n
	}
	for _, s := range beside {
		if by := p.stride(a, s); by != sch.NoStride && by >= step && by < n*step {
			n = by / step
		}
	}
	return n
}

// tilesOf is how many tiles some variables have.
func (p *plan) tilesOf(axes []int) float64 {
	n := 1.0
	for _, k := range axes {
		t := max(p.Tile[k], 1)
		n *= float64((max(p.extent(k), 1) + t - 1) / t)
	}
	return n
}

// tilePanel is how many bytes of the factor along v a tile reads.
func (p *plan) tilePanel(v int) float64 {
	n := float64(p.panelOf(v)) / float64(p.Lanes)
	for _, k := range p.factorAxes(v, true) {
		n *= float64(p.Tile[k])
	}
	return n
}

// sweep is how many bytes all tiles of the innermost loop read of the factor that the rows are of.
func (p *plan) sweep() float64 {
	n := 0.0
	for _, a := range p.loads {
		if usesIn(a, p.iters[p.row].Var) {
			n = float64(a.buf.DType.Bits) / 8 * float64(p.extent(p.row))
			for _, k := range p.reduce {
				n *= float64(p.newIn(a, k, []int{p.row}))
			}
		}
	}
	return n
}
