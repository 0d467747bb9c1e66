package dlight

import (
	"strings"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// outerMatmul schedules a product whose second matrix has the reduction outside, for Adreno: the first matrix is transposed in groups of
// rows by a kernel before the product.
func (p *program) outerMatmul(c matmulConfig, main *sch.Block, blocks []*sch.Block) {
	l := p.nest(main, 4)
	n, ok := p.extent(l[2])
	_, known := p.extent(l[0])
	_, fixed := p.extent(l[1])
	declineIf(!ok || !known || fixed, "only a number of rows that a run knows is done so")
	lanes := min(bestFactor(n/c.blockX, 1, 2, 4, 8), c.vector)
	rows := c.unroll
	var dequantize, epilogue *sch.Block
	if final := blocks[len(blocks)-1]; final != main {
		epilogue = final
	}
	for _, b := range blocks[:len(blocks)-1] {
		if strings.Contains(p.block(b).Name, "dequantize") {
			dequantize = b
		} else if b != main {
			p.computeInline(b)
		}
	}
	copied := p.reindex(main, "read", 0)
	p.padEinsum(main, 1, rows, 1, 1)
	p.computeInline(copied)
	before, after := p.producers(main), p.consumers(main)
	declineIf(len(before) == 0 || len(after) == 0, "the product has no copies of its input and output")
	trans, write := before[0], after[0]
	if epilogue != nil {
		p.computeInline(write)
		write = epilogue
	}
	d := p.block(main).IterVars[0].Var.DType()
	v := []*tir.Var{tir.NewVar("i0", d), tir.NewVar("i1", d), tir.NewVar("i2", d)}
	group := tir.Const(d, rows)
	p.transformLayout(trans, "write", &tir.IndexMap{Initial: v, Final: []tir.Expr{v[0], tir.FloorDiv(v[1], group), v[2], tir.FloorMod(v[1], group)}})

	l = p.nest(trans, 3)
	x := p.split(l[2], rest, c.blockX)
	y := p.split(l[1], rest, c.blockY, rows)
	p.bind(l[0], "blockIdx.z")
	p.bind(y[0], "blockIdx.y")
	p.bind(x[0], "blockIdx.x")
	p.bind(y[1], "threadIdx.y")
	p.bind(x[1], "threadIdx.x")
	p.reorder(l[0], y[0], x[0], y[1], x[1], y[2])
	p.vectorize(y[2])

	l = p.nest(main, 4)
	m := p.fuse(l[0], l[1])
	x = p.split(l[2], rest, c.blockX, lanes)
	y = p.split(m, rest, c.blockY, rows)
	k := p.split(l[3], rest, 4, 8)
	p.reorder(x[0], y[0], x[1], y[1], k[0], k[1], k[2], y[2], x[2])
	p.setScope(main, 0, "local")
	if dequantize != nil {
		p.computeAt(dequantize, k[2], false)
		p.setScope(dequantize, 0, "local")
	}
	p.bind(y[0], "blockIdx.y")
	p.bind(x[0], "blockIdx.x")
	p.bind(y[1], "threadIdx.y")
	p.bind(x[1], "threadIdx.x")
	p.vectorize(x[2])
	p.loadLanes(main, 0, k[2])
	p.unroll(y[2])
	p.unroll(k[2])
	if dequantize != nil {
		p.loadLanes(dequantize, 0, k[1])
		p.loadLanes(dequantize, 1, k[0])
		l = p.nestOver(dequantize, 1)
		p.vectorize(l[len(l)-1])
	}
	p.reverseComputeAt(write, y[1], false)
	two := last(p.nestOver(write, 2), 2)
	p.vectorize(two[1])
	p.unroll(two[0])
	p.decomposeReduction(main, k[0])
}

// loadLanes loads an input of a block into registers at a loop, its innermost axis in lanes.
func (p *program) loadLanes(b *sch.Block, index int64, at *sch.Loop) {
	read := p.cacheRead(b, index, "local")
	p.computeAt(read, at, true)
	l := p.nestOver(read, 1)
	p.vectorize(l[len(l)-1])
}
