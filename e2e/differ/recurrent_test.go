package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

func init() {
	register(recurrent, "RNN", "LSTM", "GRU")
}

func recurrent(d *draw) {
	op := pick(d, "RNN", "LSTM", "GRU")
	gates := map[string]int64{"RNN": 1, "LSTM": 4, "GRU": 3}[op]
	seq, batch, in, hidden := d.between(1, 6), d.between(1, 4), d.between(1, 6), d.between(1, 6)
	dir := pick(d, "forward", "reverse", "bidirectional")
	dirs := 1 + truth(dir == "bidirectional")
	var attrs []onnxpb.Attribute
	attrs = append(attrs, ob.Int("hidden_size", hidden), ob.Str("direction", dir))
	w := func(dims ...int64) val { // small, since activations without a bound add up
		t := d.values(onnxpb.Float, unit, dims...)
		for i := range t.Len() {
			t.SetFloat(i, t.Float(i)*0.6)
		}
		return d.weight(0.8, t)
	}
	x := d.input(d.values(onnxpb.Float, plain, seq, batch, in))
	ops := []val{x, w(dirs, gates*hidden, in), w(dirs, gates*hidden, hidden), none, none, none}
	if d.chance(0.6) {
		ops[3] = w(dirs, 2*gates*hidden)
	}
	if d.chance(0.4) {
		lens := d.below(onnxpb.Int32, 1, seq+1, batch)
		ops[4] = d.either(0.4, lens)
	}
	if d.chance(0.5) {
		ops[5] = d.input(d.values(onnxpb.Float, unit, dirs, batch, hidden))
	}
	n := 2
	switch op {
	case "LSTM":
		n = 3
		ops = append(ops, none, none)
		if d.chance(0.5) {
			ops[6] = d.input(d.values(onnxpb.Float, unit, dirs, batch, hidden))
		}
		if d.chance(0.4) {
			ops[7] = w(dirs, 3*hidden)
		}
		attrs = append(attrs, maybe(d, 0.2, ob.Int("input_forget", d.Int64N(2)))...)
	case "GRU":
		attrs = append(attrs, maybe(d, 0.6, ob.Int("linear_before_reset", d.Int64N(2)))...)
	}
	attrs = append(attrs, maybe(d, 0.3, ob.Float("clip", float32(0.2+2*d.Float64())))...)
	if d.chance(0.4) {
		per := map[string]int{"RNN": 1, "LSTM": 3, "GRU": 2}[op]
		attrs = append(attrs, d.activations(per*int(dirs))...)
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	for _, y := range d.nodes(op, n, ops, attrs...) {
		d.out(y, onnxpb.Float)
	}
}

// activations are so many functions, with parameters for all that take them where one of them has no default that both know.
func (d *draw) activations(n int) []onnxpb.Attribute {
	takes := map[string]int{"HardSigmoid": 2, "Elu": 1, "LeakyRelu": 1, "Affine": 2, "ThresholdedRelu": 1, "ScaledTanh": 2}
	names := onnxpb.Attribute{Name: "activations", Type: onnxpb.AttrStrings}
	var alphas, betas []float32
	given := d.chance(0.3)
	for range n {
		name := pick(d, "Sigmoid", "Tanh", "Relu", "Softsign", "HardSigmoid", "Elu", "LeakyRelu")
		if given {
			name = pick(d, name, "Affine", "ThresholdedRelu", "ScaledTanh")
		}
		names.Strings = append(names.Strings, []byte(name))
		if takes[name] > 0 {
			alphas = append(alphas, 0.1+d.Float32())
		}
		if takes[name] > 1 {
			betas = append(betas, 0.1+d.Float32())
		}
	}
	out := []onnxpb.Attribute{names}
	if given {
		out = append(out, ob.FloatList("activation_alpha", alphas...), ob.FloatList("activation_beta", betas...))
	}
	return out
}
