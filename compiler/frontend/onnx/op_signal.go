package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// signalRows are the operators on signals.
func signalRows() []operator {
	window := func(name string, coefficients ...float64) operator {
		return operator{name: name, minIn: 1, maxIn: 1, attrs: []string{"output_datatype", "periodic"}, convert: func(n *node) { n.windowOf(coefficients) }}
	}
	return []operator{
		{name: "DFT", minIn: 1, maxIn: 3, attrs: []string{"axis", "inverse", "onesided"}, convert: dft},
		{name: "STFT", minIn: 2, maxIn: 4, attrs: []string{"onesided"}, convert: stft},
		{name: "MelWeightMatrix", minIn: 5, maxIn: 5, attrs: []string{"output_datatype"}, convert: melWeights},
		window("HannWindow", .5, -.5),
		window("HammingWindow", 25./46, -21./46),
		window("BlackmanWindow", .42, -.5, .08),
	}
}

// maxSignal bounds the elements of constants that operators on signals make.
const maxSignal = 1 << 24

// numbers is a constant of the elements that f computes.
func (n *node) numbers(d dtype.DType, shape []int64, f func(i int) float64) relax.Expr {
	size := int64(1)
	for _, e := range shape {
		size *= e
	}
	data := make([]byte, 0, size*int64(d.Bytes()))
	for i := range int(size) {
		raw, err := ir.EncodeFloat(d, f(i))
		n.check(err)
		data = append(data, raw...)
	}
	b, err := ir.NewBlob(d, shape, data)
	n.check(err)
	return &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b}
}

// windowOf is a sum of cosines with k = 0, 1, ... periods, of which one period is as long as the window, or ends at its last element.
func (n *node) windowOf(coefficients []float64) {
	size := n.oneInt(0, "size")
	if size < 0 || size > maxSignal {
		n.fail("size (input 0) is %d, expected 0 to %d", size, maxSignal)
	}
	d, err := onnxpb.DataType(n.int("output_datatype", int64(onnxpb.Float))).DType()
	n.check(err)
	if !d.IsFloat() {
		n.fail("attribute \"output_datatype\" names %s, expected a floating-point type", d)
	}
	period := float64(size)
	if !n.bool("periodic", true) {
		period = math.Max(period-1, 1)
	}
	n.set(0, n.numbers(d, []int64{size}, func(i int) (sum float64) {
		for k, c := range coefficients {
			sum += c * math.Cos(2*math.Pi*float64(k)*float64(i)/period)
		}
		return sum
	}))
}
