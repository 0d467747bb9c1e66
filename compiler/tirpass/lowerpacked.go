package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
)

// Intrinsics that LowerTVMBuiltin lowers to calls of packed functions.
const (
	opContextID = "tir.tvm_context_id"
)

// loweredCalls has, for the calls of packed functions, what they are on arguments that are packed. The one that is traced also takes its last argument as it is.
var loweredCalls = map[string]*ir.Op{
	tir.OpCallPacked.Name: tir.OpCallPackedLowered, tir.OpCallCPacked.Name: tir.OpCallCPackedLowered,
	opCallTraced: tir.LookupBuiltin("tir.tvm_call_trace_packed_lowered").Op,
}

const opCallTraced = "tir.tvm_call_trace_packed"

// dmaCalls are the transfers that the runtime of a device does, by the names of its functions.
var dmaCalls = map[string]string{
	"tir.dma_copy": "dma_copy", "tir.dma_wait": "dma_wait", "tir.dma_start_group": "dma_start_group", "tir.dma_end_group": "dma_end_group",
}

// deviceNames are what names of functions call devices, by DLPack's numbers.
var deviceNames = map[int64]string{
	1: "cpu", 2: "cuda", 3: "cuda_host", 4: "opencl", 7: "vulkan", 8: "metal", 9: "vpi", 10: "rocm", 12: "ext_dev", 14: "oneapi", 15: "webgpu", 16: "hexagon", 17: "maia", 18: "trn",
}

// isPacked returns e as a call of a packed function.
func isPacked(e tir.Expr) (*tir.Call, bool) {
	c, ok := e.(*tir.Call)
	return c, ok && loweredCalls[c.Op.CalleeName()] != nil
}

// call lowers a call that is a statement, or, with bind, the value of a let.
func (l *builtinLowerer) call(c *tir.Call, bind func(tir.Expr) tir.Stmt) tir.Stmt {
	args := append([]tir.Expr(nil), c.Args...)
	var inner []*tir.Var // of calls among the arguments, which come first
	for i, a := range args {
		if _, ok := isPacked(a); ok {
			v := tir.NewVar("result", a.DType())
			inner, args[i] = append(inner, v), v
			continue
		}
		args[i] = l.expr(a)
	}
	out := l.packed(c.WithArgs(args), bind)
	for i := len(c.Args) - 1; i >= 0; i-- {
		if a, ok := isPacked(c.Args[i]); ok {
			v, body := inner[len(inner)-1], out
			inner = inner[:len(inner)-1]
			out = l.call(a, func(e tir.Expr) tir.Stmt { return &tir.LetStmt{Base: a.Base, Var: v, Value: e, Body: body} })
		}
	}
	return out
}

// packed writes the arguments into cells on the stack and calls by name.
func (l *builtinLowerer) packed(c *tir.Call, bind func(tir.Expr) tir.Stmt) tir.Stmt {
	if len(c.Args) == 0 {
		l.fail("%s has no arguments: expected the name of a function first", c.Op.CalleeName())
		return tir.NoOp()
	}
	n := int64(len(c.Args) - 1)
	stack := tir.NewVar("stack", dtype.HandleT)
	set := func(i int, f abi.StructField, v tir.Expr) tir.Stmt {
		return &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpStructSet, Args: []tir.Expr{stack, tir.Int32(int64(i)), tir.Int32(int64(f)), v}}}
	}
	var seq []tir.Stmt
	for i, a := range c.Args[1:] {
		kind, v := packedKind(a)
		seq = append(seq, set(i, abi.KTVMFFIAnyTypeIndex, tir.Int32(kind)), set(i, abi.KTVMFFIAnyUnionValue, v))
	}
	call := &tir.Call{Type: c.Type, Op: loweredCalls[c.Op.CalleeName()], Args: []tir.Expr{c.Args[0], stack, tir.Int32(0), tir.Int32(n)}}
	if call.Type.IsVoid() {
		call.Type = dtype.Int32T
	}
	if c.Op.CalleeName() == opCallTraced {
		if n == 0 {
			l.fail("%s has no arguments: expected the value that is traced last", c.Op.CalleeName())
		}
		call.Args = append(call.Args, c.Args[n])
	}
	seq = append(seq, bind(call))
	alloca := &tir.Call{Type: dtype.HandleT, Op: tir.OpStackAlloca, Args: []tir.Expr{&tir.StringImm{Value: "tvm_ffi_any"}, tir.Int32(n + 1)}}
	return &tir.LetStmt{Var: stack, Value: alloca, Body: tir.Seq(seq...)}
}

// packedKind returns the type index of an argument, and its value as a cell holds it.
func packedKind(a tir.Expr) (kind int64, v tir.Expr) {
	switch d := a.DType(); {
	case d.IsFloat():
		return abi.TypeFloat, tir.CastTo(dtype.Float64T, a)
	case d.IsHandle():
		if _, str := a.(*tir.StringImm); str {
			return abi.TypeRawStr, a
		}
		if _, arr := tir.IsCallTo(a, tir.OpStackMakeArray); arr {
			return abi.TypeDLTensorPtr, a
		}
		return abi.TypeOpaquePtr, a
	}
	return abi.TypeInt, tir.CastTo(dtype.Int64T, a)
}

// deviceFunction is the name of a function of the runtime of the device that is known here.
func (l *builtinLowerer) deviceFunction(what string) *tir.StringImm {
	n, ok := int64(0), false
	if l.deviceType != nil {
		n, ok = tir.AsInt(l.deviceType)
	}
	name := deviceNames[n]
	if !ok || name == "" {
		l.fail("%s requires the type of a device that is known: the target of the function or an annotation %q must say it", what, keyDeviceType)
	}
	return &tir.StringImm{Value: "device_api." + name + "." + what}
}

// dma lowers a transfer to a call of the device's function.
func (l *builtinLowerer) dma(c *tir.Call) tir.Stmt {
	args := append([]tir.Expr{l.deviceFunction(dmaCalls[c.Op.CalleeName()])}, c.Args...)
	return l.call(&tir.Call{Base: c.Base, Type: dtype.Int32T, Op: tir.OpCallPacked, Args: args}, evaluated(c.Base))
}

// evaluated makes a statement of a call for its effect.
func evaluated(base ir.Base) func(tir.Expr) tir.Stmt {
	return func(e tir.Expr) tir.Stmt { return &tir.Evaluate{Base: base, Value: e} }
}

// ndAlloc lowers let v = nd_mem_alloc_with_scope(scope, dimensions...) to calls of the device's functions that allocate and free memory of several dimensions, such as
// textures.
func (l *builtinLowerer) ndAlloc(s *tir.LetStmt, c *tir.Call) tir.Stmt {
	p, ok := s.Var.Type.(*ir.PointerType)
	if !ok || len(c.Args) == 0 {
		l.fail("%s: expected a pointer with the type of its elements as the variable, and the scope as the first argument", tir.OpNDAlloc.Name)
		return s
	}
	if l.deviceType == nil || l.deviceID == nil {
		l.fail("%s of %s: unknown device, which annotations %q and %q must say", tir.OpNDAlloc.Name, s.Var.Name, keyDeviceType, keyDeviceID)
		return s
	}
	d := ir.TypeDType(p.Elem)
	on := []tir.Expr{tir.CastTo(dtype.Int32T, l.deviceType), tir.CastTo(dtype.Int32T, l.deviceID)}
	packed := func(t dtype.DType, name string, args ...tir.Expr) *tir.Call {
		return &tir.Call{Base: s.Base, Type: t, Op: tir.OpCallPacked, Args: append(append([]tir.Expr{l.deviceFunction(name)}, on...), args...)}
	}
	throw := &tir.Evaluate{Base: s.Base, Value: &tir.Call{Base: s.Base, Type: dtype.Int32T, Op: tir.OpThrowLastError}}
	free := l.call(packed(dtype.Int32T, "free_nd", c.Args[0], s.Var), func(e tir.Expr) tir.Stmt {
		return &tir.IfThenElse{Base: s.Base, Cond: tir.NE(e, tir.Int32(0)), Then: throw}
	})
	body := tir.Seq(&tir.IfThenElse{Base: s.Base, Cond: isNull(s.Var), Then: throw}, l.stmt(s.Body), free)
	args := append([]tir.Expr{tir.Int32(int64(d.Code)), tir.Int32(int64(d.Bits))}, c.Args...)
	return l.call(packed(s.Var.DType(), "alloc_nd", args...), func(e tir.Expr) tir.Stmt { return s.WithValue(e).WithBody(body) })
}

func (l *builtinLowerer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}
