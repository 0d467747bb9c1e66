package differ

import (
	"strings"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// drawers draw models by what they are for, mostly an operator.
var drawers = map[string]func(*draw){}

func register(f func(*draw), names ...string) {
	for _, name := range names {
		drawers[name] = f
	}
}

func init() {
	for _, op := range strings.Fields("Abs Ceil Floor Neg Relu Round Sign Sqrt Reciprocal Exp Log Sigmoid Tanh Erf Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Softplus Softsign HardSwish Mish IsNaN IsInf Celu Elu Selu LeakyRelu ThresholdedRelu HardSigmoid Shrink Gelu Swish") {
		register(func(d *draw) { unary(d, op) }, op)
	}
	for _, op := range strings.Fields("Add Sub Mul Div Pow Mod Equal Greater GreaterOrEqual Less LessOrEqual BitShift BitwiseAnd BitwiseOr BitwiseXor And Or Xor") {
		register(func(d *draw) { binary(d, op) }, op)
	}
	for _, op := range strings.Fields("Max Min Mean Sum") {
		register(func(d *draw) { variadic(d, op) }, op)
	}
	register(not, "Not", "BitwiseNot")
	register(where, "Where")
	register(prelu, "PRelu")
	register(clipped, "Clip")
	register(cast, "Cast", "CastLike")
	register(castSmall, "Cast to small types")
	register(identity, "Identity")
}

func unary(d *draw, op string) {
	dt := pick(d, floats...)
	k := pick(d, plain, special, special)
	switch op {
	case "Abs", "Neg", "Relu", "Sign":
		if op == "Sign" && dt == onnxpb.Float16 {
			k = plain // the sign of a NaN is 0 there, of other types a NaN
		}
		if d.chance(0.4) {
			dt = pick(d, ints...)
			if op != "Abs" && op != "Sign" && !isSigned(dt) {
				dt = onnxpb.Int32
			}
		}
	case "Asin", "Acos", "Atanh":
		k = pick(d, unit, special)
	case "Sin", "Cos", "Tan", "Sinh", "Cosh":
		k = pick(d, plain, special)
	case "Gelu":
		d.opset = 20
	case "Swish":
		d.opset = 24
	case "Mish":
		d.opset = max(d.opset, 18)
	}
	if op != "Mish" && op != "HardSwish" {
		d.old(9)
	}
	var attrs []onnxpb.Attribute
	f := func(name string, lo, hi float64) {
		attrs = append(attrs, maybe(d, 0.7, ob.Float(name, float32(lo+d.Float64()*(hi-lo))))...)
	}
	to := dt
	switch op {
	case "Celu":
		f("alpha", 0.3, 3)
	case "Elu", "LeakyRelu":
		f("alpha", -1, 3)
	case "ThresholdedRelu":
		f("alpha", -2, 2)
	case "Selu":
		f("alpha", 0.5, 2)
		f("gamma", 1, 2)
	case "HardSigmoid":
		f("alpha", -0.5, 1)
		f("beta", -1, 1)
	case "Shrink":
		f("lambd", -1, 2)
		f("bias", -1, 2)
	case "Swish":
		f("alpha", -1, 2)
	case "Gelu":
		attrs = maybe(d, 0.6, ob.Str("approximate", pick(d, "tanh", "none")))
	case "IsInf":
		attrs = maybe(d, 0.6, ob.Int("detect_negative", d.Int64N(2)))
		attrs = append(attrs, maybe(d, 0.6, ob.Int("detect_positive", d.Int64N(2)))...)
		to = onnxpb.Bool
	case "IsNaN":
		to = onnxpb.Bool
	}
	d.result(op, to, []val{d.either(0.1, d.values(dt, k, d.shape(0, 4)...))}, attrs...)
}

// pair is two shapes that broadcast.
func (d *draw) pair() (a, b []int64) {
	dims := d.shape(0, 4)
	a, b = dims, d.broadcast(dims)
	if d.chance(0.3) { // both are stretched
		a, b = append([]int64{}, dims...), append([]int64{}, dims...)
		for i := range dims {
			switch d.IntN(4) {
			case 0:
				a[i] = 1
			case 1:
				b[i] = 1
			}
		}
	}
	if d.chance(0.5) {
		a, b = b, a
	}
	return a, b
}

func binary(d *draw, op string) {
	dt, to := pick(d, common...), onnxpb.Undefined
	if d.chance(0.4) {
		dt = pick(d, numbers...)
	}
	k, kb := pick(d, plain, small, special), pick(d, plain, small, special)
	var attrs []onnxpb.Attribute
	switch op {
	case "Div", "Mod":
		if op == "Mod" && isFloat(dt) {
			attrs = []onnxpb.Attribute{ob.Int("fmod", 1)}
		} else if op == "Mod" {
			attrs = maybe(d, 0.5, ob.Int("fmod", d.Int64N(2)))
		}
		if !isFloat(dt) {
			k, kb = plain, apart
		}
	case "Pow":
		if isFloat(dt) {
			k, kb = pick(d, plain, above, small), pick(d, plain, small)
		} else {
			dt, k, kb = pick(d, onnxpb.Int32, onnxpb.Int64), small, pick(d, above, small)
		}
	case "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual":
		to = onnxpb.Bool
		if op == "Equal" && d.chance(0.1) {
			dt = onnxpb.Bool
		}
	case "And", "Or", "Xor":
		dt = onnxpb.Bool
	case "BitwiseAnd", "BitwiseOr", "BitwiseXor":
		dt = pick(d, ints...)
		d.opset = max(d.opset, 18)
	case "BitShift":
		dt, kb = pick(d, onnxpb.Uint8, onnxpb.Uint32, onnxpb.Uint64), small
		attrs = []onnxpb.Attribute{ob.Str("direction", pick(d, "LEFT", "RIGHT"))}
	}
	if to == onnxpb.Undefined {
		to = dt
	}
	a, b := d.pair()
	dtb := dt
	if op == "Pow" {
		if d.chance(0.4) {
			dtb = pick(d, onnxpb.Float, onnxpb.Double, onnxpb.Int32, onnxpb.Int64)
		}
		if !isFloat(dt) { // a NaN would have no integer
			kb = above
			if isFloat(dtb) {
				k = above
			}
		}
	}
	x := d.either(0.2, d.values(dt, k, a...))
	if op != "Pow" && op != "Div" && op != "Mod" && op != "BitShift" && d.chance(0.05) {
		d.result(op, to, []val{x, x}, attrs...)
		return
	}
	d.result(op, to, []val{x, d.either(0.35, d.values(dtb, kb, b...))}, attrs...)
}

func variadic(d *draw, op string) {
	dt := pick(d, floats...)
	if (op == "Max" || op == "Min") && d.chance(0.4) {
		dt = pick(d, onnxpb.Int32, onnxpb.Int64, onnxpb.Uint32, onnxpb.Uint64, onnxpb.Int8, onnxpb.Uint8)
	}
	dims := d.shape(0, 4)
	var in []val
	for range d.between(1, 4) {
		in = append(in, d.either(0.2, d.values(dt, pick(d, plain, small, special), d.broadcast(dims)...)))
	}
	d.result(op, dt, in)
}

func not(d *draw) {
	if d.chance(0.3) {
		d.result("Not", onnxpb.Bool, []val{d.input(d.values(onnxpb.Bool, plain, d.shape(0, 3)...))})
		return
	}
	d.opset = max(d.opset, 18)
	dt := pick(d, ints...)
	d.result("BitwiseNot", dt, []val{d.input(d.values(dt, special, d.shape(0, 3)...))})
}

func where(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Double, onnxpb.Int32, onnxpb.Int64, onnxpb.Uint8)
	dims := d.shape(0, 4)
	c := d.either(0.2, d.values(onnxpb.Bool, plain, d.broadcast(dims)...))
	x := d.either(0.2, d.values(dt, special, d.broadcast(dims)...))
	d.result("Where", dt, []val{c, x, d.either(0.2, d.values(dt, special, d.broadcast(dims)...))})
}

func prelu(d *draw) {
	dims := d.shape(0, 4)
	dt := pick(d, floats...)
	x := d.input(d.values(dt, special, dims...))
	d.result("PRelu", dt, []val{x, d.either(0.5, d.values(dt, plain, d.broadcast(dims)...))})
}

func clipped(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double, onnxpb.Int8, onnxpb.Uint8, onnxpb.Int32, onnxpb.Int64, onnxpb.Uint32, onnxpb.Uint64, onnxpb.Float16)
	bound := infinite // only of integers, where it is the ends of the range
	k := special
	switch {
	case dt == onnxpb.Float16: // of which large numbers are infinities
		bound, k = plain, plain
	case isFloat(dt):
		bound, k = plain, tame
	}
	x := d.input(d.values(dt, k, d.shape(0, 3)...))
	lo, hi := none, none
	if d.chance(0.7) {
		lo = d.either(0.6, d.values(dt, pick(d, plain, small, bound)))
	}
	if d.chance(0.7) {
		hi = d.either(0.6, d.values(dt, pick(d, plain, small, bound)))
	}
	d.result("Clip", dt, []val{x, lo, hi})
}

func identity(d *draw) {
	dt := pick(d, allOf...)
	d.result("Identity", dt, []val{d.either(0.3, d.values(dt, special, d.shape(0, 3)...))})
}

// cast leaves out what C++ leaves open: floats beyond the range of integers.
func cast(d *draw) {
	from, to := pick(d, allOf...), pick(d, allOf...)
	k := special
	if isFloat(from) && !isFloat(to) && to != onnxpb.Bool {
		k = plain
		if !isSigned(to) {
			k = above
		}
	}
	x := d.either(0.2, d.values(from, k, d.shape(0, 3)...))
	d.tol = tolerance{}
	if d.chance(0.2) {
		d.opset = max(d.opset, 15)
		like := d.either(0.5, d.values(to, plain, d.shape(0, 2)...))
		d.result("CastLike", to, []val{x, like})
		return
	}
	if d.chance(0.2) { // through a type between
		mid := pick(d, allOf...)
		if !isFloat(from) || isFloat(mid) {
			if k == special && isFloat(mid) && !isFloat(to) && to != onnxpb.Bool {
				castTo(d, x, to)
				return
			}
			x = val{d.node("Cast", []val{x}, ob.Int("to", int64(mid))), mid, x.dims}
		}
	}
	castTo(d, x, to)
}

// castSmall goes to a type of at most eight bits and back, which some runtimes have as data between operators only.
func castSmall(d *draw) {
	d.opset, d.tol = pick(d, int64(21), 23), tolerance{}
	to := pick(d, onnxpb.Float8E4M3FN, onnxpb.Float8E4M3FNUZ, onnxpb.Float8E5M2, onnxpb.Float8E5M2FNUZ, onnxpb.Int4, onnxpb.Uint4)
	from := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Float16)
	attrs := []onnxpb.Attribute{ob.Int("to", int64(to))}
	x := empty(from, d.shape(1, 3))
	if to == onnxpb.Int4 || to == onnxpb.Uint4 {
		for i := range x.Len() {
			x.SetFloat(i, float64(d.Int64N(8)))
		}
	} else {
		x = d.values(from, special, x.Shape...)
		attrs = append(attrs, maybe(d, 0.6, ob.Int("saturate", d.Int64N(2)))...)
	}
	y := val{d.node("Cast", []val{d.either(0.2, x)}, attrs...), to, x.Shape}
	if to != onnxpb.Int4 && to != onnxpb.Uint4 && d.chance(0.5) { // of floats of eight bits
		y = val{d.node("Reshape", []val{y, d.list(int64(x.Len()))}), to, []int64{int64(x.Len())}}
	}
	castTo(d, y, pick(d, onnxpb.Float, onnxpb.Float16))
}

func castTo(d *draw, x val, to onnxpb.DataType) {
	d.result("Cast", to, []val{x}, ob.Int("to", int64(to)))
}
