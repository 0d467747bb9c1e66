package cpu

import (
	"testing"

	"github.com/irscope/irscope/target"
)

// wide is the machine of the internal tests: vectors of 128 bits.
var wide = Machine{Lanes: 4, Registers: 16}

func TestMachineOf(t *testing.T) {
	for text, want := range map[string]Machine{
		"wasm":                          wide,
		"wasm -mattr=-simd128":          wide,
		"wasm -max-simd-width=64":       {2, 16},
		"wasm -max-simd-width=256":      {8, 16},
		"wasm -num-vector-registers=32": {4, 32},
		"interp":                        wide,
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
	for _, c := range []struct{ registers, rows, cols int64 }{{16, 4, 8}, {32, 4, 8}, {8, 2, 8}, {4, 2, 4}, {2, 1, 4}} {
		p := &plan{machine: Machine{4, c.registers}, registers: 1}
		p.Lanes = 4
		if s := p.bestShape(1024, 1024); s.rows != c.rows || s.cols != c.cols {
			t.Errorf("%d registers: a tile of %d by %d, want %d by %d", c.registers, s.rows, s.cols, c.rows, c.cols)
		}
	}
}
