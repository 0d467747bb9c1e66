package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// network is a random node LSTM, GRU or RNN, whose weights are constants.
type network struct {
	op                             string
	gates, dirs, input, hidden     int
	byBatch, initial, lengths      bool
	w, r, b, p                     []float64 // nil for what is left out
	direction                      string
	names                          []string // of the activations of all directions
	inputForget, linearBeforeReset bool
	clip                           float64
	alpha, beta                    []float32
}

func noise(r *rand.Rand, n int, scale float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(float32((r.Float64()*2 - 1) * scale))
	}
	return out
}

// gateByName are activations as ONNX names them, and what they are with the parameters of the test, or those by default.
var gateByName = map[string]topi.Gate{
	"Sigmoid": {Name: "sigmoid"}, "Tanh": {Name: "tanh"}, "Relu": {Name: "relu"}, "Softsign": {Name: "softsign"}, "Softplus": {Name: "softplus"},
	"HardSigmoid": {Name: "hard_sigmoid", Alpha: .2, Beta: .5}, "LeakyRelu": {Name: "leaky_relu", Alpha: .01}, "Elu": {Name: "elu", Alpha: 1},
	"Affine": {Name: "affine", Alpha: 1}, "ScaledTanh": {Name: "scaled_tanh", Alpha: 1, Beta: 1}, "ThresholdedRelu": {Name: "thresholded_relu", Alpha: 1},
}

func randomNetwork(r *rand.Rand) *network {
	n := &network{op: []string{"RNN", "GRU", "LSTM"}[r.IntN(3)], input: 1 + r.IntN(9), hidden: []int{1, 3, 8, 17, 33}[r.IntN(5)], dirs: 1}
	n.gates = map[string]int{"RNN": 1, "GRU": 3, "LSTM": 4}[n.op]
	n.direction = []string{"forward", "reverse", "bidirectional"}[r.IntN(3)]
	if n.direction == "bidirectional" {
		n.dirs = 2
	}
	n.byBatch, n.initial, n.lengths = r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
	n.inputForget, n.linearBeforeReset = n.op == "LSTM" && r.IntN(3) == 0, n.op == "GRU" && r.IntN(2) == 0
	rows, small := n.dirs*n.gates*n.hidden, 1/math.Sqrt(float64(n.hidden))
	n.w, n.r = noise(r, rows*n.input, .5), noise(r, rows*n.hidden, small)
	if r.IntN(3) > 0 {
		n.b = noise(r, 2*rows, .5)
	}
	if n.op == "LSTM" && r.IntN(2) == 0 {
		n.p = noise(r, n.dirs*3*n.hidden, 1)
	}
	if r.IntN(3) == 0 {
		n.clip = .75
	}
	per := map[string][]string{"RNN": {"Tanh"}, "GRU": {"Sigmoid", "Tanh"}, "LSTM": {"Sigmoid", "Tanh", "Tanh"}}[n.op]
	n.names = slices.Repeat(per, n.dirs)
	if r.IntN(2) == 0 {
		known := []string{"Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus", "Softsign", "Tanh", "ThresholdedRelu"}
		for i := range n.names {
			n.names[i] = known[r.IntN(len(known))]
		}
		n.alpha, n.beta = []float32{.5, .25, .75}[:r.IntN(4)], []float32{.125, .5}[:r.IntN(3)]
	}
	return n
}

// activations are those of all directions: of the lists of parameters those that have one take the next, while there are some.
func (n *network) activations() (out []topi.Gate) {
	alpha, beta := n.alpha, n.beta
	for _, name := range n.names {
		g := gateByName[name]
		if g.Alpha != 0 && len(alpha) > 0 {
			g.Alpha, alpha = float64(alpha[0]), alpha[1:]
		}
		if (g.Beta != 0 || name == "Affine") && len(beta) > 0 {
			g.Beta, beta = float64(beta[0]), beta[1:]
		}
		out = append(out, g)
	}
	return out
}

func (n *network) model() *onnxpb.Model {
	b := onnxbuild.New("network", 14)
	ints := func(v ...int) (out []int64) {
		for _, x := range v {
			out = append(out, int64(x))
		}
		return out
	}
	weight := func(name string, v []float64, dims ...int) string {
		if v == nil {
			return ""
		}
		vals := make([]float32, len(v))
		for i, x := range v {
			vals[i] = float32(x)
		}
		return b.Initializer(name, onnxbuild.Floats(ints(dims...), vals...))
	}
	axes := func(first, second any, rest ...any) []any {
		if n.byBatch {
			first, second = second, first
		}
		return append([]any{first, second}, rest...)
	}
	rows := n.gates * n.hidden
	ins := []string{
		b.Input("x", onnxpb.Float, axes("t", "b", n.input)...), weight("w", n.w, n.dirs, rows, n.input), weight("r", n.r, n.dirs, rows, n.hidden),
		weight("bias", n.b, n.dirs, 2*rows), "", "", "", "",
	}
	if n.lengths {
		ins[4] = b.Input("lengths", onnxpb.Int32, "b")
	}
	outs := []string{"y", "yh"}
	if n.initial {
		ins[5] = b.Input("h", onnxpb.Float, axes(n.dirs, "b", n.hidden)...)
	}
	if n.op == "LSTM" {
		outs = append(outs, "yc")
		if n.initial {
			ins[6] = b.Input("c", onnxpb.Float, axes(n.dirs, "b", n.hidden)...)
		}
		ins[7] = weight("p", n.p, n.dirs, 3*n.hidden)
	}
	for ins[len(ins)-1] == "" {
		ins = ins[:len(ins)-1]
	}
	names := onnxpb.Attribute{Name: "activations", Type: onnxpb.AttrStrings}
	for _, s := range n.names {
		names.Strings = append(names.Strings, []byte(s))
	}
	attrs := []onnxpb.Attribute{onnxbuild.Int("hidden_size", int64(n.hidden)), onnxbuild.Str("direction", n.direction), names}
	flag := func(name string, set bool) {
		if set {
			attrs = append(attrs, onnxbuild.Int(name, 1))
		}
	}
	flag("layout", n.byBatch)
	flag("input_forget", n.inputForget)
	flag("linear_before_reset", n.linearBeforeReset)
	if n.clip > 0 {
		attrs = append(attrs, onnxbuild.Float("clip", float32(n.clip)))
	}
	if n.alpha != nil {
		attrs = append(attrs, onnxbuild.FloatList("activation_alpha", n.alpha...))
	}
	if n.beta != nil {
		attrs = append(attrs, onnxbuild.FloatList("activation_beta", n.beta...))
	}
	b.NodeOut(n.op, "node", ins, outs, attrs...)
	for _, o := range outs {
		b.Output(o, onnxpb.Float)
	}
	return b.Model()
}

// place is where the element of a step, or of a state without one (steps is 1), lies in a tensor that has directions.
func (n *network) place(steps, batch, s, b, d, j int) int {
	if n.byBatch {
		return ((b*steps+s)*n.dirs+d)*n.hidden + j
	}
	return ((s*n.dirs+d)*batch+b)*n.hidden + j
}

// set makes inputs for a number of steps and sequences, and what comes of them.
func (n *network) set(r *rand.Rand, steps, batch int) (inputs []*tensor.Tensor, want [][]float64) {
	dims := func(first, second int, rest int) []int64 {
		if n.byBatch {
			first, second = second, first
		}
		return []int64{int64(first), int64(second), int64(rest)}
	}
	floats := func(v []float64, shape []int64) *tensor.Tensor {
		x := tensor.MustNew(dtype.Float32T, shape...)
		for i, e := range v {
			x.SetFloat(i, e)
		}
		return x
	}
	x := noise(r, steps*batch*n.input, 1)
	inputs = append(inputs, floats(x, dims(steps, batch, n.input)))
	var lengths []int
	if n.lengths {
		v := tensor.MustNew(dtype.Int32T, int64(batch))
		for b := range batch {
			lengths = append(lengths, r.IntN(steps+1))
			v.SetInt(b, int64(lengths[b]))
		}
		inputs = append(inputs, v)
	}
	h, c := make([]float64, n.dirs*batch*n.hidden), make([]float64, n.dirs*batch*n.hidden)
	if n.initial {
		h = noise(r, len(h), 1)
		inputs = append(inputs, floats(h, dims(n.dirs, batch, n.hidden)))
		if n.op == "LSTM" {
			c = noise(r, len(c), 1)
			inputs = append(inputs, floats(c, dims(n.dirs, batch, n.hidden)))
		}
	}
	y, yh, yc := make([]float64, steps*len(h)), make([]float64, len(h)), make([]float64, len(c))
	for d := range n.dirs {
		ref := n.reference(d, steps, batch, x, lengths)
		for b := range batch {
			for j := range n.hidden {
				ref.H = append(ref.H, h[n.place(1, batch, 0, b, d, j)])
				if n.op == "LSTM" {
					ref.C = append(ref.C, c[n.place(1, batch, 0, b, d, j)])
				}
			}
		}
		ys, hs, cs := ref.Run()
		for b := range batch {
			for j := range n.hidden {
				for s := range steps {
					y[n.place(steps, batch, s, b, d, j)] = ys[(s*batch+b)*n.hidden+j]
				}
				yh[n.place(1, batch, 0, b, d, j)] = hs[b*n.hidden+j]
				if n.op == "LSTM" {
					yc[n.place(1, batch, 0, b, d, j)] = cs[b*n.hidden+j]
				}
			}
		}
	}
	if n.op == "LSTM" {
		return inputs, [][]float64{y, yh, yc}
	}
	return inputs, [][]float64{y, yh}
}

// reference is direction d in plain Go, without its states.
func (n *network) reference(d, steps, batch int, x []float64, lengths []int) topitest.Recurrent {
	kind := map[string]string{"RNN": "rnn", "GRU": "gru", "LSTM": "lstm"}[n.op]
	rows, per := n.gates*n.hidden, len(n.names)/n.dirs
	ref := topitest.Recurrent{Kind: kind, Steps: steps, Batch: batch, Hidden: n.hidden, Lengths: lengths}
	ref.RecurrentOpts = topi.RecurrentOpts{
		Reverse: n.direction == "reverse" || d == 1, Clip: n.clip, InputForget: n.inputForget, LinearBeforeReset: n.linearBeforeReset,
		Gates: n.activations()[d*per : (d+1)*per],
	}
	bias := func(k int) float64 {
		if n.b == nil {
			return 0
		}
		return n.b[d*2*rows+k]
	}
	for s := range steps {
		for b := range batch {
			row := x[(s*batch+b)*n.input:]
			if n.byBatch {
				row = x[(b*steps+s)*n.input:]
			}
			for g := range rows {
				sum := bias(g)
				if n.op != "GRU" || g < 2*n.hidden {
					sum += bias(rows + g)
				}
				for i := range n.input {
					sum += row[i] * n.w[(d*rows+g)*n.input+i]
				}
				ref.X = append(ref.X, sum)
			}
		}
	}
	for k := range n.hidden {
		for g := range rows {
			ref.R = append(ref.R, n.r[(d*rows+g)*n.hidden+k])
		}
		if n.op == "GRU" {
			ref.Bias = append(ref.Bias, bias(rows+2*n.hidden+k))
		}
	}
	if n.p != nil {
		ref.Peephole = n.p[d*3*n.hidden : (d+1)*3*n.hidden]
	}
	return ref
}

// TestRecurrentNetworks compares random networks with plain Go on all targets: with any number of steps and sequences, none too.
func TestRecurrentNetworks(t *testing.T) {
	h := newHarness(t)
	var targets []target.Target
	for _, k := range target.CodeKinds() {
		if tg, err := compiler.ForMachine(target.Of(k.Name)); err == nil {
			targets = append(targets, tg)
		}
	}
	seed.Each(t, 40, func(t *testing.T, r *rand.Rand) {
		n := randomNetwork(r)
		what := fmt.Sprintf("%+v", *n)
		var sets [][]*tensor.Tensor
		var wants [][][]float64
		for _, size := range [][2]int{{5, 3}, {1, 1}, {0, 2}, {20, 1}, {2, 0}} {
			in, want := n.set(r, size[0], size[1])
			sets, wants = append(sets, in), append(wants, want)
		}
		mod := h.importModel(n.model())
		for _, tg := range targets {
			s := settings{target: tg, level: []int{0, 2, 3}[r.IntN(3)], verify: true}
			outs, err := h.compileAndRun(mod, s, sets)
			if err != nil {
				t.Fatalf("%s: %s: %v", s, what, err)
			}
			for i, want := range wants {
				for k := range want {
					if got := outs[i][k].Len(); got != len(want[k]) {
						t.Fatalf("%s: set %d: output %d has %d elements, want %d; %s", s, i, k, got, len(want[k]), what)
					}
					// Activations without bounds let values grow from step to step, and errors with them: large terms that cancel out leave theirs.
					size := 1.0
					for _, w := range want[k] {
						size = max(size, math.Abs(w))
					}
					if !(size < 1e30) {
						continue // single precision does not reach so far
					}
					for e, w := range want[k] {
						if g := outs[i][k].Float(e); !(math.Abs(g-w) <= 1e-4*size) {
							t.Fatalf("%s: set %d: element %d of output %d is %g, want %g; %s", s, i, e, k, g, w, what)
						}
					}
				}
			}
		}
	})
}
