package onnx

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	host "github.com/irscope/irscope/runtime/tensor"
)

// value is what an ONNX name stands for: an expression, elements that are known during the
// import, or both.
type value struct {
	expr  relax.Expr // nil: only elements are known, and nobody has needed them as a tensor yet
	known *known
	list  *list // of a sequence, which is no tensor
	// stack is a sequence whose length shows at run time: its elements, which have one shape, along a new first axis.
	stack relax.Expr
	// absent says that it is an optional value without an element.
	absent bool
}

// known is a small tensor whose elements are expressions over constants and the symbolic
// dimensions of the inputs: shapes, axes, and what models compute from them.
type known struct {
	dtype dtype.DType
	shape []int64
	elems []tir.Expr
}

// The most elements of a constant that are looked at one by one (weights are larger), and
// of all such constants and of the operations on them together.
const (
	maxKnownInts   = 4096
	maxKnownFloats = 16
	maxFolded      = 1 << 20
)

func scalar(d dtype.DType, e tir.Expr) *known { return &known{dtype: d, elems: []tir.Expr{e}} }

func vector(d dtype.DType, es []tir.Expr) *known {
	return &known{dtype: d, shape: []int64{int64(len(es))}, elems: es}
}

func maxKnown(d dtype.DType) int64 {
	if d.IsFloat() {
		return maxKnownFloats
	}
	return maxKnownInts
}

// ints returns the elements of k if all are integer constants.
func (k *known) ints() ([]int64, bool) { return relax.StaticInts(k.elems) }

// knownOf returns the elements of a small constant, nil for all else.
func knownOf(b *ir.Blob) *known {
	d := b.DType()
	n := b.NumElements()
	if n > maxKnown(d) {
		return nil
	}
	elems := make([]tir.Expr, n)
	for i := range elems {
		raw := b.Elem(int64(i))
		switch {
		case d == dtype.Float32T:
			elems[i] = tir.FloatConst(d, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		case d == dtype.Float64T:
			elems[i] = tir.FloatConst(d, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		case d == dtype.Float16T || d == dtype.BFloat16T:
			elems[i] = tir.FloatConst(d, (&host.Tensor{DType: d, Data: raw}).Float(0))
		case d.IsInteger() || d.IsBool():
			var buf [8]byte
			copy(buf[:], raw)
			v := int64(binary.LittleEndian.Uint64(buf[:]))
			if shift := 64 - 8*len(raw); d.IsInt() {
				v = v << shift >> shift
			}
			elems[i] = tir.Const(d, v)
		default:
			return nil
		}
	}
	return &known{dtype: d, shape: b.Shape(), elems: elems}
}

// blob returns k as a constant if all elements are constants.
func (k *known) blob() (*ir.Blob, bool) {
	w := k.dtype.Bytes()
	data := make([]byte, 0, w*len(k.elems))
	for _, e := range k.elems {
		raw, ok := scalarBytes(k.dtype, e)
		if !ok {
			return nil, false
		}
		data = append(data, raw...)
	}
	b, err := ir.NewBlob(k.dtype, k.shape, data)
	return b, err == nil
}

// scalarBytes encodes one constant element.
func scalarBytes(d dtype.DType, e tir.Expr) ([]byte, bool) {
	var bits uint64
	switch e := e.(type) {
	case *tir.IntImm:
		bits = uint64(e.Value)
		switch d {
		case dtype.Float32T:
			bits = uint64(math.Float32bits(float32(e.Value)))
		case dtype.Float64T:
			bits = math.Float64bits(float64(e.Value))
		}
	case *tir.FloatImm:
		if !d.IsFloat() {
			return nil, false
		}
		raw, err := ir.EncodeFloat(d, e.Value)
		return raw, err == nil
	default:
		return nil, false
	}
	var buf [8]byte
	binary.LittleEndian.PutUint64(buf[:], bits)
	return buf[:d.Bytes()], true
}

// tensorInfo returns the struct info of v as a tensor, nil if it is none.
func (v *value) tensorInfo() *relax.TensorStructInfo {
	if v.expr == nil && v.known == nil {
		return nil
	}
	if v.expr == nil {
		return relax.StaticTensor(v.known.dtype, v.known.shape...)
	}
	t, _ := relax.SInfoOf(v.expr).(*relax.TensorStructInfo)
	return t
}

// elems returns the elements of v if they are known, nil otherwise.
func (g *graph) elems(v *value) *known {
	if v.known == nil {
		if c, ok := v.expr.(*relax.Constant); ok && g.fold > 0 {
			if v.known = knownOf(c.Data); v.known != nil {
				g.fold -= len(v.known.elems)
			}
		}
	}
	return v.known
}
