package dlight

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// maxBlocks is how many blocks of threads DefaultGPU makes of a loop; each thread repeats what is more.
const maxBlocks = 256

// DefaultGPU returns f with the spatial loops of each innermost block that is not bound yet run by threads of a target (TVM's
// DefaultGPUSchedule), or an error that says why that cannot be. Origins is the table of origins of the module of f.
func DefaultGPU(f *tir.PrimFunc, t target.Target, origins *ir.Origins) (*tir.PrimFunc, error) {
	var out *tir.PrimFunc
	err := try(func() {
		most, ok := t.Attr("max_num_threads").(int64)
		declineIf(!ok || most < 1, "max_num_threads is not set for target %s", t)
		p := newProgram(withRoot(f), origins)
		for _, b := range p.leaves(p.root()) {
			p.bindThreads(b, most)
		}
		out = p.fn()
	})
	return out, err
}

// withRoot returns f with a root block and a loop of one iteration around a block that is all of f, above which no loop can be added
// otherwise. TVM v0.23 refuses such a function, its main branch does this.
func withRoot(f *tir.PrimFunc) *tir.PrimFunc {
	r, ok := f.Body.(*tir.BlockRealize)
	if !ok || len(r.Block.IterVars) > 0 || ir.Any(r.Block, func(n ir.Node) bool { b, block := n.(*tir.Block); return block && b != r.Block }) {
		return f
	}
	u, vu := tir.NewVar("u", dtype.Int32T), tir.NewVar("vu", dtype.Int32T)
	inner := r.Block.WithIterVars([]*tir.IterVar{{Base: r.Base, Dom: &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(1)}, Var: vu}})
	loop := &tir.For{Base: r.Base, LoopVar: u, Min: tir.Int32(0), Extent: tir.Int32(1), Body: r.WithBlock(inner).WithValues([]tir.Expr{u})}
	return f.WithBody(&tir.BlockRealize{Base: r.Base, Predicate: tir.Bool(true), Block: &tir.Block{Base: r.Base, Name: "root", Body: loop}})
}

// bindThreads fuses the spatial loops of a block and runs them by threads.
func (p *program) bindThreads(b *sch.Block, most int64) {
	loops := p.loops(b)
	if slices.ContainsFunc(loops, func(l *sch.Loop) bool { return p.loop(l).Thread != nil }) {
		return
	}
	iters := p.block(b).IterVars
	declineIf(len(loops) != len(iters) && (len(loops) > 0 || len(iters) != 1), "block %s has %d loops for %d variables", p.block(b).Name, len(loops), len(iters))
	var s []*sch.Loop
	for i, l := range loops {
		if iters[i].Kind == tir.DataPar {
			s = append(s, l)
		}
	}
	if len(s) == 0 {
		if len(loops) > 0 {
			s = append(s, p.addUnitLoop(loops[0]))
		} else {
			s = append(s, p.addUnitLoop(b))
		}
	}
	fused := one[*sch.Loop](p.do("fuse", s, false))
	n, known := p.extent(fused)
	if !known || n > most*maxBlocks {
		x := p.split(fused, rest, maxBlocks, most)
		p.reorder(x[1], x[2], x[0])
		p.bind(x[1], "blockIdx.x")
		p.bind(x[2], "threadIdx.x")
		return
	}
	x := p.split(fused, rest, max(min(n, most), 1))
	p.bind(x[0], "blockIdx.x")
	p.bind(x[1], "threadIdx.x")
}
