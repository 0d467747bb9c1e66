package topi

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
)

// TestAttentionByDefinition: the default scale, windows, masks of more keys than queries and of fewer, shared heads, and a
// bias of every shape that broadcasts, or none.
func TestAttentionByDefinition(t *testing.T) {
	r := newRand(51)
	const batch, heads, extent = 2, 2, 3
	for _, lengths := range [][2]int{{3, 5}, {5, 3}, {4, 4}} {
		rows, cols := lengths[0], lengths[1]
		for _, o := range []AttentionOpts{
			{},
			{Scale: 0.3},
			{Causal: "TopLeft"},
			{Causal: "TopLeft", Window: 1},
			{Causal: "TopLeft", Window: 2},
			{Causal: "BottomRight", Window: 2, Scale: 2},
			{Window: 2}, // without a mask there is no window
		} {
			if o.Causal == "BottomRight" && rows > cols || o.Window > 0 && o.Causal == "TopLeft" && rows > cols {
				continue // rows that see nothing
			}
			for b, shape := range [][]int{nil, {batch, heads, rows, cols}, {1, 1, 1, cols}, {rows, 1}} {
				q, key, v := random(r, batch, rows, heads, extent), random(r, batch, cols, 1+b%2, extent), random(r, batch, cols, 1+b%2, 2)
				bias := random(r, shape...)
				scale := o.Scale
				if scale == 0 {
					scale = 1 / math.Sqrt(extent)
				}
				sees := func(row, col int) bool {
					last := row
					switch o.Causal {
					case "":
						return true
					case "BottomRight":
						last += cols - rows
					}
					return col <= last && (o.Window == 0 || last-col < int(o.Window))
				}
				want := fill(dims(batch, rows, heads, 2), func(i []int) float64 {
					h := i[2] * (1 + b%2) / heads
					num, den := 0.0, 0.0
					for j := range cols {
						if !sees(i[1], j) {
							continue
						}
						s := 0.0
						for d := range extent {
							s += q.at(i[0], i[1], i[2], d) * key.at(i[0], j, h, d)
						}
						s *= scale
						switch b {
						case 1:
							s += bias.at(i[0], i[2], i[1], j)
						case 2:
							s += bias.at(0, 0, 0, j)
						case 3:
							s += bias.at(i[1], 0)
						}
						num, den = num+math.Exp(s)*v.at(i[0], j, h, i[3]), den+math.Exp(s)
					}
					return num / den
				})
				both(t, fmt.Sprint(lengths, o, b), func(k *kernelTest) {
					qt, kt, vt := k.float(q), k.float(key), k.float(v)
					if shape == nil {
						k.want(Attention(qt, kt, vt, nil, o), want)
						return
					}
					k.want(Attention(qt, kt, vt, k.float(bias), o), want)
				})
			}
		}
	}
}

// TestHalfAttentionAccumulatesInFloat32: scores of long vectors, which a sum in a half would stop short of.
func TestHalfAttentionAccumulatesInFloat32(t *testing.T) {
	const n = 4096
	constant := func(v float64) func([]int) float64 { return func([]int) float64 { return v } }
	q := fill(dims(1, 1, 1, n), constant(0.5))
	key := fill(dims(1, 2, 1, n), func(i []int) float64 { return []float64{0.5, 0.25}[i[1]] })
	v := nd{dims(1, 2, 1, 1), []float64{0, 1}}
	halfTypes(t, "attention", func(k *kernelTest, d dtype.DType) {
		out := Attention(k.in(q, d), k.in(key, d), k.in(v, d), nil, AttentionOpts{Scale: 1.0 / 256}) // scores 4 and 2
		k.wantRounded(out, d, nd{dims(1, 1, 1, 1), []float64{1 / (1 + math.Exp(2))}})
	})
}
