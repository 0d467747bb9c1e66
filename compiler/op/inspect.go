package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// inspectOps read the header of a tensor.
func inspectOps() []*Op {
	t := Arg{Name: "tensor", Doc: "The tensor."}
	axis := Arg{Name: "axis", Kind: Prim, Doc: "The axis."}
	var out []*Op
	for _, x := range []struct{ name, doc string }{
		{"dtype_code", "The kind of the element type."},
		{"dtype_bits", "The bits of an element."},
		{"dtype_lanes", "The lanes of an element."},
		{"ndim", "The number of dimensions."},
		{"byte_offset", "Where the data starts, in bytes."},
		{"elem_offset", "Where the data starts, in elements."},
	} {
		out = append(out, &Op{Name: "relax.inspect.tensor_" + x.name, Args: []Arg{t}, Infer: inferInspect, Pattern: Opaque, Doc: x.doc})
	}
	for _, x := range []struct{ name, doc string }{{"shape_i", "An extent."}, {"stride_i", "A stride."}} {
		out = append(out, &Op{Name: "relax.inspect.tensor_" + x.name, Args: []Arg{t, axis}, Infer: inferInspect, Pattern: Opaque, Doc: x.doc})
	}
	return out
}

// inferInspect is the scalar that a field of the header of a tensor holds.
func inferInspect(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	field := strings.TrimPrefix(c.Op.Name, "relax.inspect.tensor_")
	out := &relax.PrimStructInfo{DType: dtype.Int64T}
	known := func(ok bool, v int64) {
		if ok {
			out.Value = &tir.IntImm{Type: out.DType, Value: v}
		}
	}
	switch field {
	case "dtype_code", "dtype_bits":
		out.DType = dtype.DType{Code: dtype.UInt, Bits: 8, Lanes: 1}
		if field == "dtype_code" {
			known(!t.DType.IsVoid(), int64(t.DType.Code))
		} else {
			known(!t.DType.IsVoid(), int64(t.DType.Bits))
		}
	case "dtype_lanes":
		out.DType = dtype.DType{Code: dtype.UInt, Bits: 16, Lanes: 1}
		known(!t.DType.IsVoid(), int64(t.DType.Lanes))
	case "ndim":
		out.DType = dtype.Int32T
		known(t.NDim >= 0, int64(t.NDim))
	case "byte_offset", "elem_offset":
		out.DType = dtype.UInt64T
	case "shape_i", "stride_i":
		p, ok := c.SInfo(1).(*relax.PrimStructInfo)
		if !ok {
			return nil, c.argErr(1, describe(c.SInfo(1)), "a scalar")
		}
		d, shaped := c.dimsOf(t)
		if i, ok := tir.AsInt(p.Value); ok && t.NDim >= 0 {
			if i < 0 || i >= int64(t.NDim) {
				return nil, c.argErr(1, formatValue(i), "an axis from 0 to %d", t.NDim-1)
			}
			if shaped && field == "shape_i" {
				out.Value = d[i]
			}
		}
	}
	return out, nil
}
