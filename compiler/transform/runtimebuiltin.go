package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
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
		m.Call = func(c *relax.Call) relax.Expr { return lowerBuiltin(c) }
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
	opMemView:               "runtime.TVMTensorCreateView",
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
		args := append([]relax.Expr{c.Args[0]}, fieldsOf(c.Args[1])...)
		return contextCall(c, "vm.builtin.make_closure", args)
	case "relax.invoke_closure":
		args := append([]relax.Expr{c.Args[0]}, fieldsOf(c.Args[1])...)
		return contextCall(c, "vm.builtin.invoke_closure", args)
	case opVMCallTIRDyn:
		return contextCall(c, "vm.builtin.call_tir_dyn", append([]relax.Expr{c.Args[0]}, fieldsOf(c.Args[1])...))
	}
	return c
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
