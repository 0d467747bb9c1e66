package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// LowerRuntimeBuiltin replaces operators that the machine does itself by calls of it.
var LowerRuntimeBuiltin = &pass.Pass{
	Name: "LowerRuntimeBuiltin", Kind: pass.Function, Lowering: true,
	Doc: "Replaces operators of the runtime by its builtins: reshape, shape_of, tensor_to_shape, closures, copies between devices, and the memory operators by those of the machine.",
	Run: pass.EachRelax(func(ctx *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := op.NewExprMutator(ctx.Step().Input)
		if ctx.Observed() {
			m.Rewrote = func(b relax.Binding, list []relax.Binding) {
				ctx.RewriteAll("lower "+opName(b.BoundValue()), []ir.Node{b}, nodesOf(list))
			}
		}
		m.Call = func(c *relax.Call) relax.Expr {
			if opName(c) != opMemView {
				return lowerBuiltin(c)
			}
			out, err := lowerView(c)
			if err != nil {
				m.Fail(err)
			}
			return out
		}
		return m.Function(f)
	}),
}

// builtinNames maps operators to packed functions of the runtime with the same arguments.
var builtinNames = map[string]string{
	opReshape:               "vm.builtin.reshape",
	opShapeOf:               "vm.builtin.shape_of",
	"relax.tensor_to_shape": "vm.builtin.tensor_to_shape",
	"relax.to_vdevice":      "vm.builtin.to_device",
	opMemZeroOffset:         "vm.builtin.ensure_zero_offset",
}

func lowerBuiltin(c *relax.Call) *relax.Call {
	name := opName(c)
	if ext, ok := builtinNames[name]; ok {
		return &relax.Call{Base: c.Base, Op: &relax.ExternFunc{Symbol: ext}, Args: c.Args, SInfoArgs: sinfoArgs(c), SInfo: c.SInfo}
	}
	switch name {
	case opMemAllocStorage: // size in bytes, device, scope, element type of the tensors
		return &relax.Call{Base: c.Base, Op: ir.NewOp(opVMAllocStorage), Args: []relax.Expr{c.Args[0], c.Args[1], dtypeImm(dtype.UInt8T), c.Args[2]}, SInfo: c.SInfo}
	case opMemAllocTensor:
		return &relax.Call{Base: c.Base, Op: ir.NewOp(opVMAllocTensor), Args: c.Args, SInfo: c.SInfo}
	case opMemKillTensor, opMemKillStorage:
		return &relax.Call{Base: c.Base, Op: ir.NewOp(opVMKillObject), Args: c.Args, SInfo: c.SInfo}
	case "relax.make_closure":
		args := append([]relax.Expr{c.Args[0]}, takenApart(c.Args[1])...)
		return contextCall(c, "vm.builtin.make_closure", args)
	case "relax.invoke_closure":
		args := append([]relax.Expr{c.Args[0]}, takenApart(c.Args[1])...)
		return contextCall(c, "vm.builtin.invoke_closure", args)
	case opVMCallTIRDyn:
		return contextCall(c, "vm.builtin.call_tir_dyn", append([]relax.Expr{c.Args[0]}, takenApart(c.Args[1])...))
	}
	return c
}

// takenApart are the fields of a tuple of operands, also of one that is bound before.
func takenApart(e relax.Expr) []relax.Expr {
	t, ok := relax.SInfoOf(e).(*relax.TupleStructInfo)
	if _, written := e.(*relax.Tuple); written || !ok {
		return fieldsOf(e)
	}
	out := make([]relax.Expr, len(t.Fields))
	for i, f := range t.Fields {
		out[i] = &relax.TupleGetItem{Base: e.Meta(), Tuple: e, Index: i, SInfo: f}
	}
	return out
}

// lowerView calls the function of the runtime that makes views, which takes what the operator
// leaves as it is as well. A view of everything is the tensor itself.
func lowerView(c *relax.Call) (relax.Expr, error) {
	x, shape, dt, offset := c.Args[0], c.Args[1], c.Args[2], c.Args[3]
	if isVoidInfo(relax.SInfoOf(shape)) && isVoidInfo(relax.SInfoOf(dt)) && isVoidInfo(relax.SInfoOf(offset)) {
		return x, nil
	}
	t, ok := relax.SInfoOf(x).(*relax.TensorStructInfo)
	if !ok {
		return c, nil
	}
	if isVoidInfo(relax.SInfoOf(shape)) {
		dims, ok := t.Dims()
		if !ok {
			return c, fmt.Errorf("%s keeps the shape of a tensor of %s: expected one whose shape is known, or a shape for the view", opMemView, relax.FormatSInfo(t))
		}
		shape = &relax.ShapeExpr{Base: c.Base, Values: dims}
	}
	if isVoidInfo(relax.SInfoOf(dt)) {
		if t.DType.IsVoid() {
			return c, fmt.Errorf("%s keeps the element type of a tensor of %s: expected one whose element type is known, or a type for the view", opMemView, relax.FormatSInfo(t))
		}
		dt = dtypeImm(t.DType)
	}
	if isVoidInfo(relax.SInfoOf(offset)) {
		offset = &relax.PrimValue{Base: c.Base, Value: tir.Int(0)}
	}
	view := &relax.ExternFunc{Symbol: "runtime.TVMTensorCreateView", SInfo: &relax.FuncStructInfo{
		Opaque: true, Ret: relax.Object(), Pure: true, Derive: relax.DeriveOfView,
	}}
	return &relax.Call{Base: c.Base, Op: view, Args: []relax.Expr{x, shape, dt, offset}, SInfo: c.SInfo}, nil
}

// contextCall calls a builtin that gets the machine as its first argument.
func contextCall(c *relax.Call, name string, args []relax.Expr) *relax.Call {
	return &relax.Call{
		Base: c.Base, Op: ir.NewOp(opCallBuiltin),
		Args: []relax.Expr{&relax.ExternFunc{Symbol: name}, &relax.Tuple{Fields: args}}, SInfoArgs: sinfoArgs(c), SInfo: c.SInfo,
	}
}

func sinfoArgs(c *relax.Call) []relax.StructInfo {
	if c.SInfo == nil {
		return c.SInfoArgs
	}
	return []relax.StructInfo{c.SInfo}
}

func fieldsOf(e relax.Expr) []relax.Expr {
	if t, ok := e.(*relax.Tuple); ok {
		return t.Fields
	}
	return []relax.Expr{e}
}
