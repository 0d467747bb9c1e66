package wasm

import (
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
	what := kindName(s)
	g.checkStorage(s.Type, what)
	if sl := g.tryslots(s); sl != nil {
		g.slots[s.Var] = sl
		g.stmt(s.Body)
		return
	}
	g.classes[s.Var] = &memClass{}
	n, known := int64(s.Type.Lanes), true
	for _, e := range s.Extents {
		k, ok := evalInt(e)
		if k < 0 {
			g.fail(what, "extent %d is negative", k)
		}
		if ok && k > 0 && n > abi.StackBytes/k+1 {
			n = abi.StackBytes + 1 // large: avoid overflow
		} else {
			n *= k
		}
		known = known && ok
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
		if x.typ == wasmbin.I32 {
			x = g.op(wasmbin.I64ExtendI32S, x)
		}
		size = g.op(wasmbin.I64Mul, size, x)
	}
	ptr := g.allocWorkspace(g.i32(abi.DLDeviceCPU), g.i32(abi.DLDeviceID), size, g.i32(int32(s.Type.Code)), g.i32(int32(s.Type.Bits)))
	g.branch(g.op(wasmbin.I32Eqz, ptr), "nomemory", func() { g.leave(abi.ErrRaised) }, nil)
	g.vars[s.Var] = one(dtype.HandleT, ptr)
	g.stmt(s.Body)
	g.add(item{kind: itemCall, callee: g.mod.hostFunc(abi.ImportFreeWorkspace), args: []*node{g.i32(abi.DLDeviceCPU), g.i32(abi.DLDeviceID), ptr}, hasRes: true, local: g.f.NewLocal("freed", wasmbin.I32)})
}

// allocWorkspace calls the runtime and returns the address, 0 where there is no memory.
func (g *gen) allocWorkspace(args ...*node) *node {
	l := g.f.NewLocal("workspace", wasmbin.I32)
	g.add(item{kind: itemCall, callee: g.mod.hostFunc(abi.ImportAllocWorkspace), args: args, hasRes: true, local: l})
	return g.stable(l, g.cur, true)
}

// allocateConst places constant data in the module.
func (g *gen) allocateConst(s *tir.AllocateConst) {
	g.checkStorage(s.Type, kindName(s))
	g.classes[s.Var] = &memClass{}
	g.vars[s.Var] = one(dtype.HandleT, g.dataAddress(g.mod.data.blob(s.Data)))
	g.stmt(s.Body)
}

// tryslots decides whether an allocation is kept in locals: all accesses must have constant
// indices, and those of vectors must be whole v128s.
func (g *gen) tryslots(s *tir.Allocate) *slots {
	u := g.allocUses[s.Var]
	if u == nil || u.escapes {
		return nil
	}
	size := int64(s.Type.Lanes)
	for _, e := range s.Extents {
		n, ok := evalInt(e)
		if !ok || n < 0 || n > 1<<16 || size > 1<<16 {
			return nil
		}
		size *= n
	}
	elem := s.Type.Elem()
	k := int64(0)
	for _, a := range u.indices {
		if a.at+a.lanes > size {
			return nil
		}
		if a.lanes > 1 {
			n := int64(g.native(elem.WithLanes(int(a.lanes)), 0))
			if elem.IsBool() || n == 0 {
				n = 1
			}
			if k != 0 && k != n || a.at%n != 0 {
				return nil
			}
			k = n
		}
	}
	k = max(k, 1)
	count := (size + k - 1) / k
	if count > maxSlots {
		return nil
	}
	t := wasmbin.V128
	if k == 1 {
		t = g.valType(elem, kindName(s))
	}
	out := &slots{elem: elem, k: k}
	for range count {
		out.vars = append(out.vars, g.newVariable(s.Var.Name, t))
	}
	return out
}

// loadSlots reads locals. The scan has seen that the index is constant.
func (g *gen) loadSlots(s *slots, at int64, dt dtype.DType) value {
	n := int64(dt.Lanes)
	switch {
	case s.k == 1:
		out := value{dt: dt}
		for i := range n {
			out.parts = append(out.parts, g.read(s.vars[at+i]))
		}
		if n > 1 {
			return g.pack(dt, out.parts)
		}
		return out
	case n == 1:
		return one(dt, g.lane(lanesOf(s.elem, 0).extract, int(at%s.k), g.read(s.vars[at/s.k])))
	}
	out := value{dt: dt}
	for i := at / s.k; i < (at+n)/s.k; i++ {
		out.parts = append(out.parts, g.read(s.vars[i]))
	}
	return out
}

// storeSlots assigns locals.
func (g *gen) storeSlots(s *slots, at int64, v value) {
	n := int64(v.dt.Lanes)
	switch {
	case s.k == 1:
		for i, x := range g.scalars(v) {
			g.set(s.vars[at+int64(i)], x)
		}
	case n == 1:
		x := s.vars[at/s.k]
		g.set(x, g.lane(lanesOf(s.elem, 0).replace, int(at%s.k), g.read(x), v.scalar()))
	default:
		for i, part := range v.parts {
			g.set(s.vars[at/s.k+int64(i)], part)
		}
	}
}
