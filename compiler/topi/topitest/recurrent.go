package topitest

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/topi"
)

// Recurrent is a recurrent network on numbers, row by row: the reference for topi.RNN, topi.GRU and topi.LSTM, by the equations that ONNX states.
type Recurrent struct {
	Kind                 string    // rnn, gru, lstm
	X                    []float64 // (steps, batch, gates * hidden)
	R                    []float64 // (hidden, gates * hidden)
	H, C                 []float64 // (batch, hidden); C of an lstm only
	Bias                 []float64 // (hidden), of a gru only
	Peephole             []float64 // (3 * hidden), nil for none
	Lengths              []int     // nil for all steps
	Steps, Batch, Hidden int
	topi.RecurrentOpts
}

// Run returns the states of all steps, and the last ones.
func (n Recurrent) Run() (y, h, c []float64) {
	h, c, y = slices.Clone(n.H), slices.Clone(n.C), make([]float64, n.Steps*n.Batch*n.Hidden)
	for s := range n.Steps {
		if n.Reverse {
			s = n.Steps - 1 - s
		}
		for b := range n.Batch {
			if n.Lengths != nil && s >= n.Lengths[b] {
				continue
			}
			from, to := b*n.Hidden, (b+1)*n.Hidden
			cell := []float64(nil)
			if c != nil {
				cell = c[from:to]
			}
			n.step(n.X[(s*n.Batch+b)*len(n.R)/n.Hidden:], h[from:to], cell)
			copy(y[(s*n.Batch+b)*n.Hidden:], h[from:to])
		}
	}
	return y, h, c
}

// step updates the states of one sequence.
func (n Recurrent) step(x, h, c []float64) {
	gates := len(n.R) / n.Hidden / n.Hidden
	product := func(h []float64, g, j int) (sum float64) {
		for k, v := range h {
			sum += v * n.R[(k*gates+g)*n.Hidden+j]
		}
		return sum
	}
	peep := func(g, j int, c float64) float64 {
		if n.Peephole == nil {
			return 0
		}
		return n.Peephole[g*n.Hidden+j] * c
	}
	old := slices.Clone(h)
	reset := slices.Clone(h)
	for j := range h {
		if n.Kind == "gru" {
			reset[j] *= n.gate(0, x[n.Hidden+j]+product(old, 1, j))
		}
	}
	for j := range h {
		switch n.Kind {
		case "rnn":
			h[j] = n.gate(0, x[j]+product(old, 0, j))
		case "gru":
			update := n.gate(0, x[j]+product(old, 0, j))
			share := product(reset, 2, j) + n.Bias[j]
			if n.LinearBeforeReset {
				share = n.gate(0, x[n.Hidden+j]+product(old, 1, j)) * (product(old, 2, j) + n.Bias[j])
			}
			h[j] = (1-update)*n.gate(1, x[2*n.Hidden+j]+share) + update*old[j]
		default:
			in := n.gate(0, x[j]+product(old, 0, j)+peep(0, j, c[j]))
			forget := n.gate(0, x[2*n.Hidden+j]+product(old, 2, j)+peep(2, j, c[j]))
			if n.InputForget {
				forget = 1 - in
			}
			c[j] = forget*c[j] + in*n.gate(1, x[3*n.Hidden+j]+product(old, 3, j))
			h[j] = n.gate(0, x[n.Hidden+j]+product(old, 1, j)+peep(1, j, c[j])) * activation(n.Gates[2], c[j])
		}
	}
}

// gate applies activation k to what is within the bounds of Clip.
func (n Recurrent) gate(k int, x float64) float64 {
	if n.Clip > 0 {
		x = min(max(x, -n.Clip), n.Clip)
	}
	return activation(n.Gates[k], x)
}

func activation(g topi.Gate, x float64) float64 {
	switch g.Name {
	case "affine":
		return g.Alpha*x + g.Beta
	case "elu":
		if x < 0 {
			return g.Alpha * (math.Exp(x) - 1)
		}
		return x
	case "hard_sigmoid":
		return min(max(g.Alpha*x+g.Beta, 0), 1)
	case "leaky_relu":
		if x < 0 {
			return g.Alpha * x
		}
		return x
	case "relu":
		return max(x, 0)
	case "scaled_tanh":
		return g.Alpha * math.Tanh(g.Beta*x)
	case "sigmoid":
		return 1 / (1 + math.Exp(-x))
	case "softplus":
		return math.Log1p(math.Exp(x))
	case "softsign":
		return x / (1 + math.Abs(x))
	case "tanh":
		return math.Tanh(x)
	case "thresholded_relu":
		if x < g.Alpha {
			return 0
		}
		return x
	}
	panic("topitest: activation " + g.Name)
}
