package models

import (
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// TestMicrosoft runs operators of com.microsoft of which ONNX Runtime has no kernel for CPUs, or one that differs from their text, with values that follow
// from the text.
func TestMicrosoft(t *testing.T) {
	floats := func(dims []int64, v ...float32) *onnxpb.Tensor { x := ob.Floats(dims, v...); return &x }
	bytes := func(dims []int64, v ...byte) *onnxpb.Tensor {
		return &onnxpb.Tensor{Type: onnxpb.Uint8, Dims: dims, Data: v}
	}
	int32s := func(dims []int64, v ...byte) *onnxpb.Tensor {
		x := &onnxpb.Tensor{Type: onnxpb.Int32, Dims: dims}
		for _, b := range v {
			x.Data = append(x.Data, b, 0, 0, 0)
		}
		return x
	}
	cases := []onnxtest.NodeCase{
		// Columns of two blocks that take turns: scales are 1 and 10, zero points 3 and 1.
		microsoftCase("MatMulNBits", 1, []*onnxpb.Tensor{
			floats([]int64{2, 4}, 1, 0, 0, 1, 0, 1, 1, 0), bytes([]int64{1, 2, 1}, 0x65, 0x87), floats([]int64{2}, 1, 10), bytes([]int64{1}, 0x13), int32s([]int64{4}, 0, 1, 0, 1),
		}, []*onnxpb.Tensor{floats([]int64{2, 1}, 72, 54)}, ob.Int("K", 4), ob.Int("N", 1), ob.Int("bits", 4), ob.Int("block_size", 2)),
		// The norm of queries and keys of one element is their sign: the second query sees keys 1 and -1, whose products are apart by the logarithm of 3.
		microsoftCase("GroupQueryAttention", 5, []*onnxpb.Tensor{
			floats([]int64{1, 2, 1}, 5, 7), floats([]int64{1, 2, 1}, 2, -3), floats([]int64{1, 2, 1}, 0, 4), nil, nil, int32s([]int64{1}, 1), int32s(nil, 2),
			nil, nil, nil, nil, nil, nil, nil, floats([]int64{1}, .54930615), floats([]int64{1}, 1),
		}, []*onnxpb.Tensor{floats([]int64{1, 2, 1}, 0, 1), floats([]int64{1, 1, 2, 1}, 1, -1), floats([]int64{1, 1, 2, 1}, 0, 4)},
			ob.Int("num_heads", 1), ob.Int("kv_num_heads", 1), ob.Float("scale", 1)),
	}
	passed := runNodes(t, cases)
	if passed["wasm"] != len(cases) {
		t.Errorf("%v models agree, expected all %d", passed, len(cases))
	}
}

// microsoftCase is a test of a node of which so many operands are inputs, the others constants; nil is one that is left out.
func microsoftCase(op string, inputs int, operands, outputs []*onnxpb.Tensor, attrs ...onnxpb.Attribute) onnxtest.NodeCase {
	b := ob.New("microsoft", 17)
	set := onnxtest.Set{Outputs: outputs}
	var ins, outs []string
	for i, x := range operands {
		name := "in_" + string(rune('a'+i))
		switch {
		case x == nil:
			name = ""
		case i < inputs:
			var dims []any
			for _, d := range x.Dims {
				dims = append(dims, int(d))
			}
			b.Input(name, x.Type, dims...)
			set.Inputs = append(set.Inputs, x)
		default:
			b.Initializer(name, *x)
		}
		ins = append(ins, name)
	}
	for i, y := range outputs {
		outs = append(outs, string(rune('p'+i)))
		b.Output(outs[i], y.Type)
		b.Model().Graph.Outputs[i].Type.Tensor.HasShape = false
	}
	b.NodeOut("com.microsoft."+op, "node", ins, outs, attrs...)
	return onnxtest.NodeCase{Name: op, Op: op, Model: b.Bytes(), Sets: []onnxtest.Set{set}}
}
