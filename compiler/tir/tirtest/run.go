package tirtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// Run interprets f on copies of args and returns them as f left them.
func Run(f *tir.PrimFunc, args []any, opts *interp.Options) ([]any, error) {
	return RunAs(f, nil, args, opts)
}

// RunAs is Run for an f whose callers see the elements of argument i as vectors of lanes[i] of them, as tir.PointerValueTypeRewrite makes
// them; without lanes they are scalars.
func RunAs(f *tir.PrimFunc, lanes []int, args []any, opts *interp.Options) ([]any, error) {
	out, given := make([]any, len(args)), make([]any, len(args))
	for i, a := range args {
		out[i], given[i] = a, a
		if t, ok := a.(*tensor.Tensor); ok {
			c := t.Clone()
			out[i], given[i] = c, c
			if i < len(lanes) && lanes[i] > 1 {
				given[i] = inVectors(c, lanes[i])
			}
		}
	}
	return out, interp.Run(context.Background(), f, given, opts)
}

// inVectors shares the memory of t.
func inVectors(t *tensor.Tensor, lanes int) *tensor.Tensor {
	v := *t
	v.DType = t.DType.WithLanes(lanes)
	v.Shape = slices.Clone(t.Shape)
	v.Shape[len(v.Shape)-1] /= int64(lanes)
	return &v
}

// Lanes returns how many lanes the elements of each parameter have, nil for an f whose parameters are no buffers.
func Lanes(f *tir.PrimFunc) []int {
	var out []int
	for i, b := range f.Buffers {
		if b != nil {
			out = append(out, slices.Repeat([]int{1}, i-len(out))...)
			out = append(out, max(int(b.DType.Lanes), 1))
		}
	}
	return out
}

// Differ describes the first difference between results, "" if there is none: tensors are
// compared bit for bit, but NaNs are all equal.
func Differ(got, want []any) string {
	for i := range want {
		w, ok := want[i].(*tensor.Tensor)
		if !ok {
			continue
		}
		g := got[i].(*tensor.Tensor)
		if bytes.Equal(g.Data, w.Data) {
			continue
		}
		for k := range w.Len() {
			if w.DType.IsFloat() {
				if a, b := g.Float(k), w.Float(k); a == b || a != a && b != b {
					continue
				}
			} else if g.Int(k) == w.Int(k) {
				continue
			}
			return fmt.Sprintf("argument %d, element %d of %v: got %s, want %s", i, k, w.Shape, g.Format(k, 9), w.Format(k, 9))
		}
	}
	return ""
}
