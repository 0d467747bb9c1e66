package relax

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Prover answers questions about integer expressions in shapes. An arith.Analyzer with a
// matching pair of methods is one; a nil Prover knows constants and structural equality.
type Prover interface {
	// Simplify returns an expression equal to e that is no harder to read.
	Simplify(e tir.Expr) tir.Expr
	// CanProve reports whether the bool expression e holds for all values of its variables.
	CanProve(e tir.Expr) bool
}

// InferContext is what the inference of struct info may ask about the surroundings of a
// call. The zero value knows no module and no bindings.
type InferContext struct {
	// Prover compares symbolic dimensions; nil compares structurally.
	Prover Prover
	// Func returns the function of the module by name, nil if there is none. It may be nil.
	Func func(name string) ir.Function
	// VDevices returns the virtual devices of the module. It may be nil.
	VDevices func() []ir.Node
	// Bound returns the value that v was bound to, nil if that is not known. It may be nil.
	Bound func(v *Var) Expr
}

// OpTable is what this package asks about operators. Package op implements it.
type OpTable interface {
	// InferCall returns the struct info of a call whose callee is an *ir.Op.
	InferCall(call *Call, ctx *InferContext) (StructInfo, error)
	// NormalizeCall brings the arguments of a call into the operator's normal form; it
	// returns call itself where nothing is to be done.
	NormalizeCall(call *Call, ctx *InferContext) (*Call, error)
	// Purity reports whether the operator has no side effects, and whether it is known.
	Purity(o *ir.Op) (pure, known bool)
}

// Simplify simplifies e if there is a prover, and folds constants otherwise.
func (c *InferContext) Simplify(e tir.Expr) tir.Expr {
	if _, ok := e.(*tir.IntImm); ok || c == nil || c.Prover == nil {
		return e
	}
	if _, ok := e.(*tir.Var); ok {
		return e
	}
	return c.Prover.Simplify(e)
}

// Equal says whether a and b are equal: True or False where that can be proved for all
// values of their variables, Unknown otherwise.
func (c *InferContext) Equal(a, b tir.Expr) Truth {
	if a == b {
		return True
	}
	x, xok := tir.AsInt(a)
	y, yok := tir.AsInt(b)
	if xok && yok {
		return truthOf(x == y)
	}
	if ir.StructuralEqual(a, b, ir.EqualOpts{}) {
		return True
	}
	if c == nil || c.Prover == nil {
		return Unknown
	}
	a, b = tir.MatchTypes(a, b)
	switch d := c.Prover.Simplify(tir.Sub(a, b)); {
	case tir.IsConst(d, 0):
		return True
	default:
		if _, ok := tir.AsInt(d); ok {
			return False
		}
	}
	if c.Prover.CanProve(tir.EQ(a, b)) {
		return True
	}
	if c.Prover.CanProve(tir.NE(a, b)) {
		return False
	}
	return Unknown
}

// CanProve reports whether the condition holds for all values of its variables.
func (c *InferContext) CanProve(cond tir.Expr) bool {
	if v, ok := tir.AsInt(cond); ok {
		return v != 0
	}
	return c != nil && c.Prover != nil && c.Prover.CanProve(cond)
}

// SInfoOf returns the struct info of e, that of functions of the module included; nil if it
// is not known.
func (c *InferContext) SInfoOf(e Expr) StructInfo {
	switch e := e.(type) {
	case *ir.GlobalVar:
		if c == nil || c.Func == nil {
			return nil
		}
		if f := c.Func(e.Name); f != nil {
			return SInfoOfFunc(f)
		}
		return nil
	case *Tuple:
		fields := make([]StructInfo, len(e.Fields))
		for i, f := range e.Fields {
			if fields[i] = c.SInfoOf(f); fields[i] == nil {
				return nil
			}
		}
		return &TupleStructInfo{Fields: fields}
	}
	return SInfoOf(e)
}

// SInfoOfFunc returns the struct info of a function of a module. That of a PrimFunc has a
// tensor for each buffer and a scalar for each other parameter.
func SInfoOfFunc(f ir.Function) StructInfo {
	switch f := f.(type) {
	case *Function:
		return FuncSInfo(f)
	case *ExternFunc:
		return SInfoOf(f)
	case *tir.PrimFunc:
		return primFuncSInfo(f)
	}
	panic(fmt.Sprintf("relax: SInfoOfFunc does not know function type %T", f))
}

// primFuncSInfo returns the struct info of the signature of f: tensors for the buffers,
// scalars for the other parameters. PrimFuncs write their results, so they are impure. What a
// function in a calling convention takes is up to that.
func primFuncSInfo(f *tir.PrimFunc) *FuncStructInfo {
	if f.Attrs.Has(ir.AttrCallingConv) {
		return &FuncStructInfo{Opaque: true, Ret: objectSInfo}
	}
	params := make([]StructInfo, len(f.Params))
	for i, p := range f.Params {
		switch b := f.BufferOf(p); {
		case b != nil:
			params[i] = TensorOf(b.DType, b.Shape...)
		case p.DType().IsHandle():
			params[i] = objectSInfo
		default:
			params[i] = &PrimStructInfo{DType: p.DType(), Value: p}
		}
	}
	var ret StructInfo = &TupleStructInfo{}
	if d := ir.TypeDType(f.RetType); !d.IsVoid() {
		ret = &PrimStructInfo{DType: d}
	}
	return &FuncStructInfo{Params: params, Ret: ret}
}

// ScalarTensor returns the struct info of a tensor without dimensions.
func ScalarTensor(dt dtype.DType) *TensorStructInfo { return TensorOf(dt) }

// EqualDims says whether two lists of extents are equal.
func (c *InferContext) EqualDims(a, b []tir.Expr) Truth {
	if len(a) != len(b) {
		return False
	}
	out := True
	for i := range a {
		if out = out.And(c.Equal(a[i], b[i])); out == False {
			return False
		}
	}
	return out
}
