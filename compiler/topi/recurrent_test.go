package topi_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

var allGates = []topi.Gate{
	{Name: "affine", Alpha: .4, Beta: .1},
	{Name: "elu", Alpha: .8},
	{Name: "hard_sigmoid", Alpha: .3, Beta: .4},
	{Name: "leaky_relu", Alpha: .2},
	{Name: "relu"},
	{Name: "scaled_tanh", Alpha: .7, Beta: 1.5},
	{Name: "sigmoid"},
	{Name: "softplus"},
	{Name: "softsign"},
	{Name: "tanh"},
	{Name: "thresholded_relu", Alpha: .1},
}

// randomNetwork is a network with any options and any activations.
func randomNetwork(r *rand.Rand, kind string, steps, batch, hidden int) topitest.Recurrent {
	gates := map[string]int{"rnn": 1, "gru": 3, "lstm": 4}[kind]
	numbers := func(n int, scale float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(float32((r.Float64()*2 - 1) * scale))
		}
		return out
	}
	small := 1 / math.Sqrt(float64(hidden))
	n := topitest.Recurrent{
		Kind: kind, Steps: steps, Batch: batch, Hidden: hidden,
		X: numbers(steps*batch*gates*hidden, 1), R: numbers(hidden*gates*hidden, small), H: numbers(batch*hidden, 1),
	}
	n.Reverse, n.InputForget, n.LinearBeforeReset = r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(2) == 0
	if r.IntN(3) == 0 {
		n.Clip = .5
	}
	for range 3 {
		n.Gates = append(n.Gates, allGates[r.IntN(len(allGates))])
	}
	if kind == "gru" {
		n.Bias = numbers(hidden, 1)
	}
	if kind == "lstm" {
		n.C = numbers(batch*hidden, 1)
		if r.IntN(2) == 0 {
			n.Peephole = numbers(3*hidden, 1)
		}
	}
	if r.IntN(2) == 0 {
		for range batch {
			n.Lengths = append(n.Lengths, r.IntN(steps+2))
		}
	}
	return n
}

// TestRecurrentNetworks compares networks with the reference: of constant and of symbolic extents, of no step, one, and several, of no sequence too.
func TestRecurrentNetworks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for i := range 240 {
		kind, size := []string{"rnn", "gru", "lstm"}[i%3], [][3]int{{4, 3, 5}, {1, 1, 7}, {0, 2, 3}, {3, 0, 2}, {9, 2, 1}}[i%5]
		n := randomNetwork(r, kind, size[0], size[1], size[2])
		checkNetwork(t, n, i%2 == 0)
	}
}

func checkNetwork(t *testing.T, n topitest.Recurrent, symbolic bool) {
	t.Helper()
	what := fmt.Sprintf("%s, %d steps of %d, %d units, symbolic %v, lengths %v, %+v", n.Kind, n.Steps, n.Batch, n.Hidden, symbolic, n.Lengths, n.RecurrentOpts)
	f := dtype.Float32T
	var steps, batch, hidden tir.Expr = tir.Int(int64(n.Steps)), tir.Int(int64(n.Batch)), tir.Int(int64(n.Hidden))
	if symbolic {
		steps, batch = tir.NewSizeVar("steps", dtype.Int64T), tir.NewSizeVar("batch", dtype.Int64T)
	}
	var args []*te.Tensor
	var data []any
	in := func(name string, v []float64, shape ...tir.Expr) *te.Tensor {
		if v == nil {
			return nil
		}
		at := map[tir.Expr]int64{steps: int64(n.Steps), batch: int64(n.Batch)}
		var dims []int64
		for _, e := range shape {
			d, ok := tir.AsInt(e)
			if !ok {
				d = at[e]
			}
			dims = append(dims, d)
		}
		x := tensor.MustNew(f, dims...)
		for i, e := range v {
			x.SetFloat(i, e)
		}
		args, data = append(args, te.Placeholder(name, f, shape...)), append(data, x)
		return args[len(args)-1]
	}
	columns := tir.Int(int64(len(n.R) / n.Hidden))
	x, w, h, c := in("x", n.X, steps, batch, columns), in("r", n.R, hidden, columns), in("h", n.H, batch, hidden), in("c", n.C, batch, hidden)
	bias, peephole := in("b", n.Bias, hidden), in("p", n.Peephole, tir.Mul(hidden, tir.Int(3)))
	var lengths *te.Tensor
	if n.Lengths != nil {
		v := tensor.MustNew(dtype.Int32T, int64(n.Batch))
		for i, l := range n.Lengths {
			v.SetInt(i, int64(l))
		}
		lengths = te.Placeholder("lengths", dtype.Int32T, batch)
		args, data = append(args, lengths), append(data, v)
	}
	var outs []*te.Tensor
	var err error
	switch n.Kind {
	case "rnn":
		outs, err = topi.RNN(x, w, h, lengths, n.RecurrentOpts)
	case "gru":
		outs, err = topi.GRU(x, w, bias, h, lengths, n.RecurrentOpts)
	default:
		outs, err = topi.LSTM(x, w, h, c, lengths, peephole, n.RecurrentOpts)
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	fn, err := te.CreatePrimFunc(append(args, outs...), te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if found := tir.Verify("kernel", fn); len(found) > 0 {
		t.Fatalf("%s: not well formed: %v", what, found)
	}
	y, hs, cs := n.Run()
	want := [][]float64{y, hs, cs}[:len(outs)]
	got := []*tensor.Tensor{tensor.MustNew(f, int64(n.Steps), int64(n.Batch), int64(n.Hidden))}
	for len(got) < len(outs) {
		got = append(got, tensor.MustNew(f, int64(n.Batch), int64(n.Hidden)))
	}
	for _, o := range got {
		data = append(data, o)
	}
	if err := interp.Run(t.Context(), fn, data, nil); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for k := range want {
		for i, w := range want[k] {
			if g := got[k].Float(i); !(math.Abs(g-w) <= 2e-5*max(1, math.Abs(w))) {
				t.Fatalf("%s: element %d of result %d is %g, want %g", what, i, k, g, w)
			}
		}
	}
}

// TestUnknownActivation is refused.
func TestUnknownActivation(t *testing.T) {
	x, r, h := topitest.Placeholder("x", dtype.Float32T, 1, 1, 2), topitest.Placeholder("r", dtype.Float32T, 2, 2), topitest.Placeholder("h", dtype.Float32T, 1, 2)
	_, err := topi.RNN(x, r, h, nil, topi.RecurrentOpts{Gates: []topi.Gate{{Name: "swish"}}})
	if err == nil || !strings.Contains(err.Error(), `activation "swish" is not known`) {
		t.Errorf("got %v", err)
	}
}
