package topi

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// readAt returns the element of channel c of image n at spatial places, 0 outside.
func readAt(x nd, layout string, n, c int, at []int) float64 {
	i := make([]int, len(x.shape))
	for k, r := range layout {
		switch r {
		case 'N':
			i[k] = n
		case 'C':
			i[k] = c
		default:
			s := spatialPlace(layout, r)
			if at[s] < 0 || at[s] >= x.shape[k] {
				return 0
			}
			i[k] = at[s]
		}
	}
	return x.at(i...)
}

// spatialPlace is which of the spatial axes of a layout a letter names.
func spatialPlace(layout string, r rune) int {
	n := -1
	for _, x := range layout {
		if x != 'N' && x != 'C' {
			n++
		}
		if x == r {
			return n
		}
	}
	return -1
}

// linearAt interpolates between the elements around a place.
func linearAt(place []float64, read func(at []int) float64) float64 {
	sum := 0.0
	for corner := range 1 << len(place) {
		w, at := 1.0, make([]int, len(place))
		for k, p := range place {
			base := math.Floor(p)
			at[k] = int(base) + corner>>k&1
			if corner>>k&1 == 1 {
				w *= p - base
			} else {
				w *= 1 - (p - base)
			}
		}
		sum += w * read(at)
	}
	return sum
}

// cubicAt sums the four elements around a place along each axis with the weights of Keys' kernel.
func cubicAt(place []float64, at []int, read func(at []int) float64) float64 {
	if len(at) == len(place) {
		return read(at)
	}
	p := place[len(at)]
	sum := 0.0
	for k := -1; k <= 2; k++ {
		e := math.Floor(p) + float64(k)
		d, w := math.Abs(p-e), 0.0
		switch {
		case d <= 1:
			w = 1.25*d*d*d - 2.25*d*d + 1
		case d < 2:
			w = -0.75*d*d*d + 3.75*d*d - 6*d + 3
		}
		sum += w * cubicAt(place, append(slices.Clone(at), int(max(min(e, 1e6), -1e6))), read)
	}
	return sum
}

// TestGridSampleByDefinition samples images and volumes of several channels at places inside, at the edges, and far outside.
func TestGridSampleByDefinition(t *testing.T) {
	r := newRand(61)
	for _, layout := range []string{"NCHW", "NHWC", "NCDHW"} {
		n := len(layout) - 2
		sizes, places := []int{4, 5, 3}[:n], []int{3, 2, 7}[:n]
		shape, gridShape, outShape := make([]int, n+2), append([]int{2, n}, places...), make([]int, n+2)
		for k, l := range layout {
			switch l {
			case 'N':
				shape[k], outShape[k] = 2, 2
			case 'C':
				shape[k], outShape[k] = 3, 3
			default:
				shape[k], outShape[k] = sizes[spatialPlace(layout, l)], places[spatialPlace(layout, l)]
			}
		}
		x := random(r, shape...)
		grid := random(r, gridShape...)
		grid.v[0], grid.v[1] = 1e9, -1e9
		for _, method := range []string{"bilinear", "nearest", "bicubic"} {
			for _, padding := range []string{"zeros", "border"} {
				for _, corners := range []bool{false, true} {
					both(t, fmt.Sprint(layout, method, padding, corners), func(k *kernelTest) {
						out, err := GridSample(k.float(x), k.float(grid), GridOpts{Layout: layout, Method: method, Padding: padding, Corners: corners})
						k.want(k.ok(out, err), fill(outShape, func(i []int) float64 {
							image, channel, at := 0, 0, make([]int, n)
							for a, l := range layout {
								switch l {
								case 'N':
									image = i[a]
								case 'C':
									channel = i[a]
								default:
									at[spatialPlace(layout, l)] = i[a]
								}
							}
							place := make([]float64, n)
							for s := range place {
								v := grid.at(append([]int{image, n - 1 - s}, at...)...)
								size := float64(sizes[s])
								if place[s] = ((v+1)*size - 1) / 2; corners {
									place[s] = (v + 1) / 2 * (size - 1)
								}
								if padding == "border" && method != "bicubic" {
									place[s] = min(max(place[s], 0), size-1)
								}
								if method == "nearest" {
									place[s] = math.RoundToEven(place[s])
								}
							}
							if method == "bicubic" {
								return cubicAt(place, nil, func(at []int) float64 {
									for s := range at {
										if padding == "border" {
											at[s] = min(max(at[s], 0), sizes[s]-1)
										}
									}
									return readAt(x, layout, image, channel, at)
								})
							}
							return linearAt(place, func(at []int) float64 { return readAt(x, layout, image, channel, at) })
						}))
					})
				}
			}
		}
	}
}

// TestROIAlignByDefinition: regions inside, partly and wholly outside of images, and of an image that there is not.
func TestROIAlignByDefinition(t *testing.T) {
	r := newRand(62)
	rois := nd{shape: []int{5, 5}, v: []float64{0, 1, 1, 6, 7, 1, -3, 2, 4, 9, 0, 20, 20, 30, 30, 2, 0, 0, 3, 3, 1, 2.5, 3.25, 2.75, 3.5}}
	const height, width, channels, high, wide = 6, 5, 3, 2, 3
	for _, layout := range []string{"NCHW", "NHWC"} {
		shape, outShape := []int{2, channels, height, width}, []int{5, channels, high, wide}
		if layout == "NHWC" {
			shape, outShape = []int{2, height, width, channels}, []int{5, high, wide, channels}
		}
		x := random(r, shape...)
		for _, samples := range []int64{0, 1, 3} {
			for _, aligned := range []bool{false, true} {
				for _, mode := range []string{"mean", "max", "max of weighted"} {
					both(t, fmt.Sprint(layout, samples, aligned, mode), func(k *kernelTest) {
						out, err := ROIAlign(k.float(x), k.float(rois), ROIOpts{
							Layout: layout, Height: high, Width: wide, Scale: 0.5, Samples: samples, Aligned: aligned, Max: mode == "max", MaxWeighted: mode == "max of weighted",
						})
						k.want(k.ok(out, err), fill(outShape, func(i []int) float64 {
							c, h, w := i[1], i[2], i[3]
							if layout == "NHWC" {
								c, h, w = i[3], i[1], i[2]
							}
							image := int(rois.at(i[0], 0))
							axis := func(k, bin, bins int) (count int, place func(s int) float64) {
								from, to := rois.at(i[0], 1+k)*0.5, rois.at(i[0], 3+k)*0.5
								size := to - from
								if !aligned {
									size = max(size, 1)
								}
								size /= float64(bins)
								if count = int(samples); count == 0 {
									count = int(math.Ceil(size))
								}
								return count, func(s int) float64 { return from + float64(bin)*size + (float64(s)+0.5)*size/float64(count) }
							}
							nh, y := axis(1, h, high)
							nw, z := axis(0, w, wide)
							sum, best, weighted := 0.0, -math.MaxFloat32, -math.MaxFloat32
							for a := range nh {
								for b := range nw {
									v, part := 0.0, 0.0
									if py, pz := y(a), z(b); image < 2 && py >= -1 && py <= height && pz >= -1 && pz <= width {
										py, pz = min(max(py, 0), height-1), min(max(pz, 0), width-1)
										element := func(at []int) float64 {
											return readAt(x, layout, image, c, []int{min(at[0], height-1), min(at[1], width-1)})
										}
										v, part = linearAt([]float64{py, pz}, element), -math.MaxFloat32
										for i := range 4 { // the corners around the sample
											at := []int{int(py) + i/2, int(pz) + i%2}
											part = max(part, (1-math.Abs(py-float64(at[0])))*(1-math.Abs(pz-float64(at[1])))*element(at))
										}
									}
									sum, best, weighted = sum+v/float64(nh*nw), max(best, v), max(weighted, part)
								}
							}
							switch {
							case mode == "max":
								return best
							case mode == "mean":
								return sum
							case nh*nw == 0:
								return 0
							}
							return weighted
						}))
					})
				}
			}
		}
	}
}
