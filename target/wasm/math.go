package wasm

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// mathCall translates the mathematical intrinsics; ok is false where name is none of them. What
// wasm has instructions for (Math of the target's kind) is computed by them, scalar or vector;
// the rest of float32 and float64 goes to the host, lane by lane: tir.LowerMath has put
// definitions in place of what is common. float16 and bfloat16 go by way of float32.
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
	case d.IsFloat() && (d.Bits == 32 || d.Bits == 64):
		return g.floatMath(name, dt, args, what)
	}
	g.fail(what, "arithmetic on %s is not supported", d)
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

// floatMath computes on float32 or float64, in the vectors that the arguments are kept in where
// there are instructions on them, else lane by lane.
func (g *gen) floatMath(name string, dt dtype.DType, args []value, what string) value {
	packed := true
	for _, a := range args {
		packed = packed && a.packed()
	}
	wide := args[0].dt.Bits == 64
	compute := func(x ...*node) *node { return g.floatInstr(name, wide, packed, x) }
	if _, ok := floatUnary[name]; !ok && name != "copysign" && name != "isnan" && name != "isinf" {
		packed = false
		compute = func(x ...*node) *node { return g.hostFloat(name, wide, what, x) }
	}
	cols := make([][]*node, len(args))
	for i, a := range args {
		cols[i] = a.parts
		if !packed {
			cols[i] = g.scalars(a)
		}
	}
	out := value{dt: dt}
	if dt.IsBool() && packed {
		out.mask = int(args[0].dt.Bits)
	}
	for i := range cols[0] {
		x := make([]*node, len(args))
		for j := range args {
			x[j] = cols[j][i]
		}
		out.parts = append(out.parts, compute(x...))
	}
	if !packed && dt.Lanes > 1 {
		return g.pack(dt, out.parts)
	}
	return out
}

// floatUnary are the instructions for float32, its vectors, float64 and its vectors.
var floatUnary = map[string][4]wasmbin.Op{
	"sqrt":      {wasmbin.F32Sqrt, wasmbin.F32x4Sqrt, wasmbin.F64Sqrt, wasmbin.F64x2Sqrt},
	"floor":     {wasmbin.F32Floor, wasmbin.F32x4Floor, wasmbin.F64Floor, wasmbin.F64x2Floor},
	"ceil":      {wasmbin.F32Ceil, wasmbin.F32x4Ceil, wasmbin.F64Ceil, wasmbin.F64x2Ceil},
	"trunc":     {wasmbin.F32Trunc, wasmbin.F32x4Trunc, wasmbin.F64Trunc, wasmbin.F64x2Trunc},
	"nearbyint": {wasmbin.F32Nearest, wasmbin.F32x4Nearest, wasmbin.F64Nearest, wasmbin.F64x2Nearest},
	"fabs":      {wasmbin.F32Abs, wasmbin.F32x4Abs, wasmbin.F64Abs, wasmbin.F64x2Abs},
}

// floatInstr computes one part, scalar or vector, by instructions.
func (g *gen) floatInstr(name string, wide, packed bool, x []*node) *node {
	form := 0
	if packed {
		form |= 1
	}
	if wide {
		form |= 2
	}
	pick := func(ops [4]wasmbin.Op, x ...*node) *node { return g.op(ops[form], x...) }
	switch name {
	case "copysign":
		switch {
		case packed && wide:
			return g.op(wasmbin.V128Bitselect, x[1], x[0], g.konst(wasmbin.OpV128Const, 1<<63, 1<<63))
		case packed:
			return g.op(wasmbin.V128Bitselect, x[1], x[0], g.konst(wasmbin.OpV128Const, 1<<63|1<<31, 1<<63|1<<31))
		}
		return pick([4]wasmbin.Op{0: wasmbin.F32Copysign, 2: wasmbin.F64Copysign}, x...)
	case "isnan":
		return pick([4]wasmbin.Op{wasmbin.F32Ne, wasmbin.F32x4Ne, wasmbin.F64Ne, wasmbin.F64x2Ne}, x[0], x[0])
	case "isinf":
		inf := [4]*node{g.f32(float32(math.Inf(1))), nil, g.f64(math.Inf(1))}[form&2]
		if packed {
			inf = g.op(pickOp(wide, wasmbin.F64x2Splat, wasmbin.F32x4Splat), inf)
		}
		return pick([4]wasmbin.Op{wasmbin.F32Eq, wasmbin.F32x4Eq, wasmbin.F64Eq, wasmbin.F64x2Eq}, pick(floatUnary["fabs"], x[0]), inf)
	}
	return pick(floatUnary[name], x...)
}

// hostFloat calls the C function of that name for one lane.
func (g *gen) hostFloat(name string, wide bool, what string, x []*node) *node {
	if !wide {
		name += "f"
	}
	if _, ok := hostFunc(name); !ok {
		g.fail(what, "wasm has no instruction for %s, nor has the runtime a function: run tir.LowerMath first", name)
	}
	return g.hostCall(name, x...)
}
