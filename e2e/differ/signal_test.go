package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(dft, "DFT")
	register(stft, "STFT")
	register(windows, "BlackmanWindow", "HannWindow", "HammingWindow")
	register(mel, "MelWeightMatrix")
	register(attention, "Attention")
	register(rotary, "RotaryEmbedding")
}

func dft(d *draw) {
	d.opset = pick(d, int64(17), 20)
	last := pick(d, int64(1), 2)
	dims := append(d.filled(2, 3), last)
	for i := range dims {
		dims[i] = min(dims[i], 12)
	}
	axis := d.between(1, int64(len(dims))-2)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	in := []val{d.input(d.values(onnxpb.Float, plain, dims...)), none}
	if d.chance(0.4) {
		in[1] = d.scalar(d.between(1, 12))
	}
	var attrs []onnxpb.Attribute
	if last == 1 && d.chance(0.4) {
		attrs = append(attrs, ob.Int("onesided", 1))
	} else if last == 2 {
		attrs = maybe(d, 0.5, ob.Int("inverse", 1))
	}
	if d.opset < 20 {
		attrs = append(attrs, ob.Int("axis", axis))
	} else {
		in = append(in, d.scalar(axis-truth(d.chance(0.4))*int64(len(dims))))
	}
	d.result("DFT", onnxpb.Float, in, attrs...)
}

func stft(d *draw) {
	d.opset = 17
	frame, step := d.between(2, 9), d.between(1, 5)
	n := frame + d.between(0, 12)
	in := []val{d.input(d.values(onnxpb.Float, plain, d.between(1, 2), n, 1)), d.scalar(step), none, none}
	if d.chance(0.6) {
		in[2] = d.either(0.6, d.values(onnxpb.Float, plain, frame))
	}
	if in[2].name == "" || d.chance(0.5) {
		in[3] = d.scalar(frame)
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	d.result("STFT", onnxpb.Float, in, maybe(d, 0.6, ob.Int("onesided", d.Int64N(2)))...)
}

func windows(d *draw) {
	d.opset = 17
	dt := pick(d, onnxpb.Float, onnxpb.Double)
	size := d.scalar(d.between(2, 12))
	d.tol.abs = 1e-7
	d.result(pick(d, "BlackmanWindow", "HannWindow", "HammingWindow"), dt, []val{size}, append(maybe(d, 0.6, ob.Int("periodic", d.Int64N(2))), ob.Int("output_datatype", int64(dt)))...)
}

func mel(d *draw) {
	d.opset = 17
	f := func(v float32) val { return d.constant(tensor.MustOf(nil, []float32{v})) }
	rate := d.between(4000, 16000)
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-4}
	d.result("MelWeightMatrix", onnxpb.Float, []val{d.scalar(d.between(1, 10)), d.scalar(d.between(8, 64)), d.scalar(rate), f(float32(d.between(0, 200))), f(float32(d.between(400, rate/2)))})
}

func attention(d *draw) {
	d.opset = pick(d, int64(23), 24)
	batch, q, kv, seq, past := d.between(1, 2), d.between(1, 4), d.between(1, 2), d.between(1, 5), d.between(1, 5)
	q *= kv
	size, vsize := 2*d.between(1, 4), d.between(1, 6)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	var in []val
	v := func(dims ...int64) val { return d.input(d.values(onnxpb.Float, plain, dims...)) }
	var attrs []onnxpb.Attribute
	if d.chance(0.5) {
		in = []val{v(batch, q, seq, size), v(batch, kv, past, size), v(batch, kv, past, vsize), none}
	} else {
		in = []val{v(batch, seq, q*size), v(batch, past, kv*size), v(batch, past, kv*vsize), none}
		attrs = []onnxpb.Attribute{ob.Int("q_num_heads", q), ob.Int("kv_num_heads", kv)}
	}
	if d.chance(0.5) {
		dims := d.broadcast([]int64{batch, q, seq, past})
		if len(dims) < 2 {
			dims = []int64{seq, past}
		}
		dims[len(dims)-1], dims[len(dims)-2] = past, seq
		if d.chance(0.5) {
			in[3] = v(dims...)
		} else {
			t := d.values(onnxpb.Bool, plain, dims...)
			for i := range t.Len() { // no row may be masked as a whole
				if int64(i)%past == 0 {
					t.SetInt(i, 1)
				}
			}
			in[3] = d.input(t)
		}
	}
	attrs = append(attrs, maybe(d, 0.4, ob.Int("is_causal", d.Int64N(2)))...)
	attrs = append(attrs, maybe(d, 0.4, ob.Float("scale", float32(d.Float64())))...)
	attrs = append(attrs, maybe(d, 0.4, ob.Float("softcap", float32(d.Float64()*3)))...)
	d.result("Attention", onnxpb.Float, in, attrs...)
}

func rotary(d *draw) {
	d.opset = 23
	batch, heads, seq, size := d.between(1, 2), d.between(1, 3), d.between(1, 5), 2*d.between(1, 4)
	dims := []int64{batch, heads, seq, size}
	var attrs []onnxpb.Attribute
	if d.chance(0.4) {
		dims = []int64{batch, seq, heads * size}
		attrs = append(attrs, ob.Int("num_heads", heads))
	}
	turned := size
	if d.chance(0.4) {
		turned = 2 * d.between(1, size/2)
		attrs = append(attrs, ob.Int("rotary_embedding_dim", turned))
	}
	attrs = append(attrs, maybe(d, 0.6, ob.Int("interleaved", d.Int64N(2)))...)
	x := d.input(d.values(onnxpb.Float, plain, dims...))
	cache := func() val { return d.input(d.values(onnxpb.Float, unit, batch, seq, turned/2)) }
	if d.chance(0.5) {
		rows := seq + d.between(0, 4)
		cos, sin := d.input(d.values(onnxpb.Float, unit, rows, turned/2)), d.input(d.values(onnxpb.Float, unit, rows, turned/2))
		d.result("RotaryEmbedding", onnxpb.Float, []val{x, cos, sin, d.input(d.below(onnxpb.Int64, 0, rows, batch, seq))}, attrs...)
		return
	}
	d.result("RotaryEmbedding", onnxpb.Float, []val{x, cache(), cache()}, attrs...)
}
