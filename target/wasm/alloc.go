package wasm

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// Stack reserves bytes of the stack area, which nothing else uses while the kernel runs.
func (g *gen) Stack(bytes int64) *node {
	if int64(g.frame)+bytes+16 > abi.StackBytes {
		return nil
	}
	at := abi.StackAddr + g.frame
	g.frame += (int(bytes) + 15) &^ 15
	return g.i32(int32(at))
}

// Workspace asks the runtime for memory and returns the address, 0 where there is none.
func (g *gen) Workspace(size *node, elem dtype.DType) *node {
	return g.allocWorkspace(g.i32(abi.DLDeviceCPU), g.i32(abi.DLDeviceID), size, g.i32(int32(elem.Code)), g.i32(int32(elem.Bits)))
}

func (g *gen) allocWorkspace(args ...*node) *node {
	it := g.call32(g.mod.hostFunc(abi.ImportAllocWorkspace), "workspace", args...)
	g.Add(it)
	return g.Stable(it.Reg, g.Cur, true)
}

// FreeWorkspace gives memory back.
func (g *gen) FreeWorkspace(ptr *node) {
	g.Add(g.call32(g.mod.hostFunc(abi.ImportFreeWorkspace), "freed", g.i32(abi.DLDeviceCPU), g.i32(abi.DLDeviceID), ptr))
}

// NoMemory leaves the function: the runtime knows that it had no memory.
func (g *gen) NoMemory() { g.leave(abi.ErrRaised) }

// Data places constants in the data of the module.
func (g *gen) Data(b *ir.Blob) *node { return g.dataAddress(g.mod.data.blob(b)) }

// String places a zero-terminated string there.
func (g *gen) String(s string) *node { return g.dataAddress(g.mod.data.str(s)) }

// dataAddress is the address of an offset in the data of the module.
func (g *gen) dataAddress(off int) *node {
	base := g.Global(lower.Op(wasmbin.OpGlobalGet), wasmbin.PackGlobal(g.mod.dataBase()), "data")
	return g.op(wasmbin.I32Add, base, g.i32(int32(off)))
}
