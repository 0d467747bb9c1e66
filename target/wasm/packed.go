package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// packedCall translates the intrinsics of the packed calling convention; ok is false where
// name is none of them.
func (g *gen) packedCall(name string, e *tir.Call, what string) (value, bool) {
	zero := one(dtype.Int32T, g.i32(0))
	switch name {
	case tir.OpStructGet.Name:
		return g.structGet(e, what), true
	case tir.OpStructSet.Name:
		g.structSet(e, what)
		return zero, true
	case tir.OpStackAlloca.Name:
		return g.stackAlloca(e, what), true
	case tir.OpThrowLastError.Name:
		g.leave(abi.ErrRaised)
		return zero, true
	case tir.OpAllocWorkspace.Name:
		args := make([]*node, len(e.Args))
		for i, a := range e.Args {
			n := g.scalarExpr(a, what)
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
			n := g.scalarExpr(a, what)
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
		g.fail(what, "must be lowered first: run LowerTVMBuiltin")
	}
	return value{}, false
}

// field returns the address and offset of a field of the handle[index], with its size.
func (g *gen) field(e *tir.Call, what string) (base *node, off uint32, f abi.StructField) {
	kind, ok := tir.AsInt(e.Args[2])
	if !ok {
		g.fail(what, "the field must be a constant")
	}
	f = abi.StructField(kind)
	o, _, ok := f.Offset(g.target.Kind().PtrBits)
	if !ok && f != abi.KArrAddr {
		g.fail(what, "unknown field %d", kind)
	}
	l := g.Lin(e.Args[1]).Scale(int64(f.StructSize(g.target.Kind().PtrBits)))
	l.C += int64(o)
	base, off = g.address(g.scalarExpr(e.Args[0], what), l, "cell")
	return base, off, f
}

func (g *gen) structGet(e *tir.Call, what string) value {
	base, off, f := g.field(e, what)
	d := e.Type
	if f == abi.KArrAddr {
		return one(dtype.HandleT, g.Sum(base, lin{C: int64(off)}))
	}
	read := func(op wasmbin.Op) *node { return g.load(op, base, off, nil, "") }
	_, size, _ := f.Offset(g.target.Kind().PtrBits)
	var n *node
	var from dtype.DType
	switch {
	case size == 1:
		n, from = read(wasmbin.I32Load8U), dtype.UInt8T
	case size == 2:
		n, from = read(wasmbin.I32Load16U), dtype.UInt16T
	case size == 4:
		n, from = read(wasmbin.I32Load), dtype.Int32T
	case d.IsHandle():
		return one(d, read(wasmbin.I32Load))
	case d.IsFloat():
		n, from = read(wasmbin.F64Load), dtype.Float64T
	case d.IsBool():
		n, from = read(wasmbin.I32Load), dtype.Int32T
	default:
		n, from = read(wasmbin.I64Load), dtype.Int64T
	}
	if d.IsHandle() {
		return one(d, n)
	}
	return g.cast(one(from, n), d, what)
}

func (g *gen) structSet(e *tir.Call, what string) {
	base, off, f := g.field(e, what)
	v := g.expr(e.Args[3])
	_, size, _ := f.Offset(g.target.Kind().PtrBits)
	write := func(op wasmbin.Op, n *node) { g.store(op, base, off, n, nil) }
	switch {
	case size == 8 && (v.dt.IsHandle() || v.dt.IsBool()):
		write(wasmbin.I64Store, g.op(wasmbin.I64ExtendI32U, v.scalar()))
	case size == 8 && v.dt.IsFloat():
		write(wasmbin.F64Store, g.cast(v, dtype.Float64T, what).scalar())
	case size == 8:
		write(wasmbin.I64Store, g.cast(v, dtype.Int64T, what).scalar())
	case v.dt.IsFloat():
		g.fail(what, "field %s cannot hold %s", f, v.dt)
	case size == 1:
		write(wasmbin.I32Store8, g.word(v))
	case size == 2:
		write(wasmbin.I32Store16, g.word(v))
	default:
		write(wasmbin.I32Store, g.word(v))
	}
}

// word is the lower 32 bits of an integer or handle.
func (g *gen) word(v value) *node {
	if typeOf(v.scalar()) == wasmbin.I64 {
		return g.op(wasmbin.I32WrapI64, v.scalar())
	}
	return v.scalar()
}

// stackAlloca reserves structs in the stack area.
func (g *gen) stackAlloca(e *tir.Call, what string) value {
	kind, ok := e.Args[0].(*tir.StringImm)
	n, known := lower.EvalInt(e.Args[1])
	if !ok || !known || n < 0 || n > abi.StackBytes {
		g.fail(what, "needs the name of a struct and a constant number")
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
		g.fail(what, "unknown struct %q", kind.Value)
	}
	return one(dtype.HandleT, g.frameAddress(size*int(n)))
}

// callPacked calls a kernel of the module with arguments that stand in cells, as
// LowerTVMBuiltin leaves it: name, cells, first, end; the result goes to cell end.
func (g *gen) callPacked(e *tir.Call, what string) value {
	if len(e.Args) < 4 {
		g.fail(what, "%d arguments, expected a name, the cells, the first and the end", len(e.Args))
	}
	name, ok := e.Args[0].(*tir.StringImm)
	if !ok {
		g.fail(what, "the first argument must be the name of a function")
	}
	callee, ok := g.mod.funcs[name.Value]
	if !ok || !callee.kernel {
		g.fail(what, "the module has no kernel %q, and kernels cannot call the runtime's functions", name.Value)
	}
	cells := g.scalarExpr(e.Args[1], what)
	first, end := g.Lin(e.Args[2]), g.Lin(e.Args[3])
	at := func(l lin) *node { return g.Sum(cells, l.Scale(abi.CellSize)) }
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
		return g.cast(one(dtype.Float64T, g.load(wasmbin.F64Load, result, abi.CellValue, nil, "result")), e.Type, what)
	}
	return g.cast(one(dtype.Int64T, g.load(wasmbin.I64Load, result, abi.CellValue, nil, "result")), e.Type, what)
}
