package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

func init() {
	register(sequences, "sequences")
}

// sequences is a graph that makes a sequence of a tensor or of several, changes it, and makes tensors of it again.
func sequences(d *draw) {
	d.symbolic = false
	d.opset = max(d.opset, 13)
	dims := d.filled(1, 3)
	dt := pick(d, onnxpb.Float, onnxpb.Int64)
	axis := d.Int64N(int64(len(dims)))
	tensorOf := func(dims []int64) val { return d.input(d.values(dt, plain, dims...)) }
	count, part := int64(0), append([]int64{}, dims...) // elements, and the shape of each
	var list string
	switch d.IntN(3) {
	case 0: // equal parts, of 1 without an axis of their own
		x := tensorOf(dims)
		count, part[axis] = dims[axis], 1
		attrs := []onnxpb.Attribute{ob.Int("axis", axis)}
		if d.chance(0.5) && len(dims) > 1 {
			part = append(part[:axis], part[axis+1:]...)
			attrs = append(attrs, ob.Int("keepdims", 0))
		}
		list = d.node("SplitToSequence", []val{x}, attrs...)
	case 1: // the last may be smaller
		x := tensorOf(dims)
		each := d.between(1, dims[axis])
		list = d.node("SplitToSequence", []val{x, d.scalar(each)}, ob.Int("axis", axis))
		count = (dims[axis] + each - 1) / each
		if part[axis] = each; dims[axis]%each != 0 {
			part = nil
		}
	default:
		count = d.between(1, 4)
		var in []val
		for range count {
			in = append(in, tensorOf(dims))
		}
		list = d.node("SequenceConstruct", in)
	}
	place := func() val { return d.scalar(d.between(-count, count-1)) }
	for range d.IntN(3) {
		switch {
		case part == nil:
		case d.chance(0.5):
			in := []val{{name: list}, tensorOf(part)}
			if d.chance(0.6) {
				in = append(in, place())
			}
			list, count = d.node("SequenceInsert", in), count+1
		case count > 1:
			in := []val{{name: list}}
			if d.chance(0.6) {
				in = append(in, place())
			}
			list, count = d.node("SequenceErase", in), count-1
		}
	}
	d.out(d.node("SequenceLength", []val{{name: list}}), onnxpb.Int64)
	d.out(d.node("SequenceAt", []val{{name: list}, place()}), dt)
	switch {
	case part != nil && d.chance(0.4):
		d.out(d.node("ConcatFromSequence", []val{{name: list}}, ob.Int("axis", d.between(0, int64(len(part)))), ob.Int("new_axis", 1)), dt)
	case part == nil || len(part) > 0:
		if part != nil {
			axis = d.Int64N(int64(len(part)))
		}
		d.out(d.node("ConcatFromSequence", []val{{name: list}}, ob.Int("axis", axis)), dt)
	}
}
