package dlight

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// isAdreno reports whether a target is OpenCL for a GPU of a phone with Android.
func isAdreno(t target.Target) bool {
	return t.Kind().Name == "opencl" && (hostOf(t, "android") || attrsOf(t, "adreno"))
}

// isMali reports whether a target is OpenCL for a Mali GPU.
func isMali(t target.Target) bool { return t.Kind().Name == "opencl" && attrsOf(t, "mali") }

// hostOf reports whether the host of a target, if it has one, mentions a word.
func hostOf(t target.Target, word string) bool {
	return !t.Host().Equal(t) && strings.Contains(t.Host().String(), word)
}

// attrsOf reports whether the attributes of a target mention a word.
func attrsOf(t target.Target, word string) bool {
	return strings.Contains(strings.TrimPrefix(t.WithoutHost().String(), t.Kind().Name), word)
}

// gemvConfig says how a product of a matrix and a vector is shared out: threads along rows (s) and along the reduction (r).
type gemvConfig struct {
	tagS, tagR   string
	ts, tr       int64
	tileS, tileR int64 // iterations of a thread
	vecLoad      int64 // bytes of the matrix that a thread loads at once
	vecC         int64 // lanes of the sum
	share        bool  // whether the vector goes into shared memory
	vecV         int64 // lanes in which it does
	unroll       int64
	shuffles     bool // whether threads of a warp exchange sums without shared memory
}

// byX and byY are the two ways to lay the threads: those along the reduction on x or on y.
func byX() gemvConfig {
	return gemvConfig{tagS: "threadIdx.y", tagR: "threadIdx.x", vecLoad: 1, vecV: -1}
}

func byY() gemvConfig {
	return gemvConfig{tagS: "threadIdx.x", tagR: "threadIdx.y", vecLoad: 1, vecV: -1}
}

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

// innerConfig chooses the numbers for a matrix in which the reduction is innermost.
func (g *gemvRule) innerConfig() gemvConfig {
	l := g.p.nest(g.block, 4)
	lenB, b := g.p.extent(l[0])
	lenS, s := g.p.extent(l[1])
	lenR, knownR := g.p.extent(l[2])
	lenC, _ := g.p.extent(l[3])
	known := b && s
	wide := func() bool {
		declineIf(!knownR, "the extent of the reduction is not known")
		return lenB*lenS > lenR*lenC
	}
	c := byX()
	c.vecC, c.unroll, c.ts, c.tr = 1, 64, 1, 64
	switch kind := g.t.Kind().Name; {
	case kind == "cuda":
		c.vecC, c.share, c.vecV, c.vecLoad, c.unroll, c.shuffles = 4, true, 8, 4, 256, true
		if known {
			c.ts, c.tr = 16, 32
		}
	case kind == "metal": // tuned on an M2 Ultra for models of 7 billion parameters, as TVM says
		c = byY()
		c.vecC, c.unroll, c.shuffles, c.ts, c.tr = 1, 256, true, 1, 64
		if known && wide() {
			c.ts, c.tr = 4, 16
		} else if known {
			c.ts = 2
		}
	case kind == "rocm":
		c.vecC, c.vecV, c.unroll = 4, 8, 256
		if known && wide() {
			c.tr = 128
		} else if known {
			c.ts = 8
		}
	case isAdreno(g.t):
		c = byY()
		c.vecC, c.unroll, c.ts, c.tr = 8, 8, 2, 32
	case kind == "vulkan":
		c.vecC, c.share, c.vecV, c.unroll = 4, true, 4, 256
		if known && wide() {
			c.ts, c.tr = 4, 32
		} else if known {
			c.ts, c.tr = 16, 32
		}
	case isMali(g.t):
		c.vecC = 8
	}
	c.fit(g.t)
	c.tileS, c.tileR = 1, max(lenC, 1)
	if lenC <= 1 && knownR {
		c.tileR = max(bestFactor(lenR, c.tr, 2*c.tr, 4*c.tr, 8*c.tr)/c.tr, 1)
	}
	c.vecC = min(bestFactor(c.tileR, 1, 2, 4, 8), c.vecC)
	return c
}

// fit halves the threads until a block of the target has as many.
func (c *gemvConfig) fit(t target.Target) {
	for c.ts*c.tr > t.IntAttr("max_num_threads", 1) && c.ts*c.tr > 1 {
		if c.ts > 1 {
			c.ts /= 2
		} else {
			c.tr /= 2
		}
	}
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
	p, c, block := g.p, g.cfg, g.block
	l := p.nest(block, 4)
	s, r := p.fuse(l[0], l[1]), p.fuse(l[2], l[3])
	p.split(s, rest, c.ts, c.tileS)
	x := p.split(r, rest, c.tr, c.tileR/c.vecC, c.vecC)
	p.reorder(x[0], x[2], x[1], x[3])
	rf := p.rfactor(p.fuse(x[1], x[3])) // sums of each lane
	l = p.nest(block, 4)
	rf2 := p.rfactor(p.split(l[3], c.tr, rest)[0]) // sums of each thread

	l = p.nest(rf, 6)
	bx, ts, tileS, rl, tileR := l[0], l[1], l[2], l[3], l[4]
	x = p.split(l[5], c.tr, rest)
	tr, vec := x[0], x[1]
	p.reorder(bx, ts, tr, rl, tileS, tileR, vec)
	p.bind(bx, "blockIdx.x")
	p.bind(ts, c.tagS)
	p.bind(tr, c.tagR)
	p.vectorize(vec)

	own := c.ts * c.tr
	if c.shuffles {
		own = 0
	}
	p.loadMatrix(rf, rl, c.vecLoad)
	shared := g.shareVectors(rf, tr, own)
	g.sumThreads(rf2, bx, true)
	g.sumThreads(block, bx, false)
	g.finish(rf, rf2, shared, 3)
	if g.epilogue != nil {
		g.follow(g.epilogue.block, bx, 1)
	}
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
	p.decomposeReduction(lanes, p.nestOver(lanes, behind+1)[behind])
	l := p.loops(threads)
	p.decomposeReduction(threads, l[len(l)-1])
	for _, b := range []*sch.Block{lanes, threads} {
		p.setScope(b, 0, "local")
	}
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
