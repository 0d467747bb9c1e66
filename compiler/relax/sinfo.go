package relax

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// StructInfo is what is known at compile time of a value.
type StructInfo interface {
	ir.Node
	mapChildren(*Mapper) StructInfo
}

// ObjectStructInfo knows nothing.
type ObjectStructInfo struct{ ir.Base }

// PrimStructInfo is a scalar of type DType, with Value if that is known.
type PrimStructInfo struct {
	ir.Base
	DType dtype.DType
	Value tir.Expr
}

// ShapeStructInfo is a shape of NDim dimensions (-1: unknown), with Values if they are known.
type ShapeStructInfo struct {
	ir.Base
	Values []tir.Expr
	NDim   int
}

// TensorStructInfo is a tensor of NDim dimensions (-1: unknown) and element type DType
// (Void: unknown). Shape is nil, a ShapeExpr, or a variable that holds a shape. Sharding is that of a
// tensor which is distributed over devices, and has the shape of the whole; nil for others.
type TensorStructInfo struct {
	ir.Base
	Shape    Expr
	DType    dtype.DType
	VDevice  *VDevice
	NDim     int
	Sharding *Sharding
}

// TupleStructInfo is a tuple.
type TupleStructInfo struct {
	ir.Base
	Fields []StructInfo
}

// FuncStructInfo is a function. Opaque functions have any parameters; Derive then names
// how the result follows from a call, or Ret holds for all calls.
type FuncStructInfo struct {
	ir.Base
	Params []StructInfo `ir:"def"`
	Opaque bool
	Ret    StructInfo
	Pure   bool
	Derive string
}

// VDevice is a virtual device of the module's global infos.
type VDevice struct {
	ir.Base
	Target string
	ID     int
	Scope  string
}

// EachChild has nothing to visit.
func (*VDevice) EachChild(func(ir.Node)) {}

// Object is the struct info that knows nothing.
func Object() *ObjectStructInfo { return objectSInfo }

var objectSInfo = &ObjectStructInfo{}

// TensorOf returns the struct info of a tensor with the given shape.
func TensorOf(dt dtype.DType, shape ...tir.Expr) *TensorStructInfo {
	both := &struct { // which live and die together
		info  TensorStructInfo
		shape ShapeExpr
	}{info: TensorStructInfo{DType: dt, NDim: len(shape)}, shape: ShapeExpr{Values: shape}}
	both.info.Shape = &both.shape
	return &both.info
}

// StaticTensor returns the struct info of a tensor with constant extents.
func StaticTensor(dt dtype.DType, shape ...int64) *TensorStructInfo {
	return TensorOf(dt, Ints(shape)...)
}

// TensorOfRank returns the struct info of a tensor of ndim dimensions, -1 for unknown, and
// of unknown extents.
func TensorOfRank(dt dtype.DType, ndim int) *TensorStructInfo {
	return &TensorStructInfo{DType: dt, NDim: ndim}
}

// ShapeOf returns the struct info of a shape with these extents. That of a scalar has none, which is not the same as unknown ones.
func ShapeOf(values ...tir.Expr) *ShapeStructInfo {
	if values == nil {
		values = []tir.Expr{}
	}
	return &ShapeStructInfo{Values: values, NDim: len(values)}
}

// Ints returns int64 constants.
func Ints(xs []int64) []tir.Expr {
	out := make([]tir.Expr, len(xs))
	numbers := make([]tir.IntImm, len(xs))
	for i, x := range xs {
		numbers[i] = tir.IntImm{Type: dtype.Int64T, Value: x}
		out[i] = &numbers[i]
	}
	return out
}

// Dims returns the extents of t if its shape is written out, else nil and false.
func (t *TensorStructInfo) Dims() ([]tir.Expr, bool) {
	if s, ok := t.Shape.(*ShapeExpr); ok {
		return s.Values, true
	}
	return nil, false
}

// StaticDims returns the extents of t if all are constants.
func (t *TensorStructInfo) StaticDims() ([]int64, bool) {
	dims, ok := t.Dims()
	if !ok {
		return nil, false
	}
	return StaticInts(dims)
}

// StaticInts returns the values of exprs if all are integer constants.
func StaticInts(exprs []tir.Expr) ([]int64, bool) {
	out := make([]int64, len(exprs))
	for i, d := range exprs {
		n, ok := tir.AsInt(d)
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// SInfoOf returns the struct info of e as far as the node itself tells: that of variables,
// constants, tuples and shapes, and what was inferred for calls. It is nil for calls that
// were not normalised and for functions of the module, which only the module knows.
func SInfoOf(e Expr) StructInfo {
	switch e := e.(type) {
	case *Var:
		return e.SInfo
	case *Call:
		return e.SInfo
	case *TupleGetItem:
		if e.SInfo != nil {
			return e.SInfo
		}
		if t, ok := SInfoOf(e.Tuple).(*TupleStructInfo); ok && e.Index < len(t.Fields) {
			return t.Fields[e.Index]
		}
		return nil
	case *If:
		return e.SInfo
	case *SeqExpr:
		return SInfoOf(e.Body)
	case *Tuple:
		fields := make([]StructInfo, len(e.Fields))
		for i, f := range e.Fields {
			if fields[i] = SInfoOf(f); fields[i] == nil {
				return nil
			}
		}
		return &TupleStructInfo{Fields: fields}
	case *ShapeExpr:
		return ShapeOf(e.Values...)
	case *Constant:
		t := StaticTensor(e.Data.DType(), e.Data.Shape()...)
		t.Sharding = e.Sharding
		return t
	case *PrimValue:
		return &PrimStructInfo{DType: e.Value.DType(), Value: e.Value}
	case *StringImm, *DataTypeImm:
		return objectSInfo
	case *Function:
		return FuncSInfo(e)
	case *ExternFunc:
		if e.SInfo != nil {
			return e.SInfo
		}
		return &FuncStructInfo{Opaque: true, Ret: objectSInfo}
	case *ir.GlobalVar, *ir.Op, nil:
		return nil
	}
	panic(unknownNode("SInfoOf", e))
}

// FuncSInfo returns the struct info of the function f.
func FuncSInfo(f *Function) *FuncStructInfo {
	params := make([]StructInfo, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.SInfo
	}
	return &FuncStructInfo{Params: params, Ret: f.Ret, Pure: f.Pure}
}
