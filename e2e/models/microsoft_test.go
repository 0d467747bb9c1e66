package models

import (
	"testing"

	"github.com/irscope/irscope/compiler"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// TestMicrosoft runs operators of com.microsoft of which ONNX Runtime has no kernel for CPUs, or one that differs from their text, with values that follow
// from the text.
func TestMicrosoft(t *testing.T) {
	floats := func(dims []int64, v ...float32) *onnxpb.Tensor { x := ob.Floats(dims, v...); return &x }
	ptr := func(x onnxpb.Tensor) *onnxpb.Tensor { return &x }
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
		// A query of nothing at the third place, of which the past has room for one more, sees two keys by what is added for them, 3 and 1, beside 1 of the softmax.
		microsoftCase("GroupQueryAttention", 6, []*onnxpb.Tensor{
			floats([]int64{1, 1, 1}, 0), floats([]int64{1, 1, 1}, 0), floats([]int64{1, 1, 1}, 20), floats([]int64{1, 1, 4, 1}, 0, 0, 0, 0), floats([]int64{1, 1, 4, 1}, 100, 30, 7, 7),
			int32s([]int64{1}, 2), int32s(nil, 3), nil, nil, nil, floats([]int64{1, 1, 1, 3}, 5, 1.0986123, 0),
		}, []*onnxpb.Tensor{floats([]int64{1, 1, 1}, 22)}, ob.Int("num_heads", 1), ob.Int("kv_num_heads", 1), ob.Int("smooth_softmax", 1), ob.Int("local_window_size", 2)),
		// Queries, keys, and values beside each other: the second query sees the first key alone. Then keys and values alone.
		microsoftCase("MultiHeadAttention", 1, []*onnxpb.Tensor{floats([]int64{1, 2, 1, 3, 1}, 0, 50, 3, 1, -50, 5)},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 1}, 4, 3)}, ob.Int("num_heads", 1)),
		microsoftCase("MultiHeadAttention", 2, []*onnxpb.Tensor{floats([]int64{1, 1, 2}, 1, 0), floats([]int64{1, 2, 2, 2, 1}, 50, 3, 1, 7, -50, 5, 1, 9)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2}, 3, 8)}, ob.Int("num_heads", 2)),
		// Each channel is a group: 1 and 3, and 2 and 6.
		microsoftCase("GroupNorm", 1, []*onnxpb.Tensor{floats([]int64{1, 1, 2, 2}, 1, 2, 3, 6), floats([]int64{2}, 2, 3), floats([]int64{2}, 1, 0)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2, 2}, -1, -3, 3, 3)}, ob.Int("groups", 2), ob.Int("activation", 0), ob.Float("epsilon", 0)),
		microsoftCase("SkipGroupNorm", 4, []*onnxpb.Tensor{floats([]int64{1, 1, 2, 2}, 0, 0, 1, 1), floats([]int64{2}, 2, 3), floats([]int64{2}, 1, 0), floats([]int64{1, 2}, 1, 1), floats([]int64{2}, 0, 1)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2, 2}, -.26894142, -.14227762, 2.8577224, 2.8577224), floats([]int64{1, 1, 2, 2}, 1, 2, 2, 3)},
			ob.Int("groups", 2), ob.Int("activation", 1), ob.Float("epsilon", 0)),
		microsoftCase("SkipGroupNorm", 4, []*onnxpb.Tensor{floats([]int64{1, 2, 1, 2}, 0, 1, 0, 1), floats([]int64{2}, 2, 3), floats([]int64{2}, 1, 0), floats([]int64{1, 2}, 1, 1), floats([]int64{2}, 0, 1)},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 1, 2}, -1, 3, -3, 3)}, ob.Int("groups", 2), ob.Int("activation", 0), ob.Int("channels_last", 0), ob.Float("epsilon", 0)),
		microsoftCase("BiasSplitGelu", 1, []*onnxpb.Tensor{floats([]int64{1, 1, 4}, 1, 2, 0, 1), floats([]int64{4}, 1, 0, 1, 0)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2}, 1.6826895, 1.6826895)}),
		microsoftCase("BiasAdd", 3, []*onnxpb.Tensor{floats([]int64{1, 1, 2}, 1, 2), floats([]int64{2}, 10, 20), floats([]int64{1, 1, 2}, .5, .25)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2}, 11.5, 22.25)}),
		microsoftCase("BiasSoftmax", 2, []*onnxpb.Tensor{floats([]int64{1, 2, 1, 2}, 0, 0, 1, 1), floats([]int64{1, 1, 1, 2}, 0, 1.0986123)},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 1, 2}, .25, .75, .25, .75)}, ob.Int("axis", 2), ob.Int("is_inner_broadcast", 1)),
		microsoftCase("NhwcConv", 1, []*onnxpb.Tensor{floats([]int64{1, 1, 2, 2}, 1, 2, 3, 4), floats([]int64{1, 2, 1, 1}, 1, 10), floats([]int64{1}, 100)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2, 1}, 121, 143)}),
		microsoftCase("NhwcFusedConv", 4, []*onnxpb.Tensor{floats([]int64{1, 1, 2, 2}, 1, 2, 3, 4), floats([]int64{1, 2, 1, 1}, 1, -1), nil, floats([]int64{1, 1, 2, 1}, .5, 3)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2, 1}, 0, 2)}, ob.Str("activation", "Relu")),
		microsoftCase("FusedMatMulActivation", 2, []*onnxpb.Tensor{floats([]int64{1, 2}, 1, -2), floats([]int64{2, 1}, 1, 2)},
			[]*onnxpb.Tensor{floats([]int64{1, 1}, -3)}, ob.Str("activation", "LeakyRelu"), ob.Float("activation_alpha", .5), ob.Float("alpha", 2)),
		// Four buckets for each direction: distances of 0, of 1, of 2 to 5, and more.
		microsoftCase("RelativePositionBias", 0, []*onnxpb.Tensor{floats([]int64{8, 1}, 0, 1, 2, 3, 4, 5, 6, 7), ptr(ob.Ints([]int64{1}, 2)), ptr(ob.Ints([]int64{1}, 7))},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 2, 7}, 0, 5, 6, 6, 6, 6, 7, 1, 0, 5, 6, 6, 6, 6)}, ob.Int("is_bidirectional", 1), ob.Int("max_distance", 16)),
		microsoftCase("RelativePositionBias", 0, []*onnxpb.Tensor{floats([]int64{4, 2}, 0, 10, 1, 11, 2, 12, 3, 13), ptr(ob.Ints([]int64{1}, 2)), ptr(ob.Ints([]int64{1}, 3))},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 2, 3}, 0, 0, 0, 1, 0, 0, 10, 10, 10, 11, 10, 10)}, ob.Int("max_distance", 16)),
		// Gates are 3/4 and 1/2.
		microsoftCase("GatedRelativePositionBias", 1, []*onnxpb.Tensor{
			floats([]int64{1, 1, 1}, 2), floats([]int64{1}, -1), floats([]int64{1, 1, 1, 1}, 10), floats([]int64{1, 4}, .5493061, .5493061, 1, -2), floats([]int64{4}, 0, 0, 0, 1), floats([]int64{1, 1, 1, 1}, 3),
		}, []*onnxpb.Tensor{floats([]int64{1, 1, 1, 1}, 23.75)}, ob.Int("num_heads", 1)),
		// Weights are 1, 0, 0, and 1/2, and the state is nothing.
		microsoftCase("DynamicQuantizeLSTM", 1, []*onnxpb.Tensor{
			floats([]int64{1, 1, 1}, 2), bytes([]int64{1, 1, 4}, 130, 128, 128, 129), bytes([]int64{1, 1, 4}, 7, 7, 7, 7), nil, nil, nil, nil, nil,
			floats([]int64{1}, .5), bytes([]int64{1}, 128), floats([]int64{1, 4}, 1, 2, 3, 4), bytes([]int64{1, 4}, 0, 0, 0, 0),
		}, []*onnxpb.Tensor{floats([]int64{1, 1, 1, 1}, 0.2927562), floats([]int64{1, 1, 1}, 0.2927562), floats([]int64{1, 1, 1}, 0.6708099)}, ob.Int("hidden_size", 1)),
		// The first layer gives 1/2 and 4; the second has zero points 3 and 1.
		microsoftCase("QMoE", 2, []*onnxpb.Tensor{
			floats([]int64{1, 2}, 1, 2), floats([]int64{1, 1}, 7), bytes([]int64{1, 2, 1}, 0x89, 0xa8), floats([]int64{1, 2}, .5, 1), nil,
			bytes([]int64{1, 2, 1}, 0x54, 0x31), floats([]int64{1, 2}, 2, .25), nil, nil, nil, nil, nil, bytes([]int64{1, 1}, 0x13),
		}, []*onnxpb.Tensor{floats([]int64{1, 2}, 17, 2)}, ob.Int("normalize_routing_weights", 1)),
		// The second token takes the first expert, whose share is 3/4 of all; the other overflows.
		microsoftCase("MoE", 2, []*onnxpb.Tensor{floats([]int64{2, 1}, 3e38, 2), floats([]int64{2, 2}, 0, 1.0986123, 1.0986123, 0), floats([]int64{2, 2, 1}, 0, 1, 1, 1), nil, floats([]int64{2, 1, 2}, 0, 10, 0, 0)},
			[]*onnxpb.Tensor{floats([]int64{2, 1}, 0, 15)}, ob.Int("k", 1), ob.Str("activation_type", "identity")),
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

// TestGroupQueryAttentionOfSymbolicExtents has a past of as many keys as are used, and one with room for more, as models for generating text have: how many keys there are
// is the length of a mask.
func TestGroupQueryAttentionOfSymbolicExtents(t *testing.T) {
	b := ob.New("generate", 17)
	b.Input("q", onnxpb.Float, "batch", "sequence", 1)
	b.Input("k", onnxpb.Float, "batch", "sequence", 1)
	b.Input("v", onnxpb.Float, "batch", "sequence", 1)
	b.Input("pk", onnxpb.Float, "batch", 1, "past", 1)
	b.Input("pv", onnxpb.Float, "batch", 1, "past", 1)
	b.Input("mask", onnxpb.Int64, "batch", "total")
	int32Of := ob.Int("to", int64(onnxpb.Int32))
	seen := b.Node("ReduceSum", "seen", []string{"mask", b.Initializer("one", ob.Shape(1))}, ob.Int("keepdims", 0))
	lengths := b.Node("Cast", "lengths", []string{b.Node("Sub", "last", []string{seen, "one"})}, int32Of)
	total := b.Node("Cast", "total_length", []string{b.Node("Gather", "columns", []string{b.Node("Shape", "extents", []string{"mask"}), "one"})}, int32Of)
	b.NodeOut("com.microsoft.GroupQueryAttention", "node", []string{"q", "k", "v", "pk", "pv", lengths, total}, []string{"y", "key", "value"}, ob.Int("num_heads", 1), ob.Int("kv_num_heads", 1))
	b.Output("y", onnxpb.Float, "batch", "sequence", 1)
	b.Output("value", onnxpb.Float, "batch", 1, "total", 1)
	b.Model().Graph.Outputs[1].Type.Tensor.HasShape = false
	floats := func(dims []int64, v ...float32) *tensor.Tensor { return tensor.MustOf(dims, v) }
	set := func(past []float32, mask ...int64) []*tensor.Tensor {
		p := []int64{1, 1, int64(len(past)), 1}
		row := []int64{1, 1, 1}
		return []*tensor.Tensor{floats(row, 0), floats(row, 0), floats(row, 6), floats(p, past...), floats(p, past...), tensor.MustOf([]int64{1, int64(len(mask))}, mask)}
	}
	sets := [][]*tensor.Tensor{set([]float32{1, 2}, 1, 1, 1), set([]float32{1, 2, 100, 200}, 1, 1, 1), set([]float32{100, 200}, 1), set([]float32{3, 100, 200}, 1, 1, 0)}
	h := newHarness(t)
	mod := h.importModel(b.Model())
	for _, k := range target.CodeKinds() {
		kind := k.Name
		tg, err := compiler.ForMachine(target.Of(kind))
		if err != nil {
			t.Logf("without %s: %v", kind, err)
			continue
		}
		got, err := h.compileAndRun(mod, settings{target: tg, level: 2, verify: true}, sets)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct {
			mean   float64
			values []float64 // up to what is not defined
			room   int64
		}{{3, []float64{1, 2, 6}, 3}, {3, []float64{1, 2, 6}, 4}, {6, []float64{6}, 2}, {4.5, []float64{3, 6}, 3}} {
			y, value := got[i][0], got[i][1]
			if y.Float(0) != want.mean || value.Shape[2] != want.room {
				t.Errorf("%s, set %d: the mean of what is seen is %v of %v keys, want %v of %d", kind, i, y.Float(0), value.Shape, want.mean, want.room)
			}
			for k, v := range want.values {
				if value.Float(k) != v {
					t.Errorf("%s, set %d: value %d is %v, want %v", kind, i, k, value.Float(k), v)
				}
			}
		}
	}
}
