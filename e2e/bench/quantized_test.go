package bench

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/qdq"
	"github.com/irscope/irscope/target"
)

// BenchmarkONNXRuntimeQuantized is BenchmarkONNXRuntime for blocks of networks between DequantizeLinear and QuantizeLinear, with bytes of activations and weights of all kinds.
func BenchmarkONNXRuntimeQuantized(b *testing.B) {
	folder := os.Getenv("ONNXRUNTIME_NODE")
	if folder == "" {
		b.Skip("ONNXRUNTIME_NODE does not name a folder with the npm package onnxruntime-node")
	}
	x86, err := compiler.ForMachine(target.Of("x86"))
	if err != nil {
		b.Skip(err)
	}
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
				path := filepath.Join(b.TempDir(), "model.onnx")
				must(b, os.WriteFile(path, model.Marshal(), 0o600))
				own, names, args := programFor(b, model.Marshal(), x86)
				ort := startONNXRuntime(b, folder, "onnxruntime-node", path, names, args)
				var theirs, ours []float64
				for b.Loop() {
					theirs, ours = append(theirs, ort.round(b)), append(ours, roundOf(b, own, args))
				}
				b.ReportMetric(median(theirs), "ort-ms")
				b.ReportMetric(median(ours), "x86-ms")
				b.ReportMetric(median(ours)/median(theirs), "x86/ort")
			})
		}
	}
}
