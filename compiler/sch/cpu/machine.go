package cpu

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// Machine is what the rules must know of a target.
type Machine struct {
	// Lanes is how many elements of 32 bits a vector register holds.
	Lanes int64
	// Registers is how many vector registers there are.
	Registers int64
	// L1 and L2 are the bytes of the data cache of the first level and of the cache of the second.
	L1, L2 int64
	// Spreads says that there are instructions that spread an element of memory over all lanes, so that this need not be done ahead; Embeds, that
	// arithmetic does so with its operand, without a register.
	Spreads, Embeds bool
	// Tiles says that there are registers for matrices, and instructions that multiply them (matrix.go).
	Tiles bool
	// Threads is how many threads run a kernel. ForkWork is what the work counts that it takes to give turns of a loop to them and to wait for them, where a product and a
	// sum count one.
	Threads, ForkWork int64
}

// MachineOf reads a machine off a target. Where that has no vectors the rules tile as for vectors of 128 bits: a code
// generator takes those apart, and the tiles pay all the same. Caches of unknown size are small ones.
func MachineOf(t target.Target) Machine {
	m := Machine{
		Lanes: int64(t.VectorLanes(dtype.Float32T)), Registers: t.IntAttr("num-vector-registers", 16),
		L1: t.IntAttr("l1-cache-bytes", 32<<10), L2: t.IntAttr("l2-cache-bytes", 256<<10), Spreads: t.Feature("avx2"), Embeds: t.Feature("avx512f"), Tiles: t.Feature("amx-int8"),
		Threads: t.IntAttr("num-cores", 1), ForkWork: forkWork,
	}
	if m.Lanes < 2 {
		m.Lanes = 4
	}
	return m
}

// accumulators is how many registers may hold sums. A code generator that spreads elements from memory needs the others for one or two vectors and
// what they are multiplied by; WebAssembly also holds the products, and gives its engine the choice.
func (m Machine) accumulators() int64 {
	if m.Spreads {
		return max(m.Registers-4, 1)
	}
	return max(m.Registers/2, 1)
}

// reserved is how many registers hold neither sums nor vectors of a factor: one has an element for all lanes where arithmetic does not spread it by itself, and where
// it does, the code generator has two to itself.
func (m Machine) reserved() int64 {
	if m.Embeds {
		return 2
	}
	return 1
}

// page is how far apart two addresses are that belong to one set of the first cache, whatever its size: it is found by the bits of an address that are the same for
// a page of memory, as on every x86 processor.
const page = 4096

// kept is how many rows that lie so many bytes apart the first cache keeps, of each of which a line is read.
func (m Machine) kept(apart int64) int64 {
	sets := page / arith.GCD(apart, page)
	return max(m.L1/page, 1) * sets
}

// transposes reports whether the code generator reads what vectors written side by side take from apart in rows, and transposes them in registers. That for machine code does, which is
// also the one that spreads elements.
func (m Machine) transposes() bool { return m.Spreads }

// dearTurns reports whether a turn of a loop takes many instructions besides what the loop does. In wazero these are some forty: it looks up the address and the size of the memory and tests each
// address anew, and stores and reloads what lives from turn to turn.
func (m Machine) dearTurns() bool { return !m.Spreads }

// chains is how many sums must be under way so that none waits for the one before.
func (m Machine) chains() int64 {
	if m.Spreads {
		return 8 // of latency 4, two at a time
	}
	return 4
}

// leastLanes is the shortest vector that is worth its instructions.
func (m Machine) leastLanes() int64 { return min(m.Lanes, 4) }

// times are parts of the time of one step of a reduction over a tile of products.
type times struct {
	step    float64 // whatever the tile
	product float64 // a product and a sum
	spread  float64 // an element that is taken for all lanes
	lost    float64 // such an element whose line the first cache did not keep
	near    float64 // a vector from the first cache
	far     float64 // a vector from the second
	chain   float64 // the shortest time of a step: its sums wait for those of the step before
}

// times are in cycles. Native ones follow from two products, and two loads from the first cache or one from the second, in a cycle; a part of a load is
// hidden behind products, and a chain of latency 4 takes more, as not all is done in the best order; what lost rows take was measured. Those of WebAssembly were measured on wazero, by products of tiles of all sizes: loads take most of the time.
func (m Machine) times() times {
	if m.Spreads {
		return times{step: 0.5, product: 0.5, spread: 0.25, lost: 2.5, near: 0.3, far: 0.6, chain: 6.5}
	}
	return times{step: 3.2, product: 0.06, spread: 0.43, lost: 0.43, near: 1.31, far: 1.31}
}
