package relaypass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// relayPatterns says how operators fuse that only Relay has (TOpPattern in TVM v0.18's src/relay/op); others of them are opaque.
var relayPatterns = []struct {
	pattern op.Pattern
	names   string
}{
	{op.ElemWise, "cast_like copy dyn.full fast_erf fast_exp fast_tanh fixed_point_multiply full full_like log10 log2 ones ones_like zeros zeros_like " +
		"acos acosh asin asinh atan atanh cos cosh erf exp log rsqrt sigmoid sin sinh sqrt tan tanh"},
	{op.Broadcast, "broadcast_to broadcast_to_like dyn.broadcast_to nn.bias_add trunc_divide trunc_mod where"},
	{op.Injective, "contrib_reverse_reshape dyn.expand_dims dyn.image.resize2d dyn.nn.pad dyn.nn.upsampling dyn.reshape dyn.squeeze dyn.strided_slice " +
		"dyn.tile gather gather_nd image.resize2d invert_permutation layout_transform ndarray_size nn.batch_to_space_nd nn.depth_to_space " +
		"nn.mirror_pad nn.pad nn.space_to_batch_nd nn.space_to_depth nn.upsampling reshape reshape_like sequence_mask slice_like strided_slice take"},
	{op.CommReduce, "any collapse_sum_to variance"},
	{op.OutEWiseFusable, "dyn.one_hot nn.adaptive_max_pool1d nn.adaptive_max_pool2d nn.adaptive_max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d " +
		"nn.batch_matmul nn.contrib_conv2d_NCHWc nn.contrib_depthwise_conv2d_NCHWc nn.conv1d nn.conv2d nn.conv2d_backward_weight nn.conv3d " +
		"nn.deformable_conv2d nn.dense nn.fast_softmax nn.global_avg_pool2d nn.global_max_pool2d nn.matmul nn.max_pool1d nn.max_pool2d " +
		"nn.max_pool3d one_hot qnn.avg_pool2d qnn.conv2d qnn.dense vision.roi_align vision.roi_pool"},
}

// patternTable is relayPatterns by name.
func patternTable() map[string]op.Pattern {
	out := map[string]op.Pattern{}
	for _, row := range relayPatterns {
		for _, name := range strings.Fields(row.names) {
			out[op.RelayPrefix+name] = row.pattern
		}
	}
	return out
}

// noKernel begins the names of operators that are no computation.
var noKernel = []string{"relay.memory.", "relay.vm.", "relay.annotation.", "relay.on_device", "relay.device_copy", "relay.call_lowered", "relay.constant"}

// operatorOf returns the name of the operator that a call may fuse, "" for calls of functions, of kernels and of what computes nothing.
func operatorOf(c *relax.Call) string {
	o, ok := c.Op.(*ir.Op)
	if !ok || takesTuples(c) || slices.ContainsFunc(noKernel, func(p string) bool { return strings.HasPrefix(o.Name, p) }) {
		return ""
	}
	return o.Name
}

// fusePattern returns how the operator of a call fuses.
func (g *fusing) fusePattern(c *relax.Call) op.Pattern {
	name := operatorOf(c)
	if p, ok := g.patterns[name]; ok {
		return p
	}
	if o := op.Of(c); o != nil && relax.CallIsPure(c, op.Table(), g.ctx) {
		return o.Pattern
	}
	return op.Opaque
}
