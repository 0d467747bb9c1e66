package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// microsoftQuantizeRows compute with integers that stand for floats. An operand that is quantized is followed by its scale and its zero point, as are those
// of the result.
func microsoftQuantizeRows() []operator {
	return []operator{
		{name: "QuantizeLinear", minIn: 2, maxIn: 3, attrs: []string{"axis", "block_size", "output_dtype", "saturate", "precision"}, convert: quantizeLinear},
		{name: "DequantizeLinear", minIn: 2, maxIn: 3, attrs: []string{"axis", "block_size", "output_dtype"}, convert: dequantizeLinear},
		{name: "QLinearAdd", minIn: 2, maxIn: 8, convert: func(n *node) { n.qlinearBinary("relax.add") }},
		{name: "QLinearMul", minIn: 2, maxIn: 8, convert: func(n *node) { n.qlinearBinary("relax.multiply") }},
		{name: "QLinearSigmoid", minIn: 2, maxIn: 5, convert: func(n *node) { n.qlinearUnary("Sigmoid") }},
		{name: "QLinearLeakyRelu", minIn: 2, maxIn: 5, attrs: []string{"alpha"}, convert: func(n *node) { n.qlinearUnary("LeakyRelu", n.pb.Attributes...) }},
		{name: "QLinearSoftmax", minIn: 2, maxIn: 5, attrs: []string{"axis", "opset"}, convert: qlinearSoftmax},
		{name: "QLinearGlobalAveragePool", minIn: 2, maxIn: 5, attrs: []string{"channels_last"}, convert: func(n *node) { n.qlinearPool("GlobalAveragePool") }},
		{
			name: "QLinearAveragePool", minIn: 2, maxIn: 5, attrs: append(slices.Clone(averageAttrs), "channels_last"),
			convert: func(n *node) { n.qlinearPool("AveragePool", n.kept(averageAttrs...)...) },
		},
		{name: "QLinearConcat", minIn: 5, maxIn: -1, attrs: []string{"axis"}, convert: qlinearConcat},
		{name: "QLinearWhere", minIn: 3, maxIn: 9, convert: qlinearWhere},
		{name: "QGemm", minIn: 2, maxIn: 9, attrs: []string{"alpha", "transA", "transB"}, convert: qgemm},
		{name: "MatMulIntegerToFloat", minIn: 4, maxIn: 7, convert: func(n *node) {
			n.scaledProduct(n.byteMatmul(0, 1, 4, 5), n.vector(2, ofRows), n.vector(3, ofColumns), n.optional(6))
		}},
		{name: "DynamicQuantizeMatMul", minIn: 3, maxIn: 5, convert: dynamicQuantizeMatMul},
		{
			name: "DynamicQuantizeLSTM", minIn: 3, maxIn: 12, convert: dynamicQuantizeLSTM,
			attrs: []string{"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget"},
		},
		{name: "MatMulNBits", minIn: 3, maxIn: 6, attrs: []string{"K", "N", "accuracy_level", "bits", "block_size", "weight_prepacked"}, convert: matMulNBits},
		{name: "MatMulBnb4", minIn: 3, maxIn: 3, attrs: []string{"K", "N", "block_size", "quant_type", "training_mode", "transB"}, convert: matMulBnb4},
		{name: "GatherBlockQuantized", minIn: 3, maxIn: 4, attrs: []string{"bits", "block_size", "gather_axis", "quantize_axis"}, convert: gatherBlockQuantized},
	}
}

// averageAttrs are those of AveragePool that QLinearAveragePool has, too.
var averageAttrs = []string{"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"}

// shifted is operand i less its zero point, as int32.
func (n *node) shifted(i, zero int) relax.Expr {
	x := n.as(n.expr(i), dtype.Int32T)
	if !n.has(zero) || n.isZero(zero) {
		return x
	}
	return n.emit("relax.subtract", args(x, n.as(n.oneNumber(zero), dtype.Int32T)))
}

// scaleOf is operand i, one number, in float32.
func (n *node) scaleOf(i int) relax.Expr {
	return n.as(n.oneNumber(i), dtype.Float32T)
}

// oneNumber is operand i, which must be one number, without dimensions.
func (n *node) oneNumber(i int) relax.Expr {
	n.perTensor(i)
	return n.reshape(n.expr(i), nil)
}

// real is operand i as the float32 numbers that it stands for, by its scale and zero point behind it.
func (n *node) real(i int) relax.Expr {
	n.bytes(i)
	return n.emit("relax.multiply", args(n.as(n.shifted(i, i+2), dtype.Float32T), n.scaleOf(i+1)))
}

// quantized is y, float32 numbers, as integers of type d by the scale that is an operand and the zero point behind that.
func (n *node) quantized(y relax.Expr, scale int, d dtype.DType) relax.Expr {
	y = n.stepped(n.emit("relax.divide", args(y, n.scaleOf(scale))), scale+1, func() relax.Expr { return n.oneNumber(scale + 1) }, d)
	return n.emit("relax.astype", args(y), "dtype", d)
}

func (n *node) qlinearBinary(name string) {
	n.sameDType(0, 3)
	n.set(0, n.quantized(n.emit(name, args(n.real(0), n.real(3))), 6, n.dtype(0)))
}

func (n *node) qlinearUnary(name string, attrs ...onnxpb.Attribute) {
	n.set(0, n.quantized(n.applyTo(n.real(0), name, attrs...), 3, n.dtype(0)))
}

// qlinearSoftmax counts all axes from the given one on as one before operator set 13.
func qlinearSoftmax(n *node) {
	if old := n.int("opset", MaxOpset) < 13; old && n.axis(n.int("axis", 1), n.rank(0)) != n.rank(0)-1 {
		n.fail("attribute \"opset\" is %d, where softmax is over several axes, which is not supported", n.int("opset", 0))
	}
	n.qlinearUnary("Softmax", n.kept("axis")...)
}

// qlinearPool is a mean of operand 0, whose channels may be its last axis.
func (n *node) qlinearPool(name string, attrs ...onnxpb.Attribute) {
	x, last := n.real(0), n.bool("channels_last", false)
	if last {
		x = n.channelsFirst(x)
	}
	y := n.quantized(n.applyTo(x, name, attrs...), 3, n.dtype(0))
	if last {
		y = n.channelsLast(y)
	}
	n.set(0, y)
}

// qlinearConcat joins operands from 2 on, each with its scale and zero point.
func qlinearConcat(n *node) {
	if len(n.in)%3 != 2 {
		n.fail("has %d inputs, expected the scale and the zero point of the result and three for each part", len(n.in))
	}
	var parts []relax.Expr
	d := n.dtype(1)
	for i := 2; i < len(n.in); i += 3 {
		n.sameDType(1, i)
		parts = append(parts, n.quantized(n.real(i), 0, d))
	}
	if n.pb.Attribute("axis") == nil {
		n.fail("attribute \"axis\" is missing")
	}
	n.result("relax.concat", args(tuple(parts)), "axis", int64(n.axis(n.int("axis", 0), n.rank(2))))
}

func qlinearWhere(n *node) {
	n.sameDType(1, 4)
	d := n.dtype(1)
	n.wantDType(0, "bool", dtype.DType.IsBool)
	n.result("relax.where", args(n.expr(0), n.quantized(n.real(1), 7, d), n.quantized(n.real(4), 7, d)))
}

// qgemm is alpha * A' * B' + C, where the scale of C is that of the product. Without a scale of the result it stays a float.
func qgemm(n *node) {
	n.bytes(0, 3)
	n.ranked(0, 2, 2)
	n.ranked(3, 2, 2)
	factor := func(i, zero int, trans string, shape func(tir.Expr) []tir.Expr) op.ByteFactor {
		f := n.byteFactor(i, zero, shape)
		if n.bool(trans, false) {
			f.X, f.Dims = n.emit("relax.permute_dims", args(f.X), "axes", []int64{1, 0}), []tir.Expr{f.Dims[1], f.Dims[0]}
		}
		return f
	}
	sum := op.ByteMatmul(n.emit, factor(0, 2, "transA", ofRows), factor(3, 5, "transB", ofColumns))
	if n.has(6) {
		sum = n.emit("relax.add", args(sum, n.as(n.expr(6), dtype.Int32T)))
	}
	scale := n.emit("relax.multiply", args(n.as(n.vector(1, ofRows), dtype.Float32T), n.as(n.vector(4, ofColumns), dtype.Float32T)))
	if alpha := n.float("alpha", 1); alpha != 1 {
		scale = n.emit("relax.multiply", args(scale, n.constant(dtype.Float32T, alpha)))
	}
	y := n.emit("relax.multiply", args(n.as(sum, dtype.Float32T), scale))
	if n.has(7) {
		y = n.quantized(y, 7, n.dtype(0))
	}
	n.set(0, y)
}

// scaledProduct is a sum of products of bytes times the scales of its factors, plus a bias where there is one.
func (n *node) scaledProduct(sum, a, b, bias relax.Expr) {
	scale := n.emit("relax.multiply", args(a, b))
	y := n.emit("relax.multiply", args(n.as(sum, dtype.Float32T), scale))
	if bias != nil {
		y = n.emit("relax.add", args(y, bias))
	}
	n.set(0, y)
}

// dynamicQuantizeMatMul quantizes the first factor by the range of its values.
func dynamicQuantizeMatMul(n *node) {
	n.bytes(1)
	q := n.apply("DynamicQuantizeLinear", n.in[:1])
	a := op.ByteFactor{X: n.tensor(q[0]), Dims: n.dims(0), Zero: n.as(n.tensor(q[2]), dtype.Int32T)}
	n.scaledProduct(op.ByteMatmul(n.emit, a, n.byteFactor(1, 3, ofColumns)), n.tensor(q[1]), n.vector(2, ofColumns), n.optional(4))
}

// dynamicQuantizeLSTM is LSTM with weights of bytes, by inputs and gates. Inputs and states stay floats.
func dynamicQuantizeLSTM(n *node) {
	in := slices.Clone(n.in[:8])
	for k, i := range []int{1, 2} {
		n.bytes(i)
		dims := n.ranked(i, 3, 3)
		each := func(i int) relax.Expr { // one for each direction, or each of its gates
			one := []tir.Expr{dims[0], tir.Int(1), tir.Int(1)}
			if n.rank(i) == 2 {
				one[2] = n.dims(i)[1]
			}
			return n.as(n.reshape(n.expr(i), one), dtype.Float32T)
		}
		w := n.emit("relax.subtract", args(n.as(n.expr(i), dtype.Float32T), each(9+2*k)))
		w = n.emit("relax.multiply", args(w, each(8+2*k)))
		in[i] = &value{expr: n.emit("relax.permute_dims", args(w), "axes", []int64{0, 2, 1})}
	}
	s := n.step("LSTM", in, n.pb.Attributes)
	s.pb.Outputs = n.pb.Outputs
	s.row.convert(s)
	n.out = s.out
}
