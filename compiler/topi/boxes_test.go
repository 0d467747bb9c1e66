package topi

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestClassNMSByDefinition: random boxes with few different scores, some of which are the threshold, and some no numbers.
func TestClassNMSByDefinition(t *testing.T) {
	r := newRand(71)
	for _, n := range []int{1, 7, 8, 30} {
		for _, threshold := range []float64{-1, 0.5, 1, 2} {
			const batch, classes, limit, iou = 2, 3, 5, 0.3
			boxes := fill(dims(batch, n, 4), func([]int) float64 { return float64(r.IntN(5)) })
			scores := fill(dims(batch, classes, n), func([]int) float64 { return []float64{0.25, 0.5, 0.75, 1, math.NaN()}[r.IntN(5)] })
			want := nd{shape: dims(batch*classes*n, 3), v: make([]float64, batch*classes*n*3)}
			found := 0
			for b := range batch {
				for c := range classes {
					var order []int
					for k := range n {
						if scores.at(b, c, k) > threshold {
							order = append(order, k)
						}
					}
					slices.SortStableFunc(order, func(i, j int) int {
						return int(math.Copysign(1, scores.at(b, c, j)-scores.at(b, c, i))) * btoi(scores.at(b, c, i) != scores.at(b, c, j))
					})
					var kept []int
					for _, k := range order {
						clash := slices.ContainsFunc(kept, func(o int) bool { return shareOf(boxes, b, k, o) > iou })
						if !clash && len(kept) < limit {
							kept = append(kept, k)
							copy(want.v[3*found:], []float64{float64(b), float64(c), float64(k)})
							found++
						}
					}
				}
			}
			for _, given := range []bool{false, true} {
				both(t, fmt.Sprint(n, threshold, given), func(k *kernelTest) {
					x, s := k.float(boxes), k.float(scores)
					least := Operand{Scalar: tir.FloatConst(dtype.Float32T, threshold)}
					if given {
						least = T(k.fixed(nd{shape: dims(1), v: []float64{threshold}}, dtype.Float32T))
					}
					out := ClassNMS(x, s, Operand{Scalar: tir.Int(limit)}, Operand{Scalar: tir.FloatConst(dtype.Float32T, iou)}, least, false)
					got := k.run([]*te.Tensor{out[0], out[1]}, want.shape, dims(1))
					k.compare(got[0], want)
					k.compare(got[1], nd{shape: dims(1), v: []float64{float64(found)}})
				})
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shareOf is what two boxes have in common of their union.
func shareOf(boxes nd, b, i, j int) float64 {
	both, size := 1.0, [2]float64{1, 1}
	for k := range 2 {
		var low, high [2]float64
		for n, box := range []int{i, j} {
			p, q := boxes.at(b, box, k), boxes.at(b, box, k+2)
			low[n], high[n] = min(p, q), max(p, q)
			size[n] *= high[n] - low[n]
		}
		both *= max(0, min(high[0], high[1])-max(low[0], low[1]))
	}
	if union := size[0] + size[1] - both; union > 0 {
		return both / union
	}
	return 0
}
