package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// symbolicSame reports whether padSame pads.
func (n *node) symbolicSame(kernel []int64) bool {
	mode, r := n.autoPad(), n.spatialRank()
	if mode != "SAME_UPPER" && mode != "SAME_LOWER" || len(kernel) != r {
		return false
	}
	w := &window{kernel: kernel, strides: n.spatial("strides", r), dilations: n.spatial("dilations", r)}
	needed := false
	for i, d := range n.dims(0)[2:] {
		if _, static := tir.AsInt(d); !static && w.strides[i] > 1 {
			if needed = true; w.reach(i) < w.strides[i] || kernel[i] < 1 || w.reach(i) > math.MaxInt32 {
				return false
			}
		}
	}
	return needed
}

// padSame pads operand 0 with elements of one value where auto_pad asks for as many windows as ceil(extent/stride) and extents are symbolic, so that
// the padding is: what follows sees a node that asks for no padding. A window of less than a stride is left, since its padding would have to be bounded.
func (n *node) padSame(kernel []int64, fill float64) {
	if !n.symbolicSame(kernel) {
		return
	}
	lower := n.autoPad() == "SAME_LOWER"
	spatial := n.dims(0)[2:]
	r := len(spatial)
	w := &window{kernel: kernel, strides: n.spatial("strides", r), dilations: n.spatial("dilations", r)}
	pads := make([]tir.Expr, 2*(r+2))
	for i := range pads {
		pads[i] = tir.Int(0)
	}
	for i, d := range spatial {
		reach, s := w.reach(i), w.strides[i]
		covered := tir.Add(tir.Mul(tir.Sub(tir.FloorDiv(tir.Add(d, tir.Int(s-1)), tir.Int(s)), tir.Int(1)), tir.Int(s)), tir.Int(reach))
		total := tir.Max(tir.Sub(covered, d), tir.Int(0))
		if reach >= s {
			total = tir.Sub(covered, d)
		}
		lo := tir.FloorDiv(total, tir.Int(2))
		if lower {
			lo = tir.FloorDiv(tir.Add(total, tir.Int(1)), tir.Int(2))
		}
		pads[2+i], pads[r+4+i] = lo, tir.Sub(total, lo)
	}
	n.in = slices.Clone(n.in)
	n.in[0] = n.apply("Pad", []*value{n.in[0], {known: vector(dtype.Int64T, pads)}, {expr: n.constant(n.dtype(0), fill)}})[0]
	pb := *n.pb
	pb.Attributes = slices.Clone(pb.Attributes)
	n.pb = &pb
	n.drop("auto_pad")
	n.drop("pads")
}
