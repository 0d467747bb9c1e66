package instruments

import (
	"github.com/irscope/irscope/compiler/relax"
)

// opFLOPs estimates the work of an operator that is no kernel yet: two operations for each
// multiply-add of matmul and convolution, one for each element of others.
func opFLOPs(name string, c *relax.Call) int64 {
	out, ok := c.SInfo.(*relax.TensorStructInfo)
	if !ok || len(c.Args) == 0 {
		return 0
	}
	n := elements(out)
	arg := func(i int) []int64 {
		if i >= len(c.Args) {
			return nil
		}
		t, ok := relax.SInfoOf(c.Args[i]).(*relax.TensorStructInfo)
		if !ok {
			return nil
		}
		dims, _ := t.StaticDims()
		return dims
	}
	switch name {
	case "relax.matmul":
		if d := arg(0); len(d) > 0 {
			return 2 * n * d[len(d)-1]
		}
	case "relax.nn.conv1d", "relax.nn.conv2d", "relax.nn.conv3d":
		if d := arg(1); len(d) > 1 {
			k := int64(1)
			for _, x := range d[1:] {
				k *= x
			}
			return 2 * n * k
		}
	case "relax.reshape", "relax.permute_dims", "relax.expand_dims", "relax.squeeze", "relax.concat", "relax.take",
		"relax.call_tir", "relax.builtin.alloc_tensor", "relax.memory.alloc_tensor", "relax.vm.alloc_tensor":
		return 0
	}
	return n
}
