package onnx

import (
	"strings"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// topKOf is a model of one TopK with k as an attribute up to operator set 9, else as an operand.
func topKOf(opset, k int64, dims []any, attrs ...onnxpb.Attribute) *ob.Builder {
	b := ob.New("g", opset)
	ins := []string{b.Input("x", onnxpb.Float, dims...)}
	if opset < 10 {
		attrs = append(attrs, ob.Int("k", k))
	} else {
		ins = append(ins, b.Initializer("k", ob.Shape(k)))
	}
	b.NodeOut("TopK", "node", ins, []string{"v", "i"}, attrs...)
	b.Output("v", onnxpb.Float)
	b.Output("i", onnxpb.Int64)
	return b
}

func TestTopK(t *testing.T) {
	both := func(dims string) []string {
		return []string{
			`v_topk = relax.topk: Tuple(Tensor((` + dims + `), "float32"), Tensor((` + dims + `), "int64"))`,
			`v = *relax.TupleGetItem: Tensor((` + dims + `), "float32")`,
			`i = *relax.TupleGetItem: Tensor((` + dims + `), "int64")`,
		}
	}
	wantBindings(t, importFn(t, topKOf(7, 2, []any{3, 5}), Options{}), both("3, 2")...)
	wantBindings(t, importFn(t, topKOf(10, 5, []any{3, 5}, ob.Int("axis", -1)), Options{}), both("3, 5")...)
	wantBindings(t, importFn(t, topKOf(24, 2, []any{"n", 5}, ob.Int("axis", 0), ob.Int("largest", 0)), Options{}),
		append([]string{`v_fits = *relax.ShapeExpr: Shape((n,))`}, both("2, 5")...)...)
	wantBindings(t, importFn(t, topKOf(11, 0, []any{3, 5}), Options{}),
		`v = *relax.Constant: Tensor((3, 0), "float32")`, `i = *relax.Constant: Tensor((3, 0), "int64")`)
	for want, b := range map[string]*ob.Builder{
		`TopK "node" (operator set 17): k is 6, expected 0 to the extent of axis 1, which is 5`: topKOf(17, 6, []any{3, 5}),
		`k is -1, expected 0 to the extent of axis 0, which is n`:                               topKOf(17, -1, []any{"n"}),
		`axis 2 is out of range for 2 dimensions`:                                               topKOf(17, 1, []any{3, 5}, ob.Int("axis", 2)),
		`has element type bool, expected a number`:                                              one(17, "TopK", nil, "x:b:4", "k:i:1"),
	} {
		if _, err := tryImport(t, b, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
