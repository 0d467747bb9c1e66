package topi

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/runtime/dtype"
)

// normed returns, for axes over which a tensor is normalised, (x - mean) / sqrt(variance + epsilon) of the elements that share a key.
func normed(x nd, epsilon float64, key func(i []int) string) func(i []int) float64 {
	groups := map[string][]float64{}
	fill(x.shape, func(i []int) float64 { groups[key(i)] = append(groups[key(i)], x.at(i...)); return 0 })
	return func(i []int) float64 {
		g := groups[key(i)]
		return (x.at(i...) - sumOf(g)/float64(len(g))) / math.Sqrt(varOf(g)+epsilon)
	}
}

// TestNormsOfHalves: statistics, scale and shift are those of float32, and the result is rounded once. A scale that was rounded to a
// half, or a mean, would be seen.
func TestNormsOfHalves(t *testing.T) {
	r := newRand(91)
	const eps = 1e-3
	base := random(r, 2, 4, 3, 5)
	for i := range base.v {
		base.v[i] += 8
	}
	halfTypes(t, "all", func(k *kernelTest, d dtype.DType) {
		if k.symbolic {
			return // TestNorms has those
		}
		x := asType(base, d)
		g4, b4, g35, b35, g5 := asType(random(r, 4), d), asType(random(r, 4), d), asType(random(r, 3, 5), d), asType(random(r, 3, 5), d), asType(random(r, 5), d)
		mean, variance := asType(random(r, 4), d), asType(fill(dims(4), func(i []int) float64 { return 0.5 + float64(i[0]) }), d)
		perChannel := func(e func([]int) float64) nd {
			return fill(x.shape, func(i []int) float64 { return e(i)*g4.at(i[1]) + b4.at(i[1]) })
		}
		for what, c := range map[string]struct {
			make func(k *kernelTest, in *te.Tensor) *te.Tensor
			want nd
		}{
			"layer": {
				func(k *kernelTest, in *te.Tensor) *te.Tensor {
					return LayerNorm(in, k.in(g35, d), k.in(b35, d), []int{2, 3}, eps)
				},
				fill(x.shape, func(i []int) float64 {
					return normed(x, eps, func(i []int) string { return fmt.Sprint(i[:2]) })(i)*g35.at(i[2], i[3]) + b35.at(i[2], i[3])
				}),
			},
			"instance": {
				func(k *kernelTest, in *te.Tensor) *te.Tensor {
					return InstanceNorm(in, k.in(g4, d), k.in(b4, d), 1, []int{2, 3}, eps)
				},
				perChannel(normed(x, eps, func(i []int) string { return fmt.Sprint(i[:2]) })),
			},
			"group": {
				func(k *kernelTest, in *te.Tensor) *te.Tensor {
					return GroupNorm(in, k.in(g4, d), k.in(b4, d), 2, 1, []int{2, 3}, eps)
				},
				perChannel(normed(x, eps, func(i []int) string { return fmt.Sprint(i[0], i[1]/2) })),
			},
			"rms": {
				func(k *kernelTest, in *te.Tensor) *te.Tensor { return RMSNorm(in, k.in(g5, d), []int{3}, eps) },
				fill(x.shape, func(i []int) float64 {
					s := 0.0
					for j := range 5 {
						s += x.at(i[0], i[1], i[2], j) * x.at(i[0], i[1], i[2], j)
					}
					return x.at(i...) / math.Sqrt(s/5+eps) * g5.at(i[3])
				}),
			},
			"batch": {
				func(k *kernelTest, in *te.Tensor) *te.Tensor {
					return BatchNorm(in, k.in(g4, d), k.in(b4, d), k.in(mean, d), k.in(variance, d), BatchNormOpts{Axis: 1, Epsilon: eps})[0]
				},
				perChannel(func(i []int) float64 { return (x.at(i...) - mean.at(i[1])) / math.Sqrt(variance.at(i[1])+eps) }),
			},
		} {
			static(t, what+d.String(), func(k *kernelTest) { k.wantRounded(c.make(k, k.in(x, d)), d, c.want) })
		}
	})
}

// TestRunningStatistics: the share momentum of the batch joins what was there, in the type of the statistics; without training both stay.
func TestRunningStatistics(t *testing.T) {
	r := newRand(92)
	x := random(r, 3, 2, 4)
	mean, variance := random(r, 2), values(0.5, 2)
	for _, d := range []dtype.DType{dtype.Float64T, dtype.Float16T} {
		for _, axis := range []int{1} {
			for _, training := range []bool{false, true} {
				static(t, fmt.Sprint(d, axis, training), func(k *kernelTest) {
					mean, variance := asType(mean, d), asType(variance, d)
					x := asType(x, dtype.Float32T)
					outs := BatchNorm(k.float(x), nil, nil, k.in(mean, d), k.in(variance, d), BatchNormOpts{Axis: axis, Epsilon: 0.25, Momentum: 0.125, Training: training})
					if outs[0].DType != dtype.Float32T || outs[1].DType != d || outs[2].DType != d {
						t.Fatalf("the results are %s, %s and %s", outs[0].DType, outs[1].DType, outs[2].DType)
					}
					wantMean, wantVar := mean, variance
					e := func(i []int) float64 { return (x.at(i...) - mean.at(i[1])) / math.Sqrt(variance.at(i[1])+0.25) }
					if training {
						channel := func(c int) (g []float64) {
							fill(x.shape, func(i []int) float64 {
								if i[1] == c {
									g = append(g, x.at(i...))
								}
								return 0
							})
							return g
						}
						wantMean = fill(dims(2), func(i []int) float64 { return 0.875*mean.at(i...) + 0.125*sumOf(channel(i[0]))/12 })
						wantVar = fill(dims(2), func(i []int) float64 { return 0.875*variance.at(i...) + 0.125*varOf(channel(i[0])) })
						e = normed(x, 0.25, func(i []int) string { return fmt.Sprint(i[1]) })
					}
					got := k.run(outs, x.shape, mean.shape, variance.shape)
					k.compare(got[0], fill(x.shape, e))
					for n, want := range []nd{wantMean, wantVar} {
						for i, w := range want.v {
							if g := got[1+n].Float(i); math.Abs(g-w) > 1e-6+spacing[dtype.Float16T]*math.Abs(w)*truth(d == dtype.Float16T) {
								t.Errorf("statistic %d of channel %d is %v, want %v", n, i, g, w)
							}
						}
					}
				})
			}
		}
	}
}

// TestNormsWithoutScaleOrShift leave out what is nil, each alone; axes may be given in any order.
func TestNormsWithoutScaleOrShift(t *testing.T) {
	r := newRand(93)
	x, g, b := random(r, 2, 3, 4), random(r, 4), random(r, 4)
	e := normed(x, 0.5, func(i []int) string { return fmt.Sprint(i[:2]) })
	for _, c := range [][2]bool{{false, false}, {true, false}, {false, true}} {
		both(t, fmt.Sprint(c), func(k *kernelTest) {
			in := k.float(x)
			var gamma, beta *te.Tensor
			if c[0] {
				gamma = k.float(g)
			}
			if c[1] {
				beta = k.float(b)
			}
			k.want(LayerNorm(in, gamma, beta, []int{2}, 0.5), fill(x.shape, func(i []int) float64 {
				v := e(i)
				if c[0] {
					v *= g.at(i[2])
				}
				if c[1] {
					v += b.at(i[2])
				}
				return v
			}))
		})
	}
	// The axes of scale and shift follow those that are given.
	w := random(r, 4, 3)
	both(t, "axes in another order", func(k *kernelTest) {
		over := normed(x, 0.5, func(i []int) string { return fmt.Sprint(i[0]) })
		k.want(LayerNorm(k.float(x), k.float(w), nil, []int{2, 1}, 0.5), fill(x.shape, func(i []int) float64 { return over(i) * w.at(i[2], i[1]) }))
	})
	both(t, "channels last", func(k *kernelTest) {
		over := normed(x, 0.5, func(i []int) string { return fmt.Sprint(i[0], i[2]) })
		k.want(InstanceNorm(k.float(x), k.float(g), k.float(b), 2, []int{1}, 0.5), fill(x.shape, func(i []int) float64 { return over(i)*g.at(i[2]) + b.at(i[2]) }))
	})
	static(t, "groups with channels last", func(k *kernelTest) {
		over := normed(x, 0.5, func(i []int) string { return fmt.Sprint(i[0], i[2]/2) })
		k.want(GroupNorm(k.float(x), k.float(g), nil, 2, 2, []int{1, 2}, 0.5), fill(x.shape, func(i []int) float64 { return over(i) * g.at(i[2]) }))
	})
}
