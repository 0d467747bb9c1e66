package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
)

// TestLoopsForTheSecondCache: a convolution whose panel and rows do not fit the second cache together reduces in chunks, around all tiles of a panel, and one whose weights alone do not fit it computes
// bands of rows. Both compute the same. The last tile of a row, and of the channels, computes some results again: with chunks it has sums of its own.
func TestLoopsForTheSecondCache(t *testing.T) {
	for _, c := range []struct {
		l2, threads   int64
		from, to      int // blocks of channels
		height, width int
		stride, pad   int64
		chunk, band   int64 // 0: none
	}{
		{l2: 64 << 10, threads: 1, from: 8, to: 6, height: 7, width: 12, stride: 1, chunk: 2},
		{l2: 64 << 10, threads: 2, from: 8, to: 6, height: 5, width: 10, stride: 1, pad: 1, chunk: 2},
		{l2: 96 << 10, threads: 1, from: 12, to: 2, height: 9, width: 13, stride: 2, pad: 1, chunk: 4},
		{l2: 64 << 10, threads: 1, from: 3, to: 6, height: 14, width: 40, stride: 1, band: 19},
		{l2: 64 << 10, threads: 2, from: 3, to: 6, height: 12, width: 38, stride: 1, pad: 1, band: 19},
		{l2: 1 << 20, threads: 1, from: 8, to: 6, height: 7, width: 12, stride: 1}, // all fits
		{l2: 24 << 10, threads: 1, from: 1, to: 5, height: 7, width: 10, stride: 1},
		{l2: 64 << 10, threads: 1, from: 8, to: 5, height: 30, width: 40, stride: 1}, // the sums do not fit
		{l2: 64 << 10, threads: 2, from: 8, to: 2, height: 7, width: 14, stride: 1},  // no loop is left to share
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			x, w, b := in("x", 1, c.from, c.height, c.width, 8), in("w", c.to, c.from, 3, 3, 8, 8), in("b", 1, c.to, 1, 1, 8)
			y := blockedConv(x, w, topi.ConvOpts{
				Strides: []int64{c.stride, c.stride}, Dilation: []int64{1, 1}, Before: []int64{c.pad, c.pad}, After: []int64{c.pad, c.pad}, Groups: 1, Data: "NCHW8c", Kernel: "OIHW8i8o",
			})
			k := kernel{args: []*te.Tensor{x, w, b, relu(must(topi.Binary("add", topi.T(y), topi.T(b))))}}
			f := create(t, k)
			m := cpu.Machine{Lanes: 8, Registers: 16, L1: 8 << 10, L2: c.l2, Spreads: true, Threads: c.threads, ForkWork: 1}
			trace, _, err := m.Trace(f)
			if err != nil {
				t.Fatal(err)
			}
			chunk, band := int64(0), int64(0)
			for _, x := range trace {
				if x.Kind == sch.KindOf("TileReduction") {
					chunk = max(chunk, x.Args[15].(int64))
					band = slices.Max(append([]int64{0}, x.Args[13].([]int64)...))
				}
			}
			if chunk != c.chunk || band != c.band {
				t.Errorf("chunks of %d steps, bands of %d rows, want %d and %d", chunk, band, c.chunk, c.band)
			}
			if chunk+band == 0 {
				return
			}
			g, err := m.Schedule(f, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := run(t, f, k.arguments(t))
			compare(t, want, run(t, g, k.arguments(t)))
			back, loops := tirtest.Backwards(g)
			if shared := c.threads > 1; shared != (loops > 0) {
				t.Errorf("%d loops are parallel with %d threads", loops, c.threads)
			}
			compare(t, want, run(t, back, k.arguments(t)))
		})
	}
}
