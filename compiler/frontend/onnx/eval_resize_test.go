package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
)

// evalResize is relax.image.resize2d by the text of ONNX's Resize: each axis maps the place of an output element to one of the input,
// and takes the nearest element, or a sum of two or four neighbours with the weights of that axis.
func evalResize(c *evalCall) *tensor {
	h, w := 2, 3
	rows := make([][]tap, c.out[h])
	cols := make([][]tap, c.out[w])
	for i := range rows {
		rows[i] = c.resizeTaps(i, h)
	}
	for i := range cols {
		cols[i] = c.resizeTaps(i, w)
	}
	return evalIndex(c, func(idx []int) float64 {
		for _, a := range []int{h, w} {
			if x, n := c.sourceOf(a, float64(idx[a])), float64(c.in[0].Dims[a]); c.attrs.Str("coordinate_transformation_mode", "") == "tf_crop_and_resize" && (x < 0 || x > n-1) {
				return c.attrs.Float("extrapolation_value", 0)
			}
		}
		sum := 0.0
		for _, y := range rows[idx[h]] {
			for _, x := range cols[idx[w]] {
				sum += y.weight * x.weight * read(c.in[0], []int{idx[0], idx[1], y.at, x.at})
			}
		}
		return sum
	})
}

// tap is an element of the input along an axis, with its weight.
type tap struct {
	at     int
	weight float64
}

// resizeTaps returns what element i of an axis is made of.
func (c *evalCall) resizeTaps(i, axis int) []tap {
	x, size := c.sourceOf(axis, float64(i)), c.in[0].Dims[axis]
	inside := func(at int) int { return min(max(at, 0), size-1) }
	low := int(math.Floor(x))
	f := x - math.Floor(x)
	switch c.attrs.Str("method", "") {
	case "nearest_neighbor":
		switch c.attrs.Str("rounding_method", "") {
		case "floor":
		case "ceil":
			low = int(math.Ceil(x))
		case "round_prefer_ceil":
			low = int(math.Floor(x + 0.5))
		default: // round_prefer_floor
			low = int(math.Ceil(x - 0.5))
		}
		return []tap{{inside(low), 1}}
	case "linear":
		return []tap{{inside(low), 1 - f}, {inside(low + 1), f}}
	}
	var out []tap
	total := 0.0
	for k := -1; k <= 2; k++ {
		weight := cubicWeight(math.Abs(float64(k)-f), c.attrs.Float("cubic_alpha", 0))
		if c.attrs.Int("cubic_exclude", 0) != 0 && inside(low+k) != low+k {
			weight = 0
		}
		out = append(out, tap{inside(low + k), weight})
		total += weight
	}
	for k := range out {
		out[k].weight /= total // 1 unless elements outside are left out
	}
	return out
}

// sourceOf is the place in the input of element i of an output along an axis.
func (c *evalCall) sourceOf(axis int, i float64) float64 {
	size, n := float64(c.in[0].Dims[axis]), float64(c.out[axis])
	scale := n / size
	switch c.attrs.Str("coordinate_transformation_mode", "") {
	case "align_corners":
		if n == 1 {
			return 0
		}
		return i * (size - 1) / (n - 1)
	case "asymmetric":
		return i / scale
	case "tf_crop_and_resize":
		v, _ := c.attrs.Get("roi")
		roi := v.([]ir.Value)
		from, to := roi[axis-2].(float64), roi[axis-2+len(roi)/2].(float64)
		if n == 1 {
			return 0.5 * (from + to) * (size - 1)
		}
		return from*(size-1) + i*(to-from)*(size-1)/(n-1)
	case "pytorch_half_pixel":
		if n == 1 {
			return 0
		}
	case "tf_half_pixel_for_nn":
		return (i + 0.5) / scale
	}
	return (i+0.5)/scale - 0.5 // half_pixel, and half_pixel_symmetric where the scale makes a whole number
}

// cubicWeight is Keys' convolution kernel (Cubic convolution interpolation for digital image processing, 1981) at distance d.
func cubicWeight(d, a float64) float64 {
	switch {
	case d <= 1:
		return (a+2)*d*d*d - (a+3)*d*d + 1
	case d < 2:
		return a*d*d*d - 5*a*d*d + 8*a*d - 4*a
	}
	return 0
}
