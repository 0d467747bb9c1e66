package onnx

import "math"

// evalResize is relax.image.resize2d by the text of ONNX's Resize: each axis maps the place of an output element to one of the input,
// and takes the nearest element, or a sum of two or four neighbours with the weights of that axis.
func evalResize(c *evalCall) *tensor {
	h, w := 2, 3
	rows := make([][]tap, c.out[h])
	cols := make([][]tap, c.out[w])
	for i := range rows {
		rows[i] = c.resizeTaps(i, c.in[0].Dims[h], c.out[h])
	}
	for i := range cols {
		cols[i] = c.resizeTaps(i, c.in[0].Dims[w], c.out[w])
	}
	return evalIndex(c, func(idx []int) float64 {
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

// resizeTaps returns what element i of an axis with n elements is made of, where the input has size.
func (c *evalCall) resizeTaps(i, size, n int) []tap {
	x := c.sourceOf(float64(i), float64(size), float64(n))
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

// sourceOf is the place in the input of element i of an output.
func (c *evalCall) sourceOf(i, size, n float64) float64 {
	scale := n / size
	switch c.attrs.Str("coordinate_transformation_mode", "") {
	case "align_corners":
		if n == 1 {
			return 0
		}
		return i * (size - 1) / (n - 1)
	case "asymmetric":
		return i / scale
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
