package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxGiven bounds the elements of a value that is written as an option.
const maxGiven = 1 << 24

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
		if _, err := element(t.DType, v); err != nil {
			return nil, err
		}
		if t.DType.IsFloat() {
			x, _ := asFloat(v)
			return &relax.PrimValue{Value: tir.FloatConst(t.DType, x)}, nil
		}
		n, _ := asWhole(v)
		return &relax.PrimValue{Value: tir.Const(t.DType, n)}, nil
	case *relax.ShapeStructInfo:
		out := &relax.ShapeExpr{}
		for _, x := range list {
			n, ok := x.(int64)
			if !ok || n < 0 {
				return nil, fmt.Errorf("the extent %s, want a whole number of 0 or more", describeOption(x))
			}
			out.Values = append(out.Values, tir.Int(n))
		}
		if !isList {
			return nil, fmt.Errorf("%s, want a list of extents", describeOption(v))
		}
		return out, nil
	case *relax.TupleStructInfo:
		if len(list) != len(t.Fields) || !isList {
			return nil, fmt.Errorf("%s, want a list of %d values for the fields", describeOption(v), len(t.Fields))
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
	g := &given{dtype: t.DType}
	if g.dtype.IsVoid() {
		g.dtype = usualType(v)
	}
	if list, ok := v.([]ir.Value); ok {
		g.extents(list)
		if err := g.fill(v, 0); err != nil {
			return nil, err
		}
		b, err := ir.NewBlob(g.dtype, g.shape, g.data)
		if err != nil {
			return nil, err
		}
		return &relax.Constant{Data: b}, nil
	}
	data, err := element(g.dtype, v)
	if err != nil {
		return nil, err
	}
	var shape []int64
	if t.NDim > 0 {
		var known bool
		if shape, known = t.StaticDims(); !known {
			return nil, fmt.Errorf("%s for %s, whose extents are not all known: want lists, one in the other, that say them", describeOption(v), relax.FormatSInfo(t))
		}
	}
	b, err := ir.NewSplat(g.dtype, shape, data)
	if err != nil {
		return nil, err
	}
	return &relax.Constant{Data: b}, nil
}

// given are nested lists that become a tensor.
type given struct {
	dtype dtype.DType
	shape []int64
	data  []byte
}

// extents reads the shape off the first elements.
func (g *given) extents(list []ir.Value) {
	for {
		g.shape = append(g.shape, int64(len(list)))
		if len(list) == 0 {
			return
		}
		var ok bool
		if list, ok = list[0].([]ir.Value); !ok {
			return
		}
	}
}

// fill appends the elements of v, which is at that depth.
func (g *given) fill(v ir.Value, depth int) error {
	list, ok := v.([]ir.Value)
	switch {
	case ok != (depth < len(g.shape)):
		return fmt.Errorf("%s at depth %d, want lists of the shape %v, as the first elements have it", describeOption(v), depth, g.shape)
	case ok && int64(len(list)) != g.shape[depth]:
		return fmt.Errorf("a list of %d elements at depth %d, want %d as in the first", len(list), depth, g.shape[depth])
	case !ok:
		data, err := element(g.dtype, v)
		if len(g.data) >= maxGiven*g.dtype.Bytes() {
			return fmt.Errorf("more than %d elements", maxGiven)
		}
		g.data = append(g.data, data...)
		return err
	}
	for _, x := range list {
		if err := g.fill(x, depth+1); err != nil {
			return err
		}
	}
	return nil
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

// element returns a number as the bytes of an element.
func element(d dtype.DType, v ir.Value) ([]byte, error) {
	if !d.IsFloat() {
		n, ok := asWhole(v)
		if !ok {
			return nil, fmt.Errorf("%s, want a number of type %s", describeOption(v), d)
		}
		if k, ok := tir.AsInt(tir.Const(d, n)); !ok || k != n || d.IsUInt() && n < 0 {
			return nil, fmt.Errorf("%d, which is no %s", n, d)
		}
		return ir.EncodeInt(d, n)
	}
	x, ok := asFloat(v)
	if !ok {
		return nil, fmt.Errorf("%s, want a number of type %s", describeOption(v), d)
	}
	return ir.EncodeFloat(d, x)
}

func asFloat(v ir.Value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// asWhole returns a whole number; false and true are 0 and 1.
func asWhole(v ir.Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		return int64(boolInt(v)), true
	case float64:
		return int64(v), v == float64(int64(v)) && v > -(1<<53) && v < 1<<53
	}
	return 0, false
}
