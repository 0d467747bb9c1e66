package topi

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sourceCoordinate is coordinate_transformation_mode of ONNX Resize, for sizes that are given.
func sourceCoordinate(mode string, i, in, out, start, end float64) float64 {
	switch mode {
	case "half_pixel", "half_pixel_symmetric":
		return (i+0.5)*in/out - 0.5
	case "pytorch_half_pixel":
		if out > 1 {
			return (i+0.5)*in/out - 0.5
		}
		return 0
	case "align_corners":
		if out == 1 {
			return 0
		}
		return i * (in - 1) / (out - 1)
	case "asymmetric":
		return i * in / out
	case "tf_half_pixel_for_nn":
		return (i + 0.5) * in / out
	}
	if out > 1 { // tf_crop_and_resize
		return start*(in-1) + i*(end-start)*(in-1)/(out-1)
	}
	return 0.5 * (start + end) * (in - 1)
}

// TestNearestByDefinition: all coordinate modes with all roundings; extents whose ratios are powers of two meet every tie.
func TestNearestByDefinition(t *testing.T) {
	r := newRand(41)
	x := random(r, 1, 2, 4, 8)
	modes := []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn"}
	for _, size := range [][2]int{{8, 4}, {2, 16}, {1, 8}, {4, 1}, {4, 8}} {
		for _, mode := range modes {
			for _, rounding := range []string{"", "floor", "ceil", "round_prefer_ceil", "round_prefer_floor"} {
				round := func(c float64) float64 {
					switch {
					case rounding == "floor", rounding == "" && mode == "asymmetric":
						return math.Floor(c)
					case rounding == "ceil":
						return math.Ceil(c)
					case rounding == "round_prefer_ceil":
						return math.Floor(c + 0.5)
					}
					return math.Ceil(c - 0.5)
				}
				index := func(i, axis int) int {
					in, out := x.shape[2+axis], size[axis]
					return min(max(int(round(sourceCoordinate(mode, float64(i), float64(in), float64(out), 0, 0))), 0), in-1)
				}
				both(t, fmt.Sprint(size, mode, rounding), func(k *kernelTest) {
					o := ResizeOpts{Layout: "NCHW", Method: "nearest_neighbor", Coordinate: mode, Rounding: rounding}
					k.want(k.ok(Resize(k.float(x), []tir.Expr{k.extent(size[0]), k.extent(size[1])}, o)), fill(dims(1, 2, size[0], size[1]), func(i []int) float64 {
						return x.at(0, i[1], index(i[2], 0), index(i[3], 1))
					}))
				})
			}
		}
	}
}

// TestCropAndResize: regions within the image, beyond it and of one line; what lies outside has the value of extrapolation.
func TestCropAndResize(t *testing.T) {
	r := newRand(42)
	x := random(r, 1, 5, 4, 2)
	for _, roi := range [][]float64{{0, 0, 1, 1}, {-0.15, 0.2, 0.7, 1.15}, {0.9, 0.8, 0.15, 0.1}, {0.3, 0.4, 0.3, 0.45}} {
		for _, size := range [][2]int{{3, 4}, {5, 4}, {1, 3}, {4, 1}, {9, 2}} {
			for _, method := range []string{"nearest_neighbor", "linear"} {
				coord := func(i, axis int) float64 {
					return sourceCoordinate("tf_crop_and_resize", float64(i), float64(x.shape[1+axis]), float64(size[axis]), roi[axis], roi[2+axis])
				}
				ref := fill(dims(1, size[0], size[1], 2), func(i []int) float64 {
					y, z := coord(i[1], 0), coord(i[2], 1)
					if y < 0 || y > 4 || z < 0 || z > 3 {
						return -7.5
					}
					if method == "nearest_neighbor" {
						return x.at(0, int(math.Ceil(y-0.5)), int(math.Ceil(z-0.5)), i[3])
					}
					fy, fz := math.Floor(y), math.Floor(z)
					pixel := func(a, b float64) float64 { return x.at(0, min(int(a), 4), min(int(b), 3), i[3]) }
					ty, tz := y-fy, z-fz
					return (pixel(fy, fz)*(1-tz)+pixel(fy, fz+1)*tz)*(1-ty) + (pixel(fy+1, fz)*(1-tz)+pixel(fy+1, fz+1)*tz)*ty
				})
				both(t, fmt.Sprint(roi, size, method), func(k *kernelTest) {
					o := ResizeOpts{Layout: "NHWC", Method: method, Coordinate: "tf_crop_and_resize", ROI: roi, Extrapolation: -7.5}
					k.want(k.ok(Resize(k.float(x), []tir.Expr{k.extent(size[0]), k.extent(size[1])}, o)), ref)
				})
			}
		}
	}
}

// TestResizeTypes: integers are interpolated in float32 and cast; Out is the type of the result.
func TestResizeTypes(t *testing.T) {
	x := nd{dims(1, 1, 1, 2), []float64{0, 10}}
	o := ResizeOpts{Layout: "NCHW", Method: "linear", Coordinate: "asymmetric"}
	static(t, "int32", func(k *kernelTest) {
		out := k.ok(Resize(k.in(x, dtype.Int32T), []tir.Expr{tir.Int(1), tir.Int(8)}, o))
		if out.DType != dtype.Int32T {
			t.Errorf("the result is %v", out.DType)
		}
		k.want(out, nd{dims(1, 1, 1, 8), []float64{0, 2, 5, 7, 10, 10, 10, 10}})
	})
	static(t, "to float32", func(k *kernelTest) {
		o := o
		o.Out = dtype.Float32T
		k.want(k.ok(Resize(k.in(x, dtype.Int32T), []tir.Expr{tir.Int(1), tir.Int(8)}, o)), nd{dims(1, 1, 1, 8), []float64{0, 2.5, 5, 7.5, 10, 10, 10, 10}})
	})
	static(t, "errors", func(k *kernelTest) {
		bad := o
		bad.Coordinate = "middle"
		if _, err := Resize(k.in(x, dtype.Int32T), []tir.Expr{tir.Int(1), tir.Int(8)}, bad); err == nil || err.Error() != `unknown coordinate_transformation_mode "middle"` {
			t.Errorf("mode middle: %v", err)
		}
		bad = o
		bad.Layout = "NCDH"
		if _, err := Resize(k.in(x, dtype.Int32T), []tir.Expr{tir.Int(1), tir.Int(8)}, bad); err == nil {
			t.Error("a layout without W was taken")
		}
	})
}
