package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// trainingOps are what Gradient and losses need.
func trainingOps() []*Op {
	x := Arg{Name: "input", Kind: AnyValue, Doc: "The value."}
	grad := Arg{Name: "output_grad", Doc: "The gradient of the result."}
	var out []*Op
	for _, n := range []string{"no_grad", "start_checkpoint", "end_checkpoint"} {
		out = append(out, &Op{Name: "relax.grad." + n, Args: []Arg{x}, Infer: like(0), Pattern: Opaque, Doc: "Marks a value for the computation of gradients."})
	}
	for _, n := range []string{"max_pool2d_backward", "avg_pool2d_backward"} {
		o := &Op{
			Name: "relax.grad." + n, Args: []Arg{grad, {Name: "data", Doc: "The input of the pooling."}}, Attrs: poolAttrs(2),
			Infer: inferPoolBackward, Pattern: Opaque, Doc: "The gradient of a pooling.", complete: completeWindow(2, "layout"),
		}
		out = append(out, o)
	}
	nll := []Arg{{Name: "predictions", Doc: "The predictions."}, {Name: "targets", Doc: "The classes."}, {Name: "weights", Doc: "The weight of each class.", Optional: true}}
	return append(out,
		&Op{
			Name: "relax.grad.nll_loss_backward", Args: append([]Arg{grad}, nll...), Attrs: lossAttrs(), Infer: inferLossBackward, Pattern: Opaque,
			Doc: "The gradient of the negative log likelihood.",
		},
		&Op{
			Name: "relax.grad.take_backward", Infer: inferTakeBackward, Pattern: Opaque,
			Args:  []Arg{grad, {Name: "x", Doc: "The input."}, {Name: "indices", Doc: "The indices."}},
			Attrs: []Attr{{Name: "axis", Type: OptIntAttr, Doc: "The axis that is indexed."}},
			Doc:   "The gradient of taking elements.",
		},
		&Op{Name: "relax.nn.nll_loss", Args: nll, Attrs: lossAttrs(), Infer: inferLoss, Pattern: Opaque, Doc: "The negative log likelihood."},
		&Op{
			Name: "relax.nn.cross_entropy_with_logits", Args: []Arg{{Name: "predictions", Doc: "The predictions."}, {Name: "labels", Doc: "The labels."}},
			Infer: inferCrossEntropy, Pattern: Opaque, Doc: "The cross entropy of predictions and labels.",
		},
	)
}

func lossAttrs() []Attr {
	return []Attr{
		{Name: "reduction", Type: StringAttr, Default: "mean", Enum: []string{"none", "mean", "sum"}, Doc: "How the losses are put together."},
		{Name: "ignore_index", Type: IntAttr, Default: int64(-100), Doc: "The class that does not count."},
	}
}

// losses is the struct info of the losses of predictions, argument i, before they are reduced; the targets and, where they are there, the weights
// follow them.
func (c *InferContext) losses(i int) (*relax.TensorStructInfo, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return nil, err
	}
	targets, err := c.integerTensor(i + 1)
	if err != nil {
		return nil, err
	}
	if t.NDim == 0 {
		return nil, c.argErr(i, describe(t), "a tensor of at least one dimension")
	}
	d, known := c.dimsOf(t)
	out, classes := rankOf(t.DType, max(t.NDim-1, -1), t), 0
	if known {
		shape := append([]tir.Expr{}, d[:1]...)
		if classes = 1; len(d) == 1 {
			shape, classes = nil, 0
		} else {
			shape = append(shape, d[2:]...)
		}
		out = tensorOf(t.DType, shape, t)
	}
	if t.NDim > 0 && targets.NDim >= 0 && targets.NDim != out.NDim || c.shapesDiffer(targets, out) {
		return nil, c.argErr(i+1, describe(targets), "the shape of the predictions without the classes, %s", describe(withDType(out, targets.DType)))
	}
	if !c.HasArg(i + 2) {
		return out, nil
	}
	w, err := c.ranked(i+2, 1)
	switch {
	case err != nil:
		return nil, err
	case !w.DType.IsVoid() && !t.DType.IsVoid() && w.DType != t.DType:
		return nil, c.argErr(i+2, w.DType.String(), "elements of type %s, like those of the predictions", t.DType)
	case known:
		err = c.extent(i+2, w, 0, d[classes])
	}
	return out, err
}

// reduction is what is left of losses.
func (c *InferContext) reduction(losses *relax.TensorStructInfo) *relax.TensorStructInfo {
	if c.Str("reduction") == "none" {
		return losses
	}
	return tensorOf(losses.DType, nil, losses)
}

func inferLoss(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.losses(0)
	if err != nil {
		return nil, err
	}
	return c.reduction(t), nil
}

func inferCrossEntropy(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, labels, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	if !labels.DType.IsVoid() && !t.DType.IsVoid() && labels.DType != t.DType {
		return nil, c.argErr(1, labels.DType.String(), "elements of type %s, like those of the predictions", t.DType)
	}
	if err := c.shapedLike(1, labels, t); err != nil {
		return nil, err
	}
	return tensorOf(t.DType, nil, t), nil
}

// shapedLike checks that t, argument i, can have the shape of another tensor.
func (c *InferContext) shapedLike(i int, t, like *relax.TensorStructInfo) error {
	if t.NDim >= 0 && like.NDim >= 0 && t.NDim != like.NDim || c.shapesDiffer(t, like) {
		return c.argErr(i, describe(t), "the shape of %s", describe(withDType(like, t.DType)))
	}
	return nil
}

// gradientOf checks that the first argument can be the gradient of a value, and returns that of the argument whose gradient is asked for, the second.
func (c *InferContext) gradientOf(value *relax.TensorStructInfo) (relax.StructInfo, error) {
	g, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if !g.DType.IsVoid() && !value.DType.IsVoid() && g.DType != value.DType {
		return nil, c.argErr(0, g.DType.String(), "elements of type %s, like those of what it is the gradient of", value.DType)
	}
	if err := c.shapedLike(0, g, value); err != nil {
		return nil, err
	}
	return c.SInfo(1), nil
}

func inferLossBackward(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.losses(1)
	if err != nil {
		return nil, err
	}
	return c.gradientOf(c.reduction(t))
}

func inferPoolBackward(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.pooled(1, 2)
	if err != nil {
		return nil, err
	}
	return c.gradientOf(t)
}

func inferTakeBackward(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.taken(1)
	if err != nil {
		return nil, err
	}
	return c.gradientOf(t)
}
