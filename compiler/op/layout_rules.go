package op

import "strings"

// layoutRow registers how calls of some operators follow the layouts of their arguments.
type layoutRow struct {
	ops   string // names without "relax."
	rule  InferLayoutFunc
	takes int // how many desired layouts there are for the operator at least, 0 for none
	// parts says that a desired layout may split axes.
	parts bool
}

// layoutRows are all operators for which TVM has an FRelaxInferLayout, and the element-wise ones that models have behind convolutions, for which it has none: a
// layout would change in front of them and back behind them. Other operators take what they took.
var layoutRows = []layoutRow{
	{ops: "nn.conv2d nn.conv2d_transpose", rule: layoutConv, takes: 2, parts: true},
	{ops: "nn.conv1d nn.conv3d nn.conv1d_transpose", rule: layoutConv, takes: 2},
	{ops: "image.resize2d image.resize3d", rule: layoutResize, takes: 1},
	{ops: "nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d", rule: layoutPool},
	{ops: "nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d", rule: layoutPool},
	{ops: "abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf exp floor isfinite isinf isnan log logical_not negative", rule: layoutUnary},
	{ops: "round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc astype nn.relu nn.gelu nn.gelu_tanh nn.selu nn.silu", rule: layoutUnary},
	{ops: "clip nn.leakyrelu nn.softplus", rule: layoutUnary}, // TVM has no rule for these
	{ops: "ccl.allreduce ccl.broadcast_from_worker0", rule: layoutUnary},
	{ops: "ccl.allgather", rule: layoutFirstAxis},
	{ops: "nn.dropout", rule: layoutDropout},
	{ops: "add divide floor_divide floor_mod log_add_exp maximum minimum mod multiply power subtract", rule: layoutBinary},
	{ops: "equal greater greater_equal less less_equal not_equal logical_and logical_or logical_xor", rule: layoutBinary},
	{ops: "bitwise_and bitwise_or bitwise_xor left_shift right_shift", rule: layoutBinary},
	{ops: "ewise_fma", rule: layoutFMA},
	{ops: "max mean min prod std sum variance", rule: layoutReduce},
	{ops: "nn.softmax flip", rule: layoutAxis},
	{ops: "nn.prelu", rule: layoutPRelu},
	{ops: "nn.batch_norm", rule: layoutBatchNorm},
	{ops: "nn.layer_norm nn.group_norm nn.instance_norm", rule: layoutNorm(3)},
	{ops: "nn.rms_norm", rule: layoutNorm(2)},
	{ops: "concat", rule: layoutConcat},
	{ops: "stack", rule: layoutStack},
	{ops: "split", rule: layoutSplit},
	{ops: "expand_dims", rule: layoutExpandDims},
	{ops: "squeeze", rule: layoutSqueeze},
	{ops: "permute_dims", rule: layoutPermuteDims},
	{ops: "repeat", rule: layoutRepeat},
	{ops: "tile", rule: layoutTile},
	{ops: "strided_slice", rule: layoutStridedSlice},
	{ops: "dynamic_strided_slice", rule: layoutKept},
	{ops: "gather_elements", rule: layoutGather},
	{ops: "scatter_elements", rule: layoutScatterElements},
	{ops: "scatter_nd", rule: layoutScatterND},
}

// addLayoutRules gives the operators of ops their rows.
func addLayoutRules(ops []*Op) {
	rows := map[string]layoutRow{}
	for _, r := range layoutRows {
		for _, name := range strings.Fields(r.ops) {
			rows["relax."+name] = r
		}
	}
	for _, o := range ops {
		if r, ok := rows[o.Name]; ok {
			o.Layout, o.desired, o.parts = r.rule, r.takes, r.parts
		}
	}
}
