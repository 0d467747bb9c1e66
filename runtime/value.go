package runtime

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Kind says what a Value holds.
type Kind uint8

// The kinds of values that packed calls pass.
const (
	KindNull Kind = iota
	KindInt
	KindBool
	KindFloat
	KindDType
	KindString
	KindShape
	KindTensor
	KindTuple
	KindFunc
	KindStorage
	KindContext
)

// String names the kind as error messages do.
func (k Kind) String() string {
	names := [...]string{"None", "int", "bool", "float", "DataType", "str", "Shape", "Tensor", "Tuple", "Function", "Storage", "VM context"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown kind " + strconv.Itoa(int(k))
}

// Value is an argument or result of a packed call. The zero Value is None. Tensors,
// storages, tuples and functions in it are references: whoever keeps a Value retains it,
// and releases it afterwards.
type Value struct {
	kind Kind
	bits uint64
	ref  any
}

// Null is None.
func Null() Value { return Value{} }

// Int wraps an integer.
func Int(v int64) Value { return Value{kind: KindInt, bits: uint64(v)} }

// Bool wraps a truth value.
func Bool(v bool) Value {
	if v {
		return Value{kind: KindBool, bits: 1}
	}
	return Value{kind: KindBool}
}

// Float wraps a floating-point number.
func Float(v float64) Value { return Value{kind: KindFloat, bits: math.Float64bits(v)} }

// DType wraps an element type.
func DType(d dtype.DType) Value {
	return Value{kind: KindDType, bits: uint64(d.Code) | uint64(d.Bits)<<8 | uint64(d.Lanes)<<16}
}

// String wraps text.
func String(s string) Value { return Value{kind: KindString, ref: s} }

// Shape wraps a shape, which must not be written afterwards.
func Shape(dims []int64) Value { return Value{kind: KindShape, ref: dims} }

// TensorValue wraps a tensor on a device without retaining it.
func TensorValue(t *Tensor) Value { return Value{kind: KindTensor, ref: t} }

// StorageValue wraps a storage without retaining it.
func StorageValue(s *Storage) Value { return Value{kind: KindStorage, ref: s} }

// FuncValue wraps a function without retaining it.
func FuncValue(f Func) Value { return Value{kind: KindFunc, ref: f} }

// ContextValue wraps the machine that interprets a call, for builtins that need it.
func ContextValue(vm any) Value { return Value{kind: KindContext, ref: vm} }

// Tuple is a sequence of values, counted by reference as a whole.
type Tuple struct {
	Fields []Value
	refs   atomic.Int32
}

// TupleValue makes a tuple of fields, retaining each; the caller owns the tuple.
func TupleValue(fields ...Value) Value {
	t := &Tuple{Fields: append([]Value(nil), fields...)}
	t.refs.Store(1)
	for _, f := range fields {
		f.Retain()
	}
	return Value{kind: KindTuple, ref: t}
}

// Kind says what v holds.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is None.
func (v Value) IsNull() bool { return v.kind == KindNull }

// AsInt returns an int or bool.
func (v Value) AsInt() (int64, bool) {
	return int64(v.bits), v.kind == KindInt || v.kind == KindBool
}

// AsFloat returns a float, int or bool.
func (v Value) AsFloat() (float64, bool) {
	if v.kind == KindFloat {
		return math.Float64frombits(v.bits), true
	}
	i, ok := v.AsInt()
	return float64(i), ok
}

// AsDType returns an element type.
func (v Value) AsDType() (dtype.DType, bool) {
	return dtype.DType{Code: dtype.Code(v.bits), Bits: uint8(v.bits >> 8), Lanes: uint16(v.bits >> 16)}, v.kind == KindDType
}

// AsString returns text.
func (v Value) AsString() (string, bool) {
	s, ok := v.ref.(string)
	return s, ok
}

// AsShape returns a shape, which must not be written.
func (v Value) AsShape() ([]int64, bool) {
	s, ok := v.ref.([]int64)
	return s, ok
}

// AsTensor returns a tensor on a device.
func (v Value) AsTensor() (*Tensor, bool) {
	t, ok := v.ref.(*Tensor)
	return t, ok
}

// AsStorage returns a storage.
func (v Value) AsStorage() (*Storage, bool) {
	s, ok := v.ref.(*Storage)
	return s, ok
}

// AsTuple returns a tuple.
func (v Value) AsTuple() (*Tuple, bool) {
	t, ok := v.ref.(*Tuple)
	return t, ok
}

// AsFunc returns a function.
func (v Value) AsFunc() (Func, bool) {
	if v.kind != KindFunc {
		return nil, false
	}
	f, ok := v.ref.(Func)
	return f, ok
}

// Context returns what ContextValue wrapped, nil for other values.
func (v Value) Context() any {
	if v.kind != KindContext {
		return nil
	}
	return v.ref
}

// counted is a Func with something to release.
type counted interface {
	Retain()
	Release()
}

// Retain adds a reference to what v refers to; it does nothing for plain values.
func (v Value) Retain() {
	switch v.kind {
	case KindTensor:
		v.ref.(*Tensor).Retain()
	case KindStorage:
		v.ref.(*Storage).Retain()
	case KindTuple:
		v.ref.(*Tuple).refs.Add(1)
	case KindFunc:
		if c, ok := v.ref.(counted); ok {
			c.Retain()
		}
	}
}

// Release drops a reference. What nothing refers to any more gives its memory back.
func (v Value) Release() {
	switch v.kind {
	case KindTensor:
		v.ref.(*Tensor).Release()
	case KindStorage:
		v.ref.(*Storage).Release()
	case KindTuple:
		t := v.ref.(*Tuple)
		if t.refs.Add(-1) == 0 {
			for _, f := range t.Fields {
				f.Release()
			}
			t.Fields = nil
		}
	case KindFunc:
		if c, ok := v.ref.(counted); ok {
			c.Release()
		}
	}
}

// String describes v for messages and logs; nested tuples are shown to a depth of four.
func (v Value) String() string { return v.text(4) }

func (v Value) text(depth int) string {
	switch v.kind {
	case KindInt:
		return strconv.FormatInt(int64(v.bits), 10)
	case KindBool:
		return strconv.FormatBool(v.bits != 0)
	case KindFloat:
		return strconv.FormatFloat(math.Float64frombits(v.bits), 'g', -1, 64)
	case KindDType:
		d, _ := v.AsDType()
		return d.String()
	case KindString:
		return strconv.Quote(v.ref.(string))
	case KindShape:
		return tensor.ShapeString(v.ref.([]int64))
	case KindTensor:
		return v.ref.(*Tensor).String()
	case KindStorage:
		return fmt.Sprintf("storage[%d]", v.ref.(*Storage).size)
	case KindFunc:
		return "function " + v.ref.(Func).Name()
	case KindTuple:
		t := v.ref.(*Tuple)
		if depth == 0 {
			return "(...)"
		}
		var parts []string
		for _, f := range t.Fields {
			parts = append(parts, f.text(depth-1))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return v.kind.String()
}
