package instruments

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
)

// opFLOPs estimates the work of an operator that is no kernel yet: two operations for each
// multiply-add of matmul and convolution, none where elements are only moved, one for each element of others.
func opFLOPs(name string, c *relax.Call) int64 {
	out, ok := c.SInfo.(*relax.TensorStructInfo)
	if !ok || len(c.Args) == 0 {
		return 0
	}
	n := elements(out)
	switch name {
	case "relax.matmul":
		if d := staticDims(c, 0); len(d) > 0 {
			return 2 * n * d[len(d)-1]
		}
	case "relax.nn.conv1d", "relax.nn.conv2d", "relax.nn.conv3d":
		return max(n, 2*n*windowSize(c, 'O'))
	case "relax.nn.conv1d_transpose", "relax.nn.conv2d_transpose", "relax.nn.conv3d_transpose":
		if d, ok := relax.SInfoOf(c.Args[0]).(*relax.TensorStructInfo); ok {
			return max(n, 2*elements(d)*windowSize(c, 'I'))
		}
	case "relax.call_tir", "relax.builtin.alloc_tensor", "relax.memory.alloc_tensor", "relax.vm.alloc_tensor":
		return 0
	}
	if o := op.Of(c); o != nil && o.Pattern == op.Injective && name != "relax.image.grid_sample" {
		return 0
	}
	return n
}

// windowSize is the number of weights of a convolution for each element along one of their axes, 'O' or 'I', with all parts that it is
// split into, as in OIHW16i16o; 0 if it is not known.
func windowSize(c *relax.Call, along byte) int64 {
	layout, err := tensorlayout.Parse(c.Attrs.Str("kernel_layout", ""))
	d := staticDims(c, 1)
	if err != nil || len(d) != len(layout) {
		return 0
	}
	size := int64(1)
	for i, axis := range layout {
		if axis.Letter != along {
			size *= d[i]
		}
	}
	return size
}

// staticDims returns the extents of argument i, nil if they are not known.
func staticDims(c *relax.Call, i int) []int64 {
	if i >= len(c.Args) {
		return nil
	}
	t, ok := relax.SInfoOf(c.Args[i]).(*relax.TensorStructInfo)
	if !ok {
		return nil
	}
	d, _ := t.StaticDims()
	return d
}
