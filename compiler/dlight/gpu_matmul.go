package dlight

import (
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// matmulConfig says how a product of matrices is tiled: a tile of a block of threads is blockX*vthreadX*microX by blockY*vthreadY*microY.
type matmulConfig struct {
	blockX, blockY int64
	microX, microY int64
	microK         int64
	vector         int64
	unroll         int64
	share          bool // whether the tiles of the inputs go into shared memory
	align          bool // whether their rows are kept apart there
	innerX         bool // whether columns are innermost
}

func matmulConfigOf(t target.Target) matmulConfig {
	switch {
	case t.Kind().Name == "cuda" || t.Kind().Name == "rocm":
		return matmulConfig{blockX: 8, blockY: 16, microX: 4, microY: 4, microK: 16, vector: 2, unroll: 256, share: true, align: true}
	case isAdreno(t):
		return matmulConfig{blockX: 32, blockY: 4, microX: 8, microY: 2, microK: 16, vector: 8, unroll: 16, innerX: true}
	}
	return matmulConfig{blockX: 8, blockY: 8, microX: 4, microY: 4, microK: 8, vector: 1, unroll: 256, share: true}
}

// smVersion returns the number of an architecture such as sm_80, -1 if it is none.
func smVersion(t target.Target) int {
	arch, _ := t.Attr("arch").(string)
	n, err := strconv.Atoi(strings.TrimPrefix(arch, "sm_"))
	if err != nil {
		return -1
	}
	return n
}

// matmul schedules products of matrices (TVM's gpu.Matmul).
func matmul(p *program, t target.Target, _ *Rule) {
	c := matmulConfigOf(t)
	f := p.fn()
	blocks := p.children(p.root())
	main := p.mainReduction(blocks)
	stmt := p.block(main)
	matmulMapsOf(stmt)
	if isAdreno(t) && !innerReduction(stmt) {
		err := try(func() { p.outerMatmul(c, main, blocks) })
		if err == nil {
			return
		}
		p.note("transposed rows", err)
		p.s = newProgram(f, p.s.Module().Origins()).s
		main = p.mainReduction(p.children(p.root()))
	}
	p.canonicalMatmul(main)
	switch {
	case t.Kind().Name == "cuda" && smVersion(t) >= 70 && tensorizes(p.block(main)):
		if p.onTensorCores(f, p.block(main)) {
			return
		}
	case t.Kind().Name == "metal":
		q := newProgram(f, p.s.Module().Origins())
		err := try(q.simdgroupMatmul)
		if err == nil {
			p.s = q.s
			return
		}
		p.note("matrices of warps", err)
	}
	p.tileMatmul(c, main)
}

// innerReduction reports whether the last index of the last input is a reduction variable.
func innerReduction(b *tir.Block) bool {
	region := b.Reads[len(b.Reads)-1].Region
	for _, iv := range b.IterVars {
		if len(region) > 0 && region[len(region)-1].Min == tir.Expr(iv.Var) {
			return iterKind(iv) == reduction
		}
	}
	return false
}

// tensorizes reports whether a product is large enough for tensor cores: none of its sides is known to be 64 or less.
func tensorizes(b *tir.Block) bool {
	for _, iv := range b.IterVars[1:] {
		if n, ok := tir.AsInt(iv.Dom.Extent); ok && n <= 64 {
			return false
		}
	}
	return true
}

// tileMatmul gives each thread a tile of the output, which it sums in registers.
func (p *program) tileMatmul(c matmulConfig, main *sch.Block) {
	sizeX, sizeY := c.blockX*c.microX, c.blockY*c.microY
	var batch, x, y, k *sch.Loop
	if c.innerX {
		p.padEinsum(main, 1, sizeY, sizeX, c.microK)
		l := p.nest(main, 4)
		batch, y, x, k = l[0], l[1], l[2], l[3]
	} else {
		p.padEinsum(main, 1, sizeX, sizeY, c.microK)
		l := p.nest(main, 4)
		batch, x, y, k = l[0], l[1], l[2], l[3]
	}
	ys := p.split(y, rest, 1, c.blockY, c.microY)
	xs := p.split(x, rest, 1, c.blockX, c.microX)
	ks := p.split(k, rest, c.microK)
	inner := []*sch.Loop{xs[3], ys[3]}
	if c.innerX {
		inner = []*sch.Loop{ys[3], xs[3]}
	}
	p.reorder(append([]*sch.Loop{ys[0], xs[0], ys[1], xs[1], ys[2], xs[2], ks[0], ks[1]}, inner...)...)
	by := p.fuse(batch, ys[0])
	p.bind(xs[0], "blockIdx.x")
	p.bind(by, "blockIdx.y")
	p.bind(ys[1], "vthread.y")
	p.bind(xs[1], "vthread.x")
	p.bind(ys[2], "threadIdx.y")
	p.bind(xs[2], "threadIdx.x")
	innermost := c.microY
	if c.innerX {
		innermost = c.microX
	}
	if innermost%c.vector == 0 {
		p.vectorize(p.split(inner[1], rest, c.vector)[1])
	}
	p.unrollInside(xs[2], c.unroll)

	write := p.cacheWrite(main, 0, "local")
	p.reverseComputeAt(write, xs[2], true)
	if c.microX%c.vector == 0 {
		l := p.nestOver(write, 1)
		p.vectorize(p.split(l[len(l)-1], rest, c.vector)[1])
	}
	if c.share {
		a := p.fetchTile(c, main, 0, ks[0])
		b := p.fetchTile(c, main, 1, ks[0])
		p.inlineProducers(a)
		p.inlineProducers(b)
	} else {
		p.inlineProducers(main)
	}
	p.inlineConsumerChain(write)
	p.decomposeReduction(main, ks[0])
}

// fetchTile has the threads of a block load the tile of an input into shared memory together.
func (p *program) fetchTile(c matmulConfig, main *sch.Block, index int64, at *sch.Loop) *sch.Block {
	read := p.cacheRead(main, index, "shared")
	n := len(p.loops(read))
	p.computeAt(read, at, true)
	x := p.split(p.fuse(last(p.nestOver(read, n), n)...), c.blockY, c.blockX, rest, c.vector)
	p.vectorize(x[3])
	p.bind(x[0], "threadIdx.y")
	p.bind(x[1], "threadIdx.x")
	if c.align {
		p.storageAlign(read, 1, 8, c.vector)
	}
	return read
}
