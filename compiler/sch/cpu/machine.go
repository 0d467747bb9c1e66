package cpu

import (
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// Machine is what the rules must know of a target.
type Machine struct {
	// Lanes is how many elements of 32 bits a vector register holds.
	Lanes int64
	// Registers is how many vector registers there are.
	Registers int64
}

// MachineOf reads a machine off a target. Where that has no vectors the rules tile as for vectors of 128 bits: a code
// generator takes those apart, and the tiles pay all the same.
func MachineOf(t target.Target) Machine {
	m := Machine{Lanes: int64(t.VectorLanes(dtype.Float32T)), Registers: t.IntAttr("num-vector-registers", 16)}
	if m.Lanes < 2 {
		m.Lanes = 4
	}
	return m
}

// accumulators is how many registers may hold sums: half of them, as the rest holds what is added.
func (m Machine) accumulators() int64 { return max(m.Registers/2, 1) }
