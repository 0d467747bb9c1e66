package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// padSame pads operand 0 with elements of one value where auto_pad asks for as many windows as ceil(extent/stride) and extents are symbolic, so that
// the padding is: what follows sees a node that asks for no padding. A window of less than a stride is left, since its padding would have to be bounded.
func (n *node) padSame(kernel []int64, fill float64) {
	mode := n.str("auto_pad", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
	if mode != "SAME_UPPER" && mode != "SAME_LOWER" {
		return
	}
	spatial := n.dims(0)[2:]
	r := len(spatial)
	w := &window{kernel: kernel, strides: n.spatial("strides", r), dilations: n.spatial("dilations", r)}
	needed := false
	pads := make([]tir.Expr, 2*(r+2))
	for i := range pads {
		pads[i] = tir.Int(0)
	}
	for i, d := range spatial {
		reach, s := w.reach(i), w.strides[i]
		if _, static := tir.AsInt(d); !static && s > 1 {
			if needed = true; reach < s || kernel[i] < 1 || reach > math.MaxInt32 {
				return
			}
		}
		covered := tir.Add(tir.Mul(tir.Sub(tir.FloorDiv(tir.Add(d, tir.Int(s-1)), tir.Int(s)), tir.Int(1)), tir.Int(s)), tir.Int(reach))
		total := tir.Max(tir.Sub(covered, d), tir.Int(0))
		if reach >= s {
			total = tir.Sub(covered, d)
		}
		lo := tir.FloorDiv(total, tir.Int(2))
		if mode == "SAME_LOWER" {
			lo = tir.FloorDiv(tir.Add(total, tir.Int(1)), tir.Int(2))
		}
		pads[2+i], pads[r+4+i] = lo, tir.Sub(total, lo)
	}
	if !needed {
		return
	}
	n.in = slices.Clone(n.in)
	n.in[0] = n.apply("Pad", []*value{n.in[0], {known: vector(dtype.Int64T, pads)}, {expr: n.constant(n.dtype(0), fill)}})[0]
	pb := *n.pb
	pb.Attributes = slices.Clone(pb.Attributes)
	n.pb = &pb
	n.drop("auto_pad")
	n.drop("pads")
}
