package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

const opDynamicSlice = "relax.dynamic_strided_slice"

// dynamicRule is the rule of an operator that becomes several kernels, since how large its result is shows at run time.
func (l *legalizer) dynamicRule(name string) func(*relax.VarBinding) ([]relax.Binding, *relax.Call, error) {
	switch name {
	case opDynamicSlice:
		return l.dynamicSlice
	case "relax.nonzero":
		return l.nonZero
	case "relax.unique":
		return l.unique
	}
	return nil
}

// dynamicSlice returns the call of the kernel of a slice whose extents follow from values. One kernel computes them
// before; a match_cast gives them names, so that what uses the result has a shape to go by.
func (l *legalizer) dynamicSlice(vb *relax.VarBinding) (before []relax.Binding, call *relax.Call, err error) {
	k := l.newKernel(vb)
	for i, a := range k.call.Args {
		if err := knownTensors(relax.SInfoOf(a)); err != nil {
			return nil, nil, skipf("argument %d: %s", i, err)
		}
	}
	rank := relax.SInfoOf(k.call.Args[0]).(*relax.TensorStructInfo).NDim
	for i, a := range k.call.Args[1:] {
		dims, _ := relax.SInfoOf(a).(*relax.TensorStructInfo).Dims()
		if len(dims) != 1 || !tir.IsConst(dims[0], int64(rank)) {
			return nil, nil, skipf("argument %d has not one entry for each of the %d axes", i+1, rank)
		}
	}
	bind := func(name string, info relax.StructInfo, value relax.Expr) *relax.Var {
		b := bindNew(k.base(), k.v.Name+name, info, value)
		b.Var.Dataflow = k.v.Dataflow
		before = append(before, b)
		return b.Var
	}

	k.info = relax.StaticTensor(dtype.Int64T, int64(rank))
	shape := topi.DynamicSliceShape(k.tensor(0), k.tensor(1), k.tensor(2), k.tensor(3))
	if k.err != nil {
		return nil, nil, k.err
	}
	if call, err = k.finish("shape_func", []*te.Tensor{shape}); err != nil {
		return nil, nil, err
	}
	extents := bind("_extents", k.info, call)
	plain := &relax.ShapeStructInfo{NDim: rank}
	asShape := bind("_shape", plain, &relax.Call{Base: k.base(), Op: ir.NewOp("relax.tensor_to_shape"), Args: []relax.Expr{extents}, SInfo: plain})
	var dims []tir.Expr
	for range rank {
		dims = append(dims, tir.NewVar("s", dtype.Int64T))
	}
	named := &relax.ShapeStructInfo{NDim: rank, Values: dims}
	v := &relax.Var{Base: k.base(), Name: k.v.Name + "_named", SInfo: named, Dataflow: k.v.Dataflow}
	before = append(before, &relax.MatchCast{Base: v.Base, Var: v, Value: asShape, SInfo: named})

	own := l.newKernel(vb)
	old := relax.SInfoOf(own.call).(*relax.TensorStructInfo)
	info := *old
	info.Shape, info.NDim = &relax.ShapeExpr{Values: dims}, rank
	own.info = &info
	x, begin, _, strides := own.tensor(0), own.tensor(1), own.tensor(2), own.tensor(3)
	out := topi.DynamicSlice(x, begin, strides, own.syms(dims))
	if own.err != nil {
		return nil, nil, own.err
	}
	call, err = own.finish("dynamic_strided_slice", []*te.Tensor{out})
	return before, call, err
}

// retype makes uses of the variable of out uses of one with the given struct info, which replaces it in out.
func (l *legalizer) retype(m *relax.ExprMutator, out *relax.VarBinding, info relax.StructInfo) {
	old, v := out.Var, *out.Var
	v.SInfo = info
	out.Var = &v
	m.Remap(old, &v)
	l.follow(old, &v)
	l.moved = true
}

// follow makes known of v what is known of old, which it replaces.
func (l *legalizer) follow(old, v *relax.Var) {
	if e := l.bound[old]; e != nil {
		l.bound[v] = e
	}
	if e := l.transposed[old]; e != nil {
		l.transposed[v] = e
	}
	if l.dead[old] {
		l.dead[v] = true
	}
}
