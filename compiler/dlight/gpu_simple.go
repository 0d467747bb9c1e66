package dlight

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// maxThreads returns the most threads of a block on a target.
func maxThreads(t target.Target) int64 {
	def := int64(256)
	if t.Kind().Name == "cuda" {
		def = 1024
	}
	return t.IntAttr("max_threads_per_block", t.IntAttr("max_num_threads", def))
}

// lowerFactor returns by how many iterations of its variable a digit changes; it must be a number.
func lowerFactor(s *arith.IterSplit) int64 {
	n, ok := tir.AsInt(s.LowerFactor)
	declineIf(!ok, "a read divides a loop by what is no number")
	return n
}

// fallback inlines what can be, and runs the spatial iterations of each block that is left as threads (TVM's gpu.Fallback).
func fallback(p *program, t target.Target, _ *Rule) {
	type reduced struct {
		block *sch.Block
		loop  *sch.Loop
	}
	var later []reduced
	for _, b := range p.tryInline(p.normalize()) {
		loops := p.loops(b.block)
		if len(loops) == 0 || slices.ContainsFunc(loops, func(l *sch.Loop) bool { return p.loop(l).Thread != nil }) {
			continue
		}
		var s, r, o []*sch.Loop
		for i, l := range loops {
			if i >= len(b.iters) {
				break
			}
			switch b.iters[i].kind {
			case spatial:
				s = append(s, l)
			case reduction:
				r = append(r, l)
			default:
				o = append(o, l)
			}
		}
		if len(s) == 0 {
			s = append(s, p.addUnitLoop(b.block))
		}
		p.reorder(slices.Concat(s, r, o)...)
		x := p.split(p.fuse(s...), rest, maxThreads(t))
		p.bind(x[0], "blockIdx.x")
		p.bind(x[1], "threadIdx.x")
		if len(r) > 0 {
			later = append(later, reduced{b.block, r[0]})
		}
	}
	for _, x := range later {
		p.decomposeReduction(x.block, x.loop)
	}
}

// isTranspose reports whether a block copies elements to the same indices in another order.
func isTranspose(b *tir.Block) bool {
	store, ok := b.Body.(*tir.BufferStore)
	if !ok {
		return false
	}
	load, ok := store.Value.(*tir.BufferLoad)
	if !ok {
		return false
	}
	same := func(x, y []tir.Expr) bool {
		return !slices.ContainsFunc(x, func(e tir.Expr) bool {
			return !slices.ContainsFunc(y, func(f tir.Expr) bool { return tir.Equal(e, f) })
		})
	}
	return !slices.EqualFunc(store.Indices, load.Indices, tir.Equal) && same(store.Indices, load.Indices) && same(load.Indices, store.Indices)
}

// transpose copies tiles by way of shared memory, so that both sides of a transposition are contiguous (TVM's gpu.Transpose).
func transpose(p *program, t target.Target, _ *Rule) {
	lenX, lenY, unroll := int64(8), int64(4), int64(64)
	switch t.Kind().Name {
	case "cuda":
		lenX, lenY, unroll = 16, 8, 256
	case "opencl":
		lenX, lenY = 16, 8
	}
	blocks := p.normalize()
	at := -1
	for i := len(blocks) - 1; i >= 0 && at < 0; i-- {
		if isTranspose(p.block(blocks[i].block)) {
			at = i
		} else {
			declineIf(!blocks[i].isInjective(), "block %s, after the transposition, is not spatial", blocks[i].name)
		}
	}
	declineIf(at < 0, "no block transposes")
	block := blocks[at].block
	p.inlineConsumerChain(block) // TVM leaves what follows without threads
	var prologue *sch.Block      // what decodes the input, if anything does
	if at > 0 {
		left := p.tryInlineSpatial(blocks[:at-1])
		declineIf(len(left) > 0, "block %s, before the transposition, cannot be inlined", nameOf(left))
		prologue = blocks[at-1].block
	}
	loops := p.nest(block, 2)
	group := int64(1)
	if prologue != nil {
		stmt := p.block(prologue)
		if sum := iterSum(stmt, dominantRead(stmt, itersOf(stmt))); len(sum.Args) > 0 {
			group = lowerFactor(sum.Args[0])
		}
	}
	x := p.split(loops[0], rest, group)
	i, vi := x[0], x[1]
	x = p.split(i, rest, lenY)
	bi, ti := x[0], x[1]
	x = p.split(loops[1], rest, lenX)
	bj, tj := x[0], x[1]
	p.reorder(bi, bj, ti, tj, vi)
	p.bind(bi, "blockIdx.y")
	p.bind(bj, "blockIdx.x")
	p.bind(ti, "threadIdx.y")
	p.bind(tj, "threadIdx.x")
	vector := min(4, group)
	vi = p.split(vi, rest, vector)[1]
	if vector > 1 {
		p.vectorize(vi)
	}
	read := p.cacheRead(block, int64(0), "shared")
	p.computeAt(read, bj, false)
	x = p.split(p.fuse(p.nestOver(read, 3)[2:]...), rest, lenY, lenX, group)
	p.bind(x[1], "threadIdx.y")
	p.bind(x[2], "threadIdx.x")
	p.unroll(x[3])
	p.storageAlign(read, 0, 32, 1)
	p.unrollInside(bi, unroll)
	if prologue != nil {
		p.computeInline(prologue)
	}
}

func nameOf(blocks []*blockInfo) string {
	if len(blocks) == 0 {
		return ""
	}
	return blocks[0].name
}
