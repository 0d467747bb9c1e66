package x86

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/hostmath"
)

// mathCall translates the mathematical intrinsics; ok is false where name is none of them. The processor has instructions for some, scalar or vector;
// tir.LowerMath has put definitions in place of what is common, and what is left is asked of the host, lane by lane. float16 and bfloat16 go by way of float32.
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
	case "sqrt", "floor", "ceil", "trunc", "round", "nearbyint", "fabs", "copysign", "fma", "isnan", "isinf",
		"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right", "popcount", "clz", "q_multiply_shift":
		return true
	}
	_, ok := abi.Math(name)
	return ok
}

// instructed reports whether floatPart has instructions for an intrinsic on floats.
func instructed(name string) bool {
	switch name {
	case "sqrt", "floor", "ceil", "trunc", "round", "nearbyint", "fabs", "copysign", "fma", "isnan", "isinf":
		return true
	}
	return false
}

func (g *gen) mathValue(name string, dt dtype.DType, args []value, what string) value {
	for i, a := range args {
		if a.lanes() == 1 && dt.Lanes > 1 {
			args[i] = g.splat(a.dt.WithLanes(int(dt.Lanes)), a.scalar())
		}
	}
	d := args[0].dt
	switch {
	case smallFloat(d) && dt.IsBool():
		return g.mathValue(name, dt, []value{g.cast(args[0], dtype.Float32T.WithLanes(int(d.Lanes)), what)}, what)
	case smallFloat(d) && name == "fma": // float32 would round twice
		f := dtype.Float64T.WithLanes(int(dt.Lanes))
		xs := make([]value, len(args))
		for i, a := range args {
			xs[i] = g.cast(a, f, what)
		}
		return g.cast(g.mathValue(name, f, xs, what), dt, what)
	case smallFloat(d):
		f := dtype.Float32T.WithLanes(int(dt.Lanes))
		return g.viaFloat32(dt, what, func(x ...value) value { return g.mathValue(name, f, x, what) }, args...)
	case d.IsInteger() || d.IsBool():
		return g.intMath(name, dt, args, what)
	case d.IsFloat() && (d.Bits == 32 || d.Bits == 64):
		return g.floatMath(name, dt, args, what)
	}
	g.fail(what, "arithmetic on %s is not supported", d)
	return value{}
}

// floatMath computes on float32 or float64, in the vectors that the arguments are kept in, else lane by lane.
func (g *gen) floatMath(name string, dt dtype.DType, args []value, what string) value {
	packed, d := instructed(name), args[0].dt.Elem()
	for _, a := range args {
		packed = packed && a.packed
	}
	cols := make([][]*node, len(args))
	for i, a := range args {
		cols[i] = a.parts
		if !packed {
			cols[i] = g.scalars(a)
		}
	}
	out := value{dt: dt, packed: packed}
	if dt.IsBool() && packed {
		out.mask = int(d.Bits)
	}
	for i := range cols[0] {
		x := make([]*node, len(args))
		for j := range args {
			x[j] = cols[j][i]
		}
		out.parts = append(out.parts, g.floatPart(name, x, d, packed, what))
	}
	if !packed && dt.Lanes > 1 {
		return g.pack(dt, out.parts)
	}
	return out
}

var roundModes = map[string]uint64{"floor": roundDown, "ceil": roundUp, "trunc": roundZero, "nearbyint": roundEven}

// floatPart computes one part, scalar or vector.
func (g *gen) floatPart(name string, x []*node, d dtype.DType, packed bool, what string) *node {
	if mode, ok := roundModes[name]; ok {
		return g.roundFloat(mode, x[0], d, packed)
	}
	compare := func(c uint64, a, b *node) *node {
		switch {
		case packed:
			return g.vcompareFloat(c, a, b, d)
		case d.Bits == 64:
			return g.imm(pCompare64, c, a, b)
		}
		return g.imm(pCompare32, c, a, b)
	}
	konst := func(v float64) *node {
		c := g.floatConst(d, v, what)
		if packed {
			return g.splatConst(c.Imm, int(d.Bits)/8, widthOfNode(x[0]))
		}
		return c
	}
	sign := func(to, from *node) *node {
		return g.bitsOp(pVOr, d, g.fabs(to, d, packed), g.signOf(from, d, packed))
	}
	switch name {
	case "sqrt":
		return g.sqrt(x[0], d, packed)
	case "fabs":
		return g.fabs(x[0], d, packed)
	case "copysign":
		return sign(x[0], x[1])
	case "fma":
		return g.mulAdd(x[0], x[1], x[2], d, packed)
	case "isnan":
		return compare(cmpUnord, x[0], x[0])
	case "isinf":
		return compare(cmpEq, g.fabs(x[0], d, packed), konst(math.Inf(1)))
	case "round": // halves away from zero
		t := g.roundFloat(roundZero, x[0], d, packed)
		far := compare(cmpGe, g.fabs(g.floatIns(floatOps[tir.OpSub], d, packed, x[0], t), d, packed), konst(0.5))
		up := g.floatIns(floatOps[tir.OpAdd], d, packed, t, sign(konst(1), x[0]))
		if packed {
			return g.vop(pBlend, 0, up, t, far)
		}
		return g.pick(far, up, t)
	}
	return g.hostFloat(name, x, d, what)
}

// hostFloat asks the host for the C function of a name.
func (g *gen) hostFloat(name string, x []*node, d dtype.DType, what string) *node {
	result := tF64
	if d.Bits == 32 {
		name, result = name+"f", tF32
	}
	sig, ok := abi.Math(name)
	if !ok || len(sig.Params) != len(x) || x[len(x)-1].Type != result {
		g.fail(what, "there is no instruction for %s of %s, nor has the host a function", name, d)
	}
	return g.Call(lower.Ref(hostmath.Number(name)), result, x...)
}

// intMath computes the intrinsics on integers and bools.
func (g *gen) intMath(name string, dt dtype.DType, args []value, what string) value {
	d := args[0].dt.Elem()
	if v, ok := g.vectorBits(name, dt, args); ok {
		return v
	}
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
		out[i] = g.scalarBits(name, d, x, what)
		if to := dt.Elem(); (name == "popcount" || name == "clz") && d != to {
			out[i] = g.cast(one(d, out[i]), to, what).scalar() // clz of int64 is an int32
		}
	}
	if dt.Lanes == 1 {
		return one(dt, out[0])
	}
	return g.pack(dt, out)
}

// scalarBits computes an intrinsic on integers of type d.
func (g *gen) scalarBits(name string, d dtype.DType, x []*node, what string) *node {
	wide := g.valType(d, what) == tI64
	switch name {
	case "bitwise_and":
		return g.fn(lower.And, x...)
	case "bitwise_or":
		return g.fn(lower.Or, x...)
	case "bitwise_xor":
		return g.fn(lower.Xor, x...)
	case "bitwise_not":
		if d.IsBool() {
			return g.fn(lower.Eqz, x[0])
		}
		return g.narrow(g.fn(lower.Xor, x[0], g.IntLike(x[0], -1)), d)
	case "shift_left":
		return g.narrow(g.fn(lower.Shl, x...), d)
	case "shift_right":
		if d.IsInt() {
			return g.fn(lower.ShrS, x...)
		}
		return g.fn(lower.ShrU, x...)
	case "popcount", "clz":
		c, bits := pPopcount, 32
		if name == "clz" {
			c = pClz
		}
		if wide {
			return g.op(sized(c, 64), x[0])
		}
		n := x[0]
		if d.Bits < 32 {
			n = g.fn(lower.And, n, g.i32(1<<d.Bits-1))
		}
		n = g.op(c, n)
		if name == "clz" {
			n = g.fn(lower.Sub, n, g.i32(int32(bits)-int32(d.Bits)))
		}
		return n
	case "fabs":
		return g.scalarInt(tir.OpMax, x[0], g.narrow(g.fn(lower.Sub, g.IntLike(x[0], 0), x[0]), d), d, what)
	case "floor", "ceil", "trunc", "round", "nearbyint":
		return x[0]
	case "isnan", "isinf":
		return g.i32(0)
	case "q_multiply_shift":
		return g.mulShift(x, what)
	}
	g.fail(what, "arithmetic on %s is not supported", d)
	return nil
}

// mulShift is round(x*y * 2^-q) * 2^s on Q-format numbers with rounding of halves up, as TVM lowers q_multiply_shift(x, y, q, s).
func (g *gen) mulShift(x []*node, what string) *node {
	q, ok1 := x[2].Int()
	s, ok2 := x[3].Int()
	if !ok1 || !ok2 || x[0].Type != tI32 {
		g.fail(what, "needs int32 values and constant shifts")
	}
	left, right := max(s, 0), q-min(s, 0)
	wide := g.conv(lower.ExtendS, g.fn(lower.Shl, x[0], g.i32(int32(left))))
	p := g.fn(lower.Mul, wide, g.conv(lower.ExtendS, x[1]))
	if right > 0 {
		p = g.fn(lower.ShrS, g.fn(lower.Add, p, g.i64(1<<(right-1))), g.i64(right))
	}
	return g.conv(lower.Wrap, p)
}
