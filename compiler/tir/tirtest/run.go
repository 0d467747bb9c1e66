package tirtest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// Run interprets f on copies of args and returns them as f left them.
func Run(f *tir.PrimFunc, args []any, opts *interp.Options) ([]any, error) {
	out := make([]any, len(args))
	for i, a := range args {
		if t, ok := a.(*tensor.Tensor); ok {
			a = t.Clone()
		}
		out[i] = a
	}
	return out, interp.Run(context.Background(), f, out, opts)
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
