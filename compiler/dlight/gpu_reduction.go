package dlight

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// reducedValue returns Y of a block that is X[...] = X[...] + Y, nil of others.
func reducedValue(b *tir.Block) tir.Expr {
	store, ok := b.Body.(*tir.BufferStore)
	if !ok {
		return nil
	}
	sum, ok := store.Value.(*tir.Binary)
	if !ok || sum.Op != tir.OpAdd {
		return nil
	}
	old := &tir.BufferLoad{Buffer: store.Buffer, Indices: store.Indices}
	if !ir.StructuralEqual(sum.A, old, ir.EqualOpts{MapFreeVars: true}) {
		return nil
	}
	return sum.B
}

// mainAndEpilogue inlines what it can and returns the two blocks that a rule for one reduction works on; the second may be nil.
func (p *program) mainAndEpilogue(blocks []*blockInfo) (block, epilogue *blockInfo) {
	blocks = p.tryInlineSpatial(blocks)
	switch len(blocks) {
	case 1:
		return blocks[0], nil
	case 2:
		declineIf(!blocks[1].isInjective(), "block %s, which follows the first, is not spatial", blocks[1].name)
		return blocks[0], blocks[1]
	}
	decline("%d blocks are left after inlining, expected one, or one and what follows it", len(blocks))
	return nil, nil
}

// threadsPerBlock says how many of the iterations of a loop become threads (suggest_threads_per_block for one loop).
func (p *program) threadsPerBlock(t target.Target, l *sch.Loop) int64 {
	threads := int64(64)
	switch t.Kind().Name {
	case "cuda":
		threads = 1024
	case "rocm", "metal", "opencl":
		threads = 256
	}
	n, known := p.extent(l)
	if !known {
		return threads // 32 for a loop of unknown extent, times what is left
	}
	declineIf(n < 1, "a loop that becomes threads has no iterations")
	out := int64(1)
	for 2*out <= min(n, threads) {
		out *= 2
	}
	return out
}

// reductionRule schedules a sum over axes, with what is computed of it (TVM's gpu.Reduction).
func reductionRule(p *program, t target.Target, _ *Rule) {
	info, epilogue := p.mainAndEpilogue(p.normalize())
	stmt := p.block(info.block)
	declineIf(!info.isReduction || !slices.ContainsFunc(info.iters, func(i iterInfo) bool { return i.kind == reduction }), "block %s is no reduction", info.name)
	declineIf(len(stmt.Writes) != 1 || reducedValue(stmt) == nil, "block %s does not add to one buffer", info.name)
	r := &reducer{p: p, info: info, epilogue: epilogue, splitAt: -1}
	if r.normalize() {
		r.inner(t)
	} else {
		r.outer()
	}
}

// reducer is the rule Reduction at work.
type reducer struct {
	p              *program
	info, epilogue *blockInfo
	unroll         int64 // spatial iterations of the innermost group, 0 if there is none
	order          []int // of each spatial variable of the block, its place among the spatial loops in the order of memory
	splitAt        int   // the place of the one that was split, -1 if none was
}

// normalize makes the loops of the block spatial, reduction, group, and reports whether a reduction is innermost in memory.
func (r *reducer) normalize() (inner bool) {
	p := r.p
	stmt := p.block(r.info.block)
	access := iterSum(stmt, dominantRead(stmt, itersOf(stmt)))
	declineIf(!tir.IsConst(access.Base, 0), "the largest read is at no sum of loops")
	left := slices.Clone(r.info.iters)
	var s, red, group []*sch.Loop
	var splitLoop *sch.Loop
	for _, a := range access.Args {
		i := slices.IndexFunc(left, func(i iterInfo) bool { return a.Source.Var != nil && i.v == a.Source.Var })
		declineIf(i < 0, "the largest read uses a variable in several places")
		info := left[i]
		left = slices.Delete(left, i, i+1)
		l := info.loop
		inner = info.kind == reduction
		if lower := lowerFactor(a); lower > 1 {
			declineIf(group != nil, "the largest read groups several loops")
			splitLoop, r.splitAt = l, len(s)
			halves := p.split(l, rest, lower)
			l, group = halves[0], halves[1:]
			if !inner {
				r.unroll = lower
			}
		}
		if inner {
			red = append(red, l)
		} else {
			s = append(s, l)
		}
	}
	for _, info := range left {
		declineIf(info.kind != spatial || !tir.IsConst(info.dom, 1), "the largest read does not depend on variable %s", info.v.Name)
		s = append(s, info.loop)
	}
	// split and reorder keep references to the other loops, so that the variables of the block say their order
	count := 0
	for _, i := range r.info.iters {
		if i.kind == spatial {
			count++
		}
		at := slices.Index(s, i.loop)
		if i.loop == splitLoop {
			at = r.splitAt
		}
		if at >= 0 {
			r.order = append(r.order, at)
		}
	}
	declineIf(len(s) == 0 || len(red) == 0, "the largest read has no spatial or no reduction loop")
	declineIf(len(s) != count, "the largest read does not depend on all spatial variables")
	if group == nil {
		group = []*sch.Loop{p.addUnitLoop(r.info.block)}
	}
	p.reorder(slices.Concat(s, red, group)...)
	p.fuse(s...)
	p.fuse(red...)
	return inner
}

// writeBack brings the spatial loops s of the block that adds the partial sums in the order of memory, with the group last, if there is one.
func (r *reducer) writeBack(s []*sch.Loop) (fused, group *sch.Loop) {
	if r.unroll == 0 {
		return r.p.fuse(s...), nil
	}
	declineIf(len(s) != len(r.order), "the sums have %d loops, expected %d", len(s), len(r.order))
	ordered := make([]*sch.Loop, len(s))
	for i, k := range r.order {
		ordered[i] = s[k]
	}
	r.p.reorder(ordered...)
	halves := r.p.split(ordered[r.splitAt], rest, r.unroll)
	ordered[r.splitAt], group = halves[0], halves[1]
	r.p.reorder(append(slices.Clone(ordered), group)...)
	return r.p.fuse(ordered...), group
}

// inner schedules a reduction along what is contiguous in memory: its threads are those of a block.
func (r *reducer) inner(t target.Target) {
	p, block := r.p, r.info.block
	red := p.nest(block, 3)[1]
	lenX := p.threadsPerBlock(t, red)
	tx := p.split(red, rest, lenX)[1]
	rf := p.rfactor(tx)
	l := p.nest(rf, 4)
	bx, red, tx := l[0], l[1], l[2]
	p.reorder(bx, tx, red)
	p.bind(bx, "blockIdx.x")
	p.bind(tx, "threadIdx.x")
	p.unrollInside(tx, 256)
	p.setScope(rf, 0, "local")
	p.decomposeReduction(rf, red)
	p.reverseComputeAt(block, bx, true)
	l = p.nestOver(block, 2)
	tx = l[1]
	s, group := r.writeBack(l[2:])
	if group != nil {
		p.reorder(s, tx, group)
	} else {
		p.reorder(s, tx)
	}
	p.bind(tx, "threadIdx.x")
	if r.epilogue == nil {
		return
	}
	e := r.epilogue.block
	p.reverseComputeAt(e, bx, true)
	if p.isBroadcast(block, e) {
		p.setScope(block, 0, "shared")
		p.bind(p.split(p.fuse(p.nestOver(e, 2)[1:]...), rest, lenX)[1], "threadIdx.x")
	} else {
		p.setScope(block, 0, "local")
	}
}

// outer schedules a reduction of contiguous values: threads along both.
func (r *reducer) outer() {
	p, block := r.p, r.info.block
	l := p.nest(block, 3)
	lenX, lenY := int64(16), int64(16)
	var last tir.Expr
	for _, i := range r.info.iters {
		if i.kind == spatial {
			last = i.dom
		}
	}
	n, known := tir.AsInt(last)
	for lenX > 1 && (!known || n%lenX != 0) { // so that the sums can be moved below the block of threads
		lenX--
	}
	p.split(l[0], rest, lenX)
	ty := p.split(l[1], rest, lenY)[1]
	rf := p.rfactor(ty)
	l = p.nest(rf, 5)
	bx, tx, red, ty := l[0], l[1], l[2], l[3]
	p.reorder(bx, tx, ty, red)
	p.bind(tx, "threadIdx.x")
	p.bind(ty, "threadIdx.y")
	p.bind(bx, "blockIdx.x")
	p.setScope(rf, 0, "local")
	p.decomposeReduction(rf, red)
	p.reverseComputeAt(block, bx, true)
	l = p.nestOver(block, 2)
	red = l[1]
	s, group := r.writeBack(l[2:])
	if group != nil {
		p.reorder(s, group, red)
	} else {
		p.reorder(s, red)
	}
	p.bind(s, "threadIdx.x")
	p.bind(red, "threadIdx.y")
	if r.epilogue == nil {
		return
	}
	e := r.epilogue.block
	p.reverseComputeAt(e, bx, true)
	broadcast := p.isBroadcast(block, e)
	if broadcast {
		p.setScope(block, 0, "shared")
		x := p.split(p.fuse(p.nestOver(e, 2)[1:]...), rest, lenX, lenY)
		p.bind(x[1], "threadIdx.x")
		p.bind(x[2], "threadIdx.y")
		return
	}
	p.setScope(block, 0, "local")
	p.bind(p.split(p.fuse(p.nestOver(e, 2)[1:]...), lenX, rest)[0], "threadIdx.x")
}
