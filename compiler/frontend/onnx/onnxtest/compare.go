package onnxtest

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// Tolerance bounds |got - want| by Abs + Rel·|want| + OfMax·max|want|.
type Tolerance struct{ Rel, Abs, OfMax float64 }

// Compare returns the largest difference between two tensors, and an error that names the
// first element beyond the tolerance, or another shape or element type.
func (t Tolerance) Compare(got, want *onnxpb.Tensor) (worst float64, err error) {
	if got.Type != want.Type || !slices.Equal(got.Dims, want.Dims) {
		return 0, fmt.Errorf("got %v %v, want %v %v", got.Type, got.Dims, want.Type, want.Dims)
	}
	gs, err := values(got)
	if err != nil {
		return 0, err
	}
	ws, err := values(want)
	if err != nil {
		return 0, err
	}
	top := 0.0
	for _, w := range ws {
		if a := math.Abs(w); a > top && !math.IsInf(a, 0) {
			top = a
		}
	}
	for i, w := range ws {
		if math.IsNaN(w) && math.IsNaN(gs[i]) || w == gs[i] {
			continue
		}
		d := math.Abs(gs[i] - w)
		if !(d <= t.Abs+t.Rel*math.Abs(w)+t.OfMax*top) {
			return d, fmt.Errorf("element %d of %d is %g, want %g", i, len(ws), gs[i], w)
		}
		worst = max(worst, d)
	}
	return worst, nil
}

func values(t *onnxpb.Tensor) ([]float64, error) {
	if t.Type == onnxpb.Float || t.Type == onnxpb.Double {
		return t.Floats()
	}
	ints, err := t.Ints()
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(ints))
	for i, v := range ints {
		out[i] = float64(v)
	}
	return out, nil
}
