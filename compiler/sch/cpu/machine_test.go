package cpu

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// wide is the machine of the internal tests: vectors of 128 bits.
var wide = Machine{Lanes: 4, Registers: 16, L1: 32 << 10, L2: 256 << 10, Threads: 1, ForkWork: forkWork}

func TestMachineOf(t *testing.T) {
	for text, want := range map[string]Machine{
		"wasm":                          wide,
		"wasm -mattr=-simd128":          wide,
		"wasm -max-simd-width=64":       {2, 16, 32 << 10, 256 << 10, false, false, false, 1, forkWork},
		"wasm -max-simd-width=256":      {8, 16, 32 << 10, 256 << 10, false, false, false, 1, forkWork},
		"wasm -num-vector-registers=32": {4, 32, 32 << 10, 256 << 10, false, false, false, 1, forkWork},
		"x86 -mattr=+avx2 -max-simd-width=256 -num-vector-registers=16 -l1-cache-bytes=49152 -l2-cache-bytes=2097152": {8, 16, 48 << 10, 2 << 20, true, false, false, 1, forkWork},
		"x86 -mattr=+avx2,+avx512f -max-simd-width=512 -num-vector-registers=32":                                      {16, 32, 32 << 10, 256 << 10, true, true, false, 1, forkWork},
		"x86 -mattr=+avx2,+avx512f,+amx-int8 -max-simd-width=512 -num-vector-registers=32":                            {16, 32, 32 << 10, 256 << 10, true, true, true, 1, forkWork},
		"wasm -num-cores=2": {4, 16, 32 << 10, 256 << 10, false, false, false, 2, forkWork},
		"interp":            wide,
	} {
		tg, err := target.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := MachineOf(tg); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// TestShapesFitTheRegisters asks for tiles of products on machines with fewer registers.
func TestShapesFitTheRegisters(t *testing.T) {
	for _, c := range []struct{ registers, rows, cols int64 }{{16, 4, 8}, {32, 8, 8}, {8, 4, 4}, {4, 2, 4}, {2, 1, 4}} {
		p := &plan{machine: Machine{Lanes: 4, Registers: c.registers}, registers: 1}
		p.Lanes = 4
		if s, _ := p.bestShape(extents{1024, 1024, 1, 0}, 0); s.rows != c.rows || s.vectors*4 != c.cols {
			t.Errorf("%d registers: a tile of %d by %d, want %d by %d", c.registers, s.rows, s.vectors*4, c.rows, c.cols)
		}
	}
}

// TestShapesOfProcessors: most registers hold sums, and tiles waste little.
func TestShapesOfProcessors(t *testing.T) {
	avx2 := Machine{Lanes: 8, Registers: 16, L1: 32 << 10, L2: 1 << 20, Spreads: true}
	avx512 := Machine{Lanes: 16, Registers: 32, L1: 32 << 10, L2: 1 << 20, Spreads: true, Embeds: true}
	for _, c := range []struct {
		name string
		m    Machine
		n    extents
		want shape
	}{
		{"pixels by channels in blocks", avx512, extents{56, 16, 4, 0}, shape{14, 1, 2, 16}},
		{"few pixels", avx512, extents{7, 16, 32, 0}, shape{7, 1, 3, 16}},
		{"a square", avx512, extents{1024, 1024, 1, 0}, shape{6, 4, 1, 16}},
		{"a square", avx2, extents{1024, 1024, 1, 0}, shape{4, 3, 1, 8}},
		{"narrow rows", avx512, extents{1024, 16, 1, 0}, shape{27, 1, 1, 16}},
		{"narrow rows of which the first cache keeps few", avx512, extents{1024, 16, 1, 12}, shape{12, 1, 1, 16}},
		{"a row", avx512, extents{1, 1024, 1, 0}, shape{1, 13, 1, 16}},
		{"short rows of pixels", avx512, extents{64, 14, 1, 0}, shape{16, 1, 1, 8}},
		{"shorter ones", avx512, extents{64, 7, 1, 0}, shape{16, 1, 1, 4}},
		{"pixels by channels in blocks", avx2, extents{56, 8, 8, 0}, shape{6, 1, 2, 8}},
	} {
		p := &plan{machine: c.m, registers: 1}
		p.Lanes = c.m.Lanes
		got, _ := p.bestShape(c.n, 64)
		if got != c.want {
			t.Errorf("%s, %d registers: %+v, want %+v", c.name, c.m.Registers, got, c.want)
		}
		if sums := got.rows * got.vectors * got.beside; sums > c.m.Registers-4 {
			t.Errorf("%s: %d sums in %d registers", c.name, sums, c.m.Registers)
		}
	}
}

// TestKeptRows: lines at the same place of different pages share a set of the first cache.
func TestKeptRows(t *testing.T) {
	m := Machine{L1: 48 << 10}
	for apart, want := range map[int64]int64{4096: 12, 8192: 12, 2048: 24, 4096 + 64: 12 * 64, 64: 12 * 64, 3 * 1024: 48} {
		if got := m.kept(apart); got != want {
			t.Errorf("of rows %d bytes apart the first cache keeps %d, want %d", apart, got, want)
		}
	}
}

// TestShares asks which loop of a nest threads share.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads int64
		turns   []int64
		work    int64
		want    int
	}{
		{"the outermost of equals", 2, []int64{8, 56}, 1 << 28, 0},
		{"one that divides better", 2, []int64{3, 56}, 1 << 28, 1},
		{"not so often that it costs more", 2, []int64{7, 4, 75}, 51 << 20, 1},
		{"nor inside of many turns", 4, []int64{2, 1024, 64}, 1 << 28, 1},
		{"enough turns for all threads", 16, []int64{4, 64}, 1 << 30, 1},
		{"too little work", 2, []int64{56, 56}, 1 << 16, -1},
		{"just enough work", 2, []int64{56, 56}, 1 << 17, 0},
		{"one turn", 2, []int64{1, 1}, 1 << 28, -1},
		{"no loops", 2, nil, 1 << 28, -1},
	} {
		if got := (Machine{Threads: c.threads, ForkWork: forkWork}).shares(c.turns, c.work); got != c.want {
			t.Errorf("%s: loop %d, want %d", c.name, got, c.want)
		}
	}
}

// TestLongLoops counts the work of loops that are longer than any one can count without overflow.
func TestLongLoops(t *testing.T) {
	loop := func(n int64, body tir.Stmt) tir.Stmt {
		return &tir.For{LoopVar: tir.NewVar("i", dtype.Int64T), Min: tir.Int(0), Extent: tir.Const(dtype.Int64T, n), Body: body}
	}
	none := &tir.Evaluate{Value: tir.Int(0)}
	for _, c := range []struct {
		loop tir.Stmt
		want int64
	}{
		{loop(8911, none), 8911},
		{loop(17821, loop(64, none)), 17821 * 64},
		{loop(1<<40, loop(1<<40, loop(1<<40, none))), mostWork},
		{&tir.SeqStmt{Seq: []tir.Stmt{loop(1<<49, none), loop(1<<50, none)}}, mostWork},
		{loop(0, none), 1},
	} {
		if got := elementsOf(c.loop); got != c.want {
			t.Errorf("%v: %d elements, expected %d", c.loop, got, c.want)
		}
	}
	if got := soMany(mostWork, 0); got != 0 {
		t.Errorf("nothing so often: %d", got)
	}
}
