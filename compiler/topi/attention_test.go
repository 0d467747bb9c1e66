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

// TestHalfAttentionRoundsOnce: scores and weights that no half can hold. A score near 20 that was rounded to a half would
// change its weight by a hundredth, and so would a product that was rounded before the sum.
func TestHalfAttentionRoundsOnce(t *testing.T) {
	const rows, cols, extent = 3, 4, 8
	r := newRand(53)
	between := func(lo, hi float64, shape ...int) nd {
		return fill(shape, func([]int) float64 { return lo + (hi-lo)*r.Float64() })
	}
	halfTypes(t, "attention", func(k *kernelTest, d dtype.DType) {
		q, key := asType(between(1, 2, 1, rows, 1, extent), d), asType(between(1.5, 2, 1, cols, 1, extent), d)
		v, bias := asType(between(-2, 2, 1, cols, 1, 2), d), asType(between(-1, 1, 1, 1, rows, cols), d)
		want := fill(dims(1, rows, 1, 2), func(i []int) float64 {
			num, den := 0.0, 0.0
			for j := range cols {
				s := bias.at(0, 0, i[1], j)
				for e := range extent {
					s += q.at(0, i[1], 0, e) * key.at(0, j, 0, e)
				}
				num, den = num+math.Exp(s)*v.at(0, j, 0, i[3]), den+math.Exp(s)
			}
			return num / den
		})
		out := Attention(k.in(q, d), k.in(key, d), k.in(v, d), k.in(bias, d), AttentionOpts{Scale: 1})
		k.wantRounded(out, d, want)
	})
}

// TestHalfSoftmaxRoundsOnce: distances from the largest element, and their exponentials, that no half can hold.
func TestHalfSoftmaxRoundsOnce(t *testing.T) {
	const rows, n = 24, 3
	halfTypes(t, "softmax", func(k *kernelTest, d dtype.DType) {
		r := newRand(54)
		x := asType(fill(dims(rows, n), func([]int) float64 { return 4 * r.Float64() }), d)
		sum := func(row int) float64 {
			s := 0.0
			for j := range n {
				s += math.Exp(x.at(row, j))
			}
			return s
		}
		in := k.in(x, d)
		k.wantRounded(Softmax(in, 1), d, fill(dims(rows, n), func(i []int) float64 { return math.Exp(x.at(i...)) / sum(i[0]) }))
		k.wantRounded(LogSoftmax(in, 1), d, fill(dims(rows, n), func(i []int) float64 { return x.at(i...) - math.Log(sum(i[0])) }))
	})
}
