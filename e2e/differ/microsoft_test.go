package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// Operators of the domain com.microsoft.
func init() {
	of := func(f func(d *draw, op string), names ...string) {
		for _, name := range names {
			register(func(d *draw) { f(d, "com.microsoft."+name) }, "com.microsoft."+name)
		}
	}
	of(gelus, "Gelu", "BiasGelu", "FastGelu", "QuickGelu")
	of(fusedProducts, "FusedMatMul", "TransposeMatMul")
	of(fusedGemm, "FusedGemm")
	of(fusedConv, "FusedConv")
	of(aliases, "ExpandDims", "GatherND", "Trilu", "Pad", "Range")
	of(sampled, "GridSample")
	of(distances, "CDist")
	of(skipNorms, "SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
	of(embedNorm, "EmbedLayerNormalization")
	of(stepped, "QuantizeLinear", "DequantizeLinear")
	of(linearBinary, "QLinearAdd", "QLinearMul")
	of(linearUnary, "QLinearSigmoid", "QLinearLeakyRelu", "QLinearGlobalAveragePool", "QLinearAveragePool")
	of(linearConcat, "QLinearConcat")
	of(linearWhere, "QLinearWhere")
	of(byteGemm, "QGemm")
	of(toFloat, "MatMulIntegerToFloat", "DynamicQuantizeMatMul")
	of(bitsProduct, "MatMulNBits")
	of(bitsGather, "GatherBlockQuantized")
	of(projectedAttention, "Attention", "QAttention")
	of(headsAttention, "MultiHeadAttention")
	of(groupedAttention, "GroupQueryAttention")
	of(turned, "RotaryEmbedding")
	of(expertsOf, "MoE", "QMoE")
	of(channelsLast, "NhwcMaxPool", "QLinearConv")
	of(bnbProduct, "MatMulBnb4")
	of(byteEmbedNorm, "QEmbedLayerNormalization")
	of(byteLSTM, "DynamicQuantizeLSTM")
	register(simplifiedNorm, "SimplifiedLayerNormalization")
}

func floatsIn(d *draw, dims ...int64) val { return d.input(d.values(onnxpb.Float, plain, dims...)) }

func floatsOf(d *draw, dims ...int64) val {
	return d.weight(0.6, d.values(onnxpb.Float, plain, dims...))
}

func gelus(d *draw, op string) {
	dims := d.filled(1, 4)
	in := []val{floatsIn(d, dims...)}
	var attrs []onnxpb.Attribute
	switch last := dims[len(dims)-1]; op {
	case "com.microsoft.BiasGelu":
		in = append(in, floatsOf(d, last))
	case "com.microsoft.FastGelu":
		if d.chance(0.5) {
			in = append(in, floatsOf(d, last))
		}
	case "com.microsoft.QuickGelu":
		attrs = maybe(d, 0.5, ob.Float("alpha", float32(pick(d, 1.0, 0.5, -1.25))))
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5, abs: 1e-6}
	d.result(op, onnxpb.Float, in, attrs...)
}

func fusedProducts(d *draw, op string) {
	m, k, n := d.between(1, 9), d.between(1, 9), d.between(1, 9)
	batch := d.filled(0, 2)
	var attrs []onnxpb.Attribute
	factor := func(rows, columns int64, which string) val {
		dims := append(append([]int64{}, batch...), rows, columns)
		if d.chance(0.4) {
			attrs = append(attrs, ob.Int("trans"+which, 1))
			dims[len(dims)-1], dims[len(dims)-2] = rows, columns
		}
		if op == "com.microsoft.FusedMatMul" && len(dims) > 2 && d.chance(0.3) {
			attrs = append(attrs, ob.Int("transBatch"+which, 1))
			last := len(dims) - 2
			lead := dims[0]
			copy(dims, dims[1:last+1])
			dims[last] = lead
		}
		return floatsIn(d, dims...)
	}
	in := []val{factor(m, k, "A"), factor(k, n, "B")}
	if d.chance(0.5) {
		attrs = append(attrs, ob.Float("alpha", 0.25))
	}
	d.result(op, onnxpb.Float, in, attrs...)
}

// activation draws attributes of a function with its parameters.
func activation(d *draw) (name string, params []float32) {
	switch name = pick(d, "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid", ""); name {
	case "LeakyRelu":
		params = []float32{0.2}
	case "Clip":
		params = []float32{-0.5, 1.5}
	case "HardSigmoid":
		params = []float32{0.3, 0.4}
	}
	return name, params
}

func fusedGemm(d *draw, op string) {
	m, k, n := d.between(1, 9), d.between(1, 9), d.between(1, 9)
	name, params := activation(d)
	for name == "Clip" {
		name, params = activation(d)
	}
	var attrs []onnxpb.Attribute
	if name != "" {
		attrs = append(attrs, ob.Str("activation", name))
	}
	for i, p := range params {
		attrs = append(attrs, ob.Float([]string{"activation_alpha", "activation_beta"}[i], p))
	}
	a, b := []int64{m, k}, []int64{k, n}
	if d.chance(0.4) {
		a[0], a[1] = a[1], a[0]
		attrs = append(attrs, ob.Int("transA", 1))
	}
	if d.chance(0.4) {
		b[0], b[1] = b[1], b[0]
		attrs = append(attrs, ob.Int("transB", 1))
	}
	in := []val{floatsIn(d, a...), floatsOf(d, b...)}
	if d.chance(0.6) {
		in = append(in, floatsOf(d, d.broadcast([]int64{m, n})...))
		attrs = append(attrs, maybe(d, 0.5, ob.Float("beta", 0.5))...)
	}
	attrs = append(attrs, maybe(d, 0.5, ob.Float("alpha", 2))...)
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result(op, onnxpb.Float, in, attrs...)
}

func fusedConv(d *draw, op string) {
	c, o, kernel, h, w := d.between(1, 5), d.between(1, 5), d.between(1, 3), d.between(4, 9), d.between(4, 9)
	name, params := activation(d)
	var attrs []onnxpb.Attribute
	if name != "" {
		attrs = append(attrs, ob.Str("activation", name))
	}
	if params != nil {
		attrs = append(attrs, ob.FloatList("activation_params", params...))
	}
	in := []val{floatsIn(d, 1, c, h, w), floatsOf(d, o, c, kernel, kernel)}
	if d.chance(0.7) {
		in = append(in, floatsOf(d, o))
		if d.chance(0.5) {
			in = append(in, floatsIn(d, 1, o, h-kernel+1, w-kernel+1))
		}
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result(op, onnxpb.Float, in, append(attrs, ob.IntList("kernel_shape", kernel, kernel))...)
}

func aliases(d *draw, op string) {
	dims := d.filled(2, 4)
	rank := int64(len(dims))
	switch op {
	case "com.microsoft.ExpandDims":
		axis := tensor.MustOf(nil, []int32{int32(d.between(-rank-1, rank))})
		d.result(op, onnxpb.Float, []val{floatsIn(d, dims...), d.constant(axis)})
	case "com.microsoft.GatherND":
		index := d.values(onnxpb.Int64, plain, d.between(1, 4), 1)
		d.result(op, onnxpb.Float, []val{floatsIn(d, dims...), d.input(below(index, dims[0]))})
	case "com.microsoft.Trilu":
		d.result(op, onnxpb.Float, []val{floatsIn(d, dims...), d.scalar(d.between(-3, 3))}, maybe(d, 0.5, ob.Int("upper", d.Int64N(2)))...)
	case "com.microsoft.Pad":
		pads := make([]int64, 2*rank)
		for i := range pads {
			pads[i] = d.between(0, 2)
		}
		d.result(op, onnxpb.Float, []val{floatsIn(d, dims...), d.list(pads...)}, ob.Str("mode", "constant"))
	case "com.microsoft.Range":
		d.result(op, onnxpb.Int64, []val{d.scalar(d.between(-3, 3)), d.scalar(d.between(4, 9)), d.scalar(d.between(1, 3))})
	}
}

// below are integers as indices of an axis.
func below(t *tensor.Tensor, extent int64) *tensor.Tensor {
	for i := range t.Len() {
		t.SetInt(i, ((t.Int(i)%extent)+extent)%extent)
	}
	return t
}

func sampled(d *draw, op string) {
	n, c := d.between(1, 2), d.between(1, 3)
	in := []val{floatsIn(d, n, c, d.between(2, 6), d.between(2, 6)), floatsIn(d, n, d.between(1, 5), d.between(1, 5), 2)}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	d.result(op, onnxpb.Float, in, ob.Str("mode", pick(d, "bilinear", "bicubic")), ob.Str("padding_mode", pick(d, "zeros", "border", "reflection")), ob.Int("align_corners", d.Int64N(2)))
}

func distances(d *draw, op string) {
	k := d.between(1, 9)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3}
	d.result(op, onnxpb.Float, []val{floatsIn(d, d.between(1, 9), k), floatsIn(d, d.between(1, 9), k)}, ob.Str("metric", pick(d, "euclidean", "sqeuclidean")))
}

func skipNorms(d *draw, op string) {
	b, s, h := d.between(1, 3), d.between(1, 5), d.between(2, 24)
	in := []val{floatsIn(d, b, s, h), floatsIn(d, b, s, h), floatsOf(d, h)}
	optional := 2
	if op != "com.microsoft.SkipLayerNormalization" {
		optional = 1
	}
	for range optional {
		if d.chance(0.6) {
			in = append(in, floatsOf(d, h))
		} else {
			in = append(in, none)
		}
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	outs := d.node4(op, in, ob.Float("epsilon", 1e-5))
	d.out(outs[0], onnxpb.Float)
	if d.chance(0.5) {
		d.out(outs[3], onnxpb.Float)
	}
}

// node4 adds a node of four results, of which the second and third are not used.
func (d *draw) node4(op string, in []val, attrs ...onnxpb.Attribute) []string {
	out := d.nodes(op, 4, in, attrs...)
	nodes := d.b.Model().Graph.Nodes
	nodes[len(nodes)-1].Outputs = []string{out[0], "", "", out[3]}
	return out
}

func simplifiedNorm(d *draw) {
	dims := d.filled(1, 4)
	d.opset = 17
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	d.result("SimplifiedLayerNormalization", onnxpb.Float, []val{floatsIn(d, dims...), floatsOf(d, dims[len(dims)-1])}, ob.Int("axis", -1), ob.Float("epsilon", 1e-5), ob.Int("stash_type", 1))
}

func embedNorm(d *draw, op string) {
	b, s, h, words := d.between(1, 3), d.between(1, 6), d.between(2, 20), d.between(2, 9)
	ids := func(below int64) val {
		t := tensor.MustOf([]int64{b, s}, make([]int32, b*s))
		for i := range t.Len() {
			t.SetInt(i, d.Int64N(below))
		}
		return d.input(t)
	}
	in := []val{ids(words), none, floatsOf(d, words, h), floatsOf(d, 8, h), none, floatsOf(d, h), floatsOf(d, h), none, none}
	if d.chance(0.6) {
		in[1], in[4] = ids(2), floatsOf(d, 2, h)
	}
	if d.chance(0.5) {
		in[7] = ids(2)
	}
	if d.chance(0.3) {
		in[8] = ids(8)
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	outs := d.nodes(op, 2, in, ob.Float("epsilon", 1e-5))
	d.out(outs[0], onnxpb.Float)
	if in[7].name != "" && d.chance(0.5) {
		d.out(outs[1], onnxpb.Int32)
	}
}
