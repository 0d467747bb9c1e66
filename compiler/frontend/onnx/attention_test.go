package onnx

import (
	"strings"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
)

// TestAttentionOfSymbolicExtents has symbolic numbers of sequences, of queries, and of keys of the past.
func TestAttentionOfSymbolicExtents(t *testing.T) {
	attrs := []onnxpb.Attribute{ob.Int("q_num_heads", 4), ob.Int("kv_num_heads", 2), ob.Int("is_causal", 1)}
	b := one(24, "Attention", attrs, "q:f:n s 32", "k:f:n s 16", "v:f:n s 12", "m:b:s total", "pk:f:n 2 p 8", "pv:f:n 2 p 6")
	f := importFn(t, b, Options{})
	if got, want := relax.FormatSInfo(f.Ret), `Tensor((n, s, 24), "float32")`; got != want {
		t.Errorf("the result is %s, want %s", got, want)
	}
	f = importFn(t, one(23, "RotaryEmbedding", []onnxpb.Attribute{ob.Int("num_heads", 4), ob.Int("rotary_embedding_dim", 6)}, "x:f:n s 32", "c:f:50 3", "d:f:50 3", "i:i:n s"), Options{})
	if got, want := relax.FormatSInfo(f.Ret), `Tensor((n, s, 32), "float32")`; got != want {
		t.Errorf("the result is %s, want %s", got, want)
	}
}

func TestAttentionErrors(t *testing.T) {
	q, k, v := "q:f:1 4 3 8", "k:f:1 4 5 8", "v:f:1 4 5 6"
	for want, b := range map[string]*ob.Builder{
		`Attention "node" (operator set 23): attribute "q_num_heads" is 0, expected 1 or more where input 0 has 3 dimensions`: one(23, "Attention", nil, "q:f:1 3 32", k, v),
		`input 1 has 2 dimensions, expected 3 or 4`:                                                     one(23, "Attention", nil, q, "k:f:5 8", v),
		`Q, K and V have shapes (1, 4, 3, 8), (1, 4, 5, 7) and (1, 4, 5, 6) by heads, which do not fit`: one(23, "Attention", nil, q, "k:f:1 4 5 7", v),
		`there are 4 heads of queries and 3 of keys, expected constants of which one divides the other`: one(23, "Attention", nil, q, "k:f:1 3 5 8", "v:f:1 3 5 6"),
		`past_key (input 4) and past_value (input 5) belong together, but one is left out`:              one(23, "Attention", nil, q, k, v, "", "p:f:1 4 2 8"),
		`attn_mask (input 3) has 1 dimensions, expected 2 to 4`:                                         one(23, "Attention", nil, q, k, v, "m:b:5"),
		`attribute "qk_matmul_output_mode" is 4, expected 0 to 3`:                                       one(23, "Attention", []onnxpb.Attribute{ob.Int("qk_matmul_output_mode", 4)}, q, k, v),
		`of the 8 elements of a head 3 are turned, expected an even number of a constant`:               one(23, "RotaryEmbedding", []onnxpb.Attribute{ob.Int("rotary_embedding_dim", 3)}, q, "c:f:1 3 4", "d:f:1 3 4"),
		`input 1 has 2 dimensions, expected 2 with position_ids (input 3), and 3 without`:               one(23, "RotaryEmbedding", nil, q, "c:f:3 4", "d:f:3 4"),
		`attribute "num_heads" is 0, expected 1 or more where input 0 has 3 dimensions`:                 one(23, "RotaryEmbedding", nil, "x:f:1 3 8", "c:f:1 3 4", "d:f:1 3 4"),
	} {
		if _, err := tryImport(t, b, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
