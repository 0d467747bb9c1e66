package cpu

import (
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// shape is a tile of results: rows by columns, with what it reaches of the speed of the best
// one. The columns are in registers. The numbers were measured on wazero, for products of two matrices.
type shape struct {
	rows, cols int64
	speed      float64
}

var shapes = []shape{
	{4, 2, 1},
	{8, 1, 0.95},
	{3, 2, 0.9},
	{2, 4, 0.82},
	{6, 1, 0.8},
	{5, 1, 0.7},
	{2, 2, 0.65},
	{4, 1, 0.62},
	{3, 1, 0.5},
	{1, 8, 0.5},
	{1, 4, 0.45},
	{2, 1, 0.4},
	{1, 2, 0.3},
	{1, 1, 0.2},
}

// alongResult tiles for vectors of neighbouring results along variable v.
func (p *plan) alongResult(v int) bool {
	p.Vector = v
	n := p.extent(v)
	row := -1
	if p.product() {
		row = p.rowAxis(v)
	}
	if row >= 0 {
		s := p.bestShape(p.extent(row), n)
		p.Tile[row], p.Tile[v] = s.rows, s.cols
	} else {
		p.columns(v, n)
	}
	if n == 0 {
		p.open(v)
	}
	p.window()
	p.copies(v, row)
	return true
}

// open deals with a symbolic extent of the vector variable. In the function's version for
// extents of whole tiles the last one starts earlier; in the other, what is left over of whole
// tiles runs one by one.
func (p *plan) open(v int) {
	if p.r.whole {
		p.holdsTile(v)
	} else {
		p.cut = true
	}
}

// holdsTile notes that this version of the function is for extents of v of at least its tile.
func (p *plan) holdsTile(v int) {
	p.Whole = append(p.Whole, v)
	n := p.iters[v].Dom.Extent
	p.r.needs = append(p.r.needs, tir.GE(n, tir.Const(n.DType(), p.Tile[v])))
}

// columns tiles a reduction without reuse: a run of results, or several rows of them.
func (p *plan) columns(v int, n int64) {
	one := p.perRegister()
	t := 2 * p.Lanes
	if n != 0 { // the widest run that wastes little
		t = 8 * one
		for t > p.Lanes && (t > n || waste(n, t) > 0.2) {
			t /= 2
		}
	}
	p.Tile[v] = t
	if t >= 4*one {
		return
	}
	for i := len(p.spatial) - 1; i >= 0; i-- {
		k := p.spatial[i]
		m := p.extent(k)
		if k == v || m < 2 {
			continue
		}
		rows := min(4*one/t, m)
		for waste(m, rows) > 0.2 {
			rows--
		}
		p.Tile[k] = rows
		return
	}
}

// waste is the share of work beyond n results in tiles of t.
func waste(n, t int64) float64 { return float64((n+t-1)/t*t)/float64(n) - 1 }

// perRegister is how many sums a register holds.
func (p *plan) perRegister() int64 { return p.Lanes / p.registers }

// bestShape weighs speed against results that are computed twice. An extent of 0 is symbolic.
func (p *plan) bestShape(m, n int64) shape {
	best, cost := shape{1, p.Lanes, 0.2}, 0.0
	for _, s := range shapes {
		if s.cols *= p.perRegister(); s.cols%p.Lanes != 0 {
			continue
		}
		if p.machine.Registers != 0 && s.rows*s.cols > p.machine.accumulators()*p.perRegister() {
			continue
		}
		if m != 0 && s.rows > m || n != 0 && s.cols > n {
			continue
		}
		c := 1 / s.speed
		if m != 0 {
			c *= 1 + waste(m, s.rows)
		} else if s.rows > 4 {
			continue
		}
		if n != 0 {
			c *= 1 + waste(n, s.cols)
		}
		if cost == 0 || c < cost {
			best, cost = s, c
		}
	}
	return best
}

// rowAxis is the longest variable that only the factor depends on which is constant along v,
// -1 if there is none.
func (p *plan) rowAxis(v int) int {
	best := -1
	for _, k := range p.without(v) {
		ok := true
		for _, a := range p.loads {
			along, row := usesIn(a, p.iters[v].Var), usesIn(a, p.iters[k].Var)
			ok = ok && along != row
		}
		if !ok {
			continue
		}
		if best < 0 || p.extent(k) == 0 || p.extent(best) != 0 && p.extent(k) > p.extent(best) {
			best = k
		}
	}
	return best
}

// minPackStride is the distance in bytes between successive reads of a factor from which on
// copying it to where it is read in order pays.
const minPackStride = 2048

// copies chooses which loads are spread over lanes and which are packed.
func (p *plan) copies(v, row int) {
	number := map[*tir.BufferLoad]int{}
	_, value, _, _ := sch.Combiner(p.block())
	sch.Loads(value, number)
	for _, a := range p.loads {
		if sch.Guarded(value, a.load) {
			continue // a copy would read what the condition keeps from
		}
		n := p.stride(a, v)
		switch {
		case n == 0:
			if p.reusedBeside(a) {
				p.Splat = append(p.Splat, number[a.load])
			}
		case n != 1:
			p.Pack = append(p.Pack, number[a.load])
		case row >= 0 && (p.extent(row) == 0 || p.extent(row) >= 8):
			k := p.innerReduction()
			if k < 0 {
				continue
			}
			s := p.stride(a, k) * int64(a.buf.DType.Bits/8)
			if s >= minPackStride && !p.overlapping(a) {
				p.Pack = append(p.Pack, number[a.load])
			}
		}
	}
}

// innerReduction is the innermost reduction variable that is not unrolled.
func (p *plan) innerReduction() int {
	for i := len(p.reduce) - 1; i >= 0; i-- {
		if !p.isUnrolled(p.reduce[i]) {
			return p.reduce[i]
		}
	}
	return -1
}

// overlapping reports whether neighbouring results read the same elements, as the windows
// of a convolution do: a copy would be larger than its source.
func (p *plan) overlapping(a access) bool {
	spatial := 0
	for _, ix := range a.indices {
		s, r := false, false
		for _, k := range p.spatial {
			s = s || uses(ix, p.iters[k].Var)
		}
		for _, k := range p.reduce {
			r = r || uses(ix, p.iters[k].Var)
		}
		if s && r {
			spatial++
		}
	}
	return spatial > 0
}

// reusedBeside reports whether a load is used again by another tile, so that spreading it
// over lanes once pays.
func (p *plan) reusedBeside(a access) bool {
	for _, k := range p.spatial {
		if n := p.extent(k); !usesIn(a, p.iters[k].Var) && (n == 0 || n > p.Tile[k]) {
			return true
		}
	}
	return false
}
