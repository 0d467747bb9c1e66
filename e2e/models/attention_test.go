package models

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// TestAttention compares the node with its definition: causal, with a past, a mask and heads that share keys, for numbers of sequences, of queries
// and of keys that are known at run time only.
func TestAttention(t *testing.T) {
	const heads, shared, extent, values = 4, 2, 8, 6
	b := onnxbuild.New("attention", 24)
	b.NodeOut("Attention", "node", []string{
		b.Input("q", onnxpb.Float, "n", "s", heads*extent), b.Input("k", onnxpb.Float, "n", "s", shared*extent), b.Input("v", onnxpb.Float, "n", "s", shared*values),
		b.Input("mask", onnxpb.Bool, "s", "total"), b.Input("pk", onnxpb.Float, "n", shared, "p", extent), b.Input("pv", onnxpb.Float, "n", shared, "p", values),
	}, []string{"y", "key"}, onnxbuild.Int("q_num_heads", heads), onnxbuild.Int("kv_num_heads", shared), onnxbuild.Int("is_causal", 1))
	b.Output("y", onnxpb.Float)
	b.Output("key", onnxpb.Float)
	r := rand.New(rand.NewPCG(1, 2))
	floats := func(dims ...int64) *tensor.Tensor {
		x := tensor.MustNew(dtype.Float32T, dims...)
		for i := range x.Len() {
			x.SetFloat(i, r.Float64()*2-1)
		}
		return x
	}
	var sets [][]*tensor.Tensor
	var wants [][]float64
	for _, size := range [][3]int{{1, 3, 2}, {2, 5, 1}, {2, 4, 0}} {
		n, s, p := size[0], size[1], size[2]
		q, k, v := floats(int64(n), int64(s), heads*extent), floats(int64(n), int64(s), shared*extent), floats(int64(n), int64(s), shared*values)
		pk, pv := floats(int64(n), shared, int64(p), extent), floats(int64(n), shared, int64(p), values)
		mask := tensor.MustNew(dtype.BoolT, int64(s), int64(s+p))
		for i := s + p; i < mask.Len(); i++ { // the first query sees nothing
			mask.SetInt(i, int64(r.IntN(2)))
		}
		// Element e of the key or value at place c, of the past first.
		at := func(past, now *tensor.Tensor, b, h, c, e, size int) float64 {
			if c < p {
				return past.Float(((b*shared+h)*p+c)*size + e)
			}
			return now.Float((b*s+c-p)*shared*size + h*size + e)
		}
		want := make([]float64, n*s*heads*values)
		for b := range n {
			for row := range s {
				for h := range heads {
					sum, kv := 0.0, h/(heads/shared)
					out := want[((b*s+row)*heads+h)*values:][:values]
					for c := 0; c <= p+row; c++ {
						if mask.Int(row*(s+p)+c) == 0 {
							continue
						}
						score := 0.0
						for e := range extent {
							score += q.Float((b*s+row)*heads*extent+h*extent+e) * at(pk, k, b, kv, c, e, extent)
						}
						w := math.Exp(score / math.Sqrt(extent))
						sum += w
						for e := range values {
							out[e] += w * at(pv, v, b, kv, c, e, values)
						}
					}
					for e := range values {
						if sum > 0 { // a query that sees nothing yields zeros
							out[e] /= sum
						}
					}
				}
			}
		}
		sets, wants = append(sets, []*tensor.Tensor{q, k, v, mask, pk, pv}), append(wants, want)
	}
	h := newHarness(t)
	mod := h.importModel(b.Model())
	for _, kind := range target.CodeKinds() {
		tg, err := compiler.ForMachine(target.Of(kind.Name))
		if err != nil {
			t.Logf("without %s: %v", kind.Name, err)
			continue
		}
		s := settings{target: tg, level: 2, verify: true}
		outs, err := h.compileAndRun(mod, s, sets)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		for i, want := range wants {
			for e, w := range want {
				if g := outs[i][0].Float(e); !(math.Abs(g-w) <= 1e-5*max(1, math.Abs(w))) {
					t.Fatalf("%s: set %d: element %d is %g, want %g", s, i, e, g, w)
				}
			}
		}
	}
}
