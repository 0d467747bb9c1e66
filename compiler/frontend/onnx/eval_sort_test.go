package onnx

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
)

// evalTopK sorts each row by its values.
func evalTopK(c *evalCall) any {
	x, a, dir := c.in[0], int(c.attrs.Int("axis", -1)), -1
	if !c.attrs.Bool("largest", true) {
		dir = 1
	}
	dims := slices.Clone(x.Dims)
	if k := int(c.attrs.Int("k", 1)); k > 0 { // else all
		dims[a] = k
	}
	values, indices := refeval.New(dims...), refeval.New(dims...)
	refeval.Each(dims, func(i int, idx []int) {
		at := slices.Clone(idx)
		order := make([]int, x.Dims[a])
		for k := range order {
			order[k] = k
		}
		item := func(k int) float64 { at[a] = k; return read(x, at) }
		slices.SortStableFunc(order, func(p, q int) int { return dir * cmp.Compare(item(p), item(q)) })
		values.Data[i], indices.Data[i] = item(order[idx[a]]), float64(order[idx[a]])
	})
	return []any{values, indices}
}
