package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/te"
)

// kernelNames are the kernels that are not called after their operator, as in TVM.
var kernelNames = map[string]string{
	"concat": "concatenate", "permute_dims": "transpose", "astype": "cast", "leakyrelu": "leaky_relu",
	"flatten": "reshape", "batch_flatten": "reshape", "full_like": "full", "ones_like": "ones", "zeros_like": "zeros",
	"collapse_sum_like": "collapse_sum", "collapse_sum_to": "collapse_sum", "bucketize": "searchsorted", "gather_elements": "gather",
}

// kernelName names the kernel of an operator: the last part of its name, or the name of the
// result where that says more, as for NT_matmul.
func kernelName(opName string, outs []*te.Tensor) string {
	name := opName[strings.LastIndexByte(opName, '.')+1:]
	if len(outs) == 1 && strings.HasSuffix(outs[0].Name, "_"+name) && !strings.HasPrefix(outs[0].Name, "T_") {
		return outs[0].Name
	}
	if n := kernelNames[name]; n != "" {
		return n
	}
	return name
}

// name is kernelName, or that of a variant of the operator.
func (k *kernel) name(opName string, outs []*te.Tensor) string {
	if opName == "relax.nn.nll_loss" && !k.has(2) {
		return "nll_loss_without_weight"
	}
	if opName == "relax.grad.nll_loss_backward" && !k.has(3) {
		return "te_nll_loss_backward_no_weight"
	}
	return kernelName(opName, outs)
}

// structural reports whether an operator is no computation on tensors, or is lowered by
// other passes.
func structural(name string) bool {
	for _, p := range []string{"relax.call_", "relax.memory.", "relax.vm.", "relax.builtin.", "relax.invoke_", "relax.ccl.", "relax.dist.", "relax.inspect."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	switch name {
	case "relax.null_value", "relax.print", "relax.assert_op", "relax.make_closure", "relax.shape_of", "relax.tensor_to_shape",
		"relax.shape_to_tensor", "relax.grad.no_grad", "relax.grad.start_checkpoint", "relax.grad.end_checkpoint", "relax.to_vdevice", "relax.hint_on_device", "relax.wrap_param":
		return true
	}
	return false
}
