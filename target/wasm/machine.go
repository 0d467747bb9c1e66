package wasm

import (
	"math"
	"sync"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// What the generator uses of the middle end under shorter names.
type (
	node   = lower.Node
	region = lower.Region
	item   = lower.Item
)

// machine is what the middle end knows of wasm: numbers of instructions are opcodes, types are
// value types, registers are locals. Its tables are made when code is generated first.
var machine = sync.OnceValue(func() *lower.Machine {
	table := infoTable()
	narrow, wide := opsOfFn(32), opsOfFn(64)
	return &lower.Machine{
		DivOverflows: true,
		Info:         func(op lower.Op) lower.Info { return table[op>>15+op>>8&1][op&0xff] },
		Op: func(fn lower.Fn, bits int) lower.Op {
			if bits == 64 {
				return wide[fn]
			}
			return narrow[fn]
		},
		Fold: foldConversion,
		Int: func(bits int) lower.Type {
			if bits == 64 {
				return lower.Type(wasmbin.I64)
			}
			return lower.Type(wasmbin.I32)
		},
		Float: func(bits int) lower.Type {
			if bits == 64 {
				return lower.Type(wasmbin.F64)
			}
			return lower.Type(wasmbin.F32)
		},
		Vector: func(int) lower.Type { return lower.Type(wasmbin.V128) },
		// wasm adds a constant of up to 32 bits to the address without wrapping.
		Quiet:   abi.LeastBudget,
		Pointer: lower.Pointer{Bits: 32, MaxOffset: math.MaxInt32, Below: abi.ReservedBytes},
	}
})

// intFns are the functions of the integer instructions, of 32 bits and of 64.
var intFns = map[lower.Fn][2]wasmbin.Op{
	lower.Const: {wasmbin.OpI32Const, wasmbin.OpI64Const},
	lower.Add:   {wasmbin.I32Add, wasmbin.I64Add}, lower.Sub: {wasmbin.I32Sub, wasmbin.I64Sub}, lower.Mul: {wasmbin.I32Mul, wasmbin.I64Mul},
	lower.DivS: {wasmbin.I32DivS, wasmbin.I64DivS}, lower.DivU: {wasmbin.I32DivU, wasmbin.I64DivU},
	lower.RemS: {wasmbin.I32RemS, wasmbin.I64RemS}, lower.RemU: {wasmbin.I32RemU, wasmbin.I64RemU},
	lower.And: {wasmbin.I32And, wasmbin.I64And}, lower.Or: {wasmbin.I32Or, wasmbin.I64Or}, lower.Xor: {wasmbin.I32Xor, wasmbin.I64Xor},
	lower.Shl: {wasmbin.I32Shl, wasmbin.I64Shl}, lower.ShrS: {wasmbin.I32ShrS, wasmbin.I64ShrS}, lower.ShrU: {wasmbin.I32ShrU, wasmbin.I64ShrU},
	lower.Eqz: {wasmbin.I32Eqz, wasmbin.I64Eqz}, lower.Eq: {wasmbin.I32Eq, wasmbin.I64Eq}, lower.Ne: {wasmbin.I32Ne, wasmbin.I64Ne},
	lower.LtS: {wasmbin.I32LtS, wasmbin.I64LtS}, lower.LtU: {wasmbin.I32LtU, wasmbin.I64LtU},
	lower.GtS: {wasmbin.I32GtS, wasmbin.I64GtS}, lower.GtU: {wasmbin.I32GtU, wasmbin.I64GtU},
	lower.LeS: {wasmbin.I32LeS, wasmbin.I64LeS}, lower.LeU: {wasmbin.I32LeU, wasmbin.I64LeU},
	lower.GeS: {wasmbin.I32GeS, wasmbin.I64GeS}, lower.GeU: {wasmbin.I32GeU, wasmbin.I64GeU},
	lower.Wrap: {1: wasmbin.I32WrapI64}, lower.ExtendS: {0: wasmbin.I64ExtendI32S}, lower.ExtendU: {0: wasmbin.I64ExtendI32U},
	lower.Extend8S: {0: wasmbin.I32Extend8S}, lower.Extend16S: {0: wasmbin.I32Extend16S},
}

// otherFns are the functions of other instructions.
var otherFns = map[lower.Fn]wasmbin.Op{
	lower.Get: wasmbin.OpLocalGet, lower.Set: wasmbin.OpLocalSet, lower.Call: wasmbin.OpCall, lower.Select: wasmbin.OpSelect,
}

// infoTable describes all instructions: one byte after none, 0xfc and 0xfd.
func infoTable() *[3][256]lower.Info {
	var out [3][256]lower.Info
	at := func(op wasmbin.Op) *lower.Info { return &out[op>>15+op>>8&1][op&0xff] }
	for _, prefix := range []wasmbin.Op{0, 0xfc00, 0xfd00} {
		for i := range wasmbin.Op(256) {
			op := prefix | i
			*at(op) = lower.Info{Result: lower.Type(op.Result()), Cheap: cheapOp(op), Bool: op >= wasmbin.I32Eqz && op <= wasmbin.F64Ge}
		}
	}
	for fn, pair := range intFns {
		for i, op := range pair {
			if op != 0 {
				at(op).Fn, at(op).Bits = fn, uint8(32<<i)
			}
		}
	}
	for fn, op := range otherFns {
		at(op).Fn = fn
	}
	for _, op := range []wasmbin.Op{wasmbin.OpF32Const, wasmbin.OpF64Const, wasmbin.OpV128Const} {
		at(op).Fn = lower.Const
	}
	return &out
}

// opsOfFn returns the instructions of integers of some bits by their functions.
func opsOfFn(bits int) []lower.Op {
	out := make([]lower.Op, lower.NumFns)
	for fn, pair := range intFns {
		out[fn] = lower.Op(pair[bits/32-1])
	}
	for fn, op := range otherFns {
		out[fn] = lower.Op(op)
	}
	return out
}

// cheapOp reports whether op takes few enough cycles to run for nothing.
func cheapOp(op wasmbin.Op) bool {
	switch op {
	case wasmbin.F32x4Splat, wasmbin.I32x4Splat, wasmbin.F64x2Splat, wasmbin.I64x2Splat, wasmbin.I8x16Splat, wasmbin.I16x8Splat:
		return true
	}
	t := op.Result()
	return op < 0x100 && (t == wasmbin.I32 || t == wasmbin.I64) && op.NumOperands() <= 2
}

// foldConversion computes splats and a conversion of constants.
func foldConversion(b *lower.Builder, op lower.Op, x *node) *node {
	both := func(w uint64) *node { return b.Const(lower.Op(wasmbin.OpV128Const), w, w) }
	switch wasmbin.Op(op) {
	case wasmbin.F32ConvertI32S:
		return b.Const(lower.Op(wasmbin.OpF32Const), uint64(math.Float32bits(float32(int32(x.Imm)))), 0)
	case wasmbin.F32x4Splat:
		return both(x.Imm | x.Imm<<32)
	case wasmbin.I32x4Splat:
		w := uint64(uint32(x.Imm))
		return both(w | w<<32)
	case wasmbin.I64x2Splat, wasmbin.F64x2Splat:
		return both(x.Imm)
	case wasmbin.I16x8Splat:
		return both(uint64(uint16(x.Imm)) * 0x0001000100010001)
	case wasmbin.I8x16Splat:
		return both(uint64(uint8(x.Imm)) * 0x0101010101010101)
	}
	return nil
}

func opOf(n *node) wasmbin.Op        { return wasmbin.Op(n.Op) }
func typeOf(n *node) wasmbin.ValType { return wasmbin.ValType(n.Type) }

// op returns the pure instruction op on args.
func (g *gen) op(op wasmbin.Op, args ...*node) *node { return g.Op(lower.Op(op), 0, 0, args...) }

// lane returns an extract_lane or replace_lane.
func (g *gen) lane(op wasmbin.Op, lane int, args ...*node) *node {
	return g.Op(lower.Op(op), uint64(lane), 0, args...)
}

func (g *gen) opImm(op wasmbin.Op, imm, hi uint64, args ...*node) *node {
	return g.Op(lower.Op(op), imm, hi, args...)
}

func (g *gen) konst(op wasmbin.Op, imm, hi uint64) *node { return g.Const(lower.Op(op), imm, hi) }

func (g *gen) i32(v int32) *node { return g.Int(32, int64(v)) }
func (g *gen) f32(v float32) *node {
	return g.konst(wasmbin.OpF32Const, uint64(math.Float32bits(v)), 0)
}
func (g *gen) f64(v float64) *node { return g.konst(wasmbin.OpF64Const, math.Float64bits(v), 0) }

func (g *gen) newLocal(name string, t wasmbin.ValType) lower.Reg {
	return g.NewReg(name, lower.Type(t))
}

// pureCall returns the result of a function without effects.
func (g *gen) pureCall(f wasmbin.FuncRef, result wasmbin.ValType, args ...*node) *node {
	return g.Call(lower.Ref(wasmbin.PackFunc(f)), lower.Type(result), args...)
}

// call32 is an item that calls a function with a result of 32 bits.
func (g *gen) call32(f wasmbin.FuncRef, result string, args ...*node) item {
	return item{Kind: lower.ItemCall, Callee: lower.Ref(wasmbin.PackFunc(f)), Args: args, HasRes: true, Reg: g.newLocal(result, wasmbin.I32)}
}
