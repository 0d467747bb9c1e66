package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/qdq"
)

// byteKinds are the types of activations and weights that products are measured with.
var byteKinds = []struct {
	name          string
	data, weights onnxpb.DataType
}{{"u8s8", onnxpb.Uint8, onnxpb.Int8}, {"s8s8", onnxpb.Int8, onnxpb.Int8}, {"u8u8", onnxpb.Uint8, onnxpb.Uint8}}

// quantizedModel is a network of bytes to measure.
type quantizedModel struct {
	name string
	make func(*qdq.Net) *onnxpb.Model
}

func quantizedModels() []quantizedModel {
	block := func(name string, f func(*qdq.Net) (*onnxpb.Model, qdq.Value)) quantizedModel {
		return quantizedModel{name, func(n *qdq.Net) *onnxpb.Model {
			m, _ := f(n)
			return m
		}}
	}
	list := []quantizedModel{
		block("resnet", func(n *qdq.Net) (*onnxpb.Model, qdq.Value) { return n.ResNetBlock(256, 28) }),
		block("mobilenet", func(n *qdq.Net) (*onnxpb.Model, qdq.Value) { return n.MobileNetBlock(32, 28) }),
		block("transformer", func(n *qdq.Net) (*onnxpb.Model, qdq.Value) { return n.TransformerLayer(128, 512, 8) }),
	}
	for _, s := range [][2]int64{{64, 56}, {256, 14}, {512, 7}} {
		for _, k := range []int64{3, 1} {
			list = append(list, quantizedModel{fmt.Sprintf("conv%dx%d_%d_%d", k, k, s[0], s[1]), func(n *qdq.Net) *onnxpb.Model { return n.Convolution(s[0], s[0], k, s[1]) }})
		}
	}
	for _, s := range [][3]int64{{128, 768, 768}, {1, 1024, 1024}} {
		name := fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2])
		list = append(list,
			quantizedModel{"matmul" + name, func(n *qdq.Net) *onnxpb.Model { return n.Product(s[0], s[1], s[2]) }},
			quantizedModel{"qlinearmatmul" + name, func(n *qdq.Net) *onnxpb.Model { return n.QLinearMatMul(s[0], s[1], s[2]) }},
			quantizedModel{"matmulinteger" + name, func(n *qdq.Net) *onnxpb.Model { return n.MatMulInteger(s[0], s[1], s[2]) }},
			quantizedModel{"dynamicmatmul" + name, func(n *qdq.Net) *onnxpb.Model { return n.DynamicMatMul(s[0], s[1], s[2]) }})
	}
	return append(list, quantizedModel{"qlinearconv3x3_64_56", func(n *qdq.Net) *onnxpb.Model { return n.QLinearConv(64, 64, 3, 56) }})
}

// BenchmarkONNXRuntimeQuantized is BenchmarkONNXRuntime for blocks and single operators of networks of bytes, between DequantizeLinear and QuantizeLinear or as operators on integers, with bytes of
// activations and weights of all kinds.
func BenchmarkONNXRuntimeQuantized(b *testing.B) {
	folder, x86 := onnxRuntimeAndX86(b)
	for _, m := range quantizedModels() {
		for _, k := range byteKinds {
			b.Run(m.name+"/"+k.name, func(b *testing.B) {
				model := m.make(qdq.New(m.name, rand.New(rand.NewPCG(1, 2)), k.data, k.weights))
				besideONNXRuntime(b, folder, model.Marshal(), x86)
			})
		}
	}
}
