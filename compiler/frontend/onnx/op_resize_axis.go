package onnx

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxResizeTaps bounds the elements of an axis that an element of the result is computed from.
const maxResizeTaps = 256

// resizedByAxis resizes one axis after the other by a sum of elements at constant indices, with constant weights. This is what
// relax.image.resize2d lacks: scales that are no quotients of extents, smoothing, and other axes than those of images.
func (n *node) resizedByAxis(r *resizing) {
	from, d := n.dims(0), n.dtype(0)
	x := n.expr(0)
	if r.method != "nearest_neighbor" {
		x = n.as(x, dtype.Float32T)
	}
	for a := range from {
		if r.scales[a] == 0 && sameDims(from[a:a+1], r.out[a:a+1]) {
			continue
		}
		in, ok := tir.AsInt(from[a])
		out, fixed := tir.AsInt(r.out[a])
		if !ok || !fixed || in < 1 {
			n.fail("axis %d has extent %s, and %s in the result; this kind of resizing needs fixed extents above 0", a, relax.FormatPrim(from[a]), relax.FormatPrim(r.out[a]))
		}
		ax := &resizedAxis{resizing: r, in: in, out: out, scale: r.scales[a]}
		if ax.scale == 0 {
			ax.scale = float64(float32(out) / float32(in))
		}
		shape := make([]int64, len(from)-a)
		for i := range shape {
			shape[i] = 1
		}
		shape[0] = out
		var sum relax.Expr
		for _, t := range ax.taps(n) {
			y := n.emit("relax.take", args(x, n.int64s(t.at)), "axis", int64(a))
			if t.weights != nil {
				y = n.emit("relax.multiply", args(y, n.float32s(shape, t.weights)))
			}
			if sum != nil {
				y = n.emit("relax.add", args(sum, y))
			}
			sum = y
		}
		x = sum
	}
	if r.method != "nearest_neighbor" && d != dtype.Float32T {
		n.result("relax.astype", args(x), "dtype", d)
		return
	}
	n.set(0, x)
}

func (n *node) int64s(vs []int64) relax.Expr {
	return n.tensor(&value{known: vector(dtype.Int64T, relax.Ints(vs))})
}

func (n *node) float32s(shape []int64, vs []float32) relax.Expr {
	var data []byte
	for _, v := range vs {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	b, err := ir.NewBlob(dtype.Float32T, shape, data)
	n.check(err)
	return &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b}
}

// resizedAxis is an axis that is resized; its coordinates are computed in float32, as runtimes do.
type resizedAxis struct {
	*resizing
	in, out int64
	scale   float64
}

// resizeTap is, for each element along the axis of the result, the index of an element of the input and its weight; nil if that is 1.
type resizeTap struct {
	at      []int64
	weights []float32
}

// coordinate is where element i of the result lies in the input.
func (a *resizedAxis) coordinate(i int64) float32 {
	x, s := float32(i), float32(a.scale)
	switch a.coordinates {
	case "asymmetric":
		return x / s
	case "align_corners":
		if a.out == 1 {
			return 0
		}
		return x * float32(a.in-1) / float32(a.out-1)
	case "pytorch_half_pixel":
		if a.out == 1 {
			return 0
		}
	case "tf_half_pixel_for_nn":
		return (x + .5) / s
	case "half_pixel_symmetric":
		center := float32(a.in) / 2
		return center*(1-float32(a.out)/(s*float32(a.in))) + (x+.5)/s - .5
	}
	return (x+.5)/s - .5
}

// taps returns the elements that count and their weights.
func (a *resizedAxis) taps(n *node) []resizeTap {
	if a.method == "nearest_neighbor" {
		t := resizeTap{at: make([]int64, a.out)}
		for i := range t.at {
			t.at[i] = a.clamp(a.nearest(a.coordinate(int64(i))))
		}
		return []resizeTap{t}
	}
	reach, kernel := 1.0, func(x float64) float64 { return max(0, 1-x) }
	if a.method == "cubic" {
		reach, kernel = 2, a.keys
	}
	shrink := 1.0
	if a.smooth {
		shrink = min(1, a.scale) // the kernel spreads over what becomes one element
	}
	first := int64(math.Floor(-reach/shrink)) + 1
	count := 2 - 2*first
	if count > maxResizeTaps {
		n.fail("an element of the result depends on %d of an axis, the limit is %d", count, maxResizeTaps)
	}
	list := make([]resizeTap, count)
	for k := range list {
		list[k] = resizeTap{make([]int64, a.out), make([]float32, a.out)}
	}
	for i := range a.out {
		x := a.coordinate(i)
		base := math.Floor(float64(x))
		ratio, total := float64(x)-base, 0.0
		weights := make([]float64, count)
		for k := range weights {
			at := int64(base) + first + int64(k)
			if w := kernel(math.Abs(float64(first+int64(k))-ratio) * shrink); !a.exclude || at >= 0 && at < a.in {
				weights[k] = w
			}
			total += weights[k]
			list[k].at[i] = a.clamp(at)
		}
		for k, w := range weights {
			if a.smooth || a.exclude {
				w /= total
			}
			list[k].weights[i] = float32(w)
		}
	}
	return list
}

func (a *resizedAxis) clamp(i int64) int64 { return min(max(i, 0), a.in-1) }

func (a *resizedAxis) nearest(x float32) int64 {
	v := float64(x)
	switch a.rounding {
	case "floor":
		return int64(math.Floor(v))
	case "ceil":
		return int64(math.Ceil(v))
	case "round_prefer_ceil":
		return int64(math.Floor(v + .5))
	}
	return int64(math.Ceil(v - .5))
}

// keys is Keys' cubic convolution kernel at a distance x.
func (a *resizedAxis) keys(x float64) float64 {
	c := a.cubic
	switch {
	case x <= 1:
		return ((c+2)*x-(c+3))*x*x + 1
	case x < 2:
		return ((c*x-5*c)*x+8*c)*x - 4*c
	}
	return 0
}
