package wasmbin

import "math"

// Op appends an instruction that has no immediate.
func (f *Func) Op(op Op) {
	switch op.info().imm {
	case immNone, immZero, immZeroZero:
		f.apply(Instr{Op: op})
		if op == OpUnreachable {
			f.kill()
		}
	default:
		f.fail("%s needs its own method", op)
	}
}

// I32Const pushes a 32-bit constant.
func (f *Func) I32Const(v int32) { f.apply(Instr{Op: OpI32Const, Imm: uint64(v)}) }

// I64Const pushes a 64-bit constant.
func (f *Func) I64Const(v int64) { f.apply(Instr{Op: OpI64Const, Imm: uint64(v)}) }

// F32Const pushes a single-precision constant, bit for bit.
func (f *Func) F32Const(v float32) {
	f.apply(Instr{Op: OpF32Const, Imm: uint64(math.Float32bits(v))})
}

// F64Const pushes a double-precision constant, bit for bit.
func (f *Func) F64Const(v float64) { f.apply(Instr{Op: OpF64Const, Imm: math.Float64bits(v)}) }

// F32Bits pushes the single-precision constant with these bits.
func (f *Func) F32Bits(b uint32) { f.apply(Instr{Op: OpF32Const, Imm: uint64(b)}) }

// F64Bits pushes the double-precision constant with these bits.
func (f *Func) F64Bits(b uint64) { f.apply(Instr{Op: OpF64Const, Imm: b}) }

// V128Const pushes a vector constant given as its lower and upper eight bytes.
func (f *Func) V128Const(lo, hi uint64) { f.apply(Instr{Op: OpV128Const, Imm: lo, Hi: hi}) }

// LocalGet pushes a local variable.
func (f *Func) LocalGet(l Local) {
	f.apply(Instr{Op: OpLocalGet, Imm: uint64(l)})
	f.retype(f.locals[l].typ)
}

// retype gives the value on top of the stack its type, where the table leaves it open.
func (f *Func) retype(t ValType) {
	if n := len(f.stack); n > 0 {
		f.stack[n-1] = t
	}
}

// LocalSet pops into a local variable.
func (f *Func) LocalSet(l Local) {
	f.pop(OpLocalSet, f.locals[l].typ)
	f.body = append(f.body, Instr{Op: OpLocalSet, Imm: uint64(l)})
}

// LocalTee stores the top of the stack in a local variable and keeps it.
func (f *Func) LocalTee(l Local) {
	t := f.locals[l].typ
	f.pop(OpLocalTee, t)
	f.push(t)
	f.body = append(f.body, Instr{Op: OpLocalTee, Imm: uint64(l)})
}

// GlobalGet pushes a global.
func (f *Func) GlobalGet(g GlobalRef) {
	f.apply(Instr{Op: OpGlobalGet, Imm: packRef(g.imported, g.index)})
	f.retype(f.mod.global(g).typ)
}

// GlobalSet pops into a global.
func (f *Func) GlobalSet(g GlobalRef) {
	f.pop(OpGlobalSet, f.mod.global(g).typ)
	f.body = append(f.body, Instr{Op: OpGlobalSet, Imm: packRef(g.imported, g.index)})
}

// Load appends a load (or, with a value above the address, a store) at a constant offset from
// the address on the stack, with the natural alignment as hint.
func (f *Func) Load(op Op, offset uint32) { f.Mem(op, offset, op.AccessBytes(), 0) }

// Store appends a store: address and value are on the stack.
func (f *Func) Store(op Op, offset uint32) { f.Mem(op, offset, op.AccessBytes(), 0) }

// Mem appends any memory instruction with an offset, an alignment in bytes (a power of two, at
// most what the instruction touches) and a lane for those that have one.
func (f *Func) Mem(op Op, offset uint32, align int, lane uint8) {
	info := op.info()
	if info.imm != immMem && info.imm != immMemLane {
		f.fail("%s is not a memory instruction", op)
		return
	}
	if align <= 0 || align&(align-1) != 0 || align > info.natural {
		f.fail("%s: alignment %d is not a power of two up to %d", op, align, info.natural)
		return
	}
	if info.imm == immMemLane && int(lane) >= 16/info.natural {
		f.fail("%s: lane %d out of range", op, lane)
	}
	f.apply(Instr{Op: op, Imm: uint64(offset), Align: log2(align), Lane: lane})
}

// Lane appends an extract_lane or replace_lane.
func (f *Func) Lane(op Op, lane uint8) {
	if op.info().imm != immLane || lane > 15 {
		f.fail("%s with lane %d", op, lane)
		return
	}
	f.apply(Instr{Op: op, Lane: lane})
}

// Shuffle picks 16 bytes out of the 32 of two vectors.
func (f *Func) Shuffle(lanes [16]uint8) {
	var lo, hi uint64
	for i := range 8 {
		if lanes[i] > 31 || lanes[i+8] > 31 {
			f.fail("i8x16.shuffle: lane above 31")
		}
		lo |= uint64(lanes[i]) << (8 * i)
		hi |= uint64(lanes[i+8]) << (8 * i)
	}
	f.apply(Instr{Op: I8x16Shuffle, Imm: lo, Hi: hi})
}

// ShuffleBits is Shuffle with the lanes as the bytes of two words.
func (f *Func) ShuffleBits(lo, hi uint64) { f.apply(Instr{Op: I8x16Shuffle, Imm: lo, Hi: hi}) }

// Drop pops a value.
func (f *Func) Drop() {
	f.pop(OpDrop, None)
	f.body = append(f.body, Instr{Op: OpDrop})
}

// Select takes two values of one type and an i32; it leaves the first where the i32 is not 0.
// Vectors are allowed.
func (f *Func) Select() {
	f.pop(OpSelect, I32)
	b := f.pop(OpSelect, None)
	a := f.pop(OpSelect, b)
	f.push(a)
	f.body = append(f.body, Instr{Op: OpSelect, Type: a})
}

// Call calls a function of the module.
func (f *Func) Call(r FuncRef) {
	t, err := f.mod.funcType(r)
	if err != nil {
		f.fail("call: %w", err)
		return
	}
	for i := len(t.Params) - 1; i >= 0; i-- {
		f.pop(OpCall, t.Params[i])
	}
	for _, r := range t.Results {
		f.push(r)
	}
	f.body = append(f.body, Instr{Op: OpCall, Imm: packRef(r.imported, r.index)})
}

// PackFunc and its likes turn a reference to a function or global into a word and back, for users
// that keep instructions of their own.
func PackFunc(f FuncRef) uint64 { return packRef(f.imported, f.index) }

// UnpackFunc is the inverse of PackFunc.
func UnpackFunc(w uint64) FuncRef {
	imported, index := unpackRef(w)
	return FuncRef{imported, index}
}

// PackGlobal is PackFunc for globals.
func PackGlobal(g GlobalRef) uint64 { return packRef(g.imported, g.index) }

// UnpackGlobal is the inverse of PackGlobal.
func UnpackGlobal(w uint64) GlobalRef {
	imported, index := unpackRef(w)
	return GlobalRef{imported, index}
}

// packRef keeps a function or global reference in an immediate until indices are known.
func packRef(imported bool, index int) uint64 {
	v := uint64(index) << 1
	if imported {
		v |= 1
	}
	return v
}

func unpackRef(v uint64) (imported bool, index int) { return v&1 != 0, int(v >> 1) }
