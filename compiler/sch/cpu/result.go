package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// alongResult tiles for vectors of neighbouring results along variable v.
func (p *plan) alongResult(v int) bool {
	p.Vector = v
	n := p.extent(v)
	if p.product() {
		p.row = p.shapes(v)
	}
	if p.row < 0 {
		p.columns(v, n)
	}
	if n == 0 {
		p.open(v)
	}
	if !p.Matrix {
		p.window()
	}
	p.copies(v)
	switch {
	case len(p.panels()) > 0:
		p.panelsFirst(v)
	case p.row >= 0 && p.machine.Spreads:
		p.arrange(v, p.row)
		p.chunks(v)
	}
	if p.row < 0 {
		p.ByResult = p.ByResult || p.sharesSteps(v)
		p.stage()
	}
	return true
}

// sharesSteps reports whether unrolled steps of a reduction read the same elements along v, as those of numbers that lie in one byte do: each result then takes all steps before the next one.
func (p *plan) sharesSteps(v int) bool {
	return slices.ContainsFunc(p.loads, func(a access) bool {
		others := slices.ContainsFunc(p.reduce, func(k int) bool { return usesIn(a, p.iters[k].Var) })
		return others && p.stride(a, v) == 1 && slices.ContainsFunc(p.Unroll, func(k int) bool { return p.stride(a, k) == 0 })
	})
}

// shapes tiles a product for vectors along v: of the variables that can be its rows the one whose tiles are best, the inner one of equals. It returns that, -1 where
// there is none. Bands are rows only where nothing else is: tiles of several of them could not follow each other.
func (p *plan) shapes(v int) int {
	var best shaping
	beside := -1
	if p.extent(v) == p.Lanes {
		beside = p.besideAxis(v)
	}
	p.shapings = nil
	rows := p.rowAxes(v)
	if inner := slices.DeleteFunc(slices.Clone(rows), p.ofBands); len(inner) > 0 {
		rows = inner
	}
	for _, k := range rows {
		x := shaping{row: k, beside: beside, n: extents{p.extent(k), p.extent(v), 1, p.keptOf(k, v)}, panel: p.panelOf(v), lanes: p.Lanes}
		if beside >= 0 {
			x.n.beside = p.extent(beside)
		}
		x.shape, x.time = p.bestShape(x.n, x.panel)
		if len(p.shapings) == 0 || x.time <= best.time {
			best = x
		}
		p.shapings = append(p.shapings, x)
	}
	if len(p.shapings) == 0 {
		return -1
	}
	if m := p.matrix(v, beside); m != nil && m.time < best.time*float64(p.stepsBeside(-1)) {
		p.inVectors = best
		return p.onTiles(m, v, beside)
	}
	row := best.row
	p.Lanes = best.shape.lanes
	p.Tile[row], p.Tile[v] = best.rows, best.vectors*best.shape.lanes
	if beside >= 0 {
		p.Tile[beside] = best.shape.beside
	}
	if p.extent(row) == 0 && best.rows > maxSymbolic {
		p.holdsTile(row)
	}
	return row
}

// keptOf is how many rows along k the first cache keeps of the factor that is the same along v, while steps of the reduction read its lines from end to end.
func (p *plan) keptOf(k, v int) int64 {
	least := int64(0)
	for _, a := range p.loads {
		if apart := p.bytesApart(a, k); p.stride(a, v) == 0 && apart > 0 {
			if n := p.machine.kept(apart); least == 0 || n < least {
				least = n
			}
		}
	}
	return least
}

// panelOf is how many bytes of the factor along v a vector of results reads. Symbolic reductions are long ones.
func (p *plan) panelOf(v int) panel {
	n := p.Lanes
	for _, a := range p.loads {
		if usesIn(a, p.iters[v].Var) {
			n *= max(int64(a.buf.DType.Bits)/8, 1)
		}
	}
	for _, k := range p.reduce {
		if m := p.extent(k); m != 0 {
			n *= m
		} else {
			n *= 1 << 10
		}
	}
	return panel(n)
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
	for n != 0 && n < p.Lanes && p.Lanes > p.leastLanes() && !p.sticksOut(v) {
		p.Lanes /= 2
	}
	if p.pickColumns(v) || p.pickRows(v) || p.shareColumns(v) || p.shareRows(v) {
		return
	}
	one := p.perRegister()
	t := 2 * p.Lanes
	if n != 0 { // the widest run that wastes little
		t = 8 * one
		for t > p.Lanes && (t > n || waste(n, t) > 0.2) {
			t /= 2
		}
	}
	p.Tile[v] = t
	chains := p.machine.chains()
	if t >= chains*one {
		return
	}
	for i := len(p.spatial) - 1; i >= 0; i-- {
		k := p.spatial[i]
		m := p.extent(k)
		if k == v || m < 2 {
			continue
		}
		rows := min(chains*one/t, m)
		for waste(m, rows) > 0.2 {
			rows--
		}
		p.Tile[k] = rows
		return
	}
}

// sticksOut reports whether a row of results along v has more elements than half a vector, but no whole one, and a vector that sticks out computes it at once: instructions of AVX-512 read and write some lanes of a
// vector alone. Those of AVX2 that write take a dozen cycles on some processors. What is read lies side by side, or is the same for all.
func (p *plan) sticksOut(v int) bool {
	n := p.extent(v)
	if !p.machine.Embeds || p.registers > 1 || p.run > 0 || n >= p.Lanes || 2*n <= p.Lanes || p.store.buf.DType.Bits != 32 {
		return false
	}
	return !slices.ContainsFunc(p.loads, func(a access) bool {
		s := p.stride(a, v)
		return s != 0 && (s != 1 || a.buf.DType.Bits != 32)
	})
}

// perRegister is how many sums a register holds.
func (p *plan) perRegister() int64 { return p.Lanes / p.registers }

// rowAxes are the variables that only the factor depends on which is constant along v.
func (p *plan) rowAxes(v int) []int { return p.factorAxes(v, false) }

// besideAxis is the longest variable that only the factor depends on which goes along v, -1 if there is none.
func (p *plan) besideAxis(v int) int {
	best := -1
	for _, k := range p.factorAxes(v, true) {
		if k != v && p.extent(k) > 1 && (best < 0 || p.extent(k) > p.extent(best)) {
			best = k
		}
	}
	return best
}

// factorAxes are the variables that one factor of a product depends on alone: the one that goes along v, or the other one.
func (p *plan) factorAxes(v int, along bool) []int {
	var out []int
	for _, k := range p.spatial {
		ok := true
		for _, a := range p.loads {
			ok = ok && usesIn(a, p.iters[k].Var) == (usesIn(a, p.iters[v].Var) == along)
		}
		if ok {
			out = append(out, k)
		}
	}
	return out
}

// minPackStride is the distance in bytes between successive reads of a factor from which on
// copying it to where it is read in order pays.
const minPackStride = 2048

// minUses is how many rows must use an element of a factor that is contiguous already so that copying it pays.
const minUses = 8

// copies chooses which loads are spread over lanes and which are packed.
func (p *plan) copies(v int) {
	number, guarded := p.numbers()
	for _, a := range p.loads {
		if guarded(a) {
			continue // a copy would read what the condition keeps from
		}
		switch n := p.stride(a, v); {
		case n == 0 && p.notSpread(a) == "":
			p.Splat = append(p.Splat, number[a.load])
		case n == 2 && (p.clamped || p.strided(v)):
		case n != 0 && n != 1, n == 1 && (p.computed(a) != nil || p.notPacked(a) == ""):
			p.Pack = append(p.Pack, number[a.load])
		}
	}
}

// numbers are those of the loads in the value that is combined, and whether a condition decides if one is read.
func (p *plan) numbers() (number map[*tir.BufferLoad]int, guarded func(access) bool) {
	number = map[*tir.BufferLoad]int{}
	_, value, _, _ := sch.Combiner(p.block())
	sch.Loads(value, number)
	return number, func(a access) bool { return sch.Guarded(value, a.load) }
}

// notSpread says why elements that are the same for all results along vectors are not spread over lanes ahead, "" if they are.
func (p *plan) notSpread(a access) string {
	switch {
	case p.machine.Spreads:
		return "an instruction of the target does so as it reads them"
	case !p.reusedBeside(a):
		return "no other tile uses them again"
	}
	return ""
}

// Reasons against a copy that numbers belong to.
const (
	fewRows   = "too few rows use an element again for a copy to pay"
	readClose = "successive steps read it close together"
	fewTiles  = "too few tiles of rows use an element again for a copy to pay"
)

// notPacked says why a factor that is contiguous along vectors is read where it is, "" if it is copied to where a tile reads it in order.
func (p *plan) notPacked(a access) string {
	if p.row < 0 {
		return "no row of results uses an element again"
	}
	n, k := p.extent(p.row), p.innerReduction()
	switch {
	case n != 0 && n < minUses:
		return fewRows
	case p.Matrix && p.bytesApart(a, k) > mostTileDistance:
		return ""
	case p.Matrix && n != 0 && p.rowTiles() < p.tileUses():
		return fewTiles
	case k < 0:
		return "no loop over steps is left"
	case p.bytesApart(a, k) < minPackStride:
		return readClose
	case p.overlapping(a):
		return "neighbouring results read the same elements: the copy would be larger than what it is of"
	}
	return ""
}

// bytesApart is how far apart an access reads in successive steps along k.
func (p *plan) bytesApart(a access, k int) int64 { return p.stride(a, k) * int64(a.buf.DType.Bits/8) }

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
