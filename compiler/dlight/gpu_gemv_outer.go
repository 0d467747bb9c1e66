package dlight

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
)

// The numbers for quantized matrices: weights in an element, and elements that share a scale.
const (
	decPack   = 8
	scalePack = 4
)

// outerFits chooses the numbers for a matrix in which the reduction is not innermost, and reports whether there are some.
func (g *gemvRule) outerFits() bool {
	l := g.p.nest(g.block, 4)
	lenS, known := g.p.extent(l[1])
	lenR, knownR := g.p.extent(l[2])
	lenC, _ := g.p.extent(l[3])
	c := byY()
	c.vecV, c.unroll = 4, 8
	switch {
	case isAdreno(g.t):
		c.vecC, c.ts, c.tr = 8, 64, 4
	case g.t.Kind().Name == "metal":
		c.vecC, c.ts, c.tr = 4, 128, 4
	default:
		return false
	}
	if !knownR || lenR < c.tr*scalePack*decPack || known && lenS > 96000 {
		return false
	}
	if !known {
		c.ts, c.tr, c.share = 256, 1, true
	}
	tileR := lenC
	if lenC <= 1 {
		tileR = max(bestFactor(lenR, c.tr, 2*c.tr, 4*c.tr, 8*c.tr)/c.tr, 1)
	}
	c.vecV = min(bestFactor(tileR, 1, 2, 4, 8), c.vecV)
	g.cfg = c
	return true
}

// outer schedules a matrix in which the reduction is not innermost.
func (g *gemvRule) outer() {
	p, c, block := g.p, g.cfg, g.block
	l := p.nest(block, 4)
	s, r := p.fuse(l[0], l[1]), p.fuse(l[2], l[3])
	x := p.split(s, rest, c.ts)
	y := p.split(r, rest, 1, c.tr, scalePack, decPack)
	p.reorder(x[0], x[1], y[0], y[1], y[3], y[2], y[4])
	rf, rf2 := g.factor(y[2], y[4])
	l = p.nest(rf, 6)
	bx, ts, r, tileV, tileR := l[0], l[1], l[2], l[3], l[4]
	x = p.split(l[5], c.tr, decPack)
	tr, vec := x[0], x[1]
	p.reorder(bx, ts, tr, r, tileV, tileR, vec)
	g.bindThreads(bx, ts, tr)
	p.autoVectorize(vec, c.vecC)
	if len(p.block(rf).Reads) >= 3 {
		p.computeAt(p.cacheRead(rf, int64(2), "local"), tileV, true)
	}
	p.computeAt(p.cacheRead(rf, int64(1), "local"), tileR, true)
	if c.share {
		shared := p.cacheRead(rf, int64(0), "shared")
		p.computeAt(shared, r, true)
		l = p.nestOver(shared, 1)
		x = p.split(l[len(l)-1], rest, 1, c.ts, c.tr, c.vecV)
		p.bind(x[3], c.tagR)
		p.bind(x[2], c.tagS)
		p.autoVectorize(x[4], c.vecV)
	}
	g.sumColumns(rf2, bx, true)
	g.sumColumns(block, bx, false)
	g.keep(rf, rf2, 2)
	p.unrollInside(p.nestOver(rf2, 4)[3], c.unroll)
	if g.epilogue == nil {
		return
	}
	e := g.epilogue.block
	if p.isBroadcast(block, e) {
		p.reverseComputeAt(e, bx, false)
		p.setScope(block, 0, "shared")
		p.bind(p.split(p.fuse(p.nestOver(e, 3)[2:]...), rest, c.ts)[1], c.tagS)
		return
	}
	p.reverseComputeAt(e, bx, true)
	p.fuse(p.nestOver(e, 2)[1:]...)
	l = p.loops(e)
	p.bind(p.split(l[len(l)-1], c.ts, rest)[0], c.tagS)
	p.setScope(block, 0, "local")
}

// sumColumns moves the block that adds the sums of lanes, or that of threads, into the block of threads, where each column has a thread.
func (g *gemvRule) sumColumns(b *sch.Block, bx *sch.Loop, lanes bool) {
	p := g.p
	p.reverseComputeAt(b, bx, true)
	l := p.nestOver(b, g.front()+3)[g.front()+1:]
	tr, ts, between := l[0], l[len(l)-1], l[1:len(l)-1] // lanes and vectors
	if lanes {
		slices.Reverse(between)
		p.reorder(append([]*sch.Loop{ts, tr}, between...)...)
	} else {
		p.reorder(append(between, ts, tr)...)
	}
	p.bind(ts, g.cfg.tagS)
	p.bind(tr, g.cfg.tagR)
}

// outerPlain schedules such a matrix for Adreno without partial sums: each thread sums whole columns.
func (g *gemvRule) outerPlain() {
	p, block := g.p, g.block
	const threads, innerR = 128, 4
	l := p.nest(block, 4)
	batch, s, r, group := l[0], l[1], l[2], l[3]
	lanes := int64(1)
	if n, ok := p.extent(s); ok {
		lanes = 2
		if n > 4096 {
			lanes = 4
		}
	}
	x := p.split(s, rest, threads, lanes)
	y := p.split(r, rest, innerR)
	bx, tx, vec := x[0], x[1], x[2]
	p.bind(batch, "blockIdx.y")
	p.bind(bx, "blockIdx.x")
	p.bind(tx, "threadIdx.x")
	p.reorder(bx, tx, y[0], y[1], group, vec)
	p.unrollInside(tx, 8)
	shared := p.cacheRead(block, g.vectors[0], "shared")
	p.computeAt(shared, bx, true)
	l = p.nestOver(shared, 1)
	x = p.split(l[len(l)-1], rest, threads, 8)
	p.bind(x[1], "threadIdx.x")
	p.vectorize(x[2])
	p.vectorize(vec)
	if g.epilogue != nil {
		e := g.epilogue.block
		p.reverseComputeAt(e, bx, true)
		l = p.nestOver(e, 1)
		x = p.split(l[len(l)-1], threads, lanes)
		p.bind(x[0], "threadIdx.x")
		p.vectorize(x[1])
		p.setScope(block, 0, "local")
	}
	p.decomposeReduction(block, y[0])
}
