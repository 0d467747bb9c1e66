package topi

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
)

// TestConvTransposeByDefinition adds each input, times the kernel, at its places of the result:
// for strides that divide the kernel and that do not, cut and extended results, groups, layouts.
func TestConvTransposeByDefinition(t *testing.T) {
	r := newRand(5)
	for _, s := range []int{1, 2, 3} {
		for size := 1; size <= 5; size++ {
			for _, d := range []int{1, 2} {
				for _, pads := range [][3]int{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {3, 1, 0}, {0, 1, 1}, {-2, -1, 0}} {
					const ci, co, n = 4, 3, 4
					before, after, extra := pads[0], pads[1], pads[2]
					out := (n-1)*s + (size-1)*d + 1 + extra - before - after
					if out < 1 || extra >= max(s, d) {
						continue
					}
					groups := 1 + (size+before+4)%2
					last := (s+size)%2 == 0 // channels last
					x, w := random(r, 1, n, 2, ci), random(r, ci, co, size, 1)
					ref := fill(dims(1, out, 2, co*groups), func([]int) float64 { return 0 })
					for i := range n {
						for h := range 2 {
							for k := range size {
								y := i*s + k*d - before
								if y < 0 || y >= out {
									continue
								}
								for c := range ci {
									for f := range co {
										g := c / (ci / groups)
										ref.v[(y*2+h)*co*groups+g*co+f] += x.at(0, i, h, c) * w.at(c, f, k, 0)
									}
								}
							}
						}
					}
					data := "NHWC"
					if !last {
						data = "NCHW"
						x = transposed4(x)
						ref = transposed4(ref)
					}
					name := fmt.Sprintf("s%d_k%d_d%d_%v_g%d_%s", s, size, d, pads, groups, data)
					both(t, name, func(k *kernelTest) {
						o := ConvOpts{
							Strides: []int64{int64(s), 1}, Dilation: []int64{int64(d), 1}, Before: []int64{int64(before), 0}, After: []int64{int64(after), 0},
							OutputPadding: []int64{int64(extra), 0}, Groups: int64(groups), Data: data, Kernel: "IOHW",
						}
						in, wt := k.in(x, dtype.Float32T), k.fixed(w, dtype.Float32T)
						k.want(k.ok(ConvTranspose(in, wt, o)), ref)
					})
				}
			}
		}
	}
}

// transposed4 moves the last axis to the second place.
func transposed4(a nd) nd {
	s := a.shape
	return fill(dims(s[0], s[3], s[1], s[2]), func(i []int) float64 { return a.at(i[0], i[2], i[3], i[1]) })
}
