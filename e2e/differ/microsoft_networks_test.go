package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// expertsOf is a mixture of experts, whose weights are floats or of few bits.
func expertsOf(d *draw, op string) {
	step := int64(32) // of sizes
	if op == "com.microsoft.MoE" {
		step = 2
	}
	count, hidden, inner, tokens := d.between(1, 5), step*d.between(1, 2), step*d.between(1, 2), d.between(1, 6)
	dims := []int64{tokens, hidden}
	if d.chance(0.5) {
		dims = []int64{1, tokens, hidden}
	}
	kind := pick(d, "relu", "gelu", "silu", "swiglu", "identity")
	rows := inner
	k := d.between(1, count)
	if d.symbolic { // other scores may be equal
		k = count
	}
	attrs := []onnxpb.Attribute{ob.Int("k", k), ob.Str("activation_type", kind)}
	if kind == "swiglu" {
		rows *= 2
		attrs = append(attrs, ob.Int("swiglu_fusion", 1), ob.Float("activation_alpha", 1.702), ob.Float("activation_beta", 1))
		attrs = append(attrs, maybe(d, 0.5, ob.Float("swiglu_limit", 1.5))...)
	}
	scores := d.values(onnxpb.Float, unit, tokens, count)
	for i := range tokens { // none are equal
		for j, place := range d.Perm(int(count)) {
			k := int(i*count) + j
			scores.SetFloat(k, scores.Float(k)/4+float64(place))
		}
	}
	in := []val{floatsIn(d, dims...), d.input(scores)}
	bias := func(n int64) val {
		if d.chance(0.5) {
			return none
		}
		return d.constant(d.values(onnxpb.Float, unit, count, n))
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	if op == "com.microsoft.MoE" {
		in = append(in, d.constant(d.values(onnxpb.Float, unit, count, rows, hidden)), bias(rows), d.constant(d.values(onnxpb.Float, unit, count, hidden, inner)), bias(hidden))
		d.result(op, onnxpb.Float, in, append(attrs, ob.Int("normalize_routing_weights", d.Int64N(2)))...)
		return
	}
	attrs = append(attrs, ob.Int("normalize_routing_weights", 1))
	bits, size := pick(d, int64(4), 8), int64(0)
	if d.chance(0.5) {
		size = pick(d, int64(16), 32)
		attrs = append(attrs, ob.Int("block_size", size))
	}
	attrs = append(attrs, ob.Int("expert_weight_bits", bits))
	layer := func(n, k int64) []val {
		scale := d.values(onnxpb.Float, above, count, n)
		if size > 0 {
			scale = d.values(onnxpb.Float, above, count, n, k/size)
		}
		for i := range scale.Len() {
			scale.SetFloat(i, scale.Float(i)/100)
		}
		w := empty(onnxpb.Uint8, []int64{count, n, k * bits / 8})
		for i := range w.Len() {
			w.SetInt(i, d.Int64N(256))
		}
		return []val{d.constant(w), d.constant(scale), bias(n)}
	}
	in = append(append(in, layer(rows, hidden)...), layer(hidden, inner)...)
	if d.chance(0.4) {
		in = append(in, none, none, none)
		for _, shape := range [][2]int64{{rows, hidden}, {hidden, inner}} {
			dims := []int64{count, shape[0] * bits / 8}
			if size > 0 {
				if dims = []int64{count, shape[0], shape[1] / size * bits / 8}; dims[2] == 0 || min(hidden, inner) < size*8/bits {
					in = in[:11]
					break
				}
			}
			zero := empty(onnxpb.Uint8, dims)
			for i := range zero.Len() {
				zero.SetInt(i, d.Int64N(256))
			}
			in = append(in, d.constant(zero))
		}
	}
	d.tol = tolerance{rel: 5e-2, ofMax: 2e-2} // inputs are quantized in ONNX Runtime
	d.result(op, onnxpb.Float, in, attrs...)
}

// channelsLast are windows over images whose channels are the last axis.
func channelsLast(d *draw, op string) {
	dt := d.byteType()
	h, w, c, o := d.between(3, 8), d.between(3, 8), d.between(1, 6), d.between(1, 6)
	kernel := []int64{d.between(1, 3), d.between(1, 3)}
	attrs := []onnxpb.Attribute{ob.IntList("kernel_shape", kernel...), ob.IntList("strides", d.between(1, 2), d.between(1, 2))}
	attrs = append(attrs, maybe(d, 0.5, ob.IntList("pads", d.Int64N(kernel[0]), d.Int64N(kernel[1]), d.Int64N(kernel[0]), d.Int64N(kernel[1])))...)
	switch op {
	case "com.microsoft.NhwcMaxPool":
		d.symbolic = false // windows that do not fit are not noticed
		attrs = append(attrs, maybe(d, 0.5, ob.Int("ceil_mode", d.Int64N(2)))...)
		d.result(op, dt, []val{d.input(d.values(dt, plain, d.between(1, 2), h, w, c))}, attrs...)
	default:
		shape := []int64{1, c, h, w}
		if d.chance(0.7) {
			shape = []int64{1, h, w, c}
			attrs = append(attrs, ob.Int("channels_last", 1))
		}
		in := d.quantizedIn(dt, shape...)
		in = append(in, d.constant(d.values(onnxpb.Int8, plain, append([]int64{o, c}, kernel...)...)))
		zero := empty(onnxpb.Int8, nil)
		in = append(in, d.scaled(onnxpb.Int8)[0], d.constant(zero))
		in = append(in, d.scaled(dt)...)
		if d.chance(0.5) {
			in = append(in, d.constant(d.values(onnxpb.Int32, plain, o)))
		}
		d.loose = true
		d.result(op, dt, in, attrs...)
	}
}

// byteLSTM has weights of bytes; inputs are quantized, too, in ONNX Runtime.
func byteLSTM(d *draw, op string) {
	steps, batch, width, hidden, ways := d.between(1, 4), d.between(1, 3), d.between(1, 8), d.between(1, 6), d.between(1, 2)
	dt := d.byteType()
	in := make([]val, 12)
	in[0] = floatsIn(d, steps, batch, width)
	for k, rows := range []int64{width, hidden} {
		in[1+k] = d.constant(d.values(dt, plain, ways, rows, 4*hidden))
		dims := []int64{ways}
		if d.chance(0.4) {
			dims = []int64{ways, 4 * hidden}
		}
		scale, zero := d.values(onnxpb.Float, above, dims...), d.values(dt, plain, dims...)
		for i := range scale.Len() {
			scale.SetFloat(i, scale.Float(i)/50)
			if dt == onnxpb.Int8 {
				zero.SetInt(i, 0)
			}
		}
		in[8+2*k], in[9+2*k] = d.constant(scale), d.constant(zero)
	}
	if d.chance(0.7) {
		in[3] = floatsOf(d, ways, 8*hidden)
	}
	if d.chance(0.3) {
		in[4] = d.input(tensor.MustOf([]int64{batch}, make([]int32, batch)))
		for i := range batch {
			d.args[len(d.args)-1].SetInt(int(i), d.between(1, steps))
		}
	}
	if d.chance(0.4) {
		in[5], in[6] = floatsIn(d, ways, batch, hidden), floatsIn(d, ways, batch, hidden)
	}
	direction := "bidirectional"
	if ways == 1 {
		direction = pick(d, "forward", "reverse")
	}
	d.tol = tolerance{rel: 5e-2, ofMax: 3e-2, abs: 5e-3}
	outs := d.nodes(op, 3, in, ob.Int("hidden_size", hidden), ob.Str("direction", direction))
	for _, out := range outs {
		d.out(out, onnxpb.Float)
	}
}

func bnbProduct(d *draw, op string) {
	k, n, size := d.between(1, 60), d.between(1, 9), pick(d, int64(16), 32, 64)
	w := empty(onnxpb.Uint8, []int64{(n*k + 1) / 2})
	for i := range w.Len() {
		w.SetInt(i, d.Int64N(256))
	}
	in := []val{floatsIn(d, d.between(1, 4), k), d.constant(w), d.constant(d.values(onnxpb.Float, above, (n*k+size-1)/size))}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	d.result(op, onnxpb.Float, in, ob.Int("K", k), ob.Int("N", n), ob.Int("block_size", size), ob.Int("quant_type", d.Int64N(2)))
}

func byteEmbedNorm(d *draw, op string) {
	b, s, h, words := d.between(1, 3), d.between(1, 6), d.between(2, 20), d.between(2, 9)
	ids := func(most int64) val { return d.input(d.below(onnxpb.Int32, 0, most, b, s)) }
	in := make([]val, 18)
	in[0], in[1], in[7] = ids(words), ids(2), ids(2)
	for i, dims := range [][]int64{{words, h}, {8, h}, {2, h}, {h}, {h}} {
		in[2+i] = d.constant(d.values(onnxpb.Uint8, plain, dims...))
		p := d.scaled(onnxpb.Uint8)
		in[8+i], in[13+i] = p[0], p[1]
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3}
	outs := d.nodes(op, 2, in, ob.Float("epsilon", 1e-5))
	d.out(outs[0], onnxpb.Float)
	d.out(outs[1], onnxpb.Int32)
}
