package graph

import (
	"math"
	"slices"
)

// balance lines the four results up with the narrowest of them and takes the mean of the two
// in the middle for each vertex. Distances that all four keep, the result keeps.
func (l *layered) balance(all *[4][]float64) {
	var low, high [4]float64
	narrow := 0
	for c := range all {
		low[c], high[c] = math.Inf(1), math.Inf(-1)
		for _, layer := range l.layers {
			for _, v := range layer {
				half := float64(l.vert[v].w) / 2
				low[c] = min(low[c], all[c][v]-half)
				high[c] = max(high[c], all[c][v]+half)
			}
		}
		if high[c]-low[c] < high[narrow]-low[narrow] {
			narrow = c
		}
	}
	for c := range all {
		shift := low[narrow] - low[c]
		if c&2 != 0 {
			shift = high[narrow] - high[c]
		}
		for v := range all[c] {
			all[c][v] += shift
		}
	}
	for v := range l.vert {
		four := [4]float64{all[0][v], all[1][v], all[2][v], all[3][v]}
		slices.Sort(four[:])
		l.vert[v].x = (four[1] + four[2]) / 2
	}
	l.relax()
	l.round()
}

// round makes places whole numbers, with the left of the drawing at 0. Layers are gone
// through once more, so that no two boxes overlap even where the sums above were not exact.
func (l *layered) round() {
	low := math.Inf(1)
	for _, layer := range l.layers {
		for i, v := range layer {
			x := math.Round(l.vert[v].x)
			if i > 0 {
				u := layer[i-1]
				x = max(x, l.vert[u].x+math.Ceil(l.gap(&l.vert[u], &l.vert[v])))
			}
			l.vert[v].x = x
			low = min(low, x-float64(l.vert[v].w/2))
		}
	}
	for _, layer := range l.layers {
		for _, v := range layer {
			l.vert[v].x -= low
			l.w = max(l.w, int(l.vert[v].x)+(l.vert[v].w+1)/2)
		}
	}
}
