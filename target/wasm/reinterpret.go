package wasm

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// reinterpret reads the bits of v as another type of the same size.
func (g *gen) reinterpret(v value, to dtype.DType, what string) value {
	if int(v.dt.Bits)*v.lanes() != int(to.Bits)*int(to.Lanes) && !v.dt.IsHandle() && !to.IsHandle() {
		g.fail(what, "from %s to %s: the sizes differ", v.dt, to)
	}
	if v.packed() && !v.dt.IsBool() && g.native(to, 0) > 0 && !to.IsBool() {
		return value{dt: to, parts: v.parts}
	}
	if v.dt.Lanes != to.Lanes {
		g.fail(what, "from %s to %s is not supported", v.dt, to)
	}
	xs := g.scalars(v)
	out := make([]*node, len(xs))
	for i, x := range xs {
		out[i] = g.reinterpretScalar(x, to, what)
	}
	if to.Lanes == 1 {
		return one(to, out[0])
	}
	return g.pack(to, out)
}

func (g *gen) reinterpretScalar(x *node, to dtype.DType, what string) *node {
	t := g.valType(to, what)
	switch {
	case typeOf(x) == wasmbin.F32 && t == wasmbin.I32:
		return g.op(wasmbin.I32ReinterpretF32, x)
	case typeOf(x) == wasmbin.F64 && t == wasmbin.I64:
		return g.op(wasmbin.I64ReinterpretF64, x)
	case typeOf(x) == wasmbin.I32 && t == wasmbin.F32:
		return g.op(wasmbin.F32ReinterpretI32, x)
	case typeOf(x) == wasmbin.I64 && t == wasmbin.F64:
		return g.op(wasmbin.F64ReinterpretI64, x)
	case typeOf(x) == wasmbin.I32 && t == wasmbin.I64:
		return g.op(wasmbin.I64ExtendI32U, x)
	case typeOf(x) == wasmbin.I64 && t == wasmbin.I32:
		return g.op(wasmbin.I32WrapI64, x)
	case t == wasmbin.I32:
		return g.narrow(x, to)
	}
	return x
}

func (g *gen) vectorHalves(name string, e *tir.Call) value {
	xs := g.scalars(g.expr(e.Args[0]))
	switch name {
	case tir.OpVectorLow.Name:
		xs = xs[:len(xs)/2]
	case tir.OpVectorHigh.Name:
		xs = xs[len(xs)/2:]
	default:
		xs = append(append([]*node(nil), xs...), g.scalars(g.expr(e.Args[1]))...)
	}
	if len(xs) == 1 {
		return one(e.Type.Elem(), xs[0])
	}
	return g.pack(e.Type.WithLanes(len(xs)), xs)
}
