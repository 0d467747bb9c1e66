package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// Intrinsic translates calls of functions, and the intrinsics of the packed calling convention.
func (g *gen) Intrinsic(name string, e *tir.Call, what string) (value, bool) {
	zero := one(dtype.Int32T, g.i32(0))
	switch name {
	case "":
		return g.callFunction(e, e.Op.CalleeName(), e.Args), true
	case tir.OpCallExtern.Name, tir.OpCallPureExtern.Name, tir.OpCallLLVMPure.Name:
		name, ok := e.Args[0].(*tir.StringImm)
		if !ok {
			g.Fail(what, "the first argument must be the name of a function")
		}
		return g.callExtern(e, name.Value, e.Args[1:]), true
	case tir.OpStackAlloca.Name:
		return g.stackAlloca(e, what), true
	case tir.OpThrowLastError.Name:
		g.leave(abi.ErrRaised)
		return zero, true
	case tir.OpAllocWorkspace.Name:
		args := make([]*node, len(e.Args))
		for i, a := range e.Args {
			n := g.ScalarExpr(a, what)
			switch want := i == 2; {
			case want && typeOf(n) == wasmbin.I32:
				n = g.op(wasmbin.I64ExtendI32U, n)
			case !want && typeOf(n) == wasmbin.I64:
				n = g.op(wasmbin.I32WrapI64, n)
			}
			args[i] = n
		}
		return one(dtype.HandleT, g.allocWorkspace(args...)), true
	case tir.OpFreeWorkspace.Name:
		it := g.call32(g.mod.hostFunc(abi.ImportFreeWorkspace), "freed")
		for _, a := range e.Args {
			n := g.ScalarExpr(a, what)
			if typeOf(n) == wasmbin.I64 {
				n = g.op(wasmbin.I32WrapI64, n)
			}
			it.Args = append(it.Args, n)
		}
		g.Add(it)
		return one(dtype.Int32T, g.Stable(it.Reg, g.Cur, false)), true
	case tir.OpCallPackedLowered.Name, tir.OpCallCPackedLowered.Name:
		return g.callPacked(e, what), true
	case tir.OpCallPacked.Name, tir.OpCallCPacked.Name, tir.OpStackMakeShape.Name, tir.OpStackMakeArray.Name:
		g.Fail(what, "must be lowered first: run LowerTVMBuiltin")
	}
	return value{}, false
}

// Field is a field of the structs of the calling convention.
func (g *gen) Field(number int64) (lower.Field, bool) {
	f, bits := abi.StructField(number), g.target.Kind().PtrBits
	offset, size, ok := f.Offset(bits)
	address := f == abi.KArrAddr
	return lower.Field{Name: f.String(), Offset: int64(offset), Size: size, Struct: int64(f.StructSize(bits)), Address: address}, ok || address
}

// stackAlloca reserves structs in the stack area.
func (g *gen) stackAlloca(e *tir.Call, what string) value {
	kind, ok := e.Args[0].(*tir.StringImm)
	n, known := lower.EvalInt(e.Args[1])
	if !ok || !known || n < 0 || n > abi.StackBytes {
		g.Fail(what, "needs the name of a struct and a constant number")
	}
	size := 0
	switch kind.Value {
	case "shape", "tvm_value", "arg_value":
		size = 8
	case "arg_tcode":
		size = 4
	case "array":
		size = abi.KArrData.StructSize(g.target.Kind().PtrBits)
	case "tvm_ffi_any", "arg_ffi_any":
		size = abi.CellSize
	default:
		g.Fail(what, "unknown struct %q", kind.Value)
	}
	at := g.Stack(int64(size) * n)
	if at == nil {
		g.Fail(what, "the kernel's frame exceeds the %d bytes of the stack area", abi.StackBytes)
	}
	return one(dtype.HandleT, at)
}

// callPacked calls a kernel of the module with arguments that stand in cells, as
// LowerTVMBuiltin leaves it: name, cells, first, end; the result goes to cell end.
func (g *gen) callPacked(e *tir.Call, what string) value {
	if len(e.Args) < 4 {
		g.Fail(what, "%d arguments, expected a name, the cells, the first and the end", len(e.Args))
	}
	name, ok := e.Args[0].(*tir.StringImm)
	if !ok {
		g.Fail(what, "the first argument must be the name of a function")
	}
	callee, ok := g.mod.funcs[name.Value]
	if !ok || !callee.kernel {
		g.Fail(what, "the module has no kernel %q, and kernels cannot call the runtime's functions", name.Value)
	}
	cells := g.ScalarExpr(e.Args[1], what)
	first, end := g.Lin(e.Args[2]), g.Lin(e.Args[3])
	at := func(l lower.Lin) *node { return g.Sum(cells, l.Scale(abi.CellSize)) }
	args, result := at(first), at(end)
	count := g.LinNode(end.Add(first, -1))
	g.KillAll()
	it := g.call32(callee.f.Ref(), "code", g.i32(0), args, count, result)
	g.Add(it)
	g.check(g.Stable(it.Reg, g.Cur, false))
	switch {
	case e.Type.IsVoid() || e.Type.IsHandle():
		return one(dtype.HandleT, g.load(wasmbin.I32Load, result, abi.CellValue, nil, "result"))
	case e.Type.IsFloat():
		return g.Cast(one(dtype.Float64T, g.load(wasmbin.F64Load, result, abi.CellValue, nil, "result")), e.Type, what)
	}
	return g.Cast(one(dtype.Int64T, g.load(wasmbin.I64Load, result, abi.CellValue, nil, "result")), e.Type, what)
}
