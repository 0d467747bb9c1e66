package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// unaryRows are the operators that compute each element from one element.
func unaryRows() []operator {
	var rows []operator
	for onnx, name := range map[string]string{
		"Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh", "Atan": "atan", "Atanh": "atanh",
		"BitwiseNot": "bitwise_not", "Cos": "cos", "Cosh": "cosh", "Erf": "erf", "Exp": "exp", "IsNaN": "isnan", "Log": "log",
		"Round": "round", "Sigmoid": "sigmoid", "Sign": "sign", "Sin": "sin", "Sinh": "sinh", "Tan": "tan", "Tanh": "tanh",
	} {
		convert := unaryOp(name)
		switch onnx {
		case "Abs", "Erf", "Sign": // of all numbers
		case "BitwiseNot":
			convert = typed(name, "an integer type", dtype.DType.IsInteger)
		default:
			convert = typed(name, "a floating-point type", dtype.DType.IsFloat)
		}
		row := operator{name: onnx, minIn: 1, maxIn: 1, convert: convert}
		switch onnx {
		case "Abs":
			row.fold = foldAbs
		case "Round":
			row.fold = foldFloat(math.RoundToEven)
		}
		rows = append(rows, row)
	}
	return append(rows,
		operator{name: "Ceil", minIn: 1, maxIn: 1, convert: typed("ceil", "a floating-point type", dtype.DType.IsFloat), fold: foldFloat(math.Ceil)},
		operator{name: "Floor", minIn: 1, maxIn: 1, convert: typed("floor", "a floating-point type", dtype.DType.IsFloat), fold: foldFloat(math.Floor)},
		operator{name: "Sqrt", minIn: 1, maxIn: 1, convert: typed("sqrt", "a floating-point type", dtype.DType.IsFloat), fold: foldFloat(math.Sqrt)},
		operator{name: "Neg", minIn: 1, maxIn: 1, convert: unaryOp("negative"), fold: foldNeg},
		operator{name: "Not", minIn: 1, maxIn: 1, convert: typed("logical_not", "bool", dtype.DType.IsBool), fold: foldNot},
		operator{name: "Reciprocal", minIn: 1, maxIn: 1, convert: func(n *node) {
			n.result("relax.divide", args(n.constant(n.dtype(0), 1), n.expr(0)))
		}},
		operator{name: "IsInf", minIn: 1, maxIn: 1, attrs: []string{"detect_negative", "detect_positive"}, convert: isInfOp},
		operator{name: "Clip", minIn: 1, maxIn: 3, attrs: []string{"min", "max"}, convert: clip},
		operator{name: "Cast", minIn: 1, maxIn: 1, attrs: []string{"to", "saturate", "round_mode"}, convert: cast, fold: foldCast},
		operator{name: "BitCast", minIn: 1, maxIn: 1, attrs: []string{"to"}, convert: bitCast},
		operator{name: "CastLike", minIn: 2, maxIn: 2, attrs: []string{"saturate", "round_mode"}, convert: func(n *node) {
			n.astype(n.dtype(1))
		}},
		operator{name: "Identity", minIn: 1, maxIn: 1, convert: func(n *node) { n.setValue(0, n.value(0)) }},
		operator{name: "Dropout", minIn: 1, maxIn: 3, attrs: []string{"ratio", "seed", "is_test"}, convert: dropout},
	)
}

func unaryOp(name string) func(*node) {
	return func(n *node) { n.result("relax."+name, args(n.expr(0))) }
}

// typed is unaryOp for an operand whose element type ok accepts.
func typed(name, what string, ok func(dtype.DType) bool) func(*node) {
	return func(n *node) {
		n.wantDType(0, what, ok)
		unaryOp(name)(n)
	}
}

func isInfOp(n *node) {
	x := n.expr(0)
	pos, neg := n.bool("detect_positive", true), n.bool("detect_negative", true)
	switch {
	case pos && neg:
		n.result("relax.isinf", args(x))
	case pos:
		n.result("relax.equal", args(x, n.constant(n.dtype(0), math.Inf(1))))
	case neg:
		n.result("relax.equal", args(x, n.constant(n.dtype(0), math.Inf(-1))))
	default:
		nan := n.emit("relax.isnan", args(x)) // a NaN is not infinite: what is both is nowhere
		n.result("relax.logical_and", args(nan, n.emit("relax.isinf", args(x))))
	}
}

// clip limits to bounds that are attributes up to operator set 10 and operands since.
func clip(n *node) {
	d := n.dtype(0)
	bound := func(operand int, attr string) (v float64, fixed bool, e relax.Expr) {
		if n.opset < 11 {
			if a := n.pb.Attribute(attr); a != nil {
				v = n.float(attr, 0)
				return v, true, n.constant(d, v)
			}
			return 0, true, nil
		}
		if !n.has(operand) {
			return 0, true, nil
		}
		n.sameDType(0, operand)
		if k := n.known(operand); k != nil && len(k.elems) == 1 {
			switch x := k.elems[0].(type) {
			case *tir.FloatImm:
				return x.Value, true, n.constant(d, x.Value)
			case *tir.IntImm:
				// What a float64 does not hold, as the ends of 64 bits, remains an operand.
				v := float64(x.Value)
				return v, math.Abs(v) < 1<<53 && (v >= 0 || d.Code != dtype.UInt), n.expr(operand)
			}
		}
		return 0, false, n.expr(operand)
	}
	lo, loFixed, loExpr := bound(1, "min")
	hi, hiFixed, hiExpr := bound(2, "max")
	x := n.expr(0)
	switch {
	case loExpr == nil && hiExpr == nil:
		n.setValue(0, n.value(0))
	case hiExpr == nil:
		n.result("relax.maximum", args(x, loExpr))
	case loExpr == nil:
		n.result("relax.minimum", args(x, hiExpr))
	case loFixed && hiFixed && !isInf(lo) && !isInf(hi) && lo <= hi:
		n.result("relax.clip", args(x, primFloat(d, lo), primFloat(d, hi)))
	default:
		// The upper bound wins where the bounds cross, as ONNX says.
		n.result("relax.minimum", args(n.emit("relax.maximum", args(x, loExpr)), hiExpr))
	}
}

func cast(n *node) {
	d, err := n.elemType("to")
	n.check(err)
	n.astype(d)
}

// astype converts operand 0; a conversion to its own type is no operation.
func (n *node) astype(d dtype.DType) {
	mode := n.str("round_mode", "up", "up", "down", "nearest")
	if n.dtype(0) == d {
		n.setValue(0, n.value(0))
		return
	}
	x := n.expr(0)
	if d.String() == "float8_e8m0fnu" && n.dtype(0).IsFloat() && mode != "nearest" {
		x = n.powerOfTwo(x, d, mode == "up")
	}
	n.set(0, n.converted(x, d, n.bool("saturate", true)))
}

// powerOfTwo is the number of type d, which has powers of 2 only, that is next to each element of x above or below, as numbers of float32.
func (n *node) powerOfTwo(x relax.Expr, d dtype.DType, up bool) relax.Expr {
	x = n.as(x, dtype.Float32T)
	near := n.as(n.as(x, d), dtype.Float32T)
	name, by := "relax.greater", .5
	if up {
		name, by = "relax.less", 2
	}
	other := n.emit("relax.multiply", args(near, n.constant(dtype.Float32T, by)))
	return n.emit("relax.where", args(n.emit(name, args(near, x)), other, near))
}

// greatest are the greatest numbers of those floats of 8 bits of which a conversion makes infinities or NaNs of what is beyond, unless it saturates.
var greatest = map[string]float64{"float8_e4m3fn": 448, "float8_e4m3fnuz": 240, "float8_e5m2": 57344, "float8_e5m2fnuz": 57344}

// converted is x as type d. A conversion to a float of 8 bits saturates if that is wanted; NaN stays what it is.
func (n *node) converted(x relax.Expr, d dtype.DType, saturate bool) relax.Expr {
	most, ok := greatest[d.String()]
	if t := relax.SInfoOf(x).(*relax.TensorStructInfo); saturate && ok && t.DType != d {
		w := t.DType
		if !w.IsFloat() || w.Bits < 32 { // of which some hold no such numbers
			w = dtype.Float32T
			x = n.as(x, w)
		}
		isNaN := n.emit("relax.not_equal", args(x, x))
		x = n.emit("relax.where", args(isNaN, x, n.emit("relax.clip", args(x, primFloat(w, -most), primFloat(w, most)))))
	}
	return n.as(x, d)
}

// dropout does nothing when a model is run; its mask, if a model asks for it, keeps all. In training elements are kept where a random number is not below the ratio, and
// are divided by the part that is kept.
func dropout(n *node) {
	dims := n.dims(0)
	if n.has(2) && n.scalarOperand(2, "training_mode") != 0 {
		x, ratio := n.floats(0), n.constant(dtype.Float32T, 0.5)
		if n.has(1) {
			ratio = n.reshape(n.as(n.expr(1), dtype.Float32T), nil)
		}
		mask := n.emit("relax.greater_equal", args(n.unit(dims, 0), ratio))
		part := n.as(n.emit("relax.subtract", args(n.constant(dtype.Float32T, 1), ratio)), n.dtype(0))
		n.result("relax.where", args(mask, n.emit("relax.divide", args(x, part)), n.constant(n.dtype(0), 0)))
		n.set(1, mask)
		return
	}
	n.setValue(0, n.value(0))
	if n.wants(1) {
		n.set(1, n.filled(dtype.BoolT, dims, 1))
	}
}
