package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// paramValue returns v, the value of an option, as a value of which info is known: an expression as it is, a number or nested lists of them
// for a tensor, a number for a scalar, a list of extents for a shape, a list of values for a tuple.
func paramValue(info relax.StructInfo, v ir.Value) (relax.Expr, error) {
	if e, ok := v.(relax.Expr); ok {
		return e, nil
	}
	list, isList := v.([]ir.Value)
	switch t := info.(type) {
	case *relax.TensorStructInfo:
		return tensorOf(t, v)
	case *relax.PrimStructInfo:
		if _, err := tir.LiteralElement(t.DType, v); err != nil {
			return nil, err
		}
		if t.DType.IsFloat() {
			x, _ := tir.LiteralFloat(v)
			return &relax.PrimValue{Value: tir.FloatConst(t.DType, x)}, nil
		}
		n, _ := tir.LiteralInt(v)
		return &relax.PrimValue{Value: tir.Const(t.DType, n)}, nil
	case *relax.ShapeStructInfo:
		out := &relax.ShapeExpr{}
		for _, x := range list {
			n, ok := x.(int64)
			if !ok || n < 0 {
				return nil, fmt.Errorf("the extent %s, want a whole number of 0 or more", tir.DescribeValue(x))
			}
			out.Values = append(out.Values, tir.Int(n))
		}
		if !isList {
			return nil, fmt.Errorf("%s, want a list of extents", tir.DescribeValue(v))
		}
		return out, nil
	case *relax.TupleStructInfo:
		if len(list) != len(t.Fields) || !isList {
			return nil, fmt.Errorf("%s, want a list of %d values for the fields", tir.DescribeValue(v), len(t.Fields))
		}
		out := &relax.Tuple{}
		for i, x := range list {
			f, err := paramValue(t.Fields[i], x)
			if err != nil {
				return nil, fmt.Errorf("field %d: %w", i, err)
			}
			out.Fields = append(out.Fields, f)
		}
		return out, nil
	}
	return nil, fmt.Errorf("nothing can be written for a parameter of which %s is known", relax.FormatSInfo(info))
}

// tensorOf returns the constant that a number or nested lists of numbers are. A number is a scalar, and all elements of a tensor whose
// extents are known. Numbers have the element type that is known of the tensor; where none is, float32, int64 or bool by the first.
func tensorOf(t *relax.TensorStructInfo, v ir.Value) (relax.Expr, error) {
	d := t.DType
	if d.IsVoid() {
		d = usualType(v)
	}
	if list, ok := v.([]ir.Value); ok {
		b, err := tir.Literal(d, list)
		if err != nil {
			return nil, err
		}
		return &relax.Constant{Data: b}, nil
	}
	data, err := tir.LiteralElement(d, v)
	if err != nil {
		return nil, err
	}
	var shape []int64
	if t.NDim > 0 {
		var known bool
		if shape, known = t.StaticDims(); !known {
			return nil, fmt.Errorf("%s for %s, whose extents are not all known: want lists, one in the other, that say them", tir.DescribeValue(v), relax.FormatSInfo(t))
		}
	}
	b, err := ir.NewSplat(d, shape, data)
	if err != nil {
		return nil, err
	}
	return &relax.Constant{Data: b}, nil
}

// usualType is the element type of numbers of which none is known.
func usualType(v ir.Value) dtype.DType {
	for {
		list, ok := v.([]ir.Value)
		if !ok || len(list) == 0 {
			break
		}
		v = list[0]
	}
	switch v.(type) {
	case int64:
		return dtype.Int64T
	case bool:
		return dtype.BoolT
	}
	return dtype.Float32T
}
