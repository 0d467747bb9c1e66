package dlight

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// gemv schedules products of a matrix and a vector (TVM's gpu.GEMV).
func gemv(p *program, t target.Target, _ *Rule) {
	block, vectors, epilogue, inner := p.prepareGEMV()
	g := &gemvRule{p: p, t: t, block: block, vectors: vectors, epilogue: epilogue}
	switch {
	case inner:
		g.cfg = g.innerConfig()
		g.inner()
	case g.outerFits():
		g.outer()
	default:
		declineIf(!isAdreno(t), "the reduction is not innermost in the matrix, and the target has no schedule for that")
		g.outerPlain()
	}
}

// gemvRule is the rule GEMV at work.
type gemvRule struct {
	p        *program
	t        target.Target
	block    *sch.Block
	vectors  []*tir.Buffer
	epilogue *blockInfo
	cfg      gemvConfig
	batch    bool // whether several vectors are computed together, in a loop of their own
}

// fitsShared reports whether the vectors fit into the shared memory of a block, with own further bytes for each byte of an element.
func fitsShared(t target.Target, vectors []*tir.Buffer, own int64) bool {
	limit, ok := t.Attr("max_shared_memory_per_block").(int64)
	total := int64(0)
	for _, v := range vectors {
		size := int64(1)
		for _, n := range v.Shape {
			k, known := tir.AsInt(n)
			if !known {
				return false
			}
			size *= k
		}
		total += (size + own) * bytesOf(v)
	}
	declineIf(!ok, "target %s does not say how much shared memory a block has: give max_shared_memory_per_block", t.Kind().Name)
	return total <= limit
}

// bytesOf returns the bytes of an element of a buffer.
func bytesOf(b *tir.Buffer) int64 {
	return (int64(b.DType.Bits)*int64(max(b.DType.Lanes, 1)) + 7) / 8
}

// inner schedules a matrix in which the reduction is innermost: each row is summed by the threads along r, first in lanes, which are then
// summed by a thread, and the sums of threads by all.
func (g *gemvRule) inner() {
	p, c := g.p, g.cfg
	l := p.nest(g.block, 4)
	sums := g.shareOut(p.fuse(l[0], l[1]), p.fuse(l[2], l[3]))
	own := c.ts * c.tr
	if c.shuffles {
		own = 0
	}
	p.loadMatrix(sums.lanes, sums.steps, c.vecLoad)
	g.addUp(sums, g.shareVectors(sums.lanes, sums.tr, own))
	if g.epilogue != nil {
		g.follow(g.epilogue.block, sums.bx, 1)
	}
}

// partial are the blocks of the sums of lanes and of threads, with loops around the former: over blocks of threads, threads along r, and steps.
type partial struct {
	lanes, threads *sch.Block
	bx, tr, steps  *sch.Loop
}

// factor computes a sum in parts: one for each lane vec of a thread tr, and one for each thread.
func (g *gemvRule) factor(tr, vec *sch.Loop) (lanes, threads *sch.Block) {
	p := g.p
	lanes = p.rfactor(p.fuse(tr, vec))
	l := p.nestOver(g.block, 1)
	return lanes, p.rfactor(p.split(l[len(l)-1], g.cfg.tr, rest)[0])
}

// shareOut shares the rows s and the steps r of each out among threads and their lanes.
func (g *gemvRule) shareOut(s, r *sch.Loop) partial {
	p, c := g.p, g.cfg
	p.split(s, rest, c.ts, c.tileS)
	x := p.split(r, rest, c.tr, c.tileR/c.vecC, c.vecC)
	p.reorder(x[0], x[2], x[1], x[3])
	lanes, threads := g.factor(x[1], x[3])
	l := p.nest(lanes, g.front()+6)[g.front():]
	bx, ts, tileS, steps, tileR := l[0], l[1], l[2], l[3], l[4]
	x = p.split(l[5], c.tr, rest)
	tr, vec := x[0], x[1]
	p.reorder(bx, ts, tr, steps, tileS, tileR, vec)
	g.bindThreads(bx, ts, tr)
	p.vectorize(vec)
	return partial{lanes, threads, bx, tr, steps}
}

// front is the number of loops in front of the rows.
func (g *gemvRule) front() int {
	if g.batch {
		return 1
	}
	return 0
}

// bindThreads runs a loop by blocks of threads, and two by threads.
func (g *gemvRule) bindThreads(bx, ts, tr *sch.Loop) {
	g.p.bind(bx, "blockIdx.x")
	g.p.bind(ts, g.cfg.tagS)
	g.p.bind(tr, g.cfg.tagR)
}

// addUp adds the sums up within the blocks of threads. shared is what loads the vectors into shared memory, nil if nothing does.
func (g *gemvRule) addUp(x partial, shared *sch.Block) {
	g.sumThreads(x.threads, x.bx, true)
	g.sumThreads(g.block, x.bx, false)
	g.finish(x.lanes, x.threads, shared, g.front()+3)
}

// loadMatrix has each thread load its part of the matrix in lanes.
func (p *program) loadMatrix(rf *sch.Block, at *sch.Loop, bytes int64) {
	read := p.cacheRead(rf, int64(1), "local")
	p.computeAt(read, at, true)
	l := last(p.nestOver(read, 2), 2)
	lanes := max(1, bytes/bytesOf(p.block(read).Reads[0].Buffer))
	p.vectorize(p.split(p.fuse(l...), rest, lanes)[1])
}

// shareVectors has all threads of a block load the vector into shared memory at a loop, where the configuration says so and it fits, with own further bytes
// for each byte of an element; nil if not.
func (g *gemvRule) shareVectors(rf *sch.Block, at *sch.Loop, own int64) *sch.Block {
	p, c := g.p, g.cfg
	if !c.share || !fitsShared(g.t, g.vectors, own) {
		return nil
	}
	declineIf(len(g.vectors) != 1, "there are %d vectors, expected one", len(g.vectors))
	shared := p.cacheRead(rf, int64(0), "shared")
	p.computeAt(shared, at, true)
	l := p.nestOver(shared, 1)
	loop := l[len(l)-1]
	n, threads := c.vecV, c.ts*c.tr
	if extent, ok := p.extent(loop); ok { // lanes that need no condition
		n = max(min(bestFactor(extent, threads, 2*threads, 4*threads, 8*threads)/threads, c.vecV), 1)
	}
	y, x := c.ts, c.tr
	if c.tagR != "threadIdx.x" {
		y, x = x, y
	}
	parts := p.split(loop, rest, y, x, n)
	p.bind(parts[1], "threadIdx.y")
	p.bind(parts[2], "threadIdx.x")
	p.vectorize(parts[3])
	return shared
}

// finish takes the inits out of the sums of lanes and of threads, keeps both in registers, and has their loops written out, which come behind so many others.
func (g *gemvRule) finish(lanes, threads, shared *sch.Block, behind int) {
	p := g.p
	g.keep(lanes, threads, behind)
	for _, b := range []*sch.Block{lanes, threads} {
		p.unrollInside(p.nestOver(b, behind+1)[behind], g.cfg.unroll)
	}
	if shared == nil {
		return
	}
	at := func() *sch.Loop { return last(p.nestOver(shared, 4), 4)[0] }
	p.annotate(at(), "pragma_unroll_explicit", g.cfg.unroll)
	p.annotate(at(), "pragma_vectorize", int64(1))
}

// keep takes the inits out of the sums of lanes, in front of a loop that comes behind so many others, and of threads, and keeps both in registers.
func (g *gemvRule) keep(lanes, threads *sch.Block, behind int) {
	p := g.p
	p.decomposeReduction(lanes, p.nestOver(lanes, behind+1)[behind])
	l := p.nestOver(threads, 1)
	p.decomposeReduction(threads, l[len(l)-1])
	for _, b := range []*sch.Block{lanes, threads} {
		p.setScope(b, 0, "local")
	}
}

// follow moves what is computed of the sums into the block of threads; its own loops come behind so many others.
func (g *gemvRule) follow(e *sch.Block, bx *sch.Loop, behind int) {
	p := g.p
	declineIf(p.isBroadcast(g.block, e), "block %s spreads what was summed over more elements", p.block(e).Name)
	p.reverseComputeAt(e, bx, true)
	p.fuse(p.nestOver(e, behind+1)[behind:]...)
	l := p.loops(e)
	ts, _ := p.splitRows(l[len(l)-1], g.cfg)
	p.bind(ts, g.cfg.tagS)
	p.setScope(g.block, 0, "local")
}

// splitRows splits the rows of a block of threads into those of a thread each.
func (p *program) splitRows(l *sch.Loop, c gemvConfig) (ts, tile *sch.Loop) {
	x := p.split(l, rest, c.ts, c.tileS)
	n, _ := p.extent(x[0])
	declineIf(n != 1, "a block of threads has more rows than threads")
	return p.fuse(x[0], x[1]), x[2]
}

// sumThreads moves the block that adds the sums of lanes, or that of threads, into the block of threads.
func (g *gemvRule) sumThreads(b *sch.Block, bx *sch.Loop, lanes bool) {
	p, c := g.p, g.cfg
	p.reverseComputeAt(b, bx, true)
	at := 1 // of the loop of threads, behind those of blocks
	if g.batch {
		at++
	}
	l := p.nestOver(b, at+2)
	tr := l[at]
	l = l[at+1:]
	var vec, batch []*sch.Loop
	if lanes {
		vec, l = l[:1], l[1:]
	}
	if g.batch {
		declineIf(len(l) == 0, "block %s has no loop of vectors", p.block(b).Name)
		batch, l = l[:1], l[1:]
	}
	declineIf(len(l) == 0, "block %s has no loop of rows", p.block(b).Name)
	ts, tile := p.splitRows(p.fuse(l...), c)
	if lanes {
		x := p.split(tile, rest, bestFactor(c.tileS, 1, 2, 4, 8))
		p.reorder(slices.Concat([]*sch.Loop{ts, tr, x[0]}, batch, x[1:], vec)...)
		p.vectorize(x[1])
	} else {
		p.reorder(slices.Concat([]*sch.Loop{tile}, batch, []*sch.Loop{ts, tr})...)
	}
	p.bind(ts, c.tagS)
	p.bind(tr, c.tagR)
}
