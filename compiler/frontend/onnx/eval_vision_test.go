package onnx

import (
	"math"
	"slices"
)

// evalAffineGrid is relax.image.affine_grid by the text of ONNX's AffineGrid, with the coordinates in front of the places.
func evalAffineGrid(c *evalCall) *tensor {
	n := len(c.out) - 2
	corners := c.attrs.Bool("align_corners", false)
	return evalIndex(c, func(idx []int) float64 {
		sum := c.in[0].At([]int{idx[0], idx[1], n})
		for k := range n {
			size, at := float64(c.out[2+k]), float64(idx[2+k])
			x := (2*at+1)/size - 1
			if corners {
				x = 2*at/(size-1) - 1
			}
			sum += x * c.in[0].At([]int{idx[0], idx[1], n - 1 - k})
		}
		return sum
	})
}

// evalGridSample is relax.image.grid_sample by the text of ONNX's GridSample.
func evalGridSample(c *evalCall) *tensor {
	n := len(c.out) - 2
	method, padding, corners := c.attrs.Str("method", ""), c.attrs.Str("padding_mode", ""), c.attrs.Bool("align_corners", false)
	// moved is where an element that may be outside is read, false for nowhere.
	moved := func(x, low, high, size float64) (float64, bool) {
		switch {
		case padding == "border":
			return min(max(x, 0), size-1), true
		case padding == "reflection":
			for x < low || x > high {
				if x < low {
					x = 2*low - x
				} else {
					x = 2*high - x
				}
			}
			return min(max(x, 0), size-1), true
		}
		return x, x >= 0 && x <= size-1
	}
	return evalIndex(c, func(idx []int) float64 {
		axes := make([][]tap, n)
		for k := range n {
			place := append([]int{idx[0], n - 1 - k}, idx[2:]...)
			size := float64(c.in[0].Dims[2+k])
			low, high := -0.5, size-0.5
			x := ((c.in[1].At(place)+1)*size - 1) / 2
			if corners {
				low, high = 0, size-1
				x = (c.in[1].At(place) + 1) / 2 * (size - 1)
			}
			if method != "bicubic" && padding != "zeros" {
				x, _ = moved(x, low, high, size)
			}
			base := math.Floor(x)
			f := x - base
			list := map[float64]float64{base: 1 - f, base + 1: f}
			switch method {
			case "nearest":
				list = map[float64]float64{math.RoundToEven(x): 1}
			case "bicubic":
				list = map[float64]float64{}
				for j := -1.0; j <= 2; j++ {
					list[base+j] = cubicWeight(math.Abs(j-f), -0.75)
				}
			}
			for at, weight := range list {
				if at, there := moved(at, low, high, size); there {
					axes[k] = append(axes[k], tap{int(at), weight})
				}
			}
		}
		return sumTaps(axes, idx[:2], c.in[0])
	})
}

func sumTaps(axes [][]tap, at []int, x *tensor) float64 {
	if len(axes) == 0 {
		return x.At(at)
	}
	sum := 0.0
	for _, t := range axes[0] {
		sum += t.weight * sumTaps(axes[1:], append(slices.Clone(at), t.at), x)
	}
	return sum
}

// evalReverse is relax.reverse_sequence.
func evalReverse(c *evalCall) *tensor {
	seq, batch := int(c.attrs.Int("seq_axis", 0)), int(c.attrs.Int("batch_axis", 0))
	return evalIndex(c, func(idx []int) float64 {
		at := slices.Clone(idx)
		if n := int(c.in[1].Data[idx[batch]]); idx[seq] < n {
			at[seq] = n - 1 - idx[seq]
		}
		return c.in[0].At(at)
	})
}

// evalROIAlign is relax.vision.roi_align by the text of ONNX's RoiAlign, whose half_pixel the caller has applied.
func evalROIAlign(c *evalCall) *tensor {
	scale, samples := c.attrs.Float("spatial_scale", 1), int(c.attrs.Int("sample_ratio", 0))
	return evalIndex(c, func(idx []int) float64 {
		var places [2][]float64
		for k := range 2 {
			from, to := scale*c.in[1].At([]int{idx[0], 2 - k}), scale*c.in[1].At([]int{idx[0], 4 - k})
			size := to - from
			if !c.attrs.Bool("aligned", false) {
				size = max(size, 1)
			}
			bin := size / float64(c.out[2+k])
			n := samples
			if n <= 0 {
				n = int(math.Ceil(bin))
			}
			for s := range n {
				places[k] = append(places[k], from+bin*(float64(idx[2+k])+(float64(s)+0.5)/float64(n)))
			}
		}
		sum, most := 0.0, math.Inf(-1)
		for _, y := range places[0] {
			for _, x := range places[1] {
				image := int(c.in[1].At([]int{idx[0], 0}))
				axes := c.around(y, x)
				if axes == nil {
					most = max(most, 0)
					continue
				}
				sum += sumTaps(axes, []int{image, idx[1]}, c.in[0])
				for _, a := range axes[0] {
					for _, b := range axes[1] {
						most = max(most, a.weight*b.weight*c.in[0].At([]int{image, idx[1], a.at, b.at}))
					}
				}
			}
		}
		if c.attrs.Str("mode", "avg") == "max_weighted" {
			return most
		}
		return sum / float64(len(places[0])*len(places[1]))
	})
}

// around returns the elements around a place in an image, along both axes, nil outside of it.
func (c *evalCall) around(place ...float64) [][]tap {
	axes := make([][]tap, 2)
	for k, v := range place {
		n := c.in[0].Dims[2+k]
		if v < -1 || v > float64(n) {
			return nil
		}
		v = min(max(v, 0), float64(n-1))
		i := int(v)
		axes[k] = []tap{{i, 1 - (v - float64(i))}, {min(i+1, n-1), v - float64(i)}}
	}
	return axes
}

// evalROIPool is relax.vision.roi_pool by the text of ONNX's MaxRoiPool.
func evalROIPool(c *evalCall) *tensor {
	scale := c.attrs.Float("spatial_scale", 1)
	return evalIndex(c, func(idx []int) float64 {
		var low, high [2]int
		for k := range 2 {
			from := int(math.Floor(scale*c.in[1].At([]int{idx[0], 2 - k}) + 0.5))
			to := int(math.Floor(scale*c.in[1].At([]int{idx[0], 4 - k}) + 0.5))
			bin := float64(max(to-from+1, 1)) / float64(c.out[2+k])
			inside := func(v float64) int { return min(max(int(v)+from, 0), c.in[0].Dims[2+k]) }
			low[k], high[k] = inside(math.Floor(float64(idx[2+k])*bin)), inside(math.Ceil(float64(idx[2+k]+1)*bin))
		}
		best, some := math.Inf(-1), false
		for y := low[0]; y < high[0]; y++ {
			for x := low[1]; x < high[1]; x++ {
				best, some = max(best, c.in[0].At([]int{int(c.in[1].At([]int{idx[0], 0})), idx[1], y, x})), true
			}
		}
		if !some {
			return 0
		}
		return best
	})
}
