package onnx

import "github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"

// evalDynamicSlice cuts as Python does.
func evalDynamicSlice(c *evalCall) *tensor {
	x := c.in[0]
	dims := make([]int, len(x.Dims))
	at := make([][]int, len(x.Dims))
	for k, n := range x.Dims {
		begin, end, step := int(c.in[1].Data[k]), int(c.in[2].Data[k]), int(c.in[3].Data[k])
		if begin < 0 {
			begin += n
		}
		if end < 0 {
			end += n
		}
		for i := max(begin, 0); i < min(end, n); i += step {
			at[k] = append(at[k], i)
		}
		dims[k] = len(at[k])
	}
	out := refeval.New(dims...)
	refeval.Each(dims, func(i int, idx []int) {
		from := make([]int, len(idx))
		for k := range idx {
			from[k] = at[k][idx[k]]
		}
		out.Data[i] = x.At(from)
	})
	return out
}
