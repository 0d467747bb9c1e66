package lower

import (
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// IsMath lists the mathematical intrinsics, without the prefix of their names.
func IsMath(name string) bool {
	switch name {
	case "exp", "exp2", "exp10", "erf", "tanh", "sigmoid", "sqrt", "rsqrt", "log", "log2", "log1p", "log10",
		"tan", "cos", "cosh", "sin", "sinh", "asin", "acos", "atan", "acosh", "asinh", "atanh",
		"atan2", "nextafter", "hypot", "copysign", "ldexp", "floor", "ceil", "trunc", "round", "nearbyint",
		"fabs", "fmod", "pow", "fma", "isnan", "isinf",
		"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right",
		"popcount", "clz", "q_multiply_shift":
		return true
	}
	return false
}

// mathCall translates the mathematical intrinsics; ok is false where e calls none of them. Targets have instructions for some, scalar or vector;
// tir.LowerMath has put definitions in place of what is common, and what is left is asked of the host, lane by lane. float16 and bfloat16 go by way of
// float32.
func (w *Walker) mathCall(op string, e *tir.Call, what string) (Value, bool) {
	name, ok := strings.CutPrefix(op, "tir.")
	if !ok || !IsMath(name) {
		return Value{}, false
	}
	args := make([]Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = w.Expr(a)
	}
	return w.mathValue(name, e.Type, args, what), true
}

func (w *Walker) mathValue(name string, dt dtype.DType, args []Value, what string) Value {
	for i, a := range args {
		args[i] = w.spread(a, int(dt.Lanes))
	}
	d := args[0].DType
	via := func(wide dtype.DType) Value {
		return w.viaFloat(wide, dt, what, func(x ...Value) Value { return w.mathValue(name, wide.WithLanes(int(dt.Lanes)), x, what) }, args...)
	}
	switch {
	case SmallFloat(d) && dt.IsBool():
		return w.mathValue(name, dt, []Value{w.Cast(args[0], dtype.Float32T.WithLanes(int(d.Lanes)), what)}, what)
	case SmallFloat(d) && name == "fma": // float32 would round twice
		return via(dtype.Float64T)
	case SmallFloat(d):
		return via(dtype.Float32T)
	case d.IsInteger() || d.IsBool():
		return w.intMath(name, dt, args, what)
	case d.IsFloat() && (d.Bits == 32 || d.Bits == 64):
		return w.floatMath(name, dt, args, what)
	}
	w.Fail(what, "arithmetic on %s is not supported", d)
	return Value{}
}

// floatMath computes on float32 or float64, in the vectors that the arguments are kept in, else lane by lane.
func (w *Walker) floatMath(name string, dt dtype.DType, args []Value, what string) Value {
	packed, d := true, args[0].DType.Elem()
	for _, a := range args {
		packed = packed && a.Packed()
	}
	compute := func(packed bool) func(x []*Node) *Node {
		return func(x []*Node) *Node { return w.gen.Math(name, x, d, packed, what) }
	}
	if packed {
		if parts := columns(args, func(v Value) []*Node { return v.Parts }, compute(true)); parts != nil {
			out := Value{DType: dt, Parts: parts}
			if dt.IsBool() {
				out.Mask = int(d.Bits)
			}
			return out
		}
	}
	return w.Pack(dt, columns(args, w.Scalars, compute(false)))
}

// columns computes f on the first parts of all args, on the second, and so on; nil where f returns nil.
func columns(args []Value, parts func(Value) []*Node, f func(x []*Node) *Node) []*Node {
	cols := make([][]*Node, len(args))
	for i, a := range args {
		cols[i] = parts(a)
	}
	out := make([]*Node, len(cols[0]))
	for i := range out {
		x := make([]*Node, len(cols))
		for k := range cols {
			x[k] = cols[k][i]
		}
		if out[i] = f(x); out[i] == nil {
			return nil
		}
	}
	return out
}

// intMath computes the intrinsics on integers and bools.
func (w *Walker) intMath(name string, dt dtype.DType, args []Value, what string) Value {
	if v, ok := w.vectorBits(name, dt, args); ok {
		return v
	}
	d := args[0].DType.Elem()
	return w.Pack(dt, columns(args, w.Scalars, func(x []*Node) *Node {
		n := w.scalarBits(name, d, x, what)
		if to := dt.Elem(); (name == "popcount" || name == "clz") && d != to {
			n = w.CastScalar(n, d, to, what) // clz of int64 is an int32
		}
		return n
	}))
}

var bitFns = map[string]Fn{"bitwise_and": And, "bitwise_or": Or, "bitwise_xor": Xor, "bitwise_not": Eqz}

// vectorBits is intMath where there are instructions on vectors.
func (w *Walker) vectorBits(name string, dt dtype.DType, args []Value) (Value, bool) {
	a := args[0]
	for _, x := range args {
		if !x.Packed() || x.DType != a.DType || x.Mask != a.Mask {
			return Value{}, false
		}
	}
	if fn, ok := bitFns[name]; ok {
		out := w.bits(fn, args...)
		out.DType = dt
		return out, true
	}
	if left := name == "shift_left"; (left || name == "shift_right") && !a.DType.IsBool() {
		return w.gen.VectorShift(left, dt, a, args[1])
	}
	return Value{}, false
}

// scalarBits computes an intrinsic on integers of type d.
func (w *Walker) scalarBits(name string, d dtype.DType, x []*Node, what string) *Node {
	switch name {
	case "bitwise_and", "bitwise_or", "bitwise_xor":
		return w.Fn(bitFns[name], x...)
	case "bitwise_not":
		if d.IsBool() {
			return w.Fn(Eqz, x[0])
		}
		return w.narrow(w.Fn(Xor, x[0], w.IntLike(x[0], -1)), d)
	case "shift_left":
		return w.narrow(w.Fn(Shl, x...), d)
	case "shift_right":
		if d.IsInt() {
			return w.Fn(ShrS, x...)
		}
		return w.Fn(ShrU, x...)
	case "popcount", "clz":
		n, zeros := x[0], name == "clz"
		if w.bitsOf(n) == 32 && d.Bits < 32 {
			n = w.Fn(And, n, w.Int(32, 1<<d.Bits-1))
		}
		n = w.gen.CountBits(zeros, n)
		if zeros && d.Bits < 32 {
			n = w.Fn(Sub, n, w.Int(32, 32-int64(d.Bits)))
		}
		return n
	case "fabs":
		return w.scalarInt(tir.OpMax, x[0], w.narrow(w.Fn(Sub, w.IntLike(x[0], 0), x[0]), d), d, what)
	case "floor", "ceil", "trunc", "round", "nearbyint":
		return x[0]
	case "isnan", "isinf":
		return w.Int(32, 0)
	case "q_multiply_shift":
		return w.mulShift(x, what)
	}
	w.Fail(what, "arithmetic on %s is not supported", d)
	return nil
}

// mulShift is round(x*y * 2^-q) * 2^s on Q-format numbers with rounding of halves up, as TVM lowers q_multiply_shift(x, y, q, s).
func (w *Walker) mulShift(x []*Node, what string) *Node {
	q, ok1 := x[2].Int()
	s, ok2 := x[3].Int()
	if !ok1 || !ok2 || w.bitsOf(x[0]) != 32 {
		w.Fail(what, "needs int32 values and constant shifts")
	}
	left, right := max(s, 0), q-min(s, 0)
	p := w.Fn(Mul, w.Fn(ExtendS, w.Fn(Shl, x[0], w.Int(32, left))), w.Fn(ExtendS, x[1]))
	if right > 0 {
		p = w.Fn(ShrS, w.Fn(Add, p, w.Int(64, 1<<(right-1))), w.Int(64, right))
	}
	return w.Fn(Wrap, p)
}
