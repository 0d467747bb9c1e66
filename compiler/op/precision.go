package op

import "strings"

// MixedPrecision says what ToMixedPrecision does with calls of an operator. It is TVM's TMixedPrecisionPolicy.
type MixedPrecision uint8

// The policies.
const (
	// KeepPrecision leaves the call in the precision that it has: TVM's kNever.
	KeepPrecision MixedPrecision = iota
	// FollowPrecision computes in float16 if all operands are in it: TVM's kFollow.
	FollowPrecision
	// HalfPrecision takes operands in float16: TVM's kAlways.
	HalfPrecision
)

// precisionRows are the operators that TVM gives a policy, by their names without "relax.". All others keep their precision.
var precisionRows = map[MixedPrecision]string{
	HalfPrecision: `matmul outer nn.conv1d nn.conv2d nn.conv3d nn.conv1d_transpose nn.conv2d_transpose
		nn.attention nn.attention_bias nn.attention_var_len`,
	FollowPrecision: `abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf exp floor isfinite isinf isnan log logical_not
		negative round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc nn.relu nn.gelu nn.gelu_tanh nn.selu nn.silu
		add divide floor_divide floor_mod log_add_exp maximum minimum mod multiply power subtract equal greater greater_equal less
		less_equal not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift ewise_fma
		nn.layer_norm nn.group_norm nn.instance_norm nn.rms_norm nn.dropout
		nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d
		nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d image.resize2d image.resize3d
		image.grid_sample image.affine_grid
		full full_like ones zeros eye arange hamming_window astype strided_slice dynamic_strided_slice broadcast_to concat expand_dims
		flatten layout_transform permute_dims reshape split squeeze stack meshgrid`,
}

// addPrecision gives the operators of ops their policies.
func addPrecision(ops []*Op) {
	policies := map[string]MixedPrecision{}
	for p, names := range precisionRows {
		for _, n := range strings.Fields(names) {
			policies["relax."+n] = p
		}
	}
	for _, o := range ops {
		o.Precision = policies[o.Name]
	}
}
