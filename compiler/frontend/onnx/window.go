package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// window is the geometry of a convolution or pooling over spatial axes.
type window struct {
	kernel, strides, dilations []int64
	pads                       []int64 // of the starts of all axes, then of the ends
}

// windowAttrs are the attributes that describe a window.
var windowAttrs = []string{"auto_pad", "dilations", "kernel_shape", "pads", "strides"}

// window reads the attributes for the spatial extents of the input and the kernel.
func (n *node) window(spatial []tir.Expr, kernel []int64) *window {
	r := len(spatial)
	w := &window{kernel: kernel, strides: n.spatial("strides", r), dilations: n.spatial("dilations", r)}
	for i, k := range kernel {
		if k < 1 || k > math.MaxInt32 {
			n.fail("the kernel has extent %d along spatial axis %d, expected 1 or more", k, i)
		}
	}
	w.pads = n.ints("pads")
	if w.pads == nil {
		w.pads = make([]int64, 2*r)
	}
	if len(w.pads) != 2*r {
		n.fail("attribute \"pads\" has %d numbers, expected %d", len(w.pads), 2*r)
	}
	for _, p := range w.pads {
		if p < 0 || p > math.MaxInt32 {
			n.fail("attribute \"pads\" is %v; only pads of 0 or more are supported", w.pads)
		}
	}
	switch mode := n.autoPad(); mode {
	case "VALID":
		w.pads = make([]int64, 2*r)
	case "SAME_UPPER", "SAME_LOWER":
		w.pads = make([]int64, 2*r)
		for i := range r {
			total := n.samePad(w, spatial[i], i)
			lo, hi := total/2, total-total/2
			if mode == "SAME_LOWER" {
				lo, hi = hi, lo
			}
			w.pads[i], w.pads[r+i] = lo, hi
		}
	}
	return w
}

func (n *node) autoPad() string {
	return n.str("auto_pad", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
}

// spatial reads an attribute with a number of 1 or more for each spatial axis.
func (n *node) spatial(name string, r int) []int64 {
	vs := n.ints(name)
	if vs == nil {
		vs = make([]int64, r)
		for i := range vs {
			vs[i] = 1
		}
	}
	if len(vs) != r {
		n.fail("attribute %q has %d numbers, expected %d", name, len(vs), r)
	}
	for _, v := range vs {
		if v < 1 || v > math.MaxInt32 {
			n.fail("attribute %q is %v, expected numbers of 1 or more", name, vs)
		}
	}
	return vs
}

// reach is how many input elements the window covers along spatial axis i.
func (w *window) reach(i int) int64 { return (w.kernel[i]-1)*w.dilations[i] + 1 }

// samePad is the padding that gives ceil(extent/stride) results.
func (n *node) samePad(w *window, extent tir.Expr, i int) int64 {
	if w.strides[i] == 1 {
		return w.reach(i) - 1
	}
	v, ok := tir.AsInt(extent)
	if !ok {
		n.fail("attribute \"auto_pad\" with stride %d needs a fixed extent of spatial axis %d", w.strides[i], i)
	}
	return max(0, ((v+w.strides[i]-1)/w.strides[i]-1)*w.strides[i]+w.reach(i)-v)
}

// check makes sure that the window fits into the padded input.
func (n *node) fits(w *window, spatial []tir.Expr) {
	for i, d := range spatial {
		if v, ok := tir.AsInt(d); ok && v+w.pads[i]+w.pads[len(spatial)+i] < w.reach(i) {
			n.fail("the window covers %d elements of spatial axis %d, but the padded input has %d", w.reach(i), i, v+w.pads[i]+w.pads[len(spatial)+i])
		}
	}
}

// roundUp turns ceil_mode into padding at the end: as many more elements as the last window
// needs, unless that window would start in the padding. It returns the additional padding.
func (n *node) roundUp(w *window, spatial []tir.Expr) []int64 {
	extra := make([]int64, len(spatial))
	for i, d := range spatial {
		v, ok := tir.AsInt(d)
		lo, hi, s := w.pads[i], w.pads[len(spatial)+i], w.strides[i]
		switch {
		case ok:
		case hi+s <= w.reach(i): // no window starts in the padding: to round up is to round down with a stride less one more
			extra[i] = s - 1
			continue
		default:
			n.fail("attribute \"ceil_mode\" with stride %d and %d of padding at the end needs a fixed extent of spatial axis %d", s, hi, i)
		}
		out := (v+lo+hi-w.reach(i)+s-1)/s + 1
		if (out-1)*s >= v+lo {
			out--
		}
		extra[i] = max(0, (out-1)*s+w.reach(i)-v-lo-hi)
	}
	return extra
}
