package topi

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
)

// TestReductionsOfEachType: the result has the type of the elements, or is a bool; integers wrap, and empty axes give what NumPy
// gives: the neutral element.
func TestReductionsOfEachType(t *testing.T) {
	refs := map[string]func(v []float64) float64{
		"sum": sumOf, "max": maxOf, "min": func(v []float64) float64 { return slices.Min(append([]float64{math.Inf(1)}, v...)) },
		"prod": func(v []float64) float64 {
			p := 1.0
			for _, x := range v {
				p *= x
			}
			return p
		},
		"any": func(v []float64) float64 {
			return truth(slices.ContainsFunc(v, func(x float64) bool { return x != 0 }))
		},
		"all": func(v []float64) float64 { return truth(!slices.Contains(v, 0)) },
	}
	x := nd{dims(2, 3, 2), []float64{1, 2, 3, 4, 0, 6, 7, -8, 9, 3, 2, 1}}
	for name, f := range refs {
		for _, d := range []dtype.DType{dtype.Float64T, dtype.Float32T, dtype.Int8T, dtype.Int64T} {
			for _, axes := range [][]int{{0}, {1}, {2}, {0, 2}, {2, 0}, {0, 1, 2}, nil, {}} {
				for _, keep := range []bool{false, true} {
					want := reduceRef(x, axes, keep, f)
					result := d
					if name == "any" || name == "all" {
						result = dtype.BoolT
					}
					if d == dtype.Int8T && result == d {
						want = mapped(want, func(v float64) float64 { return float64(int8(int64(v))) })
					}
					static(t, fmt.Sprint(name, d, axes, keep), func(k *kernelTest) {
						k.exactly(k.ok(Reduce(name, k.in(x, d), axes, keep)), result, 4, want)
					})
				}
			}
		}
	}
	empty := nd{dims(2, 0), nil}
	for name, want := range map[string]float64{"sum": 0, "prod": 1, "any": 0, "all": 1, "max": math.Inf(-1), "min": math.Inf(1)} {
		static(t, "empty "+name, func(k *kernelTest) {
			k.want(k.ok(Reduce(name, k.float(empty), []int{1}, false)), values(want, want))
		})
	}
	for name, want := range map[string]float64{"max": -128, "min": 127} {
		static(t, "empty int8 "+name, func(k *kernelTest) {
			k.want(k.ok(Reduce(name, k.in(empty, dtype.Int8T), []int{1}, false)), values(want, want))
		})
	}
	// Means of integers are cut, those of doubles are exact; the variance of the whole is that of the population.
	static(t, "mean of integers", func(k *kernelTest) {
		k.exactly(k.ok(Reduce("mean", k.in(values(1, 2, 4), dtype.Int32T), nil, false)), dtype.Int32T, 0, nd{dims(), []float64{2}})
	})
	double := values(1e8, 1e8+1, 1e8+2, 1e8+4)
	for name, want := range map[string]float64{"mean": 1e8 + 1.75, "variance": 2.1875, "std": math.Sqrt(2.1875)} {
		static(t, name+" in double", func(k *kernelTest) {
			k.exactly(k.ok(Reduce(name, k.in(double, dtype.Float64T), nil, false)), dtype.Float64T, 4, nd{dims(), []float64{want}})
		})
	}
}

// TestWinnersOfEachType: the greatest and least of integers and floats, the first or the last of equals, along an axis or of all, with
// kept axes and indices of 32 bits. Infinities lose to nothing but a NaN; of no element the index is -1.
func TestWinnersOfEachType(t *testing.T) {
	r := newRand(95)
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T, dtype.Int8T, dtype.UInt8T, dtype.Int64T} {
		for _, index := range []dtype.DType{dtype.Int32T, dtype.Int64T} {
			for _, axis := range []int{-1, 0, 1, 2} {
				for _, keep := range []bool{false, true} {
					for _, least := range []bool{false, true} {
						for _, last := range []bool{false, true} {
							x := randomInts(r, 0, 3, 2, 3, 4)
							pick := func(v []float64) float64 {
								best := 0
								for i := range v {
									better := v[i] > v[best]
									if least {
										better = v[i] < v[best]
									}
									if better || last && v[i] == v[best] {
										best = i
									}
								}
								return float64(best)
							}
							var axes []int
							if axis >= 0 {
								axes = []int{axis}
							}
							static(t, fmt.Sprint(d, index, axis, keep, least, last), func(k *kernelTest) {
								k.exactly(ArgReduce(k.in(x, d), axis, keep, least, last, index), index, 0, reduceRef(x, axes, keep, pick))
							})
						}
					}
				}
			}
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		v           []float64
		first, last float64 // of the greatest
		low, lowest float64 // the first and last of the least
	}{
		{[]float64{-inf, -inf}, 0, 1, 0, 1},
		{[]float64{inf, inf}, 0, 1, 0, 1},
		{[]float64{-inf, inf, nan, inf, nan}, 2, 4, 2, 4},
		{[]float64{0, math.Copysign(0, -1)}, 0, 1, 0, 1},
		{[]float64{-inf, 1, inf}, 2, 2, 0, 0},
	} {
		for k, want := range []float64{c.first, c.last, c.low, c.lowest} {
			both(t, fmt.Sprint(c.v, k), func(kt *kernelTest) {
				kt.wantTuned(ArgReduce(kt.float(values(c.v...)), 0, false, k >= 2, k%2 == 1, dtype.Int64T), nd{dims(), []float64{want}})
			})
		}
	}
	for _, last := range []bool{false, true} {
		for _, least := range []bool{false, true} {
			for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T} {
				both(t, fmt.Sprint("no element ", last, least, d), func(k *kernelTest) {
					k.want(ArgReduce(k.in(nd{dims(2, 0), nil}, d), 1, false, least, last, dtype.Int32T), values(-1, -1))
				})
			}
		}
	}
	// The extremes of a type are elements like others.
	static(t, "least of the greatest", func(k *kernelTest) {
		k.wantTuned(ArgReduce(k.in(values(127, 127), dtype.Int8T), 0, false, true, false, dtype.Int64T), nd{dims(), []float64{0}})
	})
	static(t, "greatest of the least", func(k *kernelTest) {
		k.wantTuned(ArgReduce(k.in(values(-128, -128), dtype.Int8T), 0, false, false, true, dtype.Int64T), nd{dims(), []float64{1}})
	})
}
