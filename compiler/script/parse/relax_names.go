package parse

import "strings"

// pythonParams gives the parameters of TVM's Python functions where their order is not that
// of the operator's arguments and attributes.
var pythonParams = map[string][]string{}

// renamed maps names of Python parameters to those of arguments and attributes.
var renamed = map[string]map[string]string{}

// likeArgument says which argument of an operator that is not in the table the result is like.
var likeArgument = map[string]int{
	"relax.grad.start_checkpoint": 0, "relax.grad.end_checkpoint": 0, "relax.grad.no_grad": 0,
	"relax.grad.nll_loss_backward": 1, "relax.grad.max_pool2d_backward": 1, "relax.grad.avg_pool2d_backward": 1,
	"relax.grad.take_backward": 1, "relax.dist.annotate_sharding": 0, "relax.dist.redistribute": 0,
	"relax.index_put": 0, "relax.slice_scatter": 0, "relax.nn.relu6": 0, "relax.ccl.allreduce": 0,
	"relax.ccl.broadcast_from_worker0": 0, "relax.ewise_fma": 0,
}

// foreignOps are further operators of TVM that the table does not have.
var foreignOps = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`call_tir_with_grad call_inplace_packed call_py_func wrap_param
		index_put slice_scatter nn.relu6 nn.nll_loss nn.cross_entropy_with_logits median quantize dequantize
		multinomial_from_uniform unique bucketize hamming_window nn.pixel_shuffle dynamic_strided_slice
		ewise_fma meshgrid collapse_sum_to collapse_sum_like`) {
		out["relax."+w] = true
	}
	return out
}()
