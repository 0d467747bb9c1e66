package differ

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/runtime/tensor"
)

// resized returns inputs of other extents where a model leaves extents open: each symbol becomes another number, and elements are some of those that were drawn.
// It is nil where there are none. Whether the model computes anything of them, ONNX Runtime says.
func (d *draw) resized() []*tensor.Tensor {
	filled, larger, fits := d.resizable()
	if !fits {
		return nil
	}
	extents := map[string]int64{}
	grow := d.chance(0.2)
	out := make([]*tensor.Tensor, len(d.args))
	for i, in := range d.b.Model().Graph.Inputs {
		was := d.args[i]
		dims := slices.Clone(was.Shape)
		for k, of := range in.Type.Tensor.Shape {
			if of.Param == "" {
				continue
			}
			if _, ok := extents[of.Param]; !ok {
				extents[of.Param] = d.another(dims[k], filled, grow)
				if larger {
					extents[of.Param] = max(extents[of.Param], dims[k])
				}
			}
			dims[k] = extents[of.Param]
		}
		t := tensor.MustNew(was.DType, dims...)
		if t.Len() > 1<<16 || t.Len() > 0 && was.Len() == 0 {
			return nil
		}
		for e := range t.Len() {
			from := e
			if e >= was.Len() {
				from = d.IntN(was.Len())
			}
			if was.DType.IsFloat() {
				t.SetFloat(e, was.Float(from))
			} else {
				t.SetInt(e, was.Int(from))
			}
		}
		out[i] = t
	}
	if len(extents) == 0 {
		return nil
	}
	return out
}

// another is another extent.
func (d *draw) another(n int64, filled, grow bool) int64 {
	switch {
	case !filled && d.chance(0.08):
		return 0
	case grow:
		return n + d.between(0, 40)
	}
	return max(pick(d, 1, 2, 3, n+1, n+2, n-1, 2*n, n+8, 17), truth(filled))
}

// resizable reports whether ONNX Runtime can be asked for other extents of inputs, and whether none of them may be 0, or less than it was: of nothing, of windows that do not fit, and of
// extents that do not fit each other, it computes something where operators' text does not.
func (d *draw) resizable() (filled, larger, fits bool) {
	for _, n := range d.b.Model().Graph.Nodes {
		switch {
		case strings.HasPrefix(n.OpType, "Reduce"), strings.HasPrefix(n.OpType, "Arg"), strings.Contains(n.OpType, "MatMul"), strings.Contains(n.OpType, "Gemm"), n.OpType == "Concat", strings.HasSuffix(n.OpType, "LSTM"):
			filled = true
		case strings.HasSuffix(n.OpType, "Loss"), n.OpType == "MeanVarianceNormalization":
			return false, false, false
		}
		for _, a := range n.Attributes {
			larger = larger || a.Name == "kernel_shape"
			if a.Name == "batch_dims" && a.I > 0 || a.Name == "mode" && string(a.S) == "wrap" || string(a.S) == "tf_crop_and_resize" {
				return false, false, false
			}
		}
	}
	return filled, larger, true
}
