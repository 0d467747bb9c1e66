package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// allocStorage binds new storage of size bytes on a device, in a memory scope, for tensors of an element type.
func allocStorage(base ir.Base, name string, size tir.Expr, device, scope, dt relax.Expr) *relax.VarBinding {
	call := callOpAt(base, opMemAllocStorage, relax.Object(), &relax.ShapeExpr{Values: []tir.Expr{size}}, device, scope, dt)
	return bindNew(base, name, relax.Object(), call)
}

// allocTensor is a tensor at the start of storage, in place of what the builtin.alloc_tensor c makes.
func allocTensor(c *relax.Call, storage *relax.Var) *relax.Call {
	return callOpAt(c.Base, opMemAllocTensor, c.SInfo, storage, primInt(0), c.Args[0], c.Args[1], c.Args[2])
}

// LowerAllocTensor gives the tensors that no plan covers storage of their own.
var LowerAllocTensor = &pass.Pass{
	Name: "LowerAllocTensor", Kind: pass.Function, Lowering: true,
	Doc: "Turns the remaining builtin.alloc_tensor into an allocation of storage and a tensor in it.",
	Run: pass.EachRelax(func(ctx *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := newMutator(ctx, ctx.Step().Input, "allocate storage")
		m.Call = func(c *relax.Call) relax.Expr {
			if opName(c) != opBuiltinAlloc {
				return c
			}
			shape, ok := m.Builder().Context().SInfoOf(c.Args[0]).(*relax.ShapeStructInfo)
			if !ok || shape.Values == nil {
				ctx.Declined("allocate storage", m.At(), "the shape is only known at run time")
				return c // VMCodeGen reports a shape that is only known at run time
			}
			size := tir.Expr(tir.Int(int64(c.Args[1].(*relax.DataTypeImm).Value.Bytes())))
			for _, d := range shape.Values {
				size = tir.Mul(size, d)
			}
			st := allocStorage(c.Base, m.FreshName("storage"), size, c.Args[2], c.Args[3], dtypeImm(dtype.UInt8T))
			m.EmitNormalized(st)
			return allocTensor(c, st.Var)
		}
		return m.Function(f)
	}),
}
