package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// Operators of the newest operator sets, and old ones that others have replaced.
func init() {
	register(tensorScatter, "TensorScatter")
	register(attentionWithPast, "Attention with a past")
	register(scatterOld, "Scatter")
	register(dropout, "Dropout")
	for _, name := range []string{"Affine", "ScaledTanh", "ParametricSoftplus", "Crop", "ImageScaler"} {
		register(func(d *draw) { experimental(d, name) }, name)
	}
}

func tensorScatter(d *draw) {
	d.opset = 24
	dims := append([]int64{d.between(1, 3)}, d.filled(1, 3)...)
	axis := d.between(1, int64(len(dims))-1)
	update := append([]int64{}, dims...)
	update[axis] = d.between(1, dims[axis])
	in := []val{d.input(d.values(onnxpb.Float, plain, dims...)), d.input(d.values(onnxpb.Float, plain, update...))}
	attrs := []onnxpb.Attribute{ob.Int("axis", pick(d, axis, axis-int64(len(dims))))}
	if d.chance(0.7) {
		circular := d.chance(0.5)
		last := dims[axis] - update[axis]
		if circular {
			last = dims[axis] - 1
			attrs = append(attrs, ob.Str("mode", "circular"))
		}
		in = append(in, d.either(0.2, d.below(onnxpb.Int64, 0, last+1, dims[0])))
	}
	d.symbolic = false // a cache that is full is not noticed
	d.result("TensorScatter", onnxpb.Float, in, attrs...)
}

// attentionWithPast has keys and values of a past, or how many keys count of each sequence, and steps on the way as results.
func attentionWithPast(d *draw) {
	d.symbolic = false
	d.opset = pick(d, int64(23), 24)
	batch, kv, seq, keys, past := d.between(1, 2), d.between(1, 2), d.between(1, 4), d.between(1, 4), d.between(0, 3)
	q, size, vsize := kv*d.between(1, 3), 2*d.between(1, 4), d.between(1, 6)
	v := func(dims ...int64) val { return d.input(d.values(onnxpb.Float, plain, dims...)) }
	in := []val{v(batch, q, seq, size), v(batch, kv, keys, size), v(batch, kv, keys, vsize), none, none, none, none}
	total := keys
	if d.opset == 24 && d.chance(0.4) {
		in[6] = d.input(d.below(onnxpb.Int64, 1, keys+1, batch))
	} else {
		in[4], in[5], total = v(batch, kv, past, size), v(batch, kv, past, vsize), past+keys
	}
	if d.chance(0.4) {
		in[3] = v(seq, total)
	}
	attrs := maybe(d, 0.4, ob.Float("softcap", 2))
	hidden := in[6].name != ""
	if !hidden && (keys == seq || past == 0) && d.chance(0.6) {
		hidden, attrs = true, append(attrs, ob.Int("is_causal", 1))
	}
	mode := d.Int64N(4)
	attrs = append(attrs, ob.Int("qk_matmul_output_mode", mode))
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	outs := d.nodes("Attention", 4, in, attrs...)
	d.out(outs[0], onnxpb.Float)
	if in[4].name != "" {
		d.out(outs[1], onnxpb.Float)
		d.out(outs[2], onnxpb.Float)
	}
	if !hidden && d.chance(0.5) { // what is hidden is the least number there, not an infinity
		d.out(outs[3], onnxpb.Float)
	}
}

func scatterOld(d *draw) {
	d.opset = d.between(9, 10)
	dims := d.filled(1, 3)
	axis := d.Int64N(int64(len(dims)))
	index := append([]int64{}, dims...)
	for i := range index {
		index[i] = d.between(1, dims[i])
	}
	at := empty(onnxpb.Int64, index) // no element is written twice
	inner := int64(1)
	for _, e := range index[axis+1:] {
		inner *= e
	}
	for i := range at.Len() {
		at.SetInt(i, int64(i)/inner%index[axis])
	}
	d.result("Scatter", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...)), d.input(at), d.input(d.values(onnxpb.Float, plain, index...))}, ob.Int("axis", axis))
}

// dropout in inference leaves all as it is.
func dropout(d *draw) {
	d.opset = pick(d, d.between(7, 11), d.between(12, 21))
	x := d.input(d.values(onnxpb.Float, special, d.shape(0, 4)...))
	in, attrs := []val{x}, maybe(d, 0.5, ob.Float("ratio", 0.3))
	if d.opset >= 12 {
		attrs = nil
		if d.chance(0.5) {
			in = append(in, d.constant(tensor.MustOf(nil, []float32{0.3})))
		}
	}
	outs := d.nodes("Dropout", 2, in, attrs...)
	d.out(outs[0], onnxpb.Float)
	if d.opset >= 12 && d.chance(0.5) {
		d.out(outs[1], onnxpb.Bool)
	}
}

func experimental(d *draw, op string) {
	d.opset = d.between(7, 9)
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5, abs: 1e-6}
	switch op {
	case "Crop":
		h, w := d.between(3, 9), d.between(3, 9)
		x := floatsIn(d, 1, 2, h, w)
		if d.chance(0.5) {
			d.result(op, onnxpb.Float, []val{x}, ob.IntList("border", d.between(0, 1), d.between(0, 1), d.between(0, 1), d.between(0, 1)))
			return
		}
		d.symbolic = false
		d.result(op, onnxpb.Float, []val{x}, ob.IntList("border", 1, 1, 0, 0), ob.IntList("scale", d.between(1, h-1), d.between(1, w-1)))
	case "ImageScaler":
		d.symbolic = false
		d.result(op, onnxpb.Float, []val{floatsIn(d, d.between(1, 2), 3, d.between(1, 5), d.between(1, 5))}, ob.Float("scale", 0.5), ob.FloatList("bias", 1, -2, 0.25))
	default:
		alpha, beta := ob.Float("alpha", float32(d.between(-3, 3))), ob.Float("beta", 0.75)
		d.result(op, onnxpb.Float, []val{floatsIn(d, d.filled(1, 4)...)}, alpha, beta)
	}
}
