package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// Unary returns a call of an operator on one tensor without attributes: Unary("exp", x).
// It panics if there is none of that name.
func Unary(name string, x relax.Expr) *relax.Call { return build("relax."+name, nil, x) }

// Binary returns a call of an operator on two tensors without attributes:
// Binary("add", a, b). It panics if there is none of that name.
func Binary(name string, a, b relax.Expr) *relax.Call { return build("relax."+name, nil, a, b) }

// Add returns a + b.
func Add(a, b relax.Expr) *relax.Call { return Binary("add", a, b) }

// Subtract returns a - b.
func Subtract(a, b relax.Expr) *relax.Call { return Binary("subtract", a, b) }

// Multiply returns a * b.
func Multiply(a, b relax.Expr) *relax.Call { return Binary("multiply", a, b) }

// Divide returns a / b.
func Divide(a, b relax.Expr) *relax.Call { return Binary("divide", a, b) }

// Conv2DAttrs are the attributes of a 2-D convolution. Zero values stand for the defaults:
// steps of 1, no padding, one group, NCHW and OIHW.
type Conv2DAttrs struct {
	Strides      []int64
	Padding      []int64
	Dilation     []int64
	Groups       int64
	DataLayout   string
	KernelLayout string
	OutLayout    string
}

// attrs leaves out what has its zero value.
func (a Conv2DAttrs) attrs() *ir.Attrs {
	var out *ir.Attrs
	out = withInts(out, "strides", a.Strides)
	out = withInts(out, "padding", a.Padding)
	out = withInts(out, "dilation", a.Dilation)
	if a.Groups != 0 {
		out = out.With("groups", a.Groups)
	}
	for k, v := range map[string]string{"data_layout": a.DataLayout, "kernel_layout": a.KernelLayout, "out_layout": a.OutLayout} {
		if v != "" {
			out = out.With(k, v)
		}
	}
	return out
}

func withInts(a *ir.Attrs, key string, list []int64) *ir.Attrs {
	if list == nil {
		return a
	}
	return a.With(key, list)
}

// Conv2D returns the 2-D convolution of x with weights w.
func Conv2D(x, w relax.Expr, a Conv2DAttrs) *relax.Call {
	return build("relax.nn.conv2d", a.attrs(), x, w)
}

// Pool2DAttrs are the attributes of 2-D pooling. Zero values stand for the defaults.
type Pool2DAttrs struct {
	PoolSize        []int64
	Strides         []int64
	Padding         []int64
	Dilation        []int64
	CeilMode        bool
	CountIncludePad bool
	Layout          string
}

func (a Pool2DAttrs) attrs() *ir.Attrs {
	out := ir.NewAttrs("ceil_mode", a.CeilMode, "count_include_pad", a.CountIncludePad)
	out = withInts(out, "pool_size", a.PoolSize)
	out = withInts(out, "strides", a.Strides)
	out = withInts(out, "padding", a.Padding)
	out = withInts(out, "dilation", a.Dilation)
	if a.Layout != "" {
		out = out.With("layout", a.Layout)
	}
	return out
}

// MaxPool2D returns the maximum of x over windows.
func MaxPool2D(x relax.Expr, a Pool2DAttrs) *relax.Call {
	return build("relax.nn.max_pool2d", a.attrs(), x)
}

// Reduce returns a reduction ("sum", "mean", "max", ...) of x over axes, all if there are none.
func Reduce(name string, x relax.Expr, axes []int64, keepdims bool) *relax.Call {
	return build("relax."+name, withInts(ir.NewAttrs("keepdims", keepdims), "axis", axes), x)
}

// Concat joins tensors along axis.
func Concat(axis int64, tensors ...relax.Expr) *relax.Call {
	return build("relax.concat", ir.NewAttrs("axis", axis), &relax.Tuple{Fields: tensors})
}

// SplitAt returns a tuple of the parts of x along axis that start at 0 and at the given indices.
func SplitAt(x relax.Expr, axis int64, indices ...int64) *relax.Call {
	return build("relax.split", ir.NewAttrs("indices_or_sections", indices, "axis", axis), x)
}

// ExpandDims inserts axes of extent 1.
func ExpandDims(x relax.Expr, axes ...int64) *relax.Call {
	return build("relax.expand_dims", ir.NewAttrs("axis", axes), x)
}

// Squeeze drops axes of extent 1; no axes drop all of them.
func Squeeze(x relax.Expr, axes ...int64) *relax.Call {
	return build("relax.squeeze", withInts(nil, "axis", axes), x)
}

// BroadcastTo broadcasts x to a shape.
func BroadcastTo(x, shape relax.Expr) *relax.Call { return build("relax.broadcast_to", nil, x, shape) }

// Where takes x1 where cond is true and x2 elsewhere.
func Where(cond, x1, x2 relax.Expr) *relax.Call { return build("relax.where", nil, cond, x1, x2) }
