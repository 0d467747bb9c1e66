package dlight

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// generalReduction runs a chain of reductions over the same axes, and what is computed of them, in one block of threads for each spatial
// point (TVM's gpu.GeneralReduction).
func generalReduction(p *program, t target.Target, _ *Rule) {
	lenX, unroll := int64(64), int64(64)
	switch t.Kind().Name {
	case "cuda":
		lenX, unroll = 256, 256
	case "opencl":
		lenX = 256
	}
	blocks := p.tryInlineSpatial(p.normalize())
	declineIf(len(blocks) == 0, "it has no blocks")
	first, final := blocks[0], blocks[len(blocks)-1]
	kinds := first.kinds()
	leading := len(kinds) - len(strings.TrimLeft(kinds, string(spatial)))
	trailing := len(kinds) - len(strings.TrimRight(kinds, string(reduction)))
	if len(final.iters) < len(kinds) {
		if len(final.iters) == 0 { // a scalar: nothing to share out, but the writes belong into threads
			for i, b := range blocks {
				l := p.addUnitLoop(b.block)
				if i == 0 {
					p.bind(l, "blockIdx.x")
				} else {
					p.bind(l, "threadIdx.x")
				}
			}
			return
		}
		p.transformBlockLayout(final.block, alignIters(p.block(final.block), first, final))
	}
	declineIf(trailing == 0, "the variables of block %s are %s: it does not end in a reduction", first.name, kinds)
	for _, b := range blocks[1:max(len(blocks)-1, 1)] {
		declineIf(b.kinds() != kinds, "the variables of block %s are %s, those of block %s %s", b.name, b.kinds(), first.name, kinds)
	}
	declineIf(!final.isInjective(), "the last block, %s, is not spatial", final.name)
	declineIf(len(final.iters) > len(kinds), "the last block, %s, has more variables than block %s", final.name, first.name)
	p.spatialFirst(blocks)

	loops := p.nestOver(final.block, max(leading, 1))
	declineIf(leading == 0, "block %s has no spatial variables in front", first.name)
	bx := p.fuse(loops[:leading]...)
	p.bind(bx, "blockIdx.x")
	threads := func(l *sch.Loop) {
		x := p.split(l, rest, lenX)
		p.reorder(x[1], x[0])
		p.bind(x[1], "threadIdx.x")
		p.unrollInside(x[0], unroll)
	}
	threads(loops[len(loops)-1])
	for _, b := range slices.Backward(blocks[:len(blocks)-1]) {
		for i := range p.block(b.block).Writes {
			p.setScope(b.block, int64(i), "shared")
		}
		p.computeAt(b.block, bx, true)
		threads(p.fuse(last(p.nestOver(b.block, trailing), trailing)...))
	}
}

// alignIters maps the variables of the last block to as many as the first has: each to the place of the first that has its extent, with
// zeros in the other places; all to the last places where that does not work out.
func alignIters(b *tir.Block, first, final *blockInfo) *tir.IndexMap {
	m := &tir.IndexMap{}
	for _, iv := range b.IterVars {
		m.Initial = append(m.Initial, tir.NewVar(iv.Var.Name, dtype.Int64T)) // as TVM's functions have them
	}
	an := arith.NewAnalyzer()
	zero := tir.Const(m.Initial[0].DType(), 0)
	matched := 0
	for _, i := range first.iters {
		if matched < len(m.Initial) && an.CanProveEqual(i.dom, final.iters[matched].dom) {
			m.Final = append(m.Final, m.Initial[matched])
			matched++
		} else {
			m.Final = append(m.Final, zero)
		}
	}
	if matched == len(m.Initial) {
		return m
	}
	m.Final = nil
	for range len(first.iters) - len(m.Initial) {
		m.Final = append(m.Final, zero)
	}
	for _, v := range m.Initial {
		m.Final = append(m.Final, v)
	}
	return m
}

// spatialFirst moves those loops of the last block outside that index what the blocks before it computed.
func (p *program) spatialFirst(blocks []*blockInfo) {
	final := blocks[len(blocks)-1].block
	reduced := map[*tir.Buffer]bool{}
	for _, b := range blocks[:len(blocks)-1] {
		for _, w := range p.block(b.block).Writes {
			reduced[w.Buffer] = true
		}
	}
	stmt := p.block(final)
	outer := varSet{}
	for _, r := range stmt.Reads {
		if reduced[r.Buffer] {
			for _, x := range r.Region {
				for _, e := range []tir.Expr{x.Min, x.Extent} {
					for v := range varsIn(e) {
						outer[v] = true
					}
				}
			}
		}
	}
	var s, o []*sch.Loop
	for i, l := range p.loops(final) {
		if i < len(stmt.IterVars) && outer[stmt.IterVars[i].Var] || tir.IsConst(p.loop(l).Extent, 1) {
			s = append(s, l)
		} else {
			o = append(o, l)
		}
	}
	p.reorder(append(s, o...)...)
}

// rmsNorm keeps the input of a norm by the root of the mean of squares in registers (TVM's gpu.RMSNorm).
func rmsNorm(p *program, t target.Target, _ *Rule) {
	threads := int64(64)
	switch t.Kind().Name {
	case "cuda":
		threads = 512
	case "opencl":
		threads = 256
	}
	root := one[*sch.Block](p.do("get_block", "root"))
	blocks := p.children(root)
	declineIf(!slices.ContainsFunc(blocks, func(b *sch.Block) bool { return isRsqrt(p.block(b)) }), "no block computes rsqrt")
	p.cacheRead(blocks[0], int64(0), "local")
	p.cacheWrite(blocks[len(blocks)-1], 0, "local")
	for _, b := range blocks {
		if isCopy(p.block(b)) {
			p.computeInline(b)
		}
	}
	blocks = p.children(root)
	declineIf(len(blocks) != 6, "%d blocks are left after inlining, expected 6: read, square, sum, rsqrt, norm, write", len(blocks))
	read, square, sum, rsqrt, norm, write := blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], blocks[5]
	declineIf(!isRsqrt(p.block(rsqrt)), "block %s, the fourth, does not compute rsqrt", p.block(rsqrt).Name)
	for _, b := range blocks {
		l := p.nestOver(b, 2)
		p.fuse(l[:len(l)-1]...)
	}
	l := p.nest(read, 2)
	bx := l[0]
	tx := p.split(l[1], threads, rest, 8)[0]
	p.bind(bx, "blockIdx.x")
	p.bind(tx, "threadIdx.x")
	l = p.loops(read)
	p.vectorize(l[len(l)-1])
	p.reverseComputeAt(square, tx, false)
	p.reverseComputeAt(sum, tx, false)
	p.reverseComputeAt(rsqrt, bx, false)
	p.reverseComputeAt(norm, bx, false)
	l = p.nest(norm, 2)
	tx = p.split(l[1], threads, rest, 8)[0]
	p.bind(tx, "threadIdx.x")
	p.reverseComputeAt(write, tx, false)
	l = p.nestOver(write, 1)
	p.vectorize(l[len(l)-1])
	p.setScope(square, 0, "local")
	p.setScope(sum, 0, "local")
	p.setScope(rsqrt, 0, "shared")
	p.setScope(norm, 0, "local")
}

// isCopy reports whether a block copies one buffer to another at the same indices, perhaps with a cast.
func isCopy(b *tir.Block) bool {
	store, ok := b.Body.(*tir.BufferStore)
	if !ok || len(b.Reads) != 1 || len(b.Writes) != 1 {
		return false
	}
	value := store.Value
	if c, ok := value.(*tir.Cast); ok {
		value = c.Value
	}
	load, ok := value.(*tir.BufferLoad)
	return ok && slices.Equal(load.Indices, store.Indices)
}

// isRsqrt reports whether a block computes the reciprocal of a square root.
func isRsqrt(b *tir.Block) bool {
	store, ok := b.Body.(*tir.BufferStore)
	if !ok || len(b.Reads) != 1 || len(b.Writes) != 1 {
		return false
	}
	_, ok = tir.IsCallTo(store.Value, ir.NewOp("tir.rsqrt"))
	return ok
}
