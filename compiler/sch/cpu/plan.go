package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// plan is a TileSpec under way.
type plan struct {
	sch.TileSpec
	r       *rules
	b       *sch.Block
	iters   []*tir.IterVar
	store   access
	loads   []access
	spatial []int // variables that are no units
	reduce  []int
	cut     bool
	machine Machine
	// registers is how many a vector of the sums takes.
	registers int64
	// run is how many terms may be added in their own type, 0 for none.
	run int64
	// shapings are the axes that were tried for the rows of a product, row the one that was taken, -1 for none.
	shapings []shaping
	// matrices is how the product is computed on tiles of the target, nil where it is not, and inVectors what else would be the fastest.
	matrices  *matrix
	inVectors shaping
	row       int
	traffic   traffic
	local     local
	sliding   *slide // nil: results share no columns
	rowsOver  int    // the variable of the results that read the same rows, -1 for none
	clamped   bool   // what is padded along vectors is read where it is
}

func newPlan(r *rules, b *sch.Block) *plan {
	p := &plan{r: r, b: b, machine: r.machine, row: -1, rowsOver: -1}
	p.refresh()
	return p
}

func (p *plan) refresh() {
	b := p.block()
	p.iters, p.spatial, p.reduce, p.loads = b.IterVars, nil, nil, nil
	for k, iv := range p.iters {
		switch {
		case unit(iv):
		case iv.Kind == tir.DataPar:
			p.spatial = append(p.spatial, k)
		default:
			p.reduce = append(p.reduce, k)
		}
	}
	_, value, st, _ := sch.Combiner(b)
	p.store = accesses(st, p.iters)[0]
	p.loads = append(p.loads, accesses(&tir.Evaluate{Value: value}, p.iters)...)
	p.Tile = make([]int64, len(p.iters))
	for k := range p.Tile {
		p.Tile[k] = 1
	}
	p.Order, p.Reduce = p.spatial, p.reduce
	// Sums of 64 bits take two registers for as many narrower terms as a vector holds lanes of 32
	// bits, one for half as many of 64 bits.
	p.Lanes, p.registers = p.machine.Lanes, 1
	p.run = b.Annotations.Int(tir.AttrSumRuns, 0)
	if p.store.buf.DType.Bits == 64 && p.run == 0 {
		p.registers = 2
		for _, a := range p.loads {
			if a.buf.DType.Bits == 64 {
				p.Lanes, p.registers = max(p.machine.Lanes/2, 1), 1
			}
		}
	}
}

func (p *plan) block() *tir.Block { return p.r.at(p.b) }

// extent returns the extent of a variable, 0 if it is symbolic.
func (p *plan) extent(k int) int64 {
	n, _ := tir.AsInt(p.iters[k].Dom.Extent)
	return n
}

func (p *plan) stride(a access, k int) int64 { return a.stride(p.iters[k].Var) }

// choose fills in the plan. It returns false where no rule applies.
func (p *plan) choose() bool {
	if len(p.reduce) == 0 {
		return false
	}
	for _, iv := range p.iters {
		if tir.IsConst(iv.Dom.Extent, 0) {
			return false
		}
	}
	if !vectorTypes(p.block()) {
		return p.scalars()
	}
	v := p.contiguousResult()
	d := p.contiguousReduction()
	if v >= 0 && p.clamped {
		return p.inSteps(v) && p.alongResult(v)
	}
	if v >= 0 && !p.strided(v) {
		p.splitPhases(v)
		v = p.contiguousResult()
		d = p.contiguousReduction()
	}
	switch {
	case v >= 0 && (p.plain(v) || p.strided(v)):
		return p.alongResult(v)
	case d >= 0 && !p.worthPacking(v):
		return p.alongReduction(d)
	case v >= 0 && p.product():
		return p.alongResult(v)
	}
	return p.scalars()
}

// mostPackRows is how many rows of a long product must use a factor so that copying it to where vectors run along it pays.
const mostPackRows = 64

// worthPacking reports whether copying a factor of a product to where vectors run along v pays, in place of vectors along the reduction.
func (p *plan) worthPacking(v int) bool {
	rows := p.rowsOf(v)
	return rows > 0 && rows >= p.packRows()
}

// packRows is how many rows a factor must be used for so that copying it pays. In return for the copy the lanes of results need not be combined, which takes a large part of the
// time where sums are short: there, fewer rows do. The numbers are those at which both took as long.
func (p *plan) packRows() int64 {
	length := int64(1)
	for _, k := range p.reduce {
		length *= p.extent(k)
	}
	if length == 0 {
		return mostPackRows
	}
	return min(mostPackRows, (length+4*p.Lanes)/3)
}

// rowsOf is how many rows of a product use the factor along v, 0 where that cannot be copied to where vectors run along it. The pixels of an image count as one.
func (p *plan) rowsOf(v int) int64 {
	if v < 0 || !p.product() || p.extent(v) == 0 || len(p.rowAxes(v)) == 0 {
		return 0
	}
	rows := int64(1)
	for _, k := range p.without(v) {
		packed := false
		for _, a := range p.loads {
			packed = packed || usesIn(a, p.iters[k].Var) && usesIn(a, p.iters[v].Var)
		}
		if !packed {
			rows *= max(p.extent(k), 1)
		}
	}
	return rows
}

// contiguousResult is the variable along which results are contiguous, -1 if there is none of
// at least one short vector.
func (p *plan) contiguousResult() int {
	for _, k := range p.spatial {
		if n := p.extent(k); p.stride(p.store, k) == 1 && (n == 0 || n >= p.leastLanes()) {
			return k
		}
	}
	return -1
}

// plain reports whether all loads are contiguous or constant along variable v.
func (p *plan) plain(v int) bool {
	for _, a := range p.loads {
		if n := p.stride(a, v); n != 0 && n != 1 {
			return false
		}
	}
	return true
}

// strided reports whether what is reduced is read with a stride of two along variable v, which takes two vectors and one or two instructions that pick every other lane of both, and
// nothing else is done with it but to combine it, or to multiply it by what is the same for a vector (picksRows). Of what the function itself stores, phases are.
func (p *plan) strided(v int) bool {
	if p.picksRows(v) {
		return !slices.ContainsFunc(p.loads, func(a access) bool { return p.r.allocates(a.buf) })
	}
	if !p.machine.Spreads || len(p.loads) != 1 || p.stride(p.loads[0], v) != 2 || p.loads[0].buf.DType.Bits != 32 || p.Lanes != p.machine.Lanes || p.extent(v) < p.Lanes {
		return false
	}
	if p.r.allocates(p.loads[0].buf) {
		return false
	}
	_, value, _, _ := sch.Combiner(p.block())
	return value == tir.Expr(p.loads[0].load)
}

// contiguousReduction is a reduction variable along which all loads are contiguous or
// constant, -1 if there is none of at least two vectors.
func (p *plan) contiguousReduction() int {
	for i := len(p.reduce) - 1; i >= 0; i-- {
		k := p.reduce[i]
		if n := p.extent(k); n != 0 && n < 2*p.leastLanes() {
			continue
		}
		some := false
		for _, a := range p.loads {
			switch p.stride(a, k) {
			case 1:
				some = true
			case 0:
			default:
				goto next
			}
		}
		if some {
			return k
		}
	next:
	}
	return -1
}

// product reports whether the block sums products of two loads, in a wider type maybe.
func (p *plan) product() bool {
	op, value, _, _ := sch.Combiner(p.block())
	if c, ok := value.(*tir.Cast); ok {
		value = c.Value
	}
	if op != tir.OpAdd || len(p.loads) != 2 {
		return false
	}
	if _, ok := tir.IsCallTo(value, tir.OpDp4a); ok {
		return true
	}
	m, ok := value.(*tir.Binary)
	return ok && m.Op == tir.OpMul
}

// splitPhases stores buffers that are read with a stride along v so that elements of one
// phase lie together: element x at (x%stride, x//stride).
func (p *plan) splitPhases(v int) {
	for _, a := range p.loads {
		n := p.stride(a, v)
		last := len(a.indices) - 1
		if n < 2 || n > 4 || !uses(a.indices[last], p.iters[v].Var) || p.innerWindow(a) < 2 {
			continue
		}
		if _, ok := tir.AsInt(a.buf.Shape[last]); !ok {
			continue
		}
		at := slices.IndexFunc(p.block().Reads, func(x *tir.BufferRegion) bool { return x.Buffer == a.buf })
		if at < 0 {
			continue
		}
		if !p.r.allocates(a.buf) || len(p.r.readers(a.buf, nil)) != 1 {
			c, err := p.r.blocksBy("CacheRead", p.b, int64(at), "global", []*sch.Block{p.b})
			if err != nil {
				continue
			}
			p.r.blocks = append(p.r.blocks, c[0])
			p.refresh()
			p.splitPhases(v)
			return
		}
		m := &tir.IndexMap{}
		for k, e := range a.buf.Shape {
			x := tir.NewVar("i"+string(rune('0'+k%10)), e.DType())
			m.Initial = append(m.Initial, x)
			m.Final = append(m.Final, x)
		}
		x, c := m.Initial[last], tir.Const(m.Initial[last].DType(), n)
		m.Final = append(m.Final[:last:last], tir.FloorMod(x, c), tir.FloorDiv(x, c))
		// The map gives each element a place of its own, also where the stride does not divide the extent.
		if err := p.r.act("TransformLayout", p.b, []any{"read", int64(at)}, m, nil, true); err == nil {
			p.r.phases[p.block().Reads[at].Buffer] = n
			if divides(p.block()) && p.r.act("SimplifyIndices", p.b) != nil {
				continue
			}
			p.refresh()
			p.splitPhases(v)
			return
		}
	}
}

// innerWindow is the number of steps that the reduction takes along the last axis of an
// access.
func (p *plan) innerWindow(a access) int64 {
	n := int64(1)
	for _, k := range p.reduce {
		if uses(a.indices[len(a.indices)-1], p.iters[k].Var) {
			n *= max(p.extent(k), 1)
		}
	}
	return n
}

// mostScalars is how many results are computed at a time without vectors.
const mostScalars = 4

// scalars tiles without vectors: a few neighbouring results at a time.
func (p *plan) scalars() bool {
	if len(p.spatial) == 0 {
		return false
	}
	v := p.spatial[len(p.spatial)-1]
	p.Vector, p.Lanes = v, 1
	if n := p.extent(v); n > 1 {
		p.Tile[v] = p.fit(v, mostScalars)
	}
	p.window()
	return true
}

// without returns the spatial variables but for some.
func (p *plan) without(ks ...int) []int {
	var out []int
	for _, k := range p.spatial {
		if !slices.Contains(ks, k) {
			out = append(out, k)
		}
	}
	return out
}
