package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// maxSlots bounds the locals that one allocation becomes.
const maxSlots = 128

// maxFrameAlloc is the largest allocation, in bytes, that goes to the stack area.
const maxFrameAlloc = 16 << 10

// slots is an allocation that is kept in locals: element i is lane i%k of vars[i/k].
type slots struct {
	elem dtype.DType
	k    int64
	vars []*variable
}

// allocate gives an allocation locals, a place in the kernel's stack area, or a workspace.
func (g *gen) allocate(s *tir.Allocate) {
	what := lower.KindName(s)
	g.checkStorage(s.Type, what)
	if sl := g.tryslots(s); sl != nil {
		g.slots[s.Var] = sl
		g.stmt(s.Body)
		return
	}
	g.OwnClass(s.Var)
	n, known, err := lower.AllocatedElements(s, abi.StackBytes)
	if err != nil {
		g.fail(what, "%v", err)
	}
	bytes := n * elemBytes(s.Type)
	if known && bytes <= maxFrameAlloc && g.frame+int(bytes)+16 <= abi.StackBytes {
		g.vars[s.Var] = one(dtype.HandleT, g.frameAddress(int(bytes)))
		g.stmt(s.Body)
		return
	}
	g.workspace(s, what)
}

// frameAddress reserves bytes of the stack area, which nothing else uses while the kernel runs.
func (g *gen) frameAddress(bytes int) *node {
	at := abi.StackAddr + g.frame
	g.frame += (bytes + 15) &^ 15
	if g.frame > abi.StackBytes {
		g.fail("tvm_stack_alloca", "the kernel's frame exceeds the %d bytes of the stack area", abi.StackBytes)
	}
	return g.i32(int32(at))
}

// workspace asks the runtime for memory and gives it back after the body.
func (g *gen) workspace(s *tir.Allocate, what string) {
	size := g.i64(int64(s.Type.Lanes) * elemBytes(s.Type))
	for _, e := range s.Extents {
		x := g.scalarExpr(e, what)
		if typeOf(x) == wasmbin.I32 {
			x = g.op(wasmbin.I64ExtendI32S, x)
		}
		size = g.op(wasmbin.I64Mul, size, x)
	}
	ptr := g.allocWorkspace(g.i32(abi.DLDeviceCPU), g.i32(abi.DLDeviceID), size, g.i32(int32(s.Type.Code)), g.i32(int32(s.Type.Bits)))
	g.Branch(g.op(wasmbin.I32Eqz, ptr), "nomemory", func() { g.leave(abi.ErrRaised) }, nil)
	g.vars[s.Var] = one(dtype.HandleT, ptr)
	g.stmt(s.Body)
	g.Add(g.call32(g.mod.hostFunc(abi.ImportFreeWorkspace), "freed", g.i32(abi.DLDeviceCPU), g.i32(abi.DLDeviceID), ptr))
}

// allocWorkspace calls the runtime and returns the address, 0 where there is no memory.
func (g *gen) allocWorkspace(args ...*node) *node {
	it := g.call32(g.mod.hostFunc(abi.ImportAllocWorkspace), "workspace", args...)
	g.Add(it)
	return g.Stable(it.Reg, g.Cur, true)
}

// allocateConst places constant data in the module.
func (g *gen) allocateConst(s *tir.AllocateConst) {
	g.checkStorage(s.Type, lower.KindName(s))
	g.OwnClass(s.Var)
	g.vars[s.Var] = one(dtype.HandleT, g.dataAddress(g.mod.data.blob(s.Data)))
	g.stmt(s.Body)
}

// tryslots decides whether an allocation is kept in locals: all accesses must have constant
// indices, and those of vectors must be whole v128s.
func (g *gen) tryslots(s *tir.Allocate) *slots {
	elem := s.Type.Elem()
	count, k := g.Effects.Slots(s, maxSlots, func(n int64) int64 {
		if elem.IsBool() {
			return 0
		}
		return int64(g.native(elem.WithLanes(int(n)), 0))
	})
	if k == 0 {
		return nil
	}
	t := wasmbin.V128
	if k == 1 {
		t = g.valType(elem, lower.KindName(s))
	}
	out := &slots{elem: elem, k: k}
	for range count {
		out.vars = append(out.vars, g.newVariable(s.Var.Name, t))
	}
	g.Instead[s.Var] = out.vars
	return out
}

// loadSlots reads locals. The scan has seen that the index is constant.
func (g *gen) loadSlots(s *slots, at int64, dt dtype.DType) value {
	n := int64(dt.Lanes)
	switch {
	case s.k == 1:
		out := value{dt: dt}
		for i := range n {
			out.parts = append(out.parts, g.Read(s.vars[at+i]))
		}
		if n > 1 {
			return g.pack(dt, out.parts)
		}
		return out
	case n == 1:
		return one(dt, g.lane(lanesOf(s.elem, 0).extract, int(at%s.k), g.Read(s.vars[at/s.k])))
	}
	out := value{dt: dt}
	for i := at / s.k; i < (at+n)/s.k; i++ {
		out.parts = append(out.parts, g.Read(s.vars[i]))
	}
	return out
}

// storeSlots assigns locals.
func (g *gen) storeSlots(s *slots, at int64, v value) {
	n := int64(v.dt.Lanes)
	switch {
	case s.k == 1:
		for i, x := range g.scalars(v) {
			g.Set(s.vars[at+int64(i)], x)
		}
	case n == 1:
		x := s.vars[at/s.k]
		g.Set(x, g.lane(lanesOf(s.elem, 0).replace, int(at%s.k), g.Read(x), v.scalar()))
	default:
		for i, part := range v.parts {
			g.Set(s.vars[at/s.k+int64(i)], part)
		}
	}
}
