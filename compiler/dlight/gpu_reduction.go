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
	r.normalize()
	r.share(t)
	r.schedule()
}

// reducer is the rule Reduction at work.
type reducer struct {
	p              *program
	info, epilogue *blockInfo
	inner          bool  // whether a reduction is innermost in memory
	ts, tr         int64 // threads along the spatial loops, where the reduction is not innermost, and along the reduction
	unroll         int64 // spatial iterations of the innermost group, 0 if there is none
	order          []int // of each spatial variable of the block, its place among the spatial loops in the order of memory
	splitAt        int   // the place of the one that was split, -1 if none was
}

// normalize makes the loops of the block spatial, reduction, group.
func (r *reducer) normalize() {
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
		r.inner = info.kind == reduction
		if lower := lowerFactor(a); lower > 1 {
			declineIf(group != nil, "the largest read groups several loops")
			splitLoop, r.splitAt = l, len(s)
			halves := p.split(l, rest, lower)
			l, group = halves[0], halves[1:]
			if !r.inner {
				r.unroll = lower
			}
		}
		if r.inner {
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

// share chooses the numbers of threads.
func (r *reducer) share(t target.Target) {
	if r.inner {
		r.tr = r.p.threadsPerBlock(t, r.p.nest(r.info.block, 3)[1])
		return
	}
	r.ts, r.tr = 16, 16
	var last tir.Expr
	for _, i := range r.info.iters {
		if i.kind == spatial {
			last = i.dom
		}
	}
	n, known := tir.AsInt(last)
	for r.ts > 1 && (!known || n%r.ts != 0) { // so that the sums can be moved below the block of threads
		r.ts--
	}
}

// schedule has threads sum parts of the reduction, and add them up.
func (r *reducer) schedule() {
	p, block, tag := r.p, r.info.block, "threadIdx.x"
	l := p.nest(block, 3)
	if !r.inner {
		tag = "threadIdx.y"
		p.split(l[0], rest, r.ts)
	}
	rf := p.rfactor(p.split(l[1], rest, r.tr)[1])
	l = p.nestOver(rf, 4)
	at := len(l) - 3 // of the reduction, behind which come its threads and the group
	red, threads := l[at], l[at+1]
	p.reorder(slices.Concat(l[:at], []*sch.Loop{threads, red})...)
	bx := l[0]
	p.bind(bx, "blockIdx.x")
	p.bind(threads, tag)
	if r.inner {
		p.unrollInside(threads, 256)
	} else {
		p.bind(l[1], "threadIdx.x")
	}
	p.setScope(rf, 0, "local")
	p.decomposeReduction(rf, red)
	p.reverseComputeAt(block, bx, true)
	l = p.nestOver(block, 2)
	threads = l[1]
	s, group := r.writeBack(l[2:])
	order := []*sch.Loop{s, threads}
	if group != nil {
		at := 1
		if r.inner {
			at = 2
		}
		order = slices.Insert(order, at, group)
	}
	p.reorder(order...)
	p.bind(threads, tag)
	if !r.inner {
		p.bind(s, "threadIdx.x")
	}
	if r.epilogue != nil {
		r.follow(r.epilogue.block, bx)
	}
}

// follow moves what is computed of the sums into the block of threads.
func (r *reducer) follow(e *sch.Block, bx *sch.Loop) {
	p, block := r.p, r.info.block
	p.reverseComputeAt(e, bx, true)
	if p.isBroadcast(block, e) {
		p.setScope(block, 0, "shared")
		l := p.fuse(p.nestOver(e, 2)[1:]...)
		if r.inner {
			p.bind(p.split(l, rest, r.tr)[1], "threadIdx.x")
			return
		}
		x := p.split(l, rest, r.ts, r.tr)
		p.bind(x[1], "threadIdx.x")
		p.bind(x[2], "threadIdx.y")
		return
	}
	p.setScope(block, 0, "local")
	if !r.inner {
		p.bind(p.split(p.fuse(p.nestOver(e, 2)[1:]...), r.ts, rest)[0], "threadIdx.x")
	}
}
