package dlight

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// attrNoTensorize marks functions that tensor cores must not compute.
const attrNoTensorize = "dlight.do_not_tensorize"

// warp is the number of threads of a warp, lanesOfCopy that of elements that a thread copies at once.
const (
	warp        = 32
	lanesOfCopy = 4
)

// onTensorCores schedules f, a product of matrices that b is the canonical form of, on tensor cores where their types allow it, and reports
// whether it did.
func (p *program) onTensorCores(f *tir.PrimFunc, b *tir.Block) bool {
	in, out := b.Reads[0].Buffer.DType, b.Writes[0].Buffer.DType
	w := wmma{in: "f16", accumulators: []string{"f32", "f16"}, k: 4, align: 16, offset: 8}
	switch {
	case in == dtype.Int8T && out == dtype.Int32T:
		w = wmma{in: "s8", accumulators: []string{"s32"}, k: 1, align: 32, offset: 16}
	case in == dtype.Float16T && (out == dtype.Float16T || out == dtype.Float32T):
	default:
		return false
	}
	q := newProgram(f, p.s.Module().Origins())
	err := try(func() {
		declineIf(f.Attrs.Has(attrNoTensorize), "the attribute %s forbids it", attrNoTensorize)
		q.tensorMatmul(w)
	})
	if err != nil {
		p.note("tensor cores", err)
		return false
	}
	p.s = q.s
	return true
}

// wmma says which tensor cores multiply, and how.
type wmma struct {
	in            string   // the type of the inputs, as intrinsics name it
	accumulators  []string // types of sums to try
	k             int64    // steps along the reduction that are loaded together
	align, offset int64    // of the rows in shared memory
}

// tensorMatmul schedules a product of matrices on tensor cores, which multiply tiles of 16 by 16 (TVM's MatmulTensorization and
// MatmulInt8Tensorization).
func (p *program) tensorMatmul(w wmma) {
	main := p.mainReduction(p.children(p.root()))
	const tile, warps = 16, 4 * 4
	p.canonicalMatmul(main)
	p.padEinsum(main, 1, tile*4*2, tile*4*2, tile*w.k)
	l := p.nest(main, 4)
	batch := l[0]
	is, js, ks := p.split(l[1], rest, tile), p.split(l[2], rest, tile), p.split(l[3], rest, tile)
	p.reorder(is[0], js[0], ks[0], is[1], js[1], ks[1])
	outer := p.blockize(is[1])
	i, j, k := p.split(is[0], rest, 1, 4, 2), p.split(js[0], 1, rest, 4, 2), p.split(ks[0], rest, w.k)
	ints := func(list ...int64) []ir.Value {
		out := make([]ir.Value, len(list))
		for i, n := range list {
			out[i] = n
		}
		return out
	}
	p.annotate(k[0], "software_pipeline_order", ints(0, 3, 1, 4, 5, 2, 6))
	p.annotate(k[0], "software_pipeline_stage", ints(0, 0, 0, 0, 0, 1, 1))
	p.annotate(k[1], "software_pipeline_order", ints(0, 1, 2))
	p.annotate(k[1], "software_pipeline_stage", ints(0, 0, 1))
	p.reorder(i[0], j[0], i[1], j[1], j[2], i[2], k[0], k[1], i[3], j[3])
	bx, by, ty := p.fuse(i[0], j[0]), p.fuse(i[1], j[1]), p.fuse(j[2], i[2])
	p.bind(batch, "blockIdx.z")
	p.bind(bx, "blockIdx.x")
	p.bind(by, "blockIdx.y")
	p.bind(ty, "threadIdx.y")
	fetch := func(index int64) *sch.Block {
		read := p.cacheRead(outer, index, "shared.dyn")
		p.computeAt(read, k[0], false)
		x := p.split(p.fuse(last(p.nestOver(read, 2), 2)...), rest, warps, warp, lanesOfCopy)
		p.bind(x[2], "threadIdx.x")
		p.bind(x[1], "threadIdx.y")
		p.vectorize(x[3])
		p.storageAlign(read, -2, w.align, w.offset)
		p.annotate(read, "tir.manifest_shared_memory_local_stage", int64(1))
		p.annotate(read, "double_buffer_scope", int64(0))
		return read
	}
	a, b := fetch(0), fetch(1)
	p.inlineProducers(a)
	p.inlineProducers(b)
	fragA, fragB := p.cacheRead(outer, int64(0), "wmma.matrix_a"), p.cacheRead(outer, int64(1), "wmma.matrix_b")
	p.computeAt(fragA, k[1], false)
	p.computeAt(fragB, k[1], false)
	write := p.cacheWrite(outer, 0, "shared.dyn")
	p.storageAlign(write, -2, 16, 4)
	store := p.cacheWrite(outer, 0, "wmma.accumulator")
	p.reverseComputeAt(store, ty, false)
	p.reverseComputeAt(write, ty, false)
	p.tileInner(store, tile)
	initial := p.decomposeReduction(outer, k[0])
	inits := p.children(initial)
	declineIf(len(inits) == 0, "the initial values have no block inside")

	name := "wmma_load_16x16x16_" + w.in
	for _, x := range []struct {
		block  *sch.Block
		intrin string
	}{{fragA, name + "_a_shared_dyn"}, {fragB, name + "_b_trans_shared_dyn"}} {
		outside, inside := p.tileInner(x.block, tile)
		p.unroll(outside[0])
		p.unroll(outside[1])
		p.tensorize(inside[0], x.intrin)
	}
	var err error
	for _, acc := range w.accumulators {
		err = try(func() {
			p.tensorize(last(p.nestOver(inits[0], 2), 2)[0], "wmma_fill_16x16x16_"+acc)
			p.tensorize(last(p.nestOver(store, 2), 2)[0], "wmma_store_16x16x16_"+acc+"_shared_dyn")
			p.tensorize(last(p.nestOver(main, 3), 3)[0], "wmma_sync_16x16x16_"+w.in+w.in+acc+"_trans")
		})
		if err == nil {
			break
		}
	}
	if err != nil {
		panic(stop{err})
	}
	p.inlineConsumerChain(write)
	x := p.split(p.fuse(last(p.nestOver(write, 2), 2)...), rest, warp, lanesOfCopy)
	p.bind(x[1], "threadIdx.x")
	p.vectorize(x[2])
}

// tileInner splits the two innermost loops of a block into tiles.
func (p *program) tileInner(b *sch.Block, tile int64) (outside, inside []*sch.Loop) {
	l := last(p.nestOver(b, 2), 2)
	i, j := p.split(l[0], rest, tile), p.split(l[1], rest, tile)
	p.reorder(i[0], j[0], i[1], j[1])
	return []*sch.Loop{i[0], j[0]}, []*sch.Loop{i[1], j[1]}
}

// simdgroupMatmul schedules a product of matrices on the matrix units of Apple's GPUs, which multiply tiles of 8 by 8 (TVM's MetalMatmul).
func (p *program) simdgroupMatmul() {
	main := p.mainReduction(p.children(p.root()))
	const sizeX, sizeY, sizeK, tile, lenY, lenZ = 16, 16, 32, 8, 1, 4
	p.canonicalMatmul(main)
	p.padEinsum(main, 1, lenY*sizeX, lenZ*sizeY, sizeK)
	l := p.nest(main, 4)
	i, j, k := p.split(l[1], rest, lenY, sizeX/tile, tile), p.split(l[2], rest, lenZ, sizeY/tile, tile), p.split(l[3], rest, sizeK/tile, tile)
	p.reorder(i[0], j[0], i[1], j[1], k[0], k[1], i[2], j[2], i[3], j[3], k[2])
	p.bind(i[0], "blockIdx.x")
	p.bind(j[0], "blockIdx.y")
	p.bind(l[0], "blockIdx.z")
	p.bind(i[1], "threadIdx.y")
	p.bind(j[1], "threadIdx.z")
	share := func(b *sch.Block) {
		x := p.split(p.fuse(last(p.nestOver(b, 2), 2)...), rest, lenZ, lenY, warp, lanesOfCopy)
		p.bind(x[1], "threadIdx.z")
		p.bind(x[2], "threadIdx.y")
		p.bind(x[3], "threadIdx.x")
		p.vectorize(x[4])
	}
	var shared [2]*sch.Block
	for n := range shared {
		shared[n] = p.cacheRead(main, int64(n), "shared")
		p.computeAt(shared[n], k[0], true)
		share(shared[n])
	}
	p.inlineProducers(shared[0])
	p.inlineProducers(shared[1])
	a, b := p.cacheRead(main, int64(0), "metal.simdgroup"), p.cacheRead(main, int64(1), "metal.simdgroup")
	p.computeAt(a, k[1], false)
	p.computeAt(b, k[1], false)
	store := p.cacheWrite(main, 0, "metal.simdgroup")
	write := p.cacheWrite(store, 0, "shared")
	p.reverseComputeAt(store, j[1], true)
	p.reverseComputeAt(write, j[0], true)
	d := p.block(main).IterVars[0].Var.DType()
	v := []*tir.Var{tir.NewVar("s", d), tir.NewVar("i", d), tir.NewVar("j", d)}
	p.transformLayout(b, "write", &tir.IndexMap{Initial: v, Final: []tir.Expr{v[0], v[2], v[1]}})
	initial := p.decomposeReduction(main, k[0])
	for _, x := range []struct {
		block  *sch.Block
		intrin string
	}{
		{a, "simdgroup_load_8x8x8_f16_shared"},
		{b, "simdgroup_load_8x8x8_f16_shared_trans"},
		{store, "simdgroup_store_8x8x8_f16_shared"},
		{initial, "simdgroup_make_filled_8x8x8_f16"},
	} {
		_, inside := p.tileInner(x.block, tile)
		p.tensorize(inside[0], x.intrin)
	}
	p.tensorize(last(p.nestOver(main, 3), 3)[0], "simdgroup_multiply_accumulate_8x8x8_f16")
	p.inlineConsumerChain(write)
	share(write)
}
