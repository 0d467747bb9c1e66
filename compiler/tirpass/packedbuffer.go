package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
)

// field is a number of a tensor that was passed, and what the function says that it is.
type field struct {
	want    tir.Expr
	at      tir.Expr // reads it, in the type of want
	where   string   // names the argument and the number
	message string   // of the check
}

// buffer checks what kind of tensor is behind handle h, and defines b's data and the variables
// that stand alone as an extent, a stride or the offset of b. The other numbers are due when
// all arguments have been read: an expression may use what a later dimension or parameter
// defines.
func (p *packer) buffer(param string, b *tir.Buffer, h tir.Expr) {
	where := p.name + "." + param
	p.assert(tir.NewBinary(tir.OpEQ, structGet(dtype.Int32T, h, 0, abi.KArrNDim), tir.Int32(int64(len(b.Shape)))),
		fmt.Sprintf("%s.ndim is expected to equal %d", where, len(b.Shape)))
	eq := func(d dtype.DType, f abi.StructField, want int64) tir.Expr {
		return tir.NewBinary(tir.OpEQ, structGet(d, h, 0, f), tir.Const(d, want))
	}
	p.assert(tir.And(tir.And(
		eq(dtype.UInt8T, abi.KArrTypeCode, int64(b.DType.Code)), eq(dtype.UInt8T, abi.KArrTypeBits, int64(b.DType.Bits))),
		eq(dtype.UInt16T, abi.KArrTypeLanes, int64(b.DType.Lanes))), where+".dtype is expected to be "+b.DType.String())
	if len(b.Shape) > 0 {
		shape := p.numbers(b.Name+"_shape", len(b.Shape), structGet(dtype.HandleT, h, 0, abi.KArrShape))
		for k, e := range b.Shape {
			at := fmt.Sprintf("%s.shape[%d]", where, k)
			p.read(field{e, tir.CastTo(e.DType(), tir.Load(shape, tir.Int32(int64(k)))), at, unsatisfied(at, e, fmt.Sprintf("shape[%d]", k))})
		}
	}
	ptr := structGet(dtype.HandleT, h, 0, abi.KArrStrides)
	if len(b.Strides) == 0 {
		p.assert(isNull(ptr), where+".strides: expected to be compact array")
	} else {
		p.assert(&tir.Not{A: isNull(ptr)}, where+".strides: expected to be given")
		strides := p.numbers(b.Name+"_strides", len(b.Strides), ptr)
		for k, e := range b.Strides {
			at := fmt.Sprintf("%s.strides[%d]", where, k)
			p.read(field{e, tir.CastTo(e.DType(), tir.Load(strides, tir.Int32(int64(k)))), at, unsatisfied(at, e, fmt.Sprintf("strides[%d]", k))})
		}
	}
	p.offset(b, structGet(dtype.UInt64T, h, 0, abi.KArrByteOffset), where)
	if !p.bound[b.Data] {
		p.let(b.Data, structGet(dtype.HandleT, h, 0, abi.KArrData))
		p.wrap(&tir.AttrStmt{Node: b.Data, Key: "storage_alignment", Value: tir.Int32(int64(b.DataAlignment))})
	}
	p.declare = append(p.declare, b)
}

// unsatisfied says that a number of an argument is not the expected one.
func unsatisfied(where string, want tir.Expr, got string) string {
	return "Argument " + where + " has an unsatisfied constraint: " + relax.FormatPrim(want) + " == " + got
}

// numbers is the array of n numbers at ptr.
func (p *packer) numbers(name string, n int, ptr tir.Expr) *tir.Buffer {
	v := &tir.Var{Name: name, Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Int64T}}}
	p.let(v, ptr)
	return &tir.Buffer{Data: v, DType: dtype.Int64T, Shape: []tir.Expr{tir.Int32(int64(n))}, Name: name, DataAlignment: tir.DefaultAlignment, OffsetFactor: 1}
}

// offset reads the offset of a tensor in bytes, which b counts in elements.
func (p *packer) offset(b *tir.Buffer, bytes tir.Expr, where string) {
	e, size := b.ElemOffset, int64(b.DType.Bytes())
	if e == nil {
		e = tir.Int32(0)
	}
	if v, ok := e.(*tir.Var); ok && !p.bound[v] {
		p.let(v, tir.FloorDiv(tir.CastTo(v.DType(), bytes), tir.Const(v.DType(), size)))
		return
	}
	f := field{tir.Mul(tir.CastTo(dtype.UInt64T, e), tir.Const(dtype.UInt64T, size)), bytes, where + ".byte_offset", ""}
	f.message = unsatisfied(f.where, f.want, "byte_offset")
	if _, ok := tir.AsInt(f.want); ok {
		p.assert(tir.NewBinary(tir.OpEQ, bytes, f.want), f.message)
		return
	}
	p.read(f)
}

// read defines the variable that f is, compares f with what is known, or leaves it for settle.
func (p *packer) read(f field) {
	v, ok := f.want.(*tir.Var)
	switch {
	case ok && !p.bound[v]:
		p.let(v, f.at)
	case len(p.unbound(f.want)) == 0:
		p.assert(tir.NewBinary(tir.OpEQ, f.want, f.at), f.message)
	default:
		p.due = append(p.due, f)
	}
}

// unbound lists the variables of e that are not defined yet.
func (p *packer) unbound(e tir.Expr) []*tir.Var {
	if _, ok := e.(*tir.IntImm); ok { // most are
		return nil
	}
	var out []*tir.Var
	for _, v := range freeVars(e) {
		if !p.bound[v] {
			out = append(out, v)
		}
	}
	return out
}

// settle compares what was due and declares the buffers. A variable that no parameter defines
// is what the verifier refuses; code for it would compare with what was in memory.
func (p *packer) settle() error {
	for _, f := range p.due {
		if free := p.unbound(f.want); len(free) > 0 {
			v := free[0].Name
			return fmt.Errorf("%s is %s, and no parameter defines %s: expected %s as a dimension of its own; give a tensor such a dimension, or add a parameter %s",
				f.where, relax.FormatPrim(f.want), v, v, v)
		}
		p.read(f)
	}
	for _, b := range p.declare {
		p.wrap(&tir.DeclBuffer{Base: b.Base, Buffer: b})
	}
	return nil
}
