package op

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// quantizeOps are named as in TVM's relax.op.qdq.
func quantizeOps() []*Op {
	data := Arg{Name: "data", Doc: "The input tensor."}
	scale := Arg{Name: "scale", Doc: "The scale."}
	zero := Arg{Name: "zero_point", Doc: "The value that stands for zero."}
	qdq := func(dt string) []Attr {
		return []Attr{
			{Name: "axis", Type: IntAttr, Default: int64(-1), Doc: "The axis of the scales."},
			dtypeDefault("out_dtype", dt, "The type of the result."),
		}
	}
	return []*Op{
		{Name: "relax.quantize", Args: []Arg{data, scale, zero}, Attrs: qdq("int8"), Infer: inferQuantize, Pattern: Opaque, Doc: "Quantizes by a scale and a zero point."},
		{Name: "relax.dequantize", Args: []Arg{data, scale, zero}, Attrs: qdq("float32"), Infer: inferQuantize, Pattern: Opaque, Doc: "Undoes quantize."},
	}
}

// inferQuantize checks the scales and zero points, which are scalars or have an element for each index of an axis.
func inferQuantize(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	back, out := c.Op.Name == "relax.dequantize", c.DType("out_dtype")
	if back && !out.IsFloat() || !back && !out.IsInteger() && out.Bits != 8 {
		return nil, c.attrErr("out_dtype", out.String(), "%s", map[bool]string{true: "a floating-point type", false: "an integer type, or one of eight bits"}[back])
	}
	if !back && !t.DType.IsVoid() && !t.DType.IsFloat() {
		return nil, c.argErr(0, t.DType.String(), "a tensor of a floating-point type")
	}
	if back && t.DType == dtype.BoolT {
		return nil, c.argErr(0, t.DType.String(), "a tensor of numbers")
	}
	a, axis := 0, int64(0)
	if axis, _ = c.Int("axis"); t.NDim > 0 {
		if a, err = c.axis("axis", axis, t.NDim); err != nil {
			return nil, err
		}
	}
	d, known := c.dimsOf(t)
	for i := 1; i < 3; i++ {
		p, err := c.Tensor(i)
		if err != nil {
			return nil, err
		}
		if p.DType == dtype.BoolT || i == 1 && !p.DType.IsVoid() && !p.DType.IsFloat() {
			return nil, c.argErr(i, p.DType.String(), "%s", map[int]string{1: "a tensor of a floating-point type", 2: "a tensor of numbers"}[i])
		}
		pd, has := c.dimsOf(p)
		single := has && !slices.ContainsFunc(pd, func(e tir.Expr) bool { return !tir.IsConst(e, 1) })
		switch {
		case single, p.NDim < 0:
		case p.NDim != 1 || t.NDim == 0:
			return nil, c.argErr(i, describe(p), "a scalar, or a tensor of one dimension with an element for each index of axis %d", axis)
		case known:
			if err := c.extent(i, p, 0, d[a]); err != nil {
				return nil, err
			}
		}
	}
	return withDType(t, out), nil
}

// dtypeDefault is an attribute of an element type with a default.
func dtypeDefault(name, dt, doc string) Attr {
	d, err := dtype.Parse(dt)
	if err != nil {
		panic("op: " + err.Error())
	}
	return Attr{Name: name, Type: DTypeAttr, Default: d, Doc: doc}
}
