package bench

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/qdq"
)

// BenchmarkONNXRuntimeQuantized is BenchmarkONNXRuntime for blocks of networks between DequantizeLinear and QuantizeLinear, with bytes of activations and weights of all kinds.
func BenchmarkONNXRuntimeQuantized(b *testing.B) {
	folder, x86 := onnxRuntimeAndX86(b)
	blocks := map[string]func(*qdq.Net) (*onnxpb.Model, qdq.Value){
		"resnet":      func(n *qdq.Net) (*onnxpb.Model, qdq.Value) { return n.ResNetBlock(256, 28) },
		"mobilenet":   func(n *qdq.Net) (*onnxpb.Model, qdq.Value) { return n.MobileNetBlock(32, 28) },
		"transformer": func(n *qdq.Net) (*onnxpb.Model, qdq.Value) { return n.TransformerLayer(128, 512, 8) },
	}
	for _, name := range []string{"resnet", "mobilenet", "transformer"} {
		for _, k := range []struct {
			name          string
			data, weights onnxpb.DataType
		}{{"u8s8", onnxpb.Uint8, onnxpb.Int8}, {"s8s8", onnxpb.Int8, onnxpb.Int8}, {"u8u8", onnxpb.Uint8, onnxpb.Uint8}} {
			b.Run(name+"/"+k.name, func(b *testing.B) {
				model, _ := blocks[name](qdq.New(name, rand.New(rand.NewPCG(1, 2)), k.data, k.weights))
				besideONNXRuntime(b, folder, model.Marshal(), x86)
			})
		}
	}
}
