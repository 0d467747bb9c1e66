package relaypass

import (
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// mixedCategory is what ToMixedPrecision does with calls of an operator.
type mixedCategory uint8

const (
	mixedAlways mixedCategory = iota // takes its operands in the type that is asked for
	mixedFollow                      // does so where all operands are in it, or can be cast at no cost
	mixedNever                       // keeps the type that it has
)

// mixedRows are the categories of TVM v0.18 (python/tvm/relay/transform/mixed_precision.py), with the names that operators have here besides Relay's.
var mixedRows = map[mixedCategory]string{
	mixedAlways: "nn.conv1d nn.conv2d nn.conv3d nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose nn.dense nn.batch_matmul",
	mixedFollow: `nn.pad nn.batch_flatten concatenate concat zeros split squeeze transpose permute_dims expand_dims reshape dyn.reshape broadcast_to_like
		dyn.broadcast_to strided_slice dyn.strided_slice take argwhere where tile dyn.tile scatter scatter_elements scatter_nd full dyn.full
		nn.depth_to_space less greater less_equal greater_equal copy cast astype cast_like add subtract multiply divide nn.bias_add
		nn.batch_norm sqrt shape_of max min maximum minimum argmax argmin nn.relu nn.leaky_relu nn.leakyrelu nn.prelu nn.dropout
		sigmoid tanh fast_tanh fast_exp fast_erf clip nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d
		nn.global_max_pool2d nn.adaptive_max_pool1d nn.adaptive_max_pool2d nn.adaptive_max_pool3d image.resize2d`,
	mixedNever: `exp power nn.cross_entropy nn.cross_entropy_with_logits nn.softmax nn.l2_normalize erf arange nn.global_avg_pool2d
		nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d sum mean variance nn.layer_norm`,
}

var mixedCategories = sync.OnceValue(func() map[string]mixedCategory {
	out := map[string]mixedCategory{}
	for c, names := range mixedRows {
		for n := range strings.FieldsSeq(names) {
			out[n] = c
		}
	}
	return out
})

// mixedCategoryOf returns the category of a call of an operator, and whether it has one. Of an operator that only Relax has, it is the policy of ToMixedPrecision;
// one that has none follows, as in TVM.
func mixedCategoryOf(call *relax.Call) (c mixedCategory, known bool) {
	if c, known = mixedCategories()[relayName(call)]; known {
		return c, true
	}
	if o := op.Of(call); o != nil {
		switch o.Precision {
		case op.HalfPrecision:
			return mixedAlways, true
		case op.FollowPrecision:
			return mixedFollow, true
		}
	}
	return mixedFollow, false
}

// mixedAccumulates tells whether an operator says in out_dtype in which type it adds up, and mixedCreates whether its attribute dtype is that of a new tensor.
func mixedAccumulates(call *relax.Call) bool {
	c, _ := mixedCategoryOf(call)
	o := op.Of(call)
	return c == mixedAlways && o != nil && o.Attr("out_dtype") != nil
}

func mixedCreates(call *relax.Call) bool {
	o := op.Of(call)
	return o != nil && o.Attr("dtype") != nil && slices.Contains([]string{"zeros", "ones", "full", "dyn.zeros", "dyn.ones", "dyn.full"}, relayName(call))
}
