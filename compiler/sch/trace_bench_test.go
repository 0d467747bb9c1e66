package sch_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// BenchmarkReplay replays a tiled matmul, whose tiles are drawn anew each time, as a search does: the goal is 1,000 in 10 s on one core.
func BenchmarkReplay(b *testing.B) {
	x, y := in("x", dtype.Float32T, 512, 512), in("y", dtype.Float32T, 512, 512)
	z := must(topi.Unary("relu", must(topi.Matmul(x, y, topi.MatmulOpts{}))))
	f, err := te.CreatePrimFunc([]*te.Tensor{x, y, z}, te.FuncOpts{Tuned: true})
	if err != nil {
		b.Fatal(err)
	}
	m := ir.NewModule().With("main", f)
	s := newSchedule(b, m, 42)
	root := do(b, s, "GetBlock", "root", nil)[0]
	blocks := do(b, s, "GetChildBlocks", root)
	mul, relu := blocks[0], blocks[1]
	var tiles [][]any
	for k, l := range do(b, s, "GetLoops", mul) {
		n := int64(4)
		if k == 2 {
			n = 2
		}
		var factors []any
		factors = append(factors, do(b, s, "SamplePerfectTile", l, n, int64(64), nil)...)
		tiles = append(tiles, do(b, s, "Split", l, exprs(factors), true, false))
	}
	order := []*sch.Loop{}
	for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2}, {1, 2}, {2, 1}, {0, 3}, {1, 3}} {
		order = append(order, tiles[at[0]][at[1]].(*sch.Loop))
	}
	do(b, s, "Reorder", order)
	cache := do(b, s, "CacheWrite", mul, int64(0), "global", nil)[0]
	do(b, s, "ReverseComputeInline", relu)
	do(b, s, "ReverseComputeAt", cache, order[3], true, int64(-1))
	fused := do(b, s, "Fuse", order[:2], true)[0]
	do(b, s, "Parallel", fused)
	do(b, s, "Annotate", mul, "unroll", do(b, s, "SampleCategorical", []int64{0, 16, 64}, []float64{0.5, 0.25, 0.25}, nil)[0])
	do(b, s, "Vectorize", order[9])
	trace := s.Trace()
	seed := int64(1)
	b.ReportAllocs()
	for b.Loop() {
		again := newSchedule(b, m, seed)
		seed += 1_000_003
		if err := again.Replay(trace, false, func(*sch.Instruction) any { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// exprs returns drawn numbers as factors.
func exprs(list []any) []tir.Expr {
	out := make([]tir.Expr, len(list))
	for i, x := range list {
		out[i] = x.(tir.Expr)
	}
	return out
}
