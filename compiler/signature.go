package compiler

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/artifact"
)

// typeOf describes struct info as the runtime knows it.
func typeOf(s relax.StructInfo) artifact.Type {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		t := artifact.Type{Kind: artifact.KindTensor}
		if !s.DType.IsVoid() {
			t.DType = s.DType.String()
		}
		if s.NDim >= 0 {
			t.NDim = &s.NDim
		}
		if dims, ok := s.Dims(); ok {
			t.Shape = dimsOf(dims)
		}
		return t
	case *relax.ShapeStructInfo:
		t := artifact.Type{Kind: artifact.KindShape}
		if s.NDim >= 0 {
			t.NDim = &s.NDim
		}
		t.Shape = dimsOf(s.Values)
		return t
	case *relax.PrimStructInfo:
		return artifact.Type{Kind: artifact.KindPrim, DType: s.DType.String()}
	case *relax.TupleStructInfo:
		t := artifact.Type{Kind: artifact.KindTuple}
		for _, f := range s.Fields {
			t.Fields = append(t.Fields, typeOf(f))
		}
		return t
	case *relax.FuncStructInfo:
		return artifact.Type{Kind: artifact.KindFunc}
	}
	return artifact.Type{Kind: artifact.KindObject}
}

func dimsOf(values []tir.Expr) []artifact.Dim {
	var out []artifact.Dim
	for _, e := range values {
		if n, ok := tir.AsInt(e); ok {
			out = append(out, artifact.Dim{Value: n})
		} else {
			out = append(out, artifact.Dim{Expr: relax.FormatPrim(e)})
		}
	}
	return out
}
