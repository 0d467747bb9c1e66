package tir

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// BufferKind says whether dimensions of extent 1 broadcast.
type BufferKind uint8

// The kinds of buffer.
const (
	BufferDefault BufferKind = iota
	BufferAutoBroadcast
)

// Buffer is an n-dimensional view of memory, equal only to itself. The element at indices i
// is at Data[ElemOffset + sum(i*Strides)]; no strides means row-major and compact.
//
// A Buffer is a leaf for ir.Walk and a Mapper: who defines or changes one looks at its
// fields itself.
type Buffer struct {
	ir.Base
	Data           *Var // of PointerType
	DType          dtype.DType
	Shape          []Expr
	Strides        []Expr
	ElemOffset     Expr // in elements; nil is 0
	Name           string
	DataAlignment  int // in bytes
	OffsetFactor   int // ElemOffset is a multiple of it; 0 is unknown
	Kind           BufferKind
	AxisSeparators []int
}

// DefaultAlignment is the alignment in bytes of the data of a buffer.
const DefaultAlignment = 64

// NewBuffer returns a compact buffer in memory scope ("" is "global") with a data pointer
// of its own.
func NewBuffer(name string, dt dtype.DType, shape []Expr, scope string) *Buffer {
	if scope == "global" {
		scope = ""
	}
	data := &Var{Name: name, Type: &ir.PointerType{Elem: &ir.PrimType{DType: dt}, Scope: scope}}
	return &Buffer{Data: data, DType: dt, Shape: shape, Name: name, DataAlignment: DefaultAlignment, OffsetFactor: 1}
}

// Scope returns the memory scope, "global" if none is written.
func (b *Buffer) Scope() string {
	if p, ok := b.Data.Type.(*ir.PointerType); ok && p.Scope != "" {
		return p.Scope
	}
	return "global"
}

// EachChild has nothing to visit: buffers are leaves.
func (*Buffer) EachChild(func(ir.Node)) {}

// EachExpr calls f for the data variable, the shape, the strides and the element offset.
func (b *Buffer) EachExpr(f func(Expr)) {
	f(b.Data)
	for _, e := range b.Shape {
		f(e)
	}
	for _, e := range b.Strides {
		f(e)
	}
	if b.ElemOffset != nil {
		f(b.ElemOffset)
	}
}

// MapExprs returns the buffer with its data variable, shape, strides and offset mapped
// through f; b itself if nothing changed. The image of the data variable must be a *Var.
func (b *Buffer) MapExprs(f func(Expr) Expr) *Buffer {
	data := f(b.Data).(*Var)
	shape, strides, off := ir.MapSame(b.Shape, f), ir.MapSame(b.Strides, f), b.ElemOffset
	if off != nil {
		off = f(off)
	}
	if data == b.Data && off == b.ElemOffset && same(shape, b.Shape) && same(strides, b.Strides) {
		return b
	}
	out := *b
	out.Data, out.Shape, out.Strides, out.ElemOffset = data, shape, strides, off
	return &out
}

// BufferRegion is the part Region of Buffer, one range for each dimension.
type BufferRegion struct {
	ir.Base
	Buffer *Buffer
	Region []*Range
}

// MatchBufferRegion defines Buffer as a view of Source.
type MatchBufferRegion struct {
	ir.Base
	Buffer *Buffer `ir:"bind"`
	Source *BufferRegion
}

// FullRegion returns the region that covers all of b.
func FullRegion(b *Buffer) *BufferRegion {
	region := make([]*Range, len(b.Shape))
	for i, n := range b.Shape {
		region[i] = &Range{Min: Const(n.DType(), 0), Extent: n}
	}
	return &BufferRegion{Buffer: b, Region: region}
}
