package dlight

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// lowBatch is the rule LowBatchGEMV at work.
type lowBatch struct {
	gemvRule
	pad        int64      // vectors that are computed together
	dequantize *sch.Block // what decodes the matrix, nil if nothing does
	padInput   *sch.Block // what pads the vectors, nil if nothing does
}

// lowBatchGEMV schedules products of a matrix and a number of vectors that only a run knows, which is taken to be small: as many of them
// as the rule's number are computed together (TVM's gpu.LowBatchGEMV).
func lowBatchGEMV(p *program, t target.Target, r *Rule) {
	var main *blockInfo
	for _, b := range p.normalize() {
		if b.isReduction {
			declineIf(main != nil, "several blocks are reductions, expected one")
			main = b
		}
	}
	declineIf(main == nil, "it has no reduction")
	p.lowBatchVectors(main)
	padding := make([]int64, len(main.iters))
	for i, it := range main.iters {
		n, ok := tir.AsInt(it.dom)
		if !ok {
			n = r.n
		}
		padding[i] = n
	}
	p.padEinsum(main.block, padding...)
	g := &lowBatch{gemvRule: gemvRule{p: p, t: t, batch: true}, pad: r.n}
	var blocks []*blockInfo
	for _, b := range p.normalize() {
		dequantizes, pads := strings.Contains(b.name, "dequantize"), strings.Contains(b.name, "pad")
		switch {
		case dequantizes:
			g.dequantize = b.block
		case pads && len(p.producers(b.block)) == 0:
			g.padInput = b.block
		}
		if !dequantizes && !pads {
			blocks = append(blocks, b)
		}
	}
	main, g.epilogue = p.mainAndEpilogue(blocks)
	declineIf(len(main.iters) != 2 && len(main.iters) != 3, "block %s has %d variables, expected two or three", main.name, len(main.iters))
	g.block = main.block
	g.vectors = p.lowBatchVectors(main)
	if g.normalize(main) {
		g.cfg = g.config()
		g.inner()
		return
	}
	declineIf(g.pad > 4, "the reduction is not innermost in the matrix, and more than 4 vectors are computed together")
	g.outer()
}

// constIters returns those variables of a block whose extents are numbers.
func constIters(b *tir.Block) varSet {
	out := varSet{}
	for _, iv := range b.IterVars {
		if _, ok := tir.AsInt(iv.Dom.Extent); ok {
			out[iv.Var] = true
		}
	}
	return out
}

// lowBatchVectors is vectorsOf for a block of which exactly one variable, a spatial one, has an extent that is no number.
func (p *program) lowBatchVectors(b *blockInfo) []*tir.Buffer {
	stmt := p.block(b.block)
	known := constIters(stmt)
	declineIf(len(stmt.IterVars)-len(known) != 1, "block %s has %d variables whose extents are no numbers, expected one", b.name, len(stmt.IterVars)-len(known))
	i := slices.IndexFunc(stmt.IterVars, func(iv *tir.IterVar) bool { return !known[iv.Var] })
	declineIf(stmt.IterVars[i].Kind != tir.DataPar, "variable %s of block %s, whose extent is no number, is not spatial", stmt.IterVars[i].Var.Name, b.name)
	return p.vectorsOf(b, known)
}

// normalize makes the loops vectors, rows, reduction.
func (g *lowBatch) normalize(b *blockInfo) (inner bool) {
	p := g.p
	stmt := p.block(b.block)
	known := constIters(stmt)
	x := p.axesOf(b, dominantRead(stmt, known), false)
	var order []*sch.Loop
	for _, i := range b.iters {
		if !known[i.v] {
			order = append(order, i.loop)
		}
	}
	p.reorder(slices.Concat(order, x.s, x.r)...)
	p.fuse(x.s...)
	p.fuse(x.r...)
	return x.inner
}

// config chooses the numbers for a matrix in which the reduction is innermost.
func (g *lowBatch) config() gemvConfig {
	l := g.p.nest(g.block, 3)
	lenS, known := g.p.extent(l[1])
	lenR, knownR := g.p.extent(l[2])
	wide := lenS > lenR
	c := byX()
	c.vecC, c.unroll = 1, 64
	ts, tr := int64(1), int64(64)
	switch kind := g.t.Kind().Name; {
	case kind == "cuda":
		c.vecC, c.share, c.vecV, c.unroll = 4, true, 8, 256
		ts, tr = 16, 32
		if wide {
			ts, tr = 4, 64
		}
	case kind == "metal":
		if known && !wide {
			c = byY()
		}
		c.vecC, c.unroll = 4, 8
		ts, tr = 8, 32
	case kind == "rocm":
		c.vecC, c.share, c.vecV, c.unroll = 4, true, 8, 256
		ts = 8
		if wide {
			ts, tr = 1, 128
		}
	case kind == "opencl" && hostOf(g.t, "android"):
		c = byY()
		c.vecC, c.unroll = 8, 8
		ts, tr = 2, 32
	case kind == "vulkan":
		c.vecC, c.share, c.vecV, c.unroll = 4, true, 4, 256
		ts, tr = 16, 32
		if wide {
			ts = 4
		}
	case isMali(g.t):
		c.vecC = 8
	}
	c.ts, c.tr = 1, 64
	if known {
		c.ts, c.tr = ts, tr
	}
	c.fit(g.t)
	declineIf(!knownR, "the extent of the reduction is not known")
	c.tileS, c.tileR = 2, max(bestFactor(lenR, c.tr, 2*c.tr, 4*c.tr, 8*c.tr)/c.tr, 1)
	c.vecC = min(bestFactor(c.tileR, 1, 2, 4, 8), c.vecC)
	return c
}

// inner schedules a matrix in which the reduction is innermost.
func (g *lowBatch) inner() {
	p := g.p
	l := p.nest(g.block, 3)
	sums := g.shareOut(l[1], l[2])
	l = p.nestOver(sums.lanes, 4)
	x := p.split(l[0], rest, g.pad)
	p.bind(x[0], "blockIdx.y")
	p.reorder(l[1], l[2], l[3], l[4], x[1])

	if g.dequantize != nil {
		p.computeAt(g.dequantize, sums.steps, true)
		p.setScope(g.dequantize, 0, "local")
		two := last(p.nestOver(g.dequantize, 2), 2)
		x = p.split(two[0], rest, 1)
		p.reorder(x[0], two[1], x[1])
		p.vectorize(x[1])
	}
	shared := g.shareVectors(sums.lanes, sums.tr, 0)
	if g.padInput != nil {
		p.computeInline(g.padInput)
	}
	g.addUp(sums, shared)
	for _, e := range p.consumers(g.block)[:min(len(p.consumers(g.block)), 1)] {
		g.follow(e, sums.bx, 3)
	}
}

// outer schedules a quantized matrix in which the reduction is not innermost.
func (g *lowBatch) outer() {
	p, block := g.p, g.block
	g.cfg = byY()
	c := &g.cfg
	c.ts, c.tr = 32, 4
	lanes := int64(1)
	if g.t.Kind().Name == "metal" {
		c.ts, c.share = 64, true
		lanes = 4
	}
	l := p.nest(block, 3)
	b := p.split(l[0], rest, g.pad)
	s := p.split(l[1], rest, c.ts)
	r := p.split(l[2], rest, c.tr, scalePack, decPack)
	p.reorder(b[0], s[0], s[1], r[0], b[1], r[2], r[1], r[3])
	rf, rf2 := g.factor(r[1], r[3])
	l = p.nest(rf, 7)
	by, bx, ts, red, batch, scale := l[0], l[1], l[2], l[3], l[4], l[5]
	x := p.split(l[6], c.tr, decPack)
	tr, vec := x[0], x[1]
	p.reorder(by, bx, ts, tr, red, scale, batch, vec)
	p.bind(by, "blockIdx.y")
	g.bindThreads(bx, ts, tr)
	p.autoVectorize(vec, lanes)
	declineIf(g.dequantize == nil, "the reduction is not innermost in the matrix, and no block dequantizes it")
	p.computeAt(g.dequantize, scale, true)
	p.setScope(g.dequantize, 0, "local")
	p.autoVectorize(p.fuse(p.nestOver(g.dequantize, 7)[6:]...), lanes)
	for i := range int64(2) {
		read := p.cacheRead(g.dequantize, i, "local")
		p.computeAt(read, red, true)
		p.autoVectorize(p.fuse(p.nestOver(read, 6)[5:]...), lanes)
	}
	declineIf(g.padInput == nil, "the vectors are not padded")
	if c.share {
		p.setScope(g.padInput, 0, "shared")
		p.computeAt(g.padInput, red, true)
		p.storageAlign(g.padInput, -2, 8, 1)
		x = p.split(p.fuse(p.nestOver(g.padInput, 6)[5:]...), c.tr, c.ts, rest)
		p.bind(x[0], c.tagR)
		p.bind(x[1], c.tagS)
		p.autoVectorize(x[2], lanes)
	} else {
		p.computeInline(g.padInput)
	}
	g.sumColumns(rf2, bx, true)
	g.sumColumns(block, bx, false)
	p.decomposeReduction(rf, p.nestOver(rf, 5)[4])
	p.decomposeReduction(rf2, p.nestOver(rf2, 5)[4])
	p.setScope(rf, 0, "local")
	p.setScope(rf2, 0, "local")
	for _, e := range p.consumers(block)[:min(len(p.consumers(block)), 1)] {
		declineIf(p.isBroadcast(block, e), "block %s spreads what was summed over more elements", p.block(e).Name)
		p.reverseComputeAt(e, bx, true)
		p.bind(p.nest(e, 4)[3], c.tagS)
		p.setScope(block, 0, "local")
	}
}
