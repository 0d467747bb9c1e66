package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// inferBackwardWeight is the shape of the weights of a convolution, given the adjoint of its result and its data: as in TVM data_layout is that of the
// adjoint, kernel_layout that of the data and out_layout that of the weights. Of blocked layouts the rank is known alone.
func inferBackwardWeight(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	g, x, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	size, sized := c.Ints("kernel_size")
	layout := func(name, def string) string {
		if s := c.Str(name); s != "" {
			return s
		}
		return def
	}
	grad, data, weight := layout("data_layout", "NCHW"), layout("kernel_layout", "NCHW"), layout("out_layout", "OIHW")
	if data == "OIHW" { // the default of the attribute
		data = "NCHW"
	}
	unknown := rankOf(c.orDType(g.DType), len(weight), g)
	gd, ok := c.dimsOf(g)
	xd, ok2 := c.dimsOf(x)
	out, in := strings.IndexByte(grad, 'C'), strings.IndexByte(data, 'C')
	if !ok || !ok2 || !sized || len(size) != 2 || len(gd) != 4 || len(xd) != 4 || len(grad) != 4 || len(data) != 4 || len(weight) != 4 || out < 0 || in < 0 {
		return unknown, nil
	}
	groups, _ := c.Int("groups")
	if groups < 1 {
		return nil, c.attrErr("groups", formatValue(groups), "a positive number")
	}
	extents := map[rune]tir.Expr{'O': gd[out], 'I': c.Simplify(tir.FloorDiv(xd[in], tir.Int(groups))), 'H': tir.Int(size[0]), 'W': tir.Int(size[1])}
	shape := make([]tir.Expr, len(weight))
	for i, letter := range weight {
		if shape[i] = extents[letter]; shape[i] == nil {
			return unknown, nil
		}
	}
	return tensorOf(c.orDType(g.DType), shape, g), nil
}

// inferRelayGatherND is the type of gather_nd, whose indices have their first axis along those of the data.
func inferRelayGatherND(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, idx, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	batch, _ := c.Int("batch_dims")
	d, ok := c.dimsOf(t)
	id, ok2 := c.dimsOf(idx)
	if !ok || !ok2 || len(id) == 0 {
		return rankOf(t.DType, -1, t), nil
	}
	depth, ok := tir.AsInt(id[0])
	if !ok || batch < 0 {
		return rankOf(t.DType, -1, t), nil
	}
	if depth < 0 || batch+depth > int64(len(d)) {
		return nil, c.argErr(1, dims(id), "at most %d as first extent, the axes of data after the batch", int64(len(d))-batch)
	}
	return tensorOf(t.DType, append(append([]tir.Expr{}, id[1:]...), d[batch+depth:]...), t), nil
}

// inferRelayLoss is a number of the element type of the predictions.
func inferRelayLoss(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, _, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	return tensorOf(t.DType, nil, t), nil
}
