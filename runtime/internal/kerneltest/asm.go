// Package kerneltest assembles small kernel modules for the tests of the runtime: a few
// dozen lines of WebAssembly, so that these tests need no code generator.
package kerneltest

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/runtime/abi"
)

// Code is a piece of a function body.
type Code []byte

// Seq joins pieces.
func Seq(parts ...Code) Code {
	var out Code
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func uleb(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

func sleb(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// Op is an instruction without immediates.
func Op(code byte) Code { return Code{code} }

// op1 is an instruction with one index.
func op1(code byte, index uint32) Code { return uleb([]byte{code}, uint64(index)) }

// Get and Set read and write a local, GlobalGet and GlobalSet a global.
func Get(local uint32) Code      { return op1(0x20, local) }
func Set(local uint32) Code      { return op1(0x21, local) }
func GlobalGet(i uint32) Code    { return op1(0x23, i) }
func GlobalSet(i uint32) Code    { return op1(0x24, i) }
func Call(fn uint32) Code        { return op1(0x10, fn) }
func I32(v int32) Code           { return sleb([]byte{0x41}, int64(v)) }
func I64(v int64) Code           { return sleb([]byte{0x42}, v) }
func F32(v float32) Code         { return binary.LittleEndian.AppendUint32([]byte{0x43}, math.Float32bits(v)) }
func mem(op byte, o uint32) Code { return uleb([]byte{op, 0}, uint64(o)) }

// Loads and stores at a constant offset from the address on the stack.
func I32Load(o uint32) Code  { return mem(0x28, o) }
func I64Load(o uint32) Code  { return mem(0x29, o) }
func F32Load(o uint32) Code  { return mem(0x2a, o) }
func I32Store(o uint32) Code { return mem(0x36, o) }
func I64Store(o uint32) Code { return mem(0x37, o) }
func F32Store(o uint32) Code { return mem(0x38, o) }

// The plain instructions that the kernels use.
var (
	Unreachable = Op(0x00)
	Return      = Op(0x0f)
	Drop        = Op(0x1a)
	End         = Op(0x0b)
	I32Eqz      = Op(0x45)
	I32GeS      = Op(0x4e)
	I32GeU      = Op(0x4f)
	I32Add      = Op(0x6a)
	I32Shl      = Op(0x74)
	I64Add      = Op(0x7c)
	I64Mul      = Op(0x7e)
	F32Add      = Op(0x92)
	WrapI64     = Op(0xa7)
)

// Block and Loop begin a structure without a result; Br and BrIf leave it.
var (
	Block = Code{0x02, 0x40}
	Loop  = Code{0x03, 0x40}
	If    = Code{0x04, 0x40}
)

func Br(depth uint32) Code   { return op1(0x0c, depth) }
func BrIf(depth uint32) Code { return op1(0x0d, depth) }

// Kernel is a function with the packed signature: locals 0 to 3 are its parameters, 4 and
// up are I32s locals of type i32.
type Kernel struct {
	Name string
	I32s int
	Body Code // without the last end
}

// Assemble makes a module that imports memory, data_base (global 0) and the named
// functions (0, 1, ...), holds data at data_base, and has a poll budget (global 1).
func Assemble(imports []string, data []byte, kernels ...Kernel) []byte {
	var types, imps, funcs, exports, codes [][]byte
	sig := func(s abi.Signature) []byte {
		b := uleb([]byte{0x60}, uint64(len(s.Params)))
		for _, p := range s.Params {
			b = append(b, byte(p))
		}
		b = uleb(b, uint64(len(s.Results)))
		for _, r := range s.Results {
			b = append(b, byte(r))
		}
		return b
	}
	str := func(s string) []byte { return append(uleb(nil, uint64(len(s))), s...) }
	from := func(name string, rest ...byte) []byte {
		return append(append(str(abi.ImportModule), str(name)...), rest...)
	}
	types = append(types, sig(abi.Kernel()))
	for i, name := range imports {
		s, _ := abi.Import(name)
		types = append(types, sig(s))
		imps = append(imps, from(name, 0, byte(i+1)))
	}
	imps = append(imps, from(abi.ImportMemory, 2, 0, abi.MemoryMinPages), from(abi.ImportDataBase, 3, 0x7f, 0))
	for i, k := range kernels {
		funcs = append(funcs, []byte{0})
		exports = append(exports, uleb(append(str(k.Name), 0), uint64(len(imports)+i)))
		locals := []byte{0}
		if k.I32s > 0 {
			locals = append(uleb([]byte{1}, uint64(k.I32s)), 0x7f)
		}
		body := append(append(locals, k.Body...), 0x0b)
		codes = append(codes, append(uleb(nil, uint64(len(body))), body...))
	}
	b := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	section := func(id byte, items [][]byte) {
		body := uleb(nil, uint64(len(items)))
		for _, it := range items {
			body = append(body, it...)
		}
		b = append(uleb(append(b, id), uint64(len(body))), body...)
	}
	section(1, types)
	section(2, imps)
	section(3, funcs)
	section(6, [][]byte{append(sleb([]byte{0x7f, 1, 0x41}, abi.PollBudget), 0x0b)})
	section(7, exports)
	section(10, codes)
	if data != nil {
		section(11, [][]byte{append(uleb([]byte{0, 0x23, 0, 0x0b}, uint64(len(data))), data...)})
	}
	return b
}

// withMessages adds a table of messages to a module.
func withMessages(wasm []byte, list ...abi.Message) []byte {
	table, err := abi.EncodeMessages(list)
	if err != nil {
		panic(err)
	}
	body := append(append(uleb(nil, uint64(len(abi.MessageSection))), abi.MessageSection...), table...)
	return append(uleb(append(wasm, 0), uint64(len(body))), body...)
}
