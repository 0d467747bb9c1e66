package wasm

import (
	"math"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// floatUnary are the instructions for float32, its vectors, float64 and its vectors.
var floatUnary = map[string][4]wasmbin.Op{
	"sqrt":      {wasmbin.F32Sqrt, wasmbin.F32x4Sqrt, wasmbin.F64Sqrt, wasmbin.F64x2Sqrt},
	"floor":     {wasmbin.F32Floor, wasmbin.F32x4Floor, wasmbin.F64Floor, wasmbin.F64x2Floor},
	"ceil":      {wasmbin.F32Ceil, wasmbin.F32x4Ceil, wasmbin.F64Ceil, wasmbin.F64x2Ceil},
	"trunc":     {wasmbin.F32Trunc, wasmbin.F32x4Trunc, wasmbin.F64Trunc, wasmbin.F64x2Trunc},
	"nearbyint": {wasmbin.F32Nearest, wasmbin.F32x4Nearest, wasmbin.F64Nearest, wasmbin.F64x2Nearest},
	"fabs":      {wasmbin.F32Abs, wasmbin.F32x4Abs, wasmbin.F64Abs, wasmbin.F64x2Abs},
}

// Math computes what wasm has instructions for (Math of the target's kind), scalar or vector; the rest goes to the host.
func (g *gen) Math(name string, x []*node, d dtype.DType, packed bool, what string) *node {
	form, wide := 0, d.Bits == 64
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
	if ops, ok := floatUnary[name]; ok {
		return pick(ops, x...)
	}
	if packed {
		return nil
	}
	return g.hostFloat(name, d, what, x...)
}

// hostFloat calls the C function of that name for one lane.
func (g *gen) hostFloat(name string, d dtype.DType, what string, x ...*node) *node {
	if d.Bits == 32 {
		name += "f"
	}
	if _, ok := hostFunc(name); !ok {
		g.Fail(what, "wasm has no instruction for %s, nor has the runtime a function: run tir.LowerMath first", name)
	}
	return g.hostCall(name, x...)
}
