package topi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
)

// TestPoolGrad compares gradients with differences: the mean is linear, and no two elements are so close that a
// small step changes which one is the greatest.
func TestPoolGrad(t *testing.T) {
	r := newRand(103)
	const step = 1e-3
	x := fill(dims(1, 2, 5, 4), func([]int) float64 { return 0 })
	for i, p := range r.Perm(len(x.v)) {
		x.v[i] = float64(p) - 20
	}
	for _, size := range [][]int64{{1, 1}, {2, 2}, {3, 2}} {
		for _, stride := range []int64{1, 2, 3} {
			for _, pad := range []int64{0, 1} {
				if pad > 0 && size[0] < 2 {
					continue
				}
				for _, ceil := range []bool{false, true} {
					for _, include := range []bool{false, true} {
						for _, kind := range []string{"max", "avg"} {
							if kind == "max" && include {
								continue
							}
							o := PoolOpts{
								Size: size, Strides: []int64{stride, stride}, Dilation: []int64{1, 1}, Before: []int64{pad, 0}, After: []int64{0, pad},
								CeilMode: ceil, CountIncludePad: include, Layout: "NCHW",
							}
							base := poolRef(x, o, kind == "max")
							grad := random(r, base.shape...)
							ref := nd{shape: x.shape}
							for i := range x.v {
								moved := nd{shape: x.shape, v: append([]float64{}, x.v...)}
								moved.v[i] += step
								d := 0.0
								for k, v := range poolRef(moved, o, kind == "max").v {
									if v != base.v[k] { // both are minus infinity in a window of padding alone
										d += grad.v[k] * (v - base.v[k]) / step
									}
								}
								ref.v = append(ref.v, d)
							}
							both(t, fmt.Sprint(size, stride, pad, ceil, include, kind), func(k *kernelTest) {
								out := k.ok(PoolGrad(kind, k.fixed(grad, dtype.Float32T), k.fixed(x, dtype.Float32T), o))
								if ceil && include {
									k.wantTuned(out, ref) // TVM divides by the extents of the whole window
								} else {
									k.want(out, ref)
								}
							})
						}
					}
				}
			}
		}
	}
}

// TestPoolGradRefuses: what has no kernel is an error.
func TestPoolGradRefuses(t *testing.T) {
	static(t, "dilation", func(k *kernelTest) {
		x := k.float(random(newRand(1), 1, 1, 4, 4))
		o := PoolOpts{Size: []int64{2, 2}, Strides: []int64{1, 1}, Dilation: []int64{2, 1}, Before: []int64{0, 0}, After: []int64{0, 0}, Layout: "NCHW"}
		if _, err := PoolGrad("max", x, x, o); err == nil || !strings.Contains(err.Error(), "windows without gaps") {
			t.Errorf("it says %v", err)
		}
	})
}
