package models

import (
	"testing"
	"time"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// collecting is a loop of m turns that collects rows of n numbers, the squares of their numbers added, and whether a number is even.
func collecting(b *Builder) {
	m, x := b.Input("m", onnxpb.Int64), b.Input("x", onnxpb.Float, "n")
	two, none := b.Initializer("two", Ints(nil, 2)), b.Initializer("none", Ints(nil, 0))
	b.NodeOut("Loop", "loop", ids(m, ""), ids("rows", "even"), Graph("body", turns(ids("i", "c"), ids("c", "r", "e"),
		node("Mul", ids("i", "i"), ids("ii")), node("Cast", ids("ii"), ids("f"), Int("to", 1)), node("Add", ids("f", x), ids("r")),
		node("Mod", ids("i", two), ids("rest")), node("Equal", ids("rest", none), ids("e")))))
	b.Output("rows", onnxpb.Float)
	b.Output("even", onnxpb.Bool)
}

// TestCollect compares what a loop collects with what a plain loop does, for numbers of turns around those where room is made. The last number is one for
// which a copy of all rows in each turn would take minutes.
func TestCollect(t *testing.T) {
	h, b := newHarness(t), New("collect", 17)
	collecting(b)
	for _, s := range []settings{{target: target.Of("interp")}, {level: 0}, {target: target.Of("wasm"), level: 2}, {target: target.Of("x86"), level: 2}} {
		res, err := h.compile(h.importModel(b.Model()), s)
		if err != nil {
			t.Fatal(err)
		}
		prog := h.open(res.Artifact)
		counts, n := []int64{0, 1, 2, 3, 4, 7, 8, 30, 31, 32, -1}, int64(3)
		if s.level == 2 {
			counts = append(counts, 30000)
		}
		for _, m := range counts {
			if m == 30000 {
				n = 256
			}
			x := make([]float64, n)
			for i := range x {
				x[i] = float64(i) / 4
			}
			start := time.Now()
			out := h.run(prog, tensors(i64([]int64{}, float64(m)), f32([]int64{n}, x...)))
			rows, even := out[0].Floats(), out[1].Floats()
			if got := max(m, 0); out[0].Shape[0] != got || out[1].Shape[0] != got || out[0].Shape[1] != n || out[1].DType != dtype.BoolT {
				t.Fatalf("%s: %d turns: %v and %v rows", s, m, out[0].Shape, out[1].Shape)
			}
			for i := range max(m, 0) {
				for k := range n {
					if want := float64(float32(i*i) + float32(k)/4); rows[i*n+k] != want || (even[i] != 0) != (i%2 == 0) {
						t.Fatalf("%s: %d turns: row %d, element %d: %v, %v", s, m, i, k, rows[i*n+k], even[i])
					}
				}
			}
			if m == 30000 {
				t.Logf("%s: %d turns in %v", s, m, time.Since(start))
			}
		}
		prog.Close()
	}
}

