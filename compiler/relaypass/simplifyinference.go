package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// SimplifyInference replaces operators that exist for training by arithmetic.
var SimplifyInference = &pass.Pass{
	Name: "relay.SimplifyInference", Kind: pass.Function, Required: []string{inferType},
	Doc: "Replaces the first result of batch_norm by arithmetic on the moving mean and variance, that of dropout by its argument, and l2_normalize by squares and a root.",
	Run: rewriting("simplify for inference", simplifyInference),
}

func simplifyInference(s *site) relax.Expr {
	if c := s.call(s.value, "relay.nn.l2_normalize"); c != nil {
		return s.l2Normalize(c)
	}
	get, ok := s.value.(*relax.TupleGetItem)
	if !ok || get.Index != 0 {
		return nil
	}
	if c := s.call(get.Tuple, "relay.nn.dropout", "relax.nn.dropout"); c != nil {
		return c.Args[0]
	}
	if c := s.call(get.Tuple, "relax.nn.batch_norm"); c != nil {
		return s.batchNorm(c)
	}
	return nil
}

// batchNorm is data * scale + shift, where scale is gamma / sqrt(variance + epsilon) and shift is beta - mean * scale, in the order in which TVM computes them.
func (s *site) batchNorm(c *relax.Call) relax.Expr {
	t := s.tensor(c.Args[0])
	if t == nil || t.DType.IsVoid() {
		return s.declined("the rank or the element type of the data is not known")
	}
	if t.DType != dtype.Float32T && t.DType != dtype.Float64T {
		return s.declined("the elements are no float32 or float64")
	}
	for _, p := range c.Args[1:] {
		if u := s.tensor(p); u == nil || u.DType != t.DType {
			return s.declined("a parameter has another element type than the data")
		}
	}
	gamma, beta, mean, variance := c.Args[1], c.Args[2], c.Args[3], c.Args[4]
	root := op.Unary("sqrt", op.Add(variance, scalar(t.DType, c.Attrs.Float("epsilon", 1e-5))))
	var scale relax.Expr = op.Divide(scalar(t.DType, 1), root)
	if c.Attrs.Bool("scale", true) {
		scale = op.Multiply(scale, gamma)
	}
	var shift relax.Expr = op.Multiply(op.Unary("negative", mean), scale)
	if c.Attrs.Bool("center", true) {
		shift = op.Add(shift, beta)
	}
	axis := int(c.Attrs.Int("axis", 1))
	if axis < 0 {
		axis += t.NDim
	}
	return op.Add(op.Multiply(c.Args[0], alongAxis(scale, axis, t.NDim)), alongAxis(shift, axis, t.NDim))
}

// l2Normalize divides by the root of the sum of squares, of at least epsilon.
func (s *site) l2Normalize(c *relax.Call) relax.Expr {
	t := s.tensor(c.Args[0])
	if t == nil || t.DType != dtype.Float32T {
		return s.declined("the elements are not float32, as those of epsilon")
	}
	sum := op.Reduce("sum", op.Multiply(c.Args[0], c.Args[0]), c.Attrs.Ints("axis"), true)
	return op.Divide(c.Args[0], op.Unary("sqrt", op.Binary("maximum", sum, scalar(t.DType, c.Attrs.Float("eps", 0)))))
}

// alongAxis gives a vector the axes behind its own, so that it broadcasts along axis of ndim.
func alongAxis(v relax.Expr, axis, ndim int) relax.Expr {
	var axes []int64
	for i := axis + 1; i < ndim; i++ {
		axes = append(axes, int64(i-axis))
	}
	if axes == nil {
		return v
	}
	return op.ExpandDims(v, axes...)
}

// scalar is a constant without dimensions.
func scalar(dt dtype.DType, v float64) relax.Expr {
	if dt == dtype.Float32T {
		v = float64(float32(v))
	}
	data, err := ir.EncodeFloat(dt, v)
	if err == nil {
		var blob *ir.Blob
		if blob, err = ir.NewBlob(dt, nil, data); err == nil {
			return &relax.Constant{Data: blob}
		}
	}
	panic("relaypass: " + err.Error()) // the callers know the type for a float
}
