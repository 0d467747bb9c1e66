package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// binaryRows are the operators on two tensors, and the variadic ones, with broadcasting.
func binaryRows() []operator {
	row := func(name, relaxName string, want func(dtype.DType) bool, what string, fold func(*node, []*known) *known) operator {
		return operator{name: name, minIn: 2, maxIn: 2, convert: binaryOp(relaxName, want, what), fold: fold}
	}
	number := func(d dtype.DType) bool { return d.IsFloat() || d.IsInteger() }
	anything := func(dtype.DType) bool { return true }
	rows := []operator{
		row("Add", "add", number, "a number", foldBinary(tir.Add)),
		row("Sub", "subtract", number, "a number", foldBinary(tir.Sub)),
		row("Mul", "multiply", number, "a number", foldBinary(tir.Mul)),
		row("Div", "divide", number, "a number", foldBinary(divide)),
		row("Equal", "equal", anything, "", foldCompare(tir.EQ)),
		row("Greater", "greater", number, "a number", foldCompare(tir.GT)),
		row("GreaterOrEqual", "greater_equal", number, "a number", foldCompare(tir.GE)),
		row("Less", "less", number, "a number", foldCompare(tir.LT)),
		row("LessOrEqual", "less_equal", number, "a number", foldCompare(tir.LE)),
		row("And", "logical_and", dtype.DType.IsBool, "bool", foldCompare(tir.And)),
		row("Or", "logical_or", dtype.DType.IsBool, "bool", foldCompare(tir.Or)),
		row("Xor", "logical_xor", dtype.DType.IsBool, "bool", foldCompare(tir.NE)),
		row("BitwiseAnd", "bitwise_and", dtype.DType.IsInteger, "an integer", nil),
		row("BitwiseOr", "bitwise_or", dtype.DType.IsInteger, "an integer", nil),
		row("BitwiseXor", "bitwise_xor", dtype.DType.IsInteger, "an integer", nil),
		{name: "Mod", minIn: 2, maxIn: 2, attrs: []string{"fmod"}, convert: mod, fold: foldMod},
		{name: "Pow", minIn: 2, maxIn: 2, convert: power},
		{name: "BitShift", minIn: 2, maxIn: 2, attrs: []string{"direction"}, convert: bitShift},
		{name: "Where", minIn: 3, maxIn: 3, convert: where, fold: foldWhere},
		{name: "Sum", minIn: 1, maxIn: -1, convert: variadic("relax.add"), fold: foldVariadic(tir.Add)},
		{name: "Max", minIn: 1, maxIn: -1, convert: variadic("relax.maximum"), fold: foldVariadic(tir.Max)},
		{name: "Min", minIn: 1, maxIn: -1, convert: variadic("relax.minimum"), fold: foldVariadic(tir.Min)},
		{name: "Mean", minIn: 1, maxIn: -1, convert: mean},
	}
	return rows
}

func binaryOp(name string, want func(dtype.DType) bool, what string) func(*node) {
	return func(n *node) {
		n.sameDType(0, 1)
		n.wantDType(0, what, want)
		n.result("relax."+name, args(n.expr(0), n.expr(1)))
	}
}

// mod takes the sign of the divisor; with fmod, that of the dividend.
func mod(n *node) {
	n.sameDType(0, 1)
	name := "relax.floor_mod"
	if n.bool("fmod", false) {
		name = "relax.mod"
	} else if n.dtype(0).IsFloat() {
		n.fail("attribute \"fmod\" must be 1 for %s", n.dtype(0))
	}
	n.result(name, args(n.expr(0), n.expr(1)))
}

// power computes in the type of the base: the exponent may have another. A power of integers to what may be no whole number is one of floats.
func power(n *node) {
	if d := n.dtype(0); d.IsInteger() && n.dtype(1).IsFloat() {
		wide := dtype.Float64T
		y := n.emit("relax.power", args(n.as(n.expr(0), wide), n.as(n.expr(1), wide)))
		n.result("relax.astype", args(y), "dtype", d)
		return
	}
	n.result("relax.power", args(n.expr(0), n.as(n.expr(1), n.dtype(0))))
}

func bitShift(n *node) {
	n.sameDType(0, 1)
	name := "relax.left_shift"
	if n.str("direction", "", "LEFT", "RIGHT") == "RIGHT" {
		name = "relax.right_shift"
	}
	n.result(name, args(n.expr(0), n.expr(1)))
}

func where(n *node) {
	n.wantDType(0, "bool", dtype.DType.IsBool)
	n.sameDType(1, 2)
	n.result("relax.where", args(n.expr(0), n.expr(1), n.expr(2)))
}

// variadic folds any number of operands from the left.
func variadic(name string) func(*node) {
	return func(n *node) {
		last := len(n.in) - 1
		if last == 0 {
			n.setValue(0, n.value(0))
			return
		}
		n.result(name, args(n.accumulated(name, last), n.sameAs(0, last)))
	}
}

// accumulated combines the first count operands.
func (n *node) accumulated(name string, count int) relax.Expr {
	acc := n.expr(0)
	for i := 1; i < count; i++ {
		acc = n.emit(name, args(acc, n.sameAs(0, i)))
	}
	return acc
}

// sameAs returns operand i, which must have the element type of operand k.
func (n *node) sameAs(k, i int) relax.Expr {
	n.value(i)
	n.sameDType(k, i)
	return n.expr(i)
}

func mean(n *node) {
	if len(n.in) == 1 {
		n.setValue(0, n.value(0))
		return
	}
	sum := n.accumulated("relax.add", len(n.in))
	n.result("relax.divide", args(sum, n.constant(n.dtype(0), float64(len(n.in)))))
}
