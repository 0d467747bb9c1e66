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

// TestPoolsOfALine compares all small poolings of one axis with their definition.
func TestPoolsOfALine(t *testing.T) {
	r := newRand(101)
	x := random(r, 1, 1, 6)
	for _, size := range []int64{1, 2, 3} {
		for _, stride := range []int64{1, 2, 3} {
			for _, dilation := range []int64{1, 2} {
				for _, pads := range [][2]int64{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
					if max(pads[0], pads[1]) >= size && size > 1 || size == 1 && pads != [2]int64{} {
						continue // a window of padding alone
					}
					for _, ceil := range []bool{false, true} {
						for _, include := range []bool{false, true} {
							o := PoolOpts{
								Size: []int64{size}, Strides: []int64{stride}, Dilation: []int64{dilation}, Before: pads[:1], After: pads[1:],
								CeilMode: ceil, CountIncludePad: include, Layout: "NCW",
							}
							name := fmt.Sprint(size, stride, dilation, pads, ceil, include)
							both(t, name, func(k *kernelTest) { k.want(k.ok(Pool("avg", k.float(x), o)), poolRef(x, o, false)) })
							if !include {
								both(t, name, func(k *kernelTest) { k.want(k.ok(Pool("max", k.float(x), o)), poolRef(x, o, true)) })
							}
						}
					}
				}
			}
		}
	}
}

// TestPoolsOfEachLayout: data and result may have the channels in other places, and types stay.
func TestPoolsOfEachLayout(t *testing.T) {
	r := newRand(102)
	x := random(r, 2, 3, 5, 4)
	o := PoolOpts{Size: []int64{2, 3}, Strides: []int64{2, 1}, Dilation: []int64{1, 1}, Before: []int64{1, 0}, After: []int64{0, 1}}
	for _, layouts := range [][2]string{{"NCHW", ""}, {"NHWC", ""}, {"NCHW", "NHWC"}, {"NHWC", "NCHW"}, {"CHWN", "HWNC"}} {
		o := o
		o.Layout, o.Result = layouts[0], layouts[1]
		result := layouts[1]
		if result == "" {
			result = layouts[0]
		}
		in := permuted(x, "NCHW", layouts[0])
		for _, kind := range []string{"max", "avg"} {
			want := permuted(poolRef(x, o, kind == "max"), "NCHW", result)
			both(t, fmt.Sprint(layouts, kind), func(k *kernelTest) { k.want(k.ok(Pool(kind, k.float(in), o)), want) })
		}
		for _, out := range [][]int{{2, 2}, {5, 1}, {1, 4}, {3, 3}} {
			want := fill(dims(2, 3, out[0], out[1]), func(i []int) float64 {
				s, c := 0.0, 0.0
				for y := i[2] * 5 / out[0]; y < ((i[2]+1)*5+out[0]-1)/out[0]; y++ {
					for z := i[3] * 4 / out[1]; z < ((i[3]+1)*4+out[1]-1)/out[1]; z++ {
						s, c = s+x.at(i[0], i[1], y, z), c+1
					}
				}
				return s / c
			})
			both(t, fmt.Sprint(layouts, out), func(k *kernelTest) {
				k.want(k.ok(AdaptiveAvgPool(k.float(in), intShape(int64(out[0]), int64(out[1])), layouts[0], layouts[1])), permuted(want, "NCHW", result))
			})
		}
	}
	for _, d := range []dtype.DType{dtype.Float64T, dtype.Float16T} {
		ints := nd{dims(1, 1, 4), []float64{1, 3, 5, 9}}
		o := PoolOpts{Size: []int64{2}, Strides: []int64{2}, Dilation: []int64{1}, Before: []int64{0}, After: []int64{0}, Layout: "NCW"}
		static(t, "avg "+d.String(), func(k *kernelTest) {
			k.exactly(k.ok(Pool("avg", k.in(ints, d), o)), d, 0, nd{dims(1, 1, 2), []float64{2, 7}})
		})
		static(t, "adaptive "+d.String(), func(k *kernelTest) {
			k.exactly(k.ok(AdaptiveAvgPool(k.in(ints, d), intShape(2), "NCW", "")), d, 0, nd{dims(1, 1, 2), []float64{2, 7}})
		})
	}
	// The maximum of integers pads with the least of them.
	low := nd{dims(1, 1, 3), []float64{-100, -128, -7}}
	m := PoolOpts{Size: []int64{2}, Strides: []int64{1}, Dilation: []int64{1}, Before: []int64{1}, After: []int64{1}, Layout: "NCW"}
	static(t, "max int8", func(k *kernelTest) {
		k.exactly(k.ok(Pool("max", k.in(low, dtype.Int8T), m)), dtype.Int8T, 0, nd{dims(1, 1, 4), []float64{-100, -100, -7, -7}})
	})
	static(t, "max of infinities", func(k *kernelTest) {
		k.want(k.ok(Pool("max", k.float(nd{dims(1, 1, 2), []float64{math.Inf(-1), math.Inf(-1)}}), m)), fill(dims(1, 1, 3), func([]int) float64 { return math.Inf(-1) }))
	})
}

// TestConvolutionsOfALine compares all small convolutions of one axis with their definition, forwards and transposed, in three types.
func TestConvolutionsOfALine(t *testing.T) {
	r := newRand(103)
	for _, d := range []dtype.DType{dtype.Float64T, dtype.Int8T} {
		whole := func(shape ...int) nd { return randomInts(r, -3, 4, shape...) }
		for size := 1; size <= 3; size++ {
			for _, stride := range []int64{1, 2, 3} {
				for _, dilation := range []int64{1, 2} {
					for _, pads := range [][2]int64{{0, 0}, {1, 0}, {0, 1}, {2, 1}} {
						for _, groups := range []int{1, 2} {
							c := convCase{
								n: 1, x: whole(1, 2, 5), w: whole(2, 2/groups, size), strides: []int64{stride}, dilation: []int64{dilation}, before: pads[:1], after: pads[1:], extra: []int64{0}, groups: groups,
							}
							name := fmt.Sprint(d, size, stride, dilation, pads, groups)
							result := dtype.Int32T
							if d.IsFloat() {
								result = d
							}
							o := c.opts("NCW", "OIW")
							o.Out = result
							static(t, name, func(k *kernelTest) { k.exactly(k.ok(Conv(k.in(c.x, d), k.in(c.w, d), o)), result, 0, convRef(&c)) })
							if int64(5-1)*stride+int64(size-1)*dilation+1-pads[0]-pads[1] < 1 {
								continue
							}
							c.w = whole(2/groups, 2, size)
							static(t, "transposed "+name, func(k *kernelTest) {
								k.exactly(k.ok(ConvTranspose(k.in(c.x, d), k.in(c.w, d), o)), result, 0, convTransposeRef(&c))
							})
						}
					}
				}
			}
		}
	}
	// The result may have its channels in another place than the data.
	c := randomConv(r, 2, false)
	c.groups, c.x, c.w = 1, random(r, 2, 3, 6, 5), random(r, 4, 3, 2, 2)
	for _, result := range []string{"NHWC", "CHWN"} {
		o := c.opts("NCHW", "OIHW")
		o.Result = result
		static(t, "result "+result, func(k *kernelTest) {
			k.want(k.ok(Conv(k.float(c.x), k.float(c.w), o)), permuted(convRef(&c), "NCHW", result))
		})
	}
}

// TestPadsOfALine: every mode with every small width before and behind, cuts among them, by what numpy.pad does.
func TestPadsOfALine(t *testing.T) {
	for n := 1; n <= 3; n++ {
		x := fill(dims(n), func(i []int) float64 { return float64(10 + i[0]) })
		for before := int64(-1); before <= 4; before++ {
			for after := int64(-1); after <= 4; after++ {
				if int64(n)+before+after < 1 {
					continue
				}
				for mode, index := range map[string]func(i int) int{
					"edge": func(i int) int { return min(max(i, 0), n-1) },
					"wrap": func(i int) int { return (i%n + n) % n },
					"reflect": func(i int) int {
						for n > 1 && (i < 0 || i >= n) {
							if i < 0 {
								i = -i
							} else {
								i = 2*(n-1) - i
							}
						}
						return i * int(truth(n > 1))
					},
					"constant": func(i int) int {
						if i < 0 || i >= n {
							return -1
						}
						return i
					},
				} {
					both(t, fmt.Sprint(n, before, after, mode), func(k *kernelTest) {
						// The value takes the type of the elements.
						out := k.ok(Pad(k.in(x, dtype.Float64T), []int64{before}, []int64{after}, mode, tir.Int(7)))
						k.exactly(out, dtype.Float64T, 0, fill(dims(n+int(before+after)), func(i []int) float64 {
							if at := index(i[0] - int(before)); at >= 0 {
								return x.v[at]
							}
							return 7
						}))
					})
				}
			}
		}
	}
}

// TestSortOfNeighbours: numbers that differ in their last place, of every magnitude and either sign.
func TestSortOfNeighbours(t *testing.T) {
	for d, digits := range map[dtype.DType]float64{dtype.Float64T: 0x1p-52, dtype.Float32T: 0x1p-23, dtype.Float16T: 0x1p-10, dtype.BFloat16T: 0x1p-7} {
		var v []float64
		for e := -12; e <= 12; e += 3 {
			for _, sign := range []float64{1, -1} {
				x := sign * math.Ldexp(1, e)
				v = append(v, x*(1+digits), x, x*(1+2*digits))
			}
		}
		for _, descending := range []bool{false, true} {
			want := slices.Sorted(slices.Values(v))
			if descending {
				slices.Reverse(want)
			}
			static(t, fmt.Sprint(d, descending), func(k *kernelTest) {
				in := k.in(values(v...), d)
				sorted, _ := Sort(in, SortOpts{Descending: descending, Keep: in.Shape[0], Indices: dtype.Int32T})
				k.exactly(sorted, d, 0, values(want...))
			})
			static(t, fmt.Sprint("first of ", d, descending), func(k *kernelTest) {
				in := k.in(values(v...), d)
				sorted, _ := Sort(in, SortOpts{Descending: descending, Keep: tir.Int(5), Indices: dtype.Int32T})
				k.exactly(sorted, d, 0, values(want[:5]...))
			})
		}
	}
}

// TestPoolsInParts pools tensors whose channels are split, the last part whole or not, in several orders of the axes.
func TestPoolsInParts(t *testing.T) {
	r := newRand(107)
	for _, channels := range []int{8, 6} {
		x := random(r, 2, channels, 5, 4)
		for _, layout := range []string{"NCHW4c", "NHWC4c", "N4cCWH", "NCHW2c2c"} {
			if !SplitsChannels(layout) {
				t.Fatalf("%s is no layout for pooling", layout)
			}
			for _, kind := range []string{"max", "avg"} {
				for _, include := range []bool{false, true} {
					for _, ceil := range []bool{false, true} {
						o := PoolOpts{
							Size: []int64{2, 3}, Strides: []int64{2, 2}, Dilation: []int64{1, 1}, Before: []int64{1, 0}, After: []int64{0, 1}, CeilMode: ceil, CountIncludePad: include,
							Layout: layout,
						}
						order := unpackedLayout(layout)
						want := permuted(poolRef(x, o, kind == "max"), "NCHW", order)
						both(t, fmt.Sprint(layout, channels, kind, include, ceil), func(k *kernelTest) {
							y := k.ok(Pool(kind, k.ok(Pack(k.float(permuted(x, "NCHW", order)), layout)), o))
							plain, _, err := Unpack(y, layout)
							if err != nil {
								k.Fatal(err)
							}
							// What fills the last part is no result.
							k.want(te.Compute("first", k.extents(want.shape...), func(i []tir.Expr) tir.Expr { return plain.At(i...) }), want)
						})
					}
				}
			}
		}
	}
	// Windows without any element of the data, and such as step over the nearest one.
	x := random(r, 2, 8, 5, 4)
	for _, c := range [][2]int64{{1, 1}, {2, 1}, {1, 2}, {3, 2}} {
		for _, after := range []int64{0, 1, 3} {
			o := PoolOpts{Size: []int64{2, 3}, Strides: []int64{1, 2}, Dilation: []int64{c[1], 1}, Before: []int64{c[0], 2}, After: []int64{1, after}, Layout: "NCHW4c"}
			want := poolRef(x, o, true)
			both(t, fmt.Sprint("far", c, after), func(k *kernelTest) {
				plain, _, err := Unpack(k.ok(Pool("max", k.ok(Pack(k.float(x), o.Layout)), o)), o.Layout)
				if err != nil {
					k.Fatal(err)
				}
				k.want(te.Compute("first", k.extents(want.shape...), func(i []tir.Expr) tir.Expr { return plain.At(i...) }), want)
			})
		}
	}
	// Images are resized as pools are.
	for _, layout := range []string{"NCHW4c", "NHWC4c", "N4cCWH", "NCHW2c2c"} {
		for _, method := range []string{"nearest_neighbor", "linear", "cubic"} {
			o := ResizeOpts{Method: method, Coordinate: "half_pixel", CubicAlpha: -0.5}
			both(t, fmt.Sprint("resize", layout, method), func(k *kernelTest) {
				order := unpackedLayout(layout)
				in, size := k.float(permuted(x, "NCHW", order)), []tir.Expr{k.extent(7), k.extent(3)}
				o.Layout = order
				want := k.ok(Resize(in, size, o))
				o.Layout = layout
				plain, _, err := Unpack(k.ok(Resize(k.ok(Pack(in, layout)), size, o)), layout)
				if err != nil {
					k.Fatal(err)
				}
				diff := te.Compute("diff", want.Shape, func(i []tir.Expr) tir.Expr { return tir.Sub(plain.At(i...), want.At(i...)) })
				k.want(diff, fill(permuted(nd{dims(2, 8, 7, 3), make([]float64, 2*8*7*3)}, "NCHW", order).shape, func([]int) float64 { return 0 }))
			})
		}
	}
	for _, layout := range []string{"NCHW", "NCHW4h", "NCHW4c2w", "NCX4c", "HW", "4c"} {
		if SplitsChannels(layout) {
			t.Errorf("%s is a layout for pooling in parts", layout)
		}
	}
	if _, err := Pool("max", te.Placeholder("x", dtype.Float32T, intShape(2, 2, 5, 4, 4)...), PoolOpts{Layout: "NCHW4c", Result: "NCHW"}); err == nil {
		t.Error("another layout of the result is taken")
	}
}
