package wasmbin

import "strings"

// ValType is the type of a value: its constant is the byte of the binary format.
type ValType byte

// The value types that kernels use; None stands for "no value".
const (
	None ValType = 0
	I32  ValType = 0x7f
	I64  ValType = 0x7e
	F32  ValType = 0x7d
	F64  ValType = 0x7c
	V128 ValType = 0x7b
)

// String spells t as the text format does.
func (t ValType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	}
	return "none"
}

// valTypeOf maps the letters of the opcode tables to types; '?' (any type) maps to None.
func valTypeOf(c byte) ValType {
	switch c {
	case 'i':
		return I32
	case 'l':
		return I64
	case 'f':
		return F32
	case 'd':
		return F64
	case 'v':
		return V128
	}
	return None
}

// FuncType is the signature of a function.
type FuncType struct {
	Params, Results []ValType
}

// key is a comparable form of the signature.
func (t FuncType) key() string {
	var b strings.Builder
	for _, p := range t.Params {
		b.WriteByte(byte(p))
	}
	b.WriteByte(0)
	for _, r := range t.Results {
		b.WriteByte(byte(r))
	}
	return b.String()
}
