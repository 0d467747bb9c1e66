package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// FromSmall widens the bits of a float16 or bfloat16 to a float32.
func (g *gen) FromSmall(x *node, d dtype.DType) *node {
	if d.Code == dtype.BFloat {
		return g.op(wasmbin.F32ReinterpretI32, g.op(wasmbin.I32Shl, x, g.i32(16)))
	}
	return g.pureCall(g.mod.helper(halfToFloat), wasmbin.F32, x)
}

// ToSmall rounds a number to the bits of a float16 or bfloat16, ties to even.
func (g *gen) ToSmall(x *node, from, to dtype.DType, what string) *node {
	x = g.toFloat32(x, from, what)
	if to.Code == dtype.BFloat {
		return g.pureCall(g.mod.helper(floatToBfloat), wasmbin.I32, x)
	}
	return g.pureCall(g.mod.helper(floatToHalf), wasmbin.I32, x)
}

// toFloat32 converts a scalar to float32 on its way to a shorter float. What is wider is rounded to odd, so that the second rounding is as if there had been
// one: the lowest bit is set where the conversion lost something.
func (g *gen) toFloat32(x *node, from dtype.DType, what string) *node {
	if from.IsFloat() && from.Bits == 32 || from.IsInteger() && from.Bits <= 16 || from.IsBool() {
		return g.CastScalar(x, from, dtype.Float32T, what)
	}
	wide := g.CastScalar(x, from, dtype.Float64T, what)
	f := g.op(wasmbin.F32DemoteF64, wide)
	back := g.op(wasmbin.F64PromoteF32, f)
	bits := g.op(wasmbin.I32ReinterpretF32, f)
	// Where the conversion rounded away from zero the number before has the right bits, then the lowest is set in both cases.
	up := g.op(wasmbin.F64Gt, g.op(wasmbin.F64Abs, back), g.op(wasmbin.F64Abs, wide))
	lost := g.op(wasmbin.F64Ne, back, wide)
	odd := g.Fn(lower.Or, g.Fn(lower.Sub, bits, up), lost)
	isNaN := g.op(wasmbin.F64Ne, wide, wide)
	return g.op(wasmbin.F32ReinterpretI32, g.Pick(isNaN, bits, odd))
}

// helperID names a function that generated code calls within its module.
type helperID int

const (
	halfToFloat helperID = iota
	floatToHalf
	floatToBfloat
	numHelpers
)

// helper returns the helper function, building it at its first use.
func (m *module) helper(id helperID) wasmbin.FuncRef {
	if m.helpers[id] != nil {
		return m.helpers[id].Ref()
	}
	var f *wasmbin.Func
	switch id {
	case halfToFloat:
		f = buildHalfToFloat(m.bin)
	case floatToHalf:
		f = buildFloatToHalf(m.bin)
	default:
		f = buildFloatToBfloat(m.bin)
	}
	m.helpers[id] = f
	return f.Ref()
}

// buildHalfToFloat shifts exponent and mantissa into place and rebiases by a multiplication
// with 2^112, which also takes care of subnormals; infinities and NaN keep their exponent.
func buildHalfToFloat(m *wasmbin.Module) *wasmbin.Func {
	f := m.AddFunc("float16_to_float32", wasmbin.FuncType{Params: []wasmbin.ValType{wasmbin.I32}, Results: []wasmbin.ValType{wasmbin.F32}})
	f.NameParam(0, "h")
	x := f.NewLocal("x", wasmbin.I32)
	f.LocalGet(0)
	f.I32Const(0x7fff)
	f.Op(wasmbin.I32And)
	f.I32Const(13)
	f.Op(wasmbin.I32Shl)
	f.LocalTee(x)
	f.Op(wasmbin.F32ReinterpretI32)
	f.F32Bits(0x77800000) // 2^112
	f.Op(wasmbin.F32Mul)
	f.Op(wasmbin.I32ReinterpretF32)
	f.LocalGet(x)
	f.I32Const(0x7f800000)
	f.Op(wasmbin.I32Or)
	f.LocalGet(x)
	f.I32Const(0x0f800000)
	f.Op(wasmbin.I32LtU)
	f.Select()
	f.LocalGet(0)
	f.I32Const(0x8000)
	f.Op(wasmbin.I32And)
	f.I32Const(16)
	f.Op(wasmbin.I32Shl)
	f.Op(wasmbin.I32Or)
	f.Op(wasmbin.F32ReinterpretI32)
	f.End()
	return f
}

// buildFloatToHalf rounds as halfBits does: normal results by adding half of the last place,
// subnormal ones by the rounding of a float32 addition.
func buildFloatToHalf(m *wasmbin.Module) *wasmbin.Func {
	f := m.AddFunc("float32_to_float16", wasmbin.FuncType{Params: []wasmbin.ValType{wasmbin.F32}, Results: []wasmbin.ValType{wasmbin.I32}})
	f.NameParam(0, "f")
	b, x := f.NewLocal("b", wasmbin.I32), f.NewLocal("x", wasmbin.I32)
	r := f.NewLocal("r", wasmbin.I32)
	f.LocalGet(0)
	f.Op(wasmbin.I32ReinterpretF32)
	f.LocalTee(b)
	f.I32Const(0x7fffffff)
	f.Op(wasmbin.I32And)
	f.LocalSet(x)
	compare := func(limit int32) {
		f.LocalGet(x)
		f.I32Const(limit)
		f.Op(wasmbin.I32LtU)
	}
	compare(0x38800000)
	f.If("subnormal", wasmbin.None)
	f.LocalGet(x)
	f.Op(wasmbin.F32ReinterpretI32)
	f.F32Const(0.5) // its last place is 2^-24, the unit of subnormal float16
	f.Op(wasmbin.F32Add)
	f.Op(wasmbin.I32ReinterpretF32)
	f.I32Const(0x3f000000)
	f.Op(wasmbin.I32Sub)
	f.LocalSet(r)
	f.Else()
	compare(0x477ff000)
	f.If("normal", wasmbin.None)
	f.LocalGet(x)
	f.LocalGet(x)
	f.I32Const(13)
	f.Op(wasmbin.I32ShrU)
	f.I32Const(1)
	f.Op(wasmbin.I32And)
	f.Op(wasmbin.I32Add)
	f.I32Const(0xfff - 0x38000000)
	f.Op(wasmbin.I32Add)
	f.I32Const(13)
	f.Op(wasmbin.I32ShrU)
	f.LocalSet(r)
	f.Else()
	f.I32Const(0x7c00)
	f.I32Const(0x7e00)
	compare(0x7f800001)
	f.Select()
	f.LocalSet(r)
	f.End()
	f.End()
	f.LocalGet(r)
	f.LocalGet(b)
	f.I32Const(16)
	f.Op(wasmbin.I32ShrU)
	f.I32Const(0x8000)
	f.Op(wasmbin.I32And)
	f.Op(wasmbin.I32Or)
	f.End()
	return f
}

func buildFloatToBfloat(m *wasmbin.Module) *wasmbin.Func {
	f := m.AddFunc("float32_to_bfloat16", wasmbin.FuncType{Params: []wasmbin.ValType{wasmbin.F32}, Results: []wasmbin.ValType{wasmbin.I32}})
	f.NameParam(0, "f")
	b := f.NewLocal("b", wasmbin.I32)
	f.LocalGet(0)
	f.Op(wasmbin.I32ReinterpretF32)
	f.LocalTee(b)
	f.I32Const(16)
	f.Op(wasmbin.I32ShrU)
	f.I32Const(0x40)
	f.Op(wasmbin.I32Or) // a quiet NaN
	f.LocalGet(b)
	f.I32Const(0x7fff)
	f.Op(wasmbin.I32Add)
	f.LocalGet(b)
	f.I32Const(16)
	f.Op(wasmbin.I32ShrU)
	f.I32Const(1)
	f.Op(wasmbin.I32And)
	f.Op(wasmbin.I32Add)
	f.I32Const(16)
	f.Op(wasmbin.I32ShrU)
	f.LocalGet(b)
	f.I32Const(0x7fffffff)
	f.Op(wasmbin.I32And)
	f.I32Const(0x7f800000)
	f.Op(wasmbin.I32GtU)
	f.Select()
	f.End()
	return f
}
