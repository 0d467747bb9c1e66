package tir

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxLiteral bounds the elements of a tensor that is written as an option.
const maxLiteral = 1 << 24

// Literal returns the tensor that nested lists of numbers are, of the shape that the first elements of the lists show.
func Literal(d dtype.DType, list []ir.Value) (*ir.Blob, error) {
	g := &literal{dtype: d}
	g.extents(list)
	if err := g.fill(list, 0); err != nil {
		return nil, err
	}
	return ir.NewBlob(g.dtype, g.shape, g.data)
}

// literal are nested lists that become a tensor.
type literal struct {
	dtype dtype.DType
	shape []int64
	data  []byte
}

// extents reads the shape off the first elements.
func (g *literal) extents(list []ir.Value) {
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
func (g *literal) fill(v ir.Value, depth int) error {
	list, ok := v.([]ir.Value)
	switch {
	case ok != (depth < len(g.shape)):
		return fmt.Errorf("%s at depth %d, want lists of the shape %v, as the first elements have it", DescribeValue(v), depth, g.shape)
	case ok && int64(len(list)) != g.shape[depth]:
		return fmt.Errorf("a list of %d elements at depth %d, want %d as in the first", len(list), depth, g.shape[depth])
	case !ok:
		data, err := LiteralElement(g.dtype, v)
		if len(g.data) >= maxLiteral*g.dtype.Bytes() {
			return fmt.Errorf("more than %d elements", maxLiteral)
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

// LiteralElement returns a number as the bytes of an element.
func LiteralElement(d dtype.DType, v ir.Value) ([]byte, error) {
	if !d.IsFloat() {
		n, ok := LiteralInt(v)
		if !ok {
			return nil, fmt.Errorf("%s, want a number of type %s", DescribeValue(v), d)
		}
		if k, ok := AsInt(Const(d, n)); !ok || k != n || d.IsUInt() && n < 0 {
			return nil, fmt.Errorf("%d, which is no %s", n, d)
		}
		return ir.EncodeInt(d, n)
	}
	x, ok := LiteralFloat(v)
	if !ok {
		return nil, fmt.Errorf("%s, want a number of type %s", DescribeValue(v), d)
	}
	return ir.EncodeFloat(d, x)
}

// LiteralFloat returns the number that v is.
func LiteralFloat(v ir.Value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// LiteralInt returns the whole number that v is; false and true are 0 and 1.
func LiteralInt(v ir.Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case float64:
		return int64(v), v == float64(int64(v)) && v > -(1<<53) && v < 1<<53
	}
	return 0, false
}

// DescribeValue writes what a user gave for an error, cut off where it is long.
func DescribeValue(v ir.Value) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case []ir.Value:
		parts := make([]string, 0, 4)
		for i, x := range v {
			if i == 3 {
				parts = append(parts, "...")
				break
			}
			parts = append(parts, DescribeValue(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *ir.Attrs:
		return "a dict"
	}
	return fmt.Sprint(v)
}
