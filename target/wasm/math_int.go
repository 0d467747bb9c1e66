package wasm

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// intMath computes the intrinsics on integers and bools.
func (g *gen) intMath(name string, dt dtype.DType, args []value, what string) value {
	d := args[0].dt.Elem()
	if name == "ldexp" {
		g.fail(what, "arithmetic on %s is not supported", d)
	}
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
		if from, to := d.WithLanes(1), dt.WithLanes(1); (name == "popcount" || name == "clz") && from != to {
			out[i] = g.cast(one(from, out[i]), to, what).scalar() // clz of int64 is an int32
		}
	}
	if dt.Lanes == 1 {
		return one(dt, out[0])
	}
	return g.pack(dt, out)
}

// vectorBits is intMath where wasm has instructions on vectors.
func (g *gen) vectorBits(name string, dt dtype.DType, args []value) (value, bool) {
	for _, a := range args {
		if !a.packed() || a.dt != args[0].dt || a.mask != args[0].mask {
			return value{}, false
		}
	}
	a := args[0]
	by := func(op wasmbin.Op) (value, bool) {
		return g.each(dt, a.mask, func(i int) *node { return g.op(op, a.parts[i], args[1].parts[i]) }, len(a.parts)), true
	}
	switch name {
	case "bitwise_and":
		return by(wasmbin.V128And)
	case "bitwise_or":
		return by(wasmbin.V128Or)
	case "bitwise_xor":
		return by(wasmbin.V128Xor)
	case "bitwise_not":
		return g.each(dt, a.mask, func(i int) *node { return g.op(wasmbin.V128Not, a.parts[i]) }, len(a.parts)), true
	case "shift_left", "shift_right":
		count, ok := g.uniform(args[1])
		if !ok || a.dt.IsBool() {
			return value{}, false
		}
		op := vectorShift(a.dt, name == "shift_left")
		return g.each(dt, 0, func(i int) *node { return g.op(op, a.parts[i], count) }, len(a.parts)), true
	}
	return value{}, false
}

// uniform returns the one value of all lanes as an i32, where that is known.
func (g *gen) uniform(v value) (*node, bool) {
	p := v.parts[0]
	for _, q := range v.parts {
		if q != p {
			return nil, false
		}
	}
	if opOf(p) == wasmbin.OpV128Const {
		c := g.konst(wasmbin.OpV128Const, p.Imm, p.Imm)
		if c != p {
			return nil, false
		}
		bits := uint(v.dt.Bits)
		lane := p.Imm
		if bits < 64 {
			lane &= 1<<bits - 1
		}
		for s := uint(0); s < 64; s += bits {
			if x := p.Imm >> s; bits < 64 && x&(1<<bits-1) != lane {
				return nil, false
			}
		}
		return g.i32(int32(lane)), true
	}
	if opOf(p) == lanesOf(v.dt, 0).splat {
		n := p.Args[0]
		if typeOf(n) == wasmbin.I64 {
			n = g.op(wasmbin.I32WrapI64, n)
		}
		return n, true
	}
	return nil, false
}

func vectorShift(d dtype.DType, left bool) wasmbin.Op {
	var ops [3]wasmbin.Op // left, right signed, right unsigned
	switch d.Bits {
	case 8:
		ops = [3]wasmbin.Op{wasmbin.I8x16Shl, wasmbin.I8x16ShrS, wasmbin.I8x16ShrU}
	case 16:
		ops = [3]wasmbin.Op{wasmbin.I16x8Shl, wasmbin.I16x8ShrS, wasmbin.I16x8ShrU}
	case 32:
		ops = [3]wasmbin.Op{wasmbin.I32x4Shl, wasmbin.I32x4ShrS, wasmbin.I32x4ShrU}
	default:
		ops = [3]wasmbin.Op{wasmbin.I64x2Shl, wasmbin.I64x2ShrS, wasmbin.I64x2ShrU}
	}
	switch {
	case left:
		return ops[0]
	case d.IsInt():
		return ops[1]
	}
	return ops[2]
}

// scalarBits computes an intrinsic on integers of type d.
func (g *gen) scalarBits(name string, d dtype.DType, x []*node, what string) *node {
	wide := g.valType(d, what) == wasmbin.I64
	t := intOpsOf(wide)
	switch name {
	case "bitwise_and":
		return g.op(t.and, x[0], x[1])
	case "bitwise_or":
		return g.op(t.or, x[0], x[1])
	case "bitwise_xor":
		return g.op(t.xor, x[0], x[1])
	case "bitwise_not":
		if d.IsBool() {
			return g.op(wasmbin.I32Eqz, x[0])
		}
		return g.narrow(g.op(t.xor, x[0], g.IntLike(x[0], -1)), d)
	case "shift_left":
		return g.narrow(g.op(t.shl, x[0], x[1]), d)
	case "shift_right":
		return g.op(pickOp(d.IsInt(), t.shrS, t.shrU), x[0], x[1])
	case "popcount", "clz":
		return g.countBits(name, x[0], d, wide)
	case "fabs":
		return g.scalarInt(tir.OpMax, x[0], g.narrow(g.op(t.sub, g.IntLike(x[0], 0), x[0]), d), d, what)
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

// countBits counts ones or leading zeros within the bits of d.
func (g *gen) countBits(name string, x *node, d dtype.DType, wide bool) *node {
	if wide {
		return g.op(pickOp(name == "clz", wasmbin.I64Clz, wasmbin.I64Popcnt), x)
	}
	if d.Bits < 32 {
		x = g.op(wasmbin.I32And, x, g.i32(1<<d.Bits-1))
	}
	if name == "popcount" {
		return g.op(wasmbin.I32Popcnt, x)
	}
	return g.op(wasmbin.I32Sub, g.op(wasmbin.I32Clz, x), g.i32(32-int32(d.Bits)))
}

// mulShift is round(x*y * 2^-q) * 2^s on Q-format numbers with rounding of halves up, as TVM
// lowers q_multiply_shift(x, y, q, s).
func (g *gen) mulShift(x []*node, what string) *node {
	q, ok1 := x[2].Int()
	s, ok2 := x[3].Int()
	if !ok1 || !ok2 || typeOf(x[0]) != wasmbin.I32 {
		g.fail(what, "needs int32 values and constant shifts")
	}
	left, right := max(s, 0), q-min(s, 0)
	wide := g.op(wasmbin.I64ExtendI32S, g.op(wasmbin.I32Shl, x[0], g.i32(int32(left))))
	p := g.op(wasmbin.I64Mul, wide, g.op(wasmbin.I64ExtendI32S, x[1]))
	if right > 0 {
		p = g.op(wasmbin.I64ShrS, g.op(wasmbin.I64Add, p, g.i64(1<<(right-1))), g.i64(right))
	}
	return g.op(wasmbin.I32WrapI64, p)
}
