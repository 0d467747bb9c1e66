package wasm

import (
	"math"

	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// fold computes integer instructions on constants and drops neutral operands; nil means that
// there is nothing to fold. Floating point is left as written.
func (g *gen) fold(op wasmbin.Op, args []*node) *node {
	switch len(args) {
	case 1:
		return g.foldUnary(op, args[0])
	case 2:
		a, b := args[0], args[1]
		switch {
		case op >= wasmbin.I32Eq && op <= wasmbin.I32GeU, op >= wasmbin.I32Add && op <= wasmbin.I32Rotr:
			return g.foldI32(op, a, b)
		case op >= wasmbin.I64Add && op <= wasmbin.I64Rotr:
			return g.foldI64(op, a, b)
		}
	case 3:
		if op == wasmbin.OpSelect && args[2].isConst() {
			if args[2].imm != 0 {
				return args[0]
			}
			return args[1]
		}
	}
	return nil
}

func (g *gen) foldUnary(op wasmbin.Op, a *node) *node {
	switch {
	case op == wasmbin.I32WrapI64 && (a.op == wasmbin.I64ExtendI32S || a.op == wasmbin.I64ExtendI32U):
		return a.args[0]
	case !a.isConst():
		return nil
	}
	switch op {
	case wasmbin.I32WrapI64:
		return g.i32(int32(a.imm))
	case wasmbin.I64ExtendI32S:
		return g.i64(int64(int32(a.imm)))
	case wasmbin.I64ExtendI32U:
		return g.i64(int64(uint32(a.imm)))
	case wasmbin.I32Extend8S:
		return g.i32(int32(int8(a.imm)))
	case wasmbin.I32Extend16S:
		return g.i32(int32(int16(a.imm)))
	case wasmbin.I32Eqz:
		return g.truth(a.imm == 0)
	case wasmbin.F32ConvertI32S:
		return g.f32(float32(int32(a.imm)))
	case wasmbin.F32x4Splat:
		w := a.imm | a.imm<<32
		return g.konst(wasmbin.OpV128Const, w, w)
	case wasmbin.I32x4Splat:
		w := uint64(uint32(a.imm))
		return g.konst(wasmbin.OpV128Const, w|w<<32, w|w<<32)
	case wasmbin.I64x2Splat, wasmbin.F64x2Splat:
		return g.konst(wasmbin.OpV128Const, a.imm, a.imm)
	case wasmbin.I16x8Splat:
		w := uint64(uint16(a.imm)) * 0x0001000100010001
		return g.konst(wasmbin.OpV128Const, w, w)
	case wasmbin.I8x16Splat:
		w := uint64(uint8(a.imm)) * 0x0101010101010101
		return g.konst(wasmbin.OpV128Const, w, w)
	}
	return nil
}

func (g *gen) truth(t bool) *node {
	if t {
		return g.i32(1)
	}
	return g.i32(0)
}

func (g *gen) foldI32(op wasmbin.Op, a, b *node) *node {
	x, y := int32(a.imm), int32(b.imm)
	if a.isConst() && b.isConst() {
		switch op {
		case wasmbin.I32Add:
			return g.i32(x + y)
		case wasmbin.I32Sub:
			return g.i32(x - y)
		case wasmbin.I32Mul:
			return g.i32(x * y)
		case wasmbin.I32And:
			return g.i32(x & y)
		case wasmbin.I32Or:
			return g.i32(x | y)
		case wasmbin.I32Xor:
			return g.i32(x ^ y)
		case wasmbin.I32Shl:
			return g.i32(x << (uint32(y) & 31))
		case wasmbin.I32ShrS:
			return g.i32(x >> (uint32(y) & 31))
		case wasmbin.I32ShrU:
			return g.i32(int32(uint32(x) >> (uint32(y) & 31)))
		case wasmbin.I32Eq:
			return g.truth(x == y)
		case wasmbin.I32Ne:
			return g.truth(x != y)
		case wasmbin.I32LtS:
			return g.truth(x < y)
		case wasmbin.I32GtS:
			return g.truth(x > y)
		case wasmbin.I32LeS:
			return g.truth(x <= y)
		case wasmbin.I32GeS:
			return g.truth(x >= y)
		case wasmbin.I32DivS:
			if y != 0 && (y != -1 || x != math.MinInt32) {
				return g.i32(x / y)
			}
		case wasmbin.I32RemS:
			if y != 0 && y != -1 {
				return g.i32(x % y)
			}
		}
		return nil
	}
	return neutral(op, a, b, a.isConst() && x == 0, b.isConst() && y == 0, b.isConst() && y == 1,
		wasmbin.I32Add, wasmbin.I32Sub, wasmbin.I32Mul, wasmbin.I32Shl, wasmbin.I32Or)
}

func (g *gen) foldI64(op wasmbin.Op, a, b *node) *node {
	x, y := int64(a.imm), int64(b.imm)
	if a.isConst() && b.isConst() {
		switch op {
		case wasmbin.I64Add:
			return g.i64(x + y)
		case wasmbin.I64Sub:
			return g.i64(x - y)
		case wasmbin.I64Mul:
			return g.i64(x * y)
		case wasmbin.I64And:
			return g.i64(x & y)
		case wasmbin.I64Shl:
			return g.i64(x << (uint64(y) & 63))
		case wasmbin.I64ShrS:
			return g.i64(x >> (uint64(y) & 63))
		case wasmbin.I64DivS:
			if y != 0 && y != -1 {
				return g.i64(x / y)
			}
		case wasmbin.I64RemS:
			if y != 0 && y != -1 {
				return g.i64(x % y)
			}
		}
		return nil
	}
	return neutral(op, a, b, a.isConst() && x == 0, b.isConst() && y == 0, b.isConst() && y == 1,
		wasmbin.I64Add, wasmbin.I64Sub, wasmbin.I64Mul, wasmbin.I64Shl, wasmbin.I64Or)
}

func neutral(op wasmbin.Op, a, b *node, aZero, bZero, bOne bool, add, sub, mul, shl, or wasmbin.Op) *node {
	switch {
	case bZero && (op == add || op == sub || op == shl || op == or):
		return a
	case aZero && (op == add || op == or):
		return b
	case bOne && op == mul:
		return a
	case op == mul && aZero:
		return a
	case op == mul && bZero:
		return b
	}
	return nil
}
