package wasm

import (
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
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
		return one(dtype.HandleT, g.cstring(e.Value))
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
		panic(fmt.Sprintf("wasm: unknown expression %T", e))
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
	g.vars[v] = g.named(g.expr(e), v.Name)
}

// named gives the nodes of v a name for the printed text, where they have none.
func (g *gen) named(v value, name string) value {
	for _, p := range v.parts {
		if p.Name == "" {
			p.Name = name
		}
	}
	return v
}

func (g *gen) intConst(d dtype.DType, v int64, what string) *node {
	if g.valType(d, what) == wasmbin.I64 {
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
	if v.packed() && !short(v.lanes(), laneBits(v)) {
		out := value{dt: dt, mask: v.mask}
		for range e.Lanes {
			out.parts = append(out.parts, v.parts...)
		}
		return out
	}
	var xs []*node
	for range e.Lanes {
		xs = append(xs, g.scalars(v)...)
	}
	return g.pack(dt, xs)
}

// shuffle picks lanes of the concatenated vectors; lanes of whole v128 parts are not taken apart.
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

// not negates a bool.
func (g *gen) not(a value) value {
	if a.packed() {
		return g.each(a.dt, a.mask, func(i int) *node { return g.op(wasmbin.V128Not, a.parts[i]) }, len(a.parts))
	}
	return g.each(a.dt, 0, func(i int) *node { return g.op(wasmbin.I32Eqz, a.parts[i]) }, len(a.parts))
}

// each makes a value of n parts.
func (g *gen) each(dt dtype.DType, mask int, f func(i int) *node, n int) value {
	out := value{dt: dt, mask: mask, parts: make([]*node, n)}
	for i := range out.parts {
		out.parts[i] = f(i)
	}
	return out
}
