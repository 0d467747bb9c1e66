package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func normOps() []*Op {
	data := Arg{Name: "data", Doc: "The input tensor."}
	gamma := Arg{Name: "gamma", Doc: "The scale."}
	beta := Arg{Name: "beta", Doc: "The offset."}
	axes := Attr{Name: "axes", Type: IntsAttr, Required: true, Doc: "The axes that are normalised."}
	epsilon := Attr{Name: "epsilon", Type: FloatAttr, Default: 1e-5, Doc: "What is added to the variance against a division by zero."}
	center := Attr{Name: "center", Type: BoolAttr, Default: true, Doc: "Whether beta is added."}
	scale := Attr{Name: "scale", Type: BoolAttr, Default: true, Doc: "Whether gamma is a factor."}
	channel := Attr{Name: "channel_axis", Type: IntAttr, Required: true, Doc: "The axis of the channels."}
	return []*Op{
		{
			Name: "relax.nn.batch_norm",
			Args: []Arg{data, gamma, beta, {Name: "moving_mean", Doc: "The running mean."}, {Name: "moving_var", Doc: "The running variance."}},
			Attrs: []Attr{
				{Name: "axis", Type: IntAttr, Required: true, Doc: "The axis of the channels."},
				epsilon, center, scale,
				{Name: "momentum", Type: FloatAttr, Default: 0.1, Doc: "The weight of a batch in the running statistics."},
				{Name: "training", Type: BoolAttr, Default: true, Doc: "Whether the statistics are those of the batch."},
			},
			Infer: inferBatchNorm, Pattern: Opaque,
			Doc: "Normalises each channel by its mean and variance; yields the result and the running statistics.",
		},
		{
			Name: "relax.nn.layer_norm", Args: []Arg{data, gamma, beta}, Attrs: []Attr{axes, epsilon, center, scale},
			Infer: inferLayerNorm, Pattern: OutEWiseFusable, Doc: "Normalises over axes by mean and variance.",
		},
		{
			Name: "relax.nn.group_norm", Args: []Arg{data, gamma, beta},
			Attrs: []Attr{{Name: "num_groups", Type: IntAttr, Required: true, Doc: "The number of groups of channels."}, channel, axes, epsilon, center, scale},
			Infer: inferGroupNorm, Pattern: OutEWiseFusable, Doc: "Normalises groups of channels by mean and variance.",
		},
		{
			Name: "relax.nn.instance_norm", Args: []Arg{data, gamma, beta}, Attrs: []Attr{channel, axes, epsilon, center, scale},
			Infer: inferInstanceNorm, Pattern: OutEWiseFusable, Doc: "Normalises each channel of each instance by mean and variance.",
		},
		{
			Name: "relax.nn.rms_norm", Args: []Arg{data, {Name: "weight", Doc: "The scale."}}, Attrs: []Attr{axes, epsilon},
			Infer: inferRMSNorm, Pattern: OutEWiseFusable, Doc: "Divides by the root of the mean square over axes.",
		},
	}
}

// normParams checks the arguments from 1 to n-1, which must have the element type of the data and
// the extents of its axes, and returns the data.
func (c *InferContext) normParams(n int, list []int64, attr string) (*relax.TensorStructInfo, error) {
	t, err := c.floatTensor(0)
	if err != nil {
		return nil, err
	}
	var want []tir.Expr
	if t.NDim >= 0 {
		axes, err := c.axes(attr, list, t.NDim)
		if err != nil {
			return nil, err
		}
		if d, ok := c.dimsOf(t); ok {
			for _, a := range axes {
				want = append(want, d[a])
			}
		}
	}
	for i := 1; i < n; i++ {
		p, err := c.Tensor(i)
		if err != nil {
			return nil, err
		}
		if !p.DType.IsVoid() && !t.DType.IsVoid() && p.DType != t.DType {
			return nil, c.argErr(i, p.DType.String(), "elements of type %s, like those of data", t.DType)
		}
		if p.NDim >= 0 && p.NDim != len(list) {
			return nil, c.argErr(i, describe(p), "a tensor of %d dimensions", len(list))
		}
		if d, ok := c.dimsOf(p); ok && want != nil && c.dimsDiffer(d, want) {
			return nil, c.argErr(i, dims(d), "the shape %s of the axes of data", dims(want))
		}
	}
	return t, nil
}

func inferBatchNorm(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	axis, _ := c.Int("axis")
	t, err := c.normParams(5, []int64{axis}, "axis")
	if err != nil {
		return nil, err
	}
	fields := []relax.StructInfo{t, nil, nil}
	for i := 3; i < 5; i++ {
		stat, err := c.Tensor(i)
		if err != nil {
			return nil, err
		}
		fields[i-2] = stat
	}
	return &relax.TupleStructInfo{Fields: fields}, nil
}

func inferLayerNorm(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	axes, _ := c.Ints("axes")
	t, err := c.normParams(3, axes, "axes")
	if err != nil {
		return nil, err
	}
	return t, nil
}

func inferRMSNorm(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	axes, _ := c.Ints("axes")
	t, err := c.normParams(2, axes, "axes")
	if err != nil {
		return nil, err
	}
	return t, nil
}

func inferInstanceNorm(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return c.channelNorm()
}

// channelNorm checks parameters for each channel and the axes that are normalised.
func (c *InferContext) channelNorm() (relax.StructInfo, error) {
	channel, _ := c.Int("channel_axis")
	t, err := c.normParams(3, []int64{channel}, "channel_axis")
	if err != nil {
		return nil, err
	}
	if axes, _ := c.Ints("axes"); t.NDim >= 0 {
		if _, err := c.axes("axes", axes, t.NDim); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func inferGroupNorm(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	out, err := c.channelNorm()
	if err != nil {
		return nil, err
	}
	groups, _ := c.Int("num_groups")
	if groups <= 0 {
		return nil, c.attrErr("num_groups", formatValue(groups), "a number above zero")
	}
	t := out.(*relax.TensorStructInfo)
	if d, ok := c.dimsOf(t); ok {
		channel, _ := c.Int("channel_axis")
		a, err := c.axis("channel_axis", channel, t.NDim)
		if err != nil {
			return nil, err
		}
		if n, ok := tir.AsInt(d[a]); ok && n%groups != 0 {
			return nil, c.attrErr("num_groups", formatValue(groups), "a divisor of the %d channels of data", n)
		}
	}
	return out, nil
}

// BatchNorm returns the tuple of the normalised x and the running statistics, in inference:
// by the given mean and variance of each channel.
func BatchNorm(x, gamma, beta, mean, variance relax.Expr, axis int64, epsilon float64) *relax.Call {
	return build("relax.nn.batch_norm", ir.NewAttrs("axis", axis, "epsilon", epsilon, "training", false), x, gamma, beta, mean, variance)
}
