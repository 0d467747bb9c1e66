package cpu_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestTransposeOrder: tiles of a transpose of more than the second cache holds read four lines of each row one after the other, and smaller ones one line. Either way tiles that read, or
// write, a part of a line are followed by those of its other parts.
func TestTransposeOrder(t *testing.T) {
	wide := cpu.Machine{Lanes: 16, Registers: 32, L1: 1 << 15, L2: 1 << 17, Spreads: true, Embeds: true}
	narrow := wide
	narrow.Lanes, narrow.Registers, narrow.Embeds = 8, 16, false
	four := narrow
	four.Lanes = 4
	for _, c := range []struct {
		name string
		m    cpu.Machine
		d    dtype.DType
		rows int
		cols int
		want string
	}{
		{"all in the second cache", wide, f32, 128, 128, "T_transpose: 8 8 16u 16v"},
		{"one row more than the second cache", wide, f32, 144, 128, "T_transpose: 2 9 4 16u 16v"},
		{"two tiles of a row", wide, f32, 1024, 32, "T_transpose: 1 64 2 16u 16v"},
		{"one tile of a row", wide, f32, 2048, 16, "T_transpose: 1 128 16u 16v"},
		{"columns left over", wide, f32, 144, 148, "T_transpose: 2 9 4 16u 16v\nT_transpose_1: 1 9 16u 16v\nT_transpose_1_1: 1 9 4u 16v"},
		{"half a line in a tile, in the second cache", narrow, f32, 128, 128, "T_transpose: 8 16 2 8u 8v"},
		{"half a line in a tile", narrow, f32, 144, 128, "T_transpose: 2 9 8 2 8u 8v"},
		{"half a line in a tile, an odd number of them", narrow, f32, 136, 128, "T_transpose: 2 17 8 8u 8v"},
		{"a quarter of a line in a tile", four, f32, 144, 128, "T_transpose: 2 9 16 4 4u 4v"},
		{"three rows left over", narrow, f32, 7, 64, "T_transpose: 8 1 8u 4v\nT_transpose_1: 8 1 8u 3v"},
		{"one row left over", narrow, f32, 5, 64, "T_transpose: 8 1 8u 4v\nT_transpose_1: 1 64"},
		{"bytes in the second cache", wide, dtype.UInt8T, 256, 256, "T_transpose: 4 16 4 16u 16v"},
		{"bytes", wide, dtype.UInt8T, 512, 256, "T_transpose: 1 8 16 4 16u 16v"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := te.Placeholder("x", c.d, tir.Int(int64(c.rows)), tir.Int(int64(c.cols)))
			k := kernel{args: []*te.Tensor{x, topi.PermuteDims(x, []int{1, 0})}}
			f := create(t, k)
			g, err := c.m.Schedule(f, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := nestsOf(g); got != c.want {
				t.Errorf("the loops are\n%s, want\n%s", got, c.want)
			}
			compare(t, run(t, f, k.arguments(t)), run(t, g, k.arguments(t)))
		})
	}
}
