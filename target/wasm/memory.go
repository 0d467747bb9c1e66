package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// load reads memory through v, nil for cells.
func (g *gen) load(op wasmbin.Op, base *node, off uint32, v *tir.Var, name string) *node {
	return g.loadLane(op, base, off, 0, nil, v, name)
}

// loadLane is load for the instructions that replace one lane of a vector.
func (g *gen) loadLane(op wasmbin.Op, base *node, off uint32, lane int, into *node, v *tir.Var, name string) *node {
	n := g.Load(lower.Access{Op: lower.Op(op), Address: base, Offset: uint64(off), Lane: uint8(lane), Through: v}, into, name)
	switch op {
	case wasmbin.I32Load8U, wasmbin.I32Load16U:
		n.Nonneg = true
	}
	return n
}

// store writes memory through v; nil stands for the cells.
func (g *gen) store(op wasmbin.Op, base *node, off uint32, val *node, v *tir.Var) {
	g.storeLane(op, base, off, 0, val, v)
}

// storeLane is store for the instructions that write one lane of a vector.
func (g *gen) storeLane(op wasmbin.Op, base *node, off uint32, lane int, val *node, v *tir.Var) {
	g.Store(lower.Access{Op: lower.Op(op), Address: base, Offset: uint64(off), Lane: uint8(lane), Through: v}, val)
}

// scalarMem returns the instructions that load and store a scalar of type d.
func (g *gen) scalarMem(d dtype.DType, what string) (load, store wasmbin.Op) {
	t := g.valType(d.Elem(), what)
	signed := d.IsInt()
	switch {
	case t == wasmbin.F32:
		return wasmbin.F32Load, wasmbin.F32Store
	case t == wasmbin.F64:
		return wasmbin.F64Load, wasmbin.F64Store
	case t == wasmbin.I64:
		return wasmbin.I64Load, wasmbin.I64Store
	case d.IsHandle() || d.Bits == 32:
		return wasmbin.I32Load, wasmbin.I32Store
	case d.Bits == 16 && signed:
		return wasmbin.I32Load16S, wasmbin.I32Store16
	case d.Bits == 16:
		return wasmbin.I32Load16U, wasmbin.I32Store16
	case signed:
		return wasmbin.I32Load8S, wasmbin.I32Store8
	}
	return wasmbin.I32Load8U, wasmbin.I32Store8
}

// elemBytes is the size of an element in memory.
func elemBytes(d dtype.DType) int64 {
	if d.IsHandle() {
		return 8 // as TIR counts it: an array of handles has 8 bytes each
	}
	return int64(d.Elem().Bytes())
}

// partMem returns the instructions that load and store a v128 of so many bits, which is short
// below 128.
func partMem(bits int) (load, store wasmbin.Op) {
	switch bits {
	case 32:
		return wasmbin.V128Load32Zero, wasmbin.V128Store32Lane
	case 64:
		return wasmbin.V128Load64Zero, wasmbin.V128Store64Lane
	}
	return wasmbin.V128Load, wasmbin.V128Store
}

// laneMem returns the instructions that load one lane into a vector, load it first, and
// store one, for lanes of a width; first is 0 where there is no instruction for it.
func laneMem(bits int) (first, load, store wasmbin.Op) {
	switch bits {
	case 8:
		return 0, wasmbin.V128Load8Lane, wasmbin.V128Store8Lane
	case 16:
		return 0, wasmbin.V128Load16Lane, wasmbin.V128Store16Lane
	case 32:
		return wasmbin.V128Load32Zero, wasmbin.V128Load32Lane, wasmbin.V128Store32Lane
	}
	return wasmbin.V128Load64Zero, wasmbin.V128Load64Lane, wasmbin.V128Store64Lane
}
