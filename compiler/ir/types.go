package ir

import (
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
)

// Type is the type of a loop-level variable: *PrimType, *PointerType, *TupleType or *FuncType.
type Type interface {
	Node
	String() string
	isType()
}

// PrimType is a scalar or vector type.
type PrimType struct {
	Base
	DType dtype.DType
}

// PointerType points at elements of type Elem in the memory named Scope; "" is "global".
type PointerType struct {
	Base
	Elem  Type
	Scope string
}

// TupleType is a tuple; with no fields it is the type of statements (void).
type TupleType struct {
	Base
	Fields []Type
}

// FuncType is the type of a function.
type FuncType struct {
	Base
	Params []Type
	Ret    Type
}

func (*PrimType) isType()    {}
func (*PointerType) isType() {}
func (*TupleType) isType()   {}
func (*FuncType) isType()    {}

// EachChild has nothing to visit.
func (*PrimType) EachChild(func(Node)) {}

// EachChild visits the element type.
func (t *PointerType) EachChild(f func(Node)) { f(t.Elem) }

// EachChild visits the fields.
func (t *TupleType) EachChild(f func(Node)) {
	for _, x := range t.Fields {
		f(x)
	}
}

// EachChild visits the parameter types, then the result type.
func (t *FuncType) EachChild(f func(Node)) {
	for _, x := range t.Params {
		f(x)
	}
	f(t.Ret)
}

// String spells the type, e.g. "float32".
func (t *PrimType) String() string { return t.DType.String() }

// String spells the type, e.g. "handle(float32, global)".
func (t *PointerType) String() string {
	s := "handle(" + t.Elem.String()
	if t.Scope != "" {
		s += ", " + t.Scope
	}
	return s + ")"
}

// String spells the type, e.g. "tuple(float32, int64)".
func (t *TupleType) String() string { return "tuple(" + joinTypes(t.Fields) + ")" }

// String spells the type, e.g. "func(float32) -> int64".
func (t *FuncType) String() string { return "func(" + joinTypes(t.Params) + ") -> " + t.Ret.String() }

func joinTypes(ts []Type) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = t.String()
	}
	return strings.Join(parts, ", ")
}

// VoidType returns the empty tuple type.
func VoidType() Type { return voidType }

var voidType = &TupleType{}

// TypeDType returns the element type that a variable of type t has: handle for pointers,
// void for tuples.
func TypeDType(t Type) dtype.DType {
	switch t := t.(type) {
	case *PrimType:
		return t.DType
	case *PointerType, *FuncType:
		return dtype.HandleT
	case *TupleType, nil:
		return dtype.Void
	}
	panic("ir: unknown type " + t.String())
}
