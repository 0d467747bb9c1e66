package wasm

import (
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// floatCompare lists EQ, NE, LT, LE, GT, GE for floats.
func floatCompare(d dtype.DType) [6]wasmbin.Op {
	if d.Bits == 32 {
		return [6]wasmbin.Op{wasmbin.F32Eq, wasmbin.F32Ne, wasmbin.F32Lt, wasmbin.F32Le, wasmbin.F32Gt, wasmbin.F32Ge}
	}
	return [6]wasmbin.Op{wasmbin.F64Eq, wasmbin.F64Ne, wasmbin.F64Lt, wasmbin.F64Le, wasmbin.F64Gt, wasmbin.F64Ge}
}

// vectorCompare lists the same for vectors; 0 where wasm has no instruction.
func vectorCompare(d dtype.DType) [6]wasmbin.Op {
	signed := d.IsInt()
	switch {
	case d.IsFloat() && d.Bits == 32:
		return [6]wasmbin.Op{wasmbin.F32x4Eq, wasmbin.F32x4Ne, wasmbin.F32x4Lt, wasmbin.F32x4Le, wasmbin.F32x4Gt, wasmbin.F32x4Ge}
	case d.IsFloat():
		return [6]wasmbin.Op{wasmbin.F64x2Eq, wasmbin.F64x2Ne, wasmbin.F64x2Lt, wasmbin.F64x2Le, wasmbin.F64x2Gt, wasmbin.F64x2Ge}
	case d.Bits == 64 && signed:
		return [6]wasmbin.Op{wasmbin.I64x2Eq, wasmbin.I64x2Ne, wasmbin.I64x2LtS, wasmbin.I64x2LeS, wasmbin.I64x2GtS, wasmbin.I64x2GeS}
	case d.Bits == 64:
		return [6]wasmbin.Op{wasmbin.I64x2Eq, wasmbin.I64x2Ne}
	case d.Bits == 32 && signed:
		return [6]wasmbin.Op{wasmbin.I32x4Eq, wasmbin.I32x4Ne, wasmbin.I32x4LtS, wasmbin.I32x4LeS, wasmbin.I32x4GtS, wasmbin.I32x4GeS}
	case d.Bits == 32:
		return [6]wasmbin.Op{wasmbin.I32x4Eq, wasmbin.I32x4Ne, wasmbin.I32x4LtU, wasmbin.I32x4LeU, wasmbin.I32x4GtU, wasmbin.I32x4GeU}
	case d.Bits == 16 && signed:
		return [6]wasmbin.Op{wasmbin.I16x8Eq, wasmbin.I16x8Ne, wasmbin.I16x8LtS, wasmbin.I16x8LeS, wasmbin.I16x8GtS, wasmbin.I16x8GeS}
	case d.Bits == 16:
		return [6]wasmbin.Op{wasmbin.I16x8Eq, wasmbin.I16x8Ne, wasmbin.I16x8LtU, wasmbin.I16x8LeU, wasmbin.I16x8GtU, wasmbin.I16x8GeU}
	case signed:
		return [6]wasmbin.Op{wasmbin.I8x16Eq, wasmbin.I8x16Ne, wasmbin.I8x16LtS, wasmbin.I8x16LeS, wasmbin.I8x16GtS, wasmbin.I8x16GeS}
	}
	return [6]wasmbin.Op{wasmbin.I8x16Eq, wasmbin.I8x16Ne, wasmbin.I8x16LtU, wasmbin.I8x16LeU, wasmbin.I8x16GtU, wasmbin.I8x16GeU}
}
