package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/te"
)

// kernelNames are the kernels that are not called after their operator, as in TVM.
var kernelNames = map[string]string{
	"concat": "concatenate", "permute_dims": "transpose", "astype": "cast", "leakyrelu": "leaky_relu",
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

// structural reports whether an operator is no computation on tensors, or is lowered by
// other passes.
func structural(name string) bool {
	for _, p := range []string{"relax.call_", "relax.memory.", "relax.vm.", "relax.builtin.", "relax.invoke_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	switch name {
	case "relax.null_value", "relax.print", "relax.assert_op", "relax.make_closure", "relax.shape_of", "relax.tensor_to_shape",
		"relax.shape_to_tensor", "relax.to_vdevice", "relax.hint_on_device", "relax.wrap_param":
		return true
	}
	return false
}
