package x86

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// expr translates an expression.
func (g *gen) expr(e tir.Expr) value {
	g.step()
	switch e := e.(type) {
	case *tir.Var:
		if v, ok := g.vars[e]; ok {
			return v
		}
		g.fail(lower.KindName(e), "the variable is not defined here")
	case *tir.IntImm:
		return one(e.Type, g.intConst(e.Type, e.Value, lower.KindName(e)))
	case *tir.FloatImm:
		return one(e.Type, g.floatConst(e.Type, e.Value, lower.KindName(e)))
	case *tir.StringImm:
		g.fail(lower.KindName(e), "native kernels have no strings")
	case *tir.Cast:
		return g.cast(g.expr(e.Value), e.Type, "Cast")
	case *tir.Binary:
		return g.binary(e)
	case *tir.Not:
		return g.not(g.expr(e.A))
	case *tir.Select:
		return g.selectValue(g.expr(e.Cond), g.expr(e.True), g.expr(e.False))
	case *tir.BufferLoad:
		return g.bufferLoad(e)
	case *tir.Ramp:
		return g.ramp(e)
	case *tir.Broadcast:
		return g.broadcast(e)
	case *tir.Let:
		g.bindLet(e.Var, e.Value)
		return g.expr(e.Body)
	case *tir.Call:
		return g.call(e)
	case *tir.Shuffle:
		return g.shuffle(e)
	case *tir.Reduce, *tir.ProducerLoad:
		g.fail(lower.KindName(e), "belongs to tensor expressions: turn them into a function with create_prim_func first")
	default:
		panic(fmt.Sprintf("x86: unknown expression %T", e))
	}
	return value{}
}

// scalarExpr translates an expression that must be a scalar.
func (g *gen) scalarExpr(e tir.Expr, what string) *node {
	v := g.expr(e)
	if v.lanes() != 1 {
		g.fail(what, "expected a scalar, got %s", v.dt)
	}
	return v.scalar()
}

// bindLet gives a variable its value.
func (g *gen) bindLet(v *tir.Var, e tir.Expr) {
	g.Bind(v, e)
	x := g.expr(e)
	for _, p := range x.parts {
		if p.Name == "" {
			p.Name = v.Name
		}
	}
	g.vars[v] = x
}

func (g *gen) intConst(d dtype.DType, v int64, what string) *node {
	if g.valType(d, what) == tI64 {
		return g.i64(v)
	}
	switch {
	case d.IsBool() && v != 0:
		v = 1
	case d.Bits == 8 && d.IsInt():
		v = int64(int8(v))
	case d.Bits == 8:
		v = int64(uint8(v))
	case d.Bits == 16 && d.IsInt():
		v = int64(int16(v))
	case d.Bits == 16:
		v = int64(uint16(v))
	}
	return g.i32(int32(v))
}

func (g *gen) floatConst(d dtype.DType, v float64, what string) *node {
	switch d {
	case dtype.Float32T:
		return g.f32(float32(v))
	case dtype.Float64T:
		return g.f64(v)
	case dtype.Float16T:
		return g.i32(int32(halfBits(v)))
	case dtype.BFloat16T:
		return g.i32(int32(bfloatBits(v)))
	}
	g.fail(what, "arithmetic on %s is not supported", d)
	return nil
}

// halfBits rounds v to float16, ties to even.
func halfBits(v float64) uint16 {
	b := math.Float32bits(float32(v))
	sign := uint16(b >> 16 & 0x8000)
	x := b & 0x7fffffff
	switch {
	case x > 0x7f800000:
		return sign | 0x7e00
	case x >= 0x477ff000: // 65520 and more
		return sign | 0x7c00
	case x < 0x38800000: // below 2^-14: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(x))*(1<<24)))
	}
	x += 0xfff + (x >> 13 & 1)
	return sign | uint16((x-0x38000000)>>13)
}

// bfloatBits rounds v to bfloat16, ties to even.
func bfloatBits(v float64) uint16 {
	b := math.Float32bits(float32(v))
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + (b >> 16 & 1)) >> 16)
}

// ramp is Start, Start+Stride, ...: one vector constant added to a splat where Stride is constant.
func (g *gen) ramp(e *tir.Ramp) value {
	start := g.expr(e.Start)
	dt := e.DType()
	if start.lanes() > 1 {
		stride := g.expr(e.Stride)
		var xs []*node
		for i := range e.Lanes {
			at := g.arith(tir.OpAdd, start, g.arith(tir.OpMul, stride, g.splat(start.dt, g.intConst(start.dt.Elem(), int64(i), "Ramp")), "Ramp"), "Ramp")
			xs = append(xs, g.scalars(at)...)
		}
		return g.pack(dt, xs)
	}
	elem := dt.Elem()
	steps := make([]*node, e.Lanes)
	if k, ok := tir.AsInt(e.Stride); ok {
		for i := range steps {
			steps[i] = g.intConst(elem, int64(i)*k, "Ramp")
		}
	} else {
		stride := g.expr(e.Stride)
		for i := range steps {
			steps[i] = g.arith(tir.OpMul, stride, one(elem, g.intConst(elem, int64(i), "Ramp")), "Ramp").scalar()
		}
	}
	return g.arith(tir.OpAdd, g.splat(dt, start.scalar()), g.pack(dt, steps), "Ramp")
}

func (g *gen) broadcast(e *tir.Broadcast) value {
	v := g.expr(e.Value)
	dt := e.DType()
	if v.lanes() == 1 {
		return g.splat(dt, v.scalar())
	}
	var xs []*node
	for range e.Lanes {
		xs = append(xs, g.scalars(v)...)
	}
	return g.pack(dt, xs)
}

// shuffle picks lanes of the concatenated vectors.
func (g *gen) shuffle(e *tir.Shuffle) value {
	var xs []*node
	var d dtype.DType
	for _, x := range e.Vectors {
		v := g.expr(x)
		d = v.dt.Elem()
		xs = append(xs, g.scalars(v)...)
	}
	out := make([]*node, len(e.Indices))
	for i, x := range e.Indices {
		k, ok := tir.AsInt(x)
		if !ok || k < 0 || int(k) >= len(xs) {
			g.fail("Shuffle", "index %d must be a constant below %d", i, len(xs))
		}
		out[i] = xs[k]
	}
	if len(out) == 1 {
		return one(d, out[0])
	}
	return g.pack(d.WithLanes(len(out)), out)
}

// each makes a value of n parts; packed says of which form.
func each(dt dtype.DType, mask int, packed bool, n int, f func(i int) *node) value {
	out := value{dt: dt, mask: mask, packed: packed, parts: make([]*node, n)}
	for i := range out.parts {
		out.parts[i] = f(i)
	}
	return out
}
