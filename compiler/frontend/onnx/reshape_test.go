package onnx

import (
	"fmt"
	"strings"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// TestReshapeRules checks what 0 and -1 of a Reshape stand for, by the text of the operator:
// 0 copies an extent, with allowzero it is 0, and -1 is what is left over.
func TestReshapeRules(t *testing.T) {
	for _, tc := range []struct {
		from      []any
		to        []int64
		allowZero int64
		want      string // the shape, or words of the error
	}{
		{[]any{2, 3, 4}, []int64{4, 6}, 0, "(4, 6)"},
		{[]any{2, 3, 4}, []int64{0, -1}, 0, "(2, 12)"},
		{[]any{2, 3, 4}, []int64{0, 0, 0}, 0, "(2, 3, 4)"},
		{[]any{2, 3, 4}, []int64{-1, 0}, 0, "(8, 3)"},
		{[]any{2, 3, 4}, []int64{-1}, 1, "(24,)"},
		{[]any{2, 3, 4}, []int64{0, 12}, 1, "has 24 elements, but the shape (0, 12) has 0"},
		{[]any{2, 3, 4}, []int64{-1, 0}, 1, "has both 0 and -1"},
		{[]any{2, 3, 4}, []int64{-1, -1}, 0, "more than one extent below 0"},
		{[]any{2, 3, 4}, []int64{-2, 12}, 0, "more than one extent below 0"},
		{[]any{2, 3}, []int64{2, 3, 0}, 0, "copies extent 2 of an input with 2 dimensions"},
		{[]any{2, 3}, []int64{4, -1}, 0, "does not fit"},
		{[]any{0, 3}, []int64{0, 0, 5}, 1, "(0, 0, 5)"},
		{[]any{0, 3}, []int64{5, 0}, 1, "(5, 0)"},
		{[]any{0, 3}, []int64{0, 5}, 0, "(0, 5)"},
		{[]any{0, 3}, []int64{0, 0}, 0, "(0, 3)"},
		{[]any{0, 3}, []int64{3, 0}, 0, "has 0 elements, but the shape (3, 0) has 9"},
		{[]any{0, 3}, []int64{0, -1}, 0, "does not fit"},
		{[]any{0, 3}, []int64{0, -1}, 1, "has both 0 and -1"},
		{[]any{0, 3}, []int64{7, -1}, 0, "(7, 0)"},
		{[]any{"n", 3}, []int64{0, -1}, 0, "(n, 3)"},
		{[]any{"n", 3}, []int64{0, 5}, 1, "may have some"},
		{[]any{"n", 0}, []int64{0, 5}, 1, "(0, 5)"},
	} {
		b := ob.New("g", 17)
		x := b.Input("x", onnxpb.Float, tc.from...)
		b.NodeOut("Reshape", "node", []string{x, b.Initializer("to", ob.Shape(tc.to...))}, []string{"y"}, ob.Int("allowzero", tc.allowZero))
		b.Output("y", onnxpb.Undefined)
		what := fmt.Sprintf("%v to %v, allowzero=%d", tc.from, tc.to, tc.allowZero)
		mod, err := Import(t.Context(), b.Model(), Options{})
		if err != nil {
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %s", what, err, tc.want)
			}
			continue
		}
		f := ir.MustLookup[*relax.Function](mod, "main")
		dims, _ := relax.SInfoOf(f.Body).(*relax.TensorStructInfo).Dims()
		if got := relax.FormatDims(dims); got != tc.want {
			t.Errorf("%s: %s, want %s", what, got, tc.want)
		}
	}
}
