package onnx

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
)

// evalNonZero lists the places of elements that are not zero.
func evalNonZero(c *evalCall) *tensor {
	var rows [][]float64
	refeval.Each(c.in[0].Dims, func(i int, idx []int) {
		if c.in[0].Data[i] != 0 {
			row := make([]float64, len(idx))
			for k, v := range idx {
				row[k] = float64(v)
			}
			rows = append(rows, row)
		}
	})
	out := refeval.New(len(c.in[0].Dims), len(rows))
	for j, row := range rows {
		for k, v := range row {
			out.Data[k*len(rows)+j] = v
		}
	}
	return out
}

// evalUnique looks for each slice among those before.
func evalUnique(c *evalCall) any {
	x, axis := c.in[0], 0
	if len(c.in) < 6 {
		x = &tensor{Dims: []int{len(x.Data)}, Data: x.Data}
	} else {
		axis = int(c.in[5].Data[0])
	}
	n := x.Dims[axis]
	slicesOf := make([][]float64, n)
	refeval.Each(x.Dims, func(i int, idx []int) { slicesOf[idx[axis]] = append(slicesOf[idx[axis]], x.Data[i]) })
	var first []int
	for i := range n {
		if !slices.ContainsFunc(first, func(j int) bool { return slices.Equal(slicesOf[i], slicesOf[j]) }) {
			first = append(first, i)
		}
	}
	if c.in[1].Data[0] != 0 {
		slices.SortStableFunc(first, func(a, b int) int { return slices.Compare(slicesOf[a], slicesOf[b]) })
	}
	index, counts, inverse := refeval.New(len(first)), refeval.New(len(first)), refeval.New(n)
	for k, i := range first {
		index.Data[k] = float64(i)
		for j := range n {
			if slices.Equal(slicesOf[i], slicesOf[j]) {
				inverse.Data[j] = float64(k)
				counts.Data[k]++
			}
		}
	}
	dims := slices.Clone(x.Dims)
	dims[axis] = len(first)
	y := refeval.New(dims...)
	refeval.Each(dims, func(i int, idx []int) {
		at := slices.Clone(idx)
		at[axis] = first[idx[axis]]
		y.Data[i] = x.At(at)
	})
	out := []any{y}
	for k, t := range []*tensor{index, inverse, counts} {
		if c.in[2+k].Data[0] != 0 {
			out = append(out, t)
		}
	}
	if len(out) == 1 {
		return y
	}
	return out
}

// evalNMS takes the boxes of a class from the best to the worst, but those that have too much in common with one that it has taken.
func evalNMS(c *evalCall) any {
	boxes, scores := c.in[0], c.in[1]
	limit, share, least := c.in[2].Data[0], c.in[3].Data[0], c.in[4].Data[0]
	n := boxes.Dims[1]
	rows := refeval.New(boxes.Dims[0]*scores.Dims[1]*n, 3)
	found := 0
	area := func(lo, hi [2]float64) float64 { return max(hi[0]-lo[0], 0) * max(hi[1]-lo[1], 0) }
	corners := func(b, i int) (lo, hi [2]float64) {
		for k := range 2 {
			p, q := boxes.At([]int{b, i, k}), boxes.At([]int{b, i, k + 2})
			lo[k], hi[k] = min(p, q), max(p, q)
		}
		return lo, hi
	}
	for b := range boxes.Dims[0] {
		for class := range scores.Dims[1] {
			score := func(i int) float64 { return scores.At([]int{b, class, i}) }
			var order, taken []int
			for i := range n {
				if score(i) > least {
					order = append(order, i)
				}
			}
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(score(j), score(i)) })
			for _, i := range order {
				lo, hi := corners(b, i)
				clash := slices.ContainsFunc(taken, func(j int) bool {
					l, h := corners(b, j)
					common := area([2]float64{max(lo[0], l[0]), max(lo[1], l[1])}, [2]float64{min(hi[0], h[0]), min(hi[1], h[1])})
					return common/(area(lo, hi)+area(l, h)-common) > share
				})
				if clash || float64(len(taken)) >= limit {
					continue
				}
				taken = append(taken, i)
				copy(rows.Data[3*found:], []float64{float64(b), float64(class), float64(i)})
				found++
			}
		}
	}
	return []any{rows, &tensor{Dims: []int{1}, Data: []float64{float64(found)}}}
}
