package models

import (
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/target"
)

// TestShapesThatDoNotFit: a shape that is data and does not hold the elements is an error of the run, whatever reads the result.
func TestShapesThatDoNotFit(t *testing.T) {
	for name, build := range map[string]func(b *Builder){
		"alone": func(b *Builder) {
			x, to := b.Input("x", onnxpb.Float, "n"), b.Input("to", onnxpb.Int64, 2)
			b.Output(b.Node("Reshape", "y", ids(x, to)), onnxpb.Float)
		},
		"between": func(b *Builder) {
			x, to := b.Input("x", onnxpb.Float, "n"), b.Input("to", onnxpb.Int64, 2)
			y := b.Node("Reshape", "y", ids(b.Node("Neg", "neg", ids(x)), to))
			b.Output(b.Node("Exp", "exp", ids(b.Node("Transpose", "t", ids(y)))), onnxpb.Float)
		},
	} {
		h, b := newHarness(t), New("shapes", 17)
		build(b)
		for _, s := range []settings{{target: target.Of("interp")}, {level: 0}, {target: target.Of("wasm"), level: 2}, {target: target.Of("x86"), level: 2}, {target: target.Of("x86"), level: 3}} {
			res, err := h.compile(h.importModel(b.Model()), s)
			if err != nil {
				t.Fatal(err)
			}
			prog := h.open(res.Artifact)
			for _, to := range [][]float64{{2, 3}, {1, 1}, {4, 4}, {-1, 3}, {-1, -1}, {-2, -2}, {1 << 32, 1 << 32}, {-1, 0}, {0, 0}, {-4, -1}} {
				out, err := prog.Run(t.Context(), "main", f32([]int64{4}, 1, 2, 3, 4), i64([]int64{2}, to...))
				if err == nil {
					t.Errorf("%s: %s: shape %v: %v", name, s, to, out)
				}
			}
			if _, err := prog.Run(t.Context(), "main", f32([]int64{4}, 1, 2, 3, 4), i64([]int64{2}, 2, -1)); err != nil {
				t.Errorf("%s: %v", s, err)
			}
			prog.Close()
		}
	}
}

