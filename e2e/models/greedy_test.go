package models

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
)

const (
	storyWindow = 32 // tokens that the published tinystories260k sees
	storyVocab  = 512
)

func storyTokens(t *testing.T) (onnxtest.Case, []int64) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(onnxtest.Dir(t), "real", "tinystories260k", "greedy_tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tokens []int64
	if err := json.Unmarshal(data, &tokens); err != nil {
		t.Fatal(err)
	}
	for _, c := range onnxtest.Real(t) {
		if c.Name == "tinystories260k" {
			return c, tokens
		}
	}
	t.Fatal("tinystories260k is missing")
	return onnxtest.Case{}, nil
}

// nextTokens returns the most likely token after each of tokens.
func (h *harness) nextTokens(prog *artifact.Program, tokens []int64) []int64 {
	h.tb.Helper()
	in := tensor.MustOf([]int64{1, int64(len(tokens))}, tokens)
	logits, err := tensor.View[float32](h.run(prog, []*tensor.Tensor{in})[0])
	if err != nil {
		h.tb.Fatal(err)
	}
	out := make([]int64, len(tokens))
	for i := range out {
		row := logits[i*storyVocab : (i+1)*storyVocab]
		for k, v := range row {
			if v > row[out[i]] {
				out[i] = int64(k)
			}
		}
	}
	return out
}

// TestGreedyTokens decodes greedily from the start token until the window of the published
// model is full, and compares with the published continuation.
func TestGreedyTokens(t *testing.T) {
	h := newHarness(t)
	c, want := storyTokens(t)
	res, err := h.compile(h.importModel(c.Model(t)), settings{level: 3})
	if err != nil {
		t.Fatal(err)
	}
	prog := h.open(res.Artifact)
	defer prog.Close()
	got := make([]int64, storyWindow+1)
	got[0] = want[0]
	for n := 1; n <= storyWindow; n++ {
		got[n] = h.nextTokens(prog, got[:storyWindow])[n-1]
		if got[n] != want[n] {
			t.Fatalf("token %d is %d, want %d (after %v)", n, got[n], want[n], got[:n])
		}
	}
}

// TestGreedyTokensWhole checks the whole continuation. It is longer than the window of the
// published model, so the tables for positions and the mask are made anew for as many
// tokens; the weights are the same. Each row of the output depends on the tokens up to it
// only, so that one run over the continuation tells what greedy decoding yields at every step.
func TestGreedyTokensWhole(t *testing.T) {
	h := newHarness(t)
	c, want := storyTokens(t)
	m := c.Model(t)
	widenWindow(t, m, len(want))
	res, err := h.compile(h.importModel(m), settings{level: 3})
	if err != nil {
		t.Fatal(err)
	}
	prog := h.open(res.Artifact)
	defer prog.Close()
	next := h.nextTokens(prog, want)
	for i := range want[:len(want)-1] {
		if next[i] != want[i+1] {
			t.Fatalf("token %d is %d, want %d", i+1, next[i], want[i+1])
		}
	}
}

// widenWindow makes m see n tokens: the extent of its input, the shapes that it reshapes to,
// the rotary tables, whose angles grow linearly with the position, and the causal mask.
func widenWindow(t *testing.T, m *onnxpb.Model, n int) {
	t.Helper()
	widen := func(dims []onnxpb.Dim) {
		for i := range dims {
			if dims[i].Value == storyWindow {
				dims[i].Value = int64(n)
			}
		}
	}
	for _, v := range append(append([]onnxpb.ValueInfo{}, m.Graph.Inputs...), m.Graph.Outputs...) {
		widen(v.Type.Tensor.Shape)
	}
	m.Graph.ValueInfos = nil
	tables := map[string]*onnxpb.Tensor{}
	for i := range m.Graph.Initializers {
		x := &m.Graph.Initializers[i]
		tables[x.Name] = x
		if x.Type != onnxpb.Int64 {
			continue
		}
		vals, err := x.Ints()
		if err != nil {
			t.Fatal(err)
		}
		x.Data = nil
		for _, v := range vals {
			if v == storyWindow {
				v = int64(n)
			}
			x.Data = binary.LittleEndian.AppendUint64(x.Data, uint64(v))
		}
	}
	cos, sin, mask := tables["cos"], tables["sin"], tables["mask"]
	c1, err1 := cos.Floats()
	s1, err2 := sin.Floats()
	mk, err3 := mask.Floats()
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	half := int(cos.Dims[3])
	cos.Data, sin.Data, mask.Data = nil, nil, nil
	float := func(b []byte, v float64) []byte {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	for pos := range n {
		for k := range half {
			theta := math.Atan2(s1[half+k], c1[half+k]) // the angle of position 1
			cos.Data = float(cos.Data, math.Cos(float64(pos)*theta))
			sin.Data = float(sin.Data, math.Sin(float64(pos)*theta))
		}
		for at := range n {
			v := mk[0] // what the mask has where a token may look
			if at > pos {
				v = mk[1]
			}
			mask.Data = float(mask.Data, v)
		}
	}
	cos.Dims[1], sin.Dims[1] = int64(n), int64(n)
	mask.Dims = []int64{1, 1, int64(n), int64(n)}
}
