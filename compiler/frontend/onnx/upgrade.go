package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Before operator set 7 broadcasting was asked for by attributes, and some operands were attributes. What such a node says is written as one of operator
// set 7, of which the converters know what it means.

// sinceNumpy is the operator set that broadcasts as NumPy does.
const sinceNumpy = 7

// upgrade makes n a node of operator set 7.
func (n *node) upgrade() {
	pb := *n.pb
	pb.Inputs, pb.Attributes = slices.Clone(pb.Inputs), slices.Clone(pb.Attributes)
	n.pb = &pb
	n.drop("consumed_inputs")
	switch pb.OpType {
	case "Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less":
		n.upgradeBroadcast()
	case "Gemm":
		n.drop("broadcast")
	case "PRelu": // a slope for each channel
		if d := n.dims(1); len(d) == 1 && n.rank(0) > 2 && !tir.IsConst(d[0], 1) {
			n.in[1] = &value{expr: n.reshape(n.expr(1), channelShape(d[0], n.rank(0))[1:])}
		}
	case "BatchNormalization":
		if len(pb.Outputs) > 1 {
			n.want("is_test", 1, "only inference is supported")
		}
		n.drop("is_test")
	case "RNN", "GRU", "LSTM":
		n.drop("output_sequence")
	case "Cast":
		n.upgradeCast()
	case "Concat":
		if n.opset < 4 && pb.Attribute("axis") == nil {
			n.give(onnxpb.Attribute{Name: "axis", Type: onnxpb.AttrInt, I: 1})
		}
	case "Pad":
		n.rename("paddings", "pads")
	case "LpPool", "GlobalLpPool":
		if a := pb.Attribute("p"); a != nil && a.Type == onnxpb.AttrFloat {
			p := a.F
			if p != float32(int64(p)) || p < 1 {
				n.fail("attribute \"p\" is %g, supported are whole numbers", p)
			}
			n.drop("p")
			n.give(onnxpb.Attribute{Name: "p", Type: onnxpb.AttrInt, I: int64(p)})
		}
	case "Selu":
		if n.opset < 6 { // the constants had fewer digits
			n.giveDefault("alpha", 1.6732)
			n.giveDefault("gamma", 1.0507)
		}
	case "Upsample":
		n.upgradeUpsample()
	case "Reshape":
		if shape := n.ints("shape"); shape != nil {
			n.operand("shape", vector(dtype.Int64T, relax.Ints(shape)))
			n.drop("shape")
		}
	case "Tile":
		n.upgradeTile()
	}
}

// drop removes an attribute.
func (n *node) drop(name string) {
	n.pb.Attributes = slices.DeleteFunc(n.pb.Attributes, func(a onnxpb.Attribute) bool { return a.Name == name })
}

// give adds an attribute.
func (n *node) give(a onnxpb.Attribute) { n.pb.Attributes = append(n.pb.Attributes, a) }

func (n *node) giveDefault(name string, v float32) {
	if n.pb.Attribute(name) == nil {
		n.give(onnxpb.Attribute{Name: name, Type: onnxpb.AttrFloat, F: v})
	}
}

// rename gives an attribute the name that it has now.
func (n *node) rename(old, name string) {
	for i := range n.pb.Attributes {
		if n.pb.Attributes[i].Name == old {
			n.pb.Attributes[i].Name = name
		}
	}
}

// operand adds an operand of known elements.
func (n *node) operand(name string, k *known) {
	n.pb.Inputs, n.in = append(n.pb.Inputs, name), append(n.in, &value{known: k})
}

// upgradeBroadcast gives operand 1, whose axes are those of operand 0 from the attribute axis on, axes of extent 1 behind them.
func (n *node) upgradeBroadcast() {
	axis, broadcast := n.pb.Attribute("axis"), n.bool("broadcast", false)
	if axis != nil && broadcast && n.has(0) && n.has(1) {
		a, b := n.rank(0), n.dims(1)
		at := n.int("axis", 0)
		if at < 0 {
			at += int64(a)
		}
		if at < 0 || at+int64(len(b)) > int64(a) {
			n.fail("attribute \"axis\" is %d for inputs of %d and %d dimensions", n.int("axis", 0), a, len(b))
		}
		dims := slices.Clone(b)
		for len(dims) < a-int(at) {
			dims = append(dims, tir.Int(1))
		}
		if len(dims) > len(b) {
			n.in[1] = &value{expr: n.reshape(n.expr(1), dims)}
		}
	}
	n.drop("axis")
	n.drop("broadcast")
}

// upgradeCast reads the name of an element type.
func (n *node) upgradeCast() {
	a := n.pb.Attribute("to")
	if a == nil || a.Type != onnxpb.AttrString {
		return
	}
	types := map[string]onnxpb.DataType{
		"FLOAT": onnxpb.Float, "UINT8": onnxpb.Uint8, "INT8": onnxpb.Int8, "UINT16": onnxpb.Uint16, "INT16": onnxpb.Int16, "INT32": onnxpb.Int32,
		"INT64": onnxpb.Int64, "BOOL": onnxpb.Bool, "FLOAT16": onnxpb.Float16, "DOUBLE": onnxpb.Double, "UINT32": onnxpb.Uint32, "UINT64": onnxpb.Uint64,
	}
	t, ok := types[string(a.S)]
	if !ok {
		n.fail("attribute \"to\" is %q, expected the name of an element type such as \"FLOAT\"", a.S)
	}
	n.drop("to")
	n.give(onnxpb.Attribute{Name: "to", Type: onnxpb.AttrInt, I: int64(t)})
}

// upgradeUpsample makes the scales of height and width those of all axes.
func (n *node) upgradeUpsample() {
	if n.pb.Attribute("height_scale") == nil && n.pb.Attribute("width_scale") == nil {
		return
	}
	scales := []float32{1, 1, float32(n.float("height_scale", 1)), float32(n.float("width_scale", 1))}
	n.drop("height_scale")
	n.drop("width_scale")
	n.give(onnxpb.Attribute{Name: "scales", Type: onnxpb.AttrFloats, Floats: scales})
}

// upgradeTile repeats along one axis: the operands are how often, and which.
func (n *node) upgradeTile() {
	if len(n.in) != 3 {
		return
	}
	repeats := ones(n.rank(0))
	repeats[n.axis(int64(n.scalarOperand(2, "axis")), len(repeats))] = int64(n.scalarOperand(1, "tiles"))
	n.pb.Inputs, n.in = n.pb.Inputs[:1:1], n.in[:1:1]
	n.operand("repeats", vector(dtype.Int64T, relax.Ints(repeats)))
}
