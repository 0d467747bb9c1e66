package wasm

import (
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// mathCall translates the mathematical intrinsics; ok is false where name is none of them.
// float32 is computed in place, by the same formula for scalars and vectors; float64 beyond
// what wasm has goes to the host; float16 and bfloat16 go by way of float32.
func (g *gen) mathCall(name string, e *tir.Call, what string) (value, bool) {
	short, ok := strings.CutPrefix(name, "tir.")
	if !ok || !isMath(short) {
		return value{}, false
	}
	args := make([]value, len(e.Args))
	for i, a := range e.Args {
		args[i] = g.expr(a)
	}
	return g.mathValue(short, e.Type, args, what), true
}

// isMath reports whether mathValue knows the intrinsic.
func isMath(name string) bool {
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

func (g *gen) mathValue(name string, dt dtype.DType, args []value, what string) value {
	args = g.sameLanes(dt, args)
	d := args[0].dt
	switch {
	case smallFloat(d):
		if dt.IsBool() {
			return g.mathValue(name, dt, []value{g.cast(args[0], dtype.Float32T.WithLanes(d1(d)), what)}, what)
		}
		f := dtype.Float32T.WithLanes(d1(dt))
		return g.viaFloat32(dt, what, func(x ...value) value { return g.mathValue(name, f, x, what) }, args...)
	case d.IsInteger() || d.IsBool():
		return g.intMath(name, dt, args, what)
	case d.IsFloat() && d.Bits == 32:
		return g.mathParts(dt, args, func(m fmath, x ...*node) *node { return m.call(name, what, x...) })
	case d.IsFloat() && d.Bits == 64:
		return g.doubleMath(name, dt, args, what)
	}
	g.fail(what, "cannot compute %s", d)
	return value{}
}

func d1(d dtype.DType) int { return int(d.Lanes) }

// sameLanes repeats scalar arguments in the lanes of the others.
func (g *gen) sameLanes(dt dtype.DType, args []value) []value {
	out := make([]value, len(args))
	for i, a := range args {
		if a.lanes() == 1 && dt.Lanes > 1 {
			a = g.splat(a.dt.WithLanes(d1(dt)), a.scalar())
		}
		out[i] = a
	}
	return out
}

// mathParts applies f to the parts of float32 arguments, vectors or scalars.
func (g *gen) mathParts(dt dtype.DType, args []value, f func(m fmath, x ...*node) *node) value {
	packed := true
	for _, a := range args {
		packed = packed && a.packed()
	}
	m := fmath{g: g, vec: packed}
	cols := make([][]*node, len(args))
	for i, a := range args {
		cols[i] = a.parts
		if !packed {
			cols[i] = g.scalars(a)
		}
	}
	out := value{dt: dt}
	if dt.IsBool() && packed {
		out.mask = 32
	}
	for i := range cols[0] {
		x := make([]*node, len(args))
		for j := range args {
			x[j] = cols[j][i]
		}
		out.parts = append(out.parts, f(m, x...))
	}
	if !packed && dt.Lanes > 1 {
		return g.pack(dt, out.parts)
	}
	return out
}

// call computes one intrinsic on float32 parts.
func (m fmath) call(name, what string, x ...*node) *node {
	switch name {
	case "exp":
		return m.exp(x[0])
	case "exp2":
		return m.exp2(x[0])
	case "exp10":
		return m.exp10(x[0])
	case "sigmoid":
		return m.div(m.c(1), m.add(m.c(1), m.exp(m.neg(x[0]))))
	case "tanh":
		return m.tanh(x[0])
	case "erf":
		return m.erf(x[0])
	case "log":
		return m.log(x[0])
	case "log2", "log10", "log1p":
		return m.logs(name, x[0])
	case "sqrt":
		return m.sqrt(x[0])
	case "rsqrt":
		return m.div(m.c(1), m.sqrt(x[0]))
	case "pow":
		return m.pow(x[0], x[1])
	case "sin", "cos":
		return m.sincos(name, x[0])
	case "tan":
		return m.div(m.sincos("sin", x[0]), m.sincos("cos", x[0]))
	case "floor":
		return m.un(x[0], wasmbin.F32Floor, wasmbin.F32x4Floor)
	case "ceil":
		return m.un(x[0], wasmbin.F32Ceil, wasmbin.F32x4Ceil)
	case "trunc":
		return m.un(x[0], wasmbin.F32Trunc, wasmbin.F32x4Trunc)
	case "nearbyint":
		return m.nearest(x[0])
	case "round":
		return m.round(x[0])
	case "fabs":
		return m.abs(x[0])
	case "copysign":
		return m.copysign(x[0], x[1])
	case "fma":
		return m.add(m.mul(x[0], x[1]), x[2])
	case "isnan":
		return m.cmp(x[0], x[0], wasmbin.F32Ne, wasmbin.F32x4Ne)
	case "isinf":
		return m.cmp(m.abs(x[0]), m.inf(), wasmbin.F32Eq, wasmbin.F32x4Eq)
	}
	return m.host(name, what, x...)
}

// host calls a C function for each lane.
func (m fmath) host(name, what string, x ...*node) *node {
	g := m.g
	if _, ok := hostFunc(name + "f"); !ok {
		g.fail(what, "cannot compute this in float32")
	}
	if !m.vec {
		return g.hostMath(name, dtype.Float32T, x...)
	}
	f4 := dtype.Float32T.WithLanes(4)
	lanes := make([]*node, 4)
	for i := range lanes {
		in := make([]*node, len(x))
		for j, a := range x {
			in[j] = g.lane(wasmbin.F32x4ExtractLane, i, a)
		}
		lanes[i] = g.hostMath(name, dtype.Float32T, in...)
	}
	return g.packPart(f4, lanes)
}

// doubleMath computes on float64: what wasm has in place, the rest by the host.
func (g *gen) doubleMath(name string, dt dtype.DType, args []value, what string) value {
	per := func(f func(x ...*node) *node) value {
		cols := make([][]*node, len(args))
		for i, a := range args {
			cols[i] = g.scalars(a)
		}
		out := make([]*node, len(cols[0]))
		for i := range out {
			x := make([]*node, len(args))
			for j := range args {
				x[j] = cols[j][i]
			}
			out[i] = f(x...)
		}
		if dt.Lanes == 1 {
			return one(dt, out[0])
		}
		return g.pack(dt, out)
	}
	unary := func(s, w wasmbin.Op) value {
		if args[0].packed() {
			return g.mapParts(args[0], dt, w)
		}
		return per(func(x ...*node) *node { return g.op(s, x[0]) })
	}
	switch name {
	case "sqrt":
		return unary(wasmbin.F64Sqrt, wasmbin.F64x2Sqrt)
	case "floor":
		return unary(wasmbin.F64Floor, wasmbin.F64x2Floor)
	case "ceil":
		return unary(wasmbin.F64Ceil, wasmbin.F64x2Ceil)
	case "trunc":
		return unary(wasmbin.F64Trunc, wasmbin.F64x2Trunc)
	case "nearbyint":
		return unary(wasmbin.F64Nearest, wasmbin.F64x2Nearest)
	case "fabs":
		return unary(wasmbin.F64Abs, wasmbin.F64x2Abs)
	case "copysign":
		return per(func(x ...*node) *node { return g.op(wasmbin.F64Copysign, x...) })
	case "rsqrt":
		return per(func(x ...*node) *node { return g.op(wasmbin.F64Div, g.f64(1), g.op(wasmbin.F64Sqrt, x[0])) })
	case "sigmoid":
		return per(func(x ...*node) *node {
			return g.op(wasmbin.F64Div, g.f64(1), g.op(wasmbin.F64Add, g.f64(1), g.hostCall("exp", g.op(wasmbin.F64Neg, x[0]))))
		})
	case "fma":
		return per(func(x ...*node) *node { return g.op(wasmbin.F64Add, g.op(wasmbin.F64Mul, x[0], x[1]), x[2]) })
	case "isnan":
		return per(func(x ...*node) *node { return g.op(wasmbin.F64Ne, x[0], x[0]) })
	case "isinf":
		return per(func(x ...*node) *node {
			return g.op(wasmbin.F64Eq, g.op(wasmbin.F64Abs, x[0]), g.konst(wasmbin.OpF64Const, 0x7ff0000000000000, 0))
		})
	}
	if _, ok := hostFunc(name); !ok {
		g.fail(what, "cannot compute this in float64")
	}
	return per(func(x ...*node) *node { return g.hostCall(name, x...) })
}
