package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// load reads memory through v, nil for cells.
func (g *gen) load(op wasmbin.Op, base *node, off uint64, v *tir.Var, name string) *node {
	return g.Load(lower.Access{Op: lower.Op(op), Address: base, Offset: off, Through: v}, nil, name)
}

// ScalarMem returns the instructions that load and store a scalar of type d.
func (g *gen) ScalarMem(d dtype.DType) (load, store lower.Op) {
	l, s := scalarMem(d)
	return lower.Op(l), lower.Op(s)
}

func scalarMem(d dtype.DType) (load, store wasmbin.Op) {
	signed := d.IsInt()
	switch {
	case d.IsFloat() && d.Bits == 32:
		return wasmbin.F32Load, wasmbin.F32Store
	case d.IsFloat() && d.Bits == 64:
		return wasmbin.F64Load, wasmbin.F64Store
	case d.IsHandle() || d.Bits == 32:
		return wasmbin.I32Load, wasmbin.I32Store
	case d.Bits == 64:
		return wasmbin.I64Load, wasmbin.I64Store
	case d.Bits == 16 && signed:
		return wasmbin.I32Load16S, wasmbin.I32Store16
	case d.Bits == 16:
		return wasmbin.I32Load16U, wasmbin.I32Store16
	case signed:
		return wasmbin.I32Load8S, wasmbin.I32Store8
	}
	return wasmbin.I32Load8U, wasmbin.I32Store8
}

// PartMem returns the instructions that load and store a v128 of so many bits, which is short
// below 128.
func (g *gen) PartMem(bits int) (load, store lower.Op) {
	switch bits {
	case 32:
		return lower.Op(wasmbin.V128Load32Zero), lower.Op(wasmbin.V128Store32Lane)
	case 64:
		return lower.Op(wasmbin.V128Load64Zero), lower.Op(wasmbin.V128Store64Lane)
	}
	return lower.Op(wasmbin.V128Load), lower.Op(wasmbin.V128Store)
}

// MaskedMem says that wasm has no masks.
func (g *gen) MaskedMem(int, int) (load, store lower.Op) { return 0, 0 }

// LaneMem returns the instructions that load one lane into a vector, load it first, and
// store one, for lanes of a width; first is 0 where there is no instruction for it.
func (g *gen) LaneMem(bits int) (first, load, store lower.Op) {
	var ops [3]wasmbin.Op
	switch bits {
	case 8:
		ops = [3]wasmbin.Op{0, wasmbin.V128Load8Lane, wasmbin.V128Store8Lane}
	case 16:
		ops = [3]wasmbin.Op{0, wasmbin.V128Load16Lane, wasmbin.V128Store16Lane}
	case 32:
		ops = [3]wasmbin.Op{wasmbin.V128Load32Zero, wasmbin.V128Load32Lane, wasmbin.V128Store32Lane}
	default:
		ops = [3]wasmbin.Op{wasmbin.V128Load64Zero, wasmbin.V128Load64Lane, wasmbin.V128Store64Lane}
	}
	return lower.Op(ops[0]), lower.Op(ops[1]), lower.Op(ops[2])
}
