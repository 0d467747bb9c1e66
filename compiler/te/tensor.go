package te

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Tensor is a placeholder or one result of a computation. Tensors are immutable and equal
// only to themselves.
type Tensor struct {
	ir.Base
	Name  string
	DType dtype.DType
	Shape []tir.Expr
	op    *operation // nil for a placeholder
	value int        // which result of op this is
	// scalar is the parameter that a scalar input is, nil for tensors.
	scalar *tir.Var
}

// operation is a computation over axes.
type operation struct {
	name    string
	axes    []*tir.IterVar
	body    []tir.Expr // one expression each result; Reduce nodes stand at the top only
	outputs []*Tensor
	attrs   *ir.Attrs
	// layoutFree are tensors that it reads whose layout a schedule may choose.
	layoutFree []*Tensor
	extern     *external // nil for computations by element
	better     func() []*Tensor
	// replaced holds what better returned.
	replaced []*Tensor
}

// EachChild has nothing to visit: tensors are leaves.
func (*Tensor) EachChild(func(ir.Node)) {}

// ProducerName returns the name.
func (t *Tensor) ProducerName() string { return t.Name }

// ProducerDType returns the element type.
func (t *Tensor) ProducerDType() dtype.DType { return t.DType }

// ProducerShape returns the extents.
func (t *Tensor) ProducerShape() []tir.Expr { return t.Shape }

// NDim is the number of dimensions.
func (t *Tensor) NDim() int { return len(t.Shape) }

// IsPlaceholder reports whether t is an input.
func (t *Tensor) IsPlaceholder() bool { return t.op == nil }

// At reads the element at indices, one for each dimension.
func (t *Tensor) At(indices ...tir.Expr) tir.Expr {
	if t.scalar != nil {
		return t.scalar
	}
	return &tir.ProducerLoad{Producer: t, Indices: append([]tir.Expr{}, indices...)}
}

// Placeholder returns an input of the given type and extents.
func Placeholder(name string, dt dtype.DType, shape ...tir.Expr) *Tensor {
	return &Tensor{Name: name, DType: dt, Shape: shape}
}

// Scalar returns an input that is one value of the given type, a parameter of the function
// between its tensors. It is read by At without indices.
func Scalar(name string, dt dtype.DType) *Tensor {
	return &Tensor{Name: name, DType: dt, scalar: tir.NewVar(name, dt)}
}

// Option refines a computation.
type Option func(*options)

type options struct {
	names      []string
	prefix     string
	attrs      *ir.Attrs
	layoutFree []*Tensor
	offsets    bool
}

// AxisNames names the axes; those beyond the names are called ax0, ax1, ... by position.
func AxisNames(names ...string) Option { return func(o *options) { o.names = names } }

// AxisPrefix calls the axes prefix0, prefix1, ...
func AxisPrefix(prefix string) Option { return func(o *options) { o.prefix = prefix } }

// Attr annotates the block that the computation becomes.
func Attr(key string, v any) Option {
	return func(o *options) { o.attrs = o.attrs.With(key, v) }
}

// LayoutFree annotates the block with the buffers of tensors whose layout a schedule may choose.
func LayoutFree(ts ...*Tensor) Option { return func(o *options) { o.layoutFree = ts } }

// Compute returns the tensor of the given extents whose element at i is f(i). A reduction
// may stand only at the top of what f returns: see Sum, Max and the like.
func Compute(name string, shape []tir.Expr, f func(i []tir.Expr) tir.Expr, opts ...Option) *Tensor {
	return ComputeN(name, shape, func(i []tir.Expr) []tir.Expr { return []tir.Expr{f(i)} }, opts...)[0]
}

// ComputeN is Compute for several tensors of the same extents that are computed together.
// If one is a reduction all are, by one combiner over the same axes: see Reduction.
// Several results are called name_v0, name_v1, ...
func ComputeN(name string, shape []tir.Expr, f func(i []tir.Expr) []tir.Expr, opts ...Option) []*Tensor {
	o := options{prefix: "ax"}
	for _, opt := range opts {
		opt(&o)
	}
	op := &operation{name: name}
	args := make([]tir.Expr, len(shape))
	for k, n := range shape {
		axis := o.prefix + strconv.Itoa(k)
		if k < len(o.names) {
			axis = o.names[k]
		}
		v := tir.NewVar(axis, n.DType())
		op.axes = append(op.axes, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n}, Var: v})
		args[k] = v
	}
	op.body = f(args)
	op.attrs, op.layoutFree = o.attrs, o.layoutFree
	for k, e := range op.body {
		t := &Tensor{Name: name, DType: e.DType(), Shape: shape, op: op, value: k}
		if len(op.body) > 1 {
			t.Name += "_v" + strconv.Itoa(k)
		}
		op.outputs = append(op.outputs, t)
	}
	return op.outputs
}

// reduce returns the reduction that the computation is, nil if it is none.
func (op *operation) reduce() *tir.Reduce {
	if len(op.body) == 0 {
		return nil
	}
	r, _ := op.body[0].(*tir.Reduce)
	return r
}
