package lower

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// call translates a call of an intrinsic or of a function of the module.
func (w *Walker) call(e *tir.Call) Value {
	what := KindName(e)
	o, ok := e.Op.(*ir.Op)
	if !ok {
		return w.intrinsic("", e, what)
	}
	if b := tir.LookupBuiltin(o.Name); b != nil && b.Arity >= 0 && len(e.Args) != b.Arity {
		w.Fail(what, "%d arguments, expected %d", len(e.Args), b.Arity)
	}
	if v, ok := w.mathCall(o.Name, e, what); ok {
		return v
	}
	switch o.Name {
	case tir.OpRet.Name:
		v := w.Expr(e.Args[0])
		if !w.Plain {
			v = w.Cast(v, dtype.Int32T, what)
		}
		w.Add(Item{Kind: ItemReturn, Args: w.Operands(v.Scalar())})
		return w.nothing()
	case tir.OpLikely.Name:
		return w.Expr(e.Args[0])
	case tir.OpAssume.Name, tir.OpStorageSync.Name, tir.OpProfile.Name, tir.OpProfileEnd.Name:
		return w.nothing()
	case tir.OpUndef.Name, tir.OpTypeAnnot.Name:
		w.ValType(e.Type, what)
		return w.Splat(e.Type, w.Number(e.Type.Elem(), 0, what))
	case tir.OpIfThenElse.Name:
		return w.ifThenElse(e.Args[0], e.Args[1], e.Args[2], what)
	case tir.OpReinterpret.Name:
		return w.reinterpret(w.Expr(e.Args[0]), e.Type, what)
	case tir.OpAddressOf.Name:
		l, ok := e.Args[0].(*tir.BufferLoad)
		if !ok {
			w.Fail(what, "the argument must be a BufferLoad")
		}
		p := w.Place(l.Buffer, l.Indices, what)
		return One(dtype.HandleT, w.Sum(w.pointer(l.Buffer.Data, what), p.At.Scale(ElemBytes(l.Buffer.DType))))
	case "tir.handle_add_byte_offset":
		return One(dtype.HandleT, w.Sum(w.ScalarExpr(e.Args[0], what), w.Lin(e.Args[1])))
	case tir.OpIsNullPtr.Name:
		return One(dtype.BoolT, w.Fn(Eqz, w.ScalarExpr(e.Args[0], what)))
	case tir.OpBreakLoop.Name, tir.OpContinueLoop.Name:
		if len(w.loops) == 0 {
			w.Fail(what, "outside of a loop")
		}
		to := w.loops[len(w.loops)-1].exit
		if o.Name == tir.OpContinueLoop.Name {
			to = w.loops[len(w.loops)-1].next
		}
		w.Add(Item{Kind: ItemBreak, Target: to})
		return w.nothing()
	case tir.OpLargeUIntImm.Name:
		lo, _ := tir.AsInt(e.Args[0])
		hi, _ := tir.AsInt(e.Args[1])
		return One(e.Type, w.Int(64, hi<<32|lo&0xffffffff))
	case tir.OpVectorLow.Name, tir.OpVectorHigh.Name, tir.OpVectorCombine.Name:
		return w.vectorHalves(o.Name, e)
	case tir.OpDp4a.Name:
		return w.dot(e, what)
	case tir.OpStructGet.Name:
		return w.structGet(e, what)
	case tir.OpStructSet.Name:
		w.structSet(e, what)
		return w.nothing()
	}
	return w.intrinsic(o.Name, e, what)
}

// nothing is the value of a call for its effect.
func (w *Walker) nothing() Value { return One(dtype.Int32T, w.Int(32, 0)) }

// intrinsic leaves a call to the generator.
func (w *Walker) intrinsic(name string, e *tir.Call, what string) Value {
	v, ok := w.gen.Intrinsic(name, e, what)
	if !ok {
		w.Fail(what, "this intrinsic is not supported")
	}
	return v
}

// field returns the place of a field of the handle[index].
func (w *Walker) field(e *tir.Call, what string) (Access, Field) {
	number, ok := tir.AsInt(e.Args[2])
	if !ok {
		w.Fail(what, "the field must be a constant")
	}
	f, ok := w.gen.Field(number)
	if !ok {
		w.Fail(what, "unknown field %d", number)
	}
	l := w.Lin(e.Args[1]).Scale(f.Struct)
	l.C += f.Offset
	base, off := w.Address(w.ScalarExpr(e.Args[0], what), l, "cell")
	return Access{Address: base, Offset: off}, f
}

func (w *Walker) structGet(e *tir.Call, what string) Value {
	a, f := w.field(e, what)
	d := e.Type
	if f.Address {
		return One(dtype.HandleT, w.Sum(a.Address, Lin{C: int64(a.Offset)}))
	}
	from := dtype.Int64T
	switch {
	case f.Size == 1:
		from = dtype.UInt8T
	case f.Size == 2:
		from = dtype.UInt16T
	case d.IsHandle():
		from = dtype.HandleT
	case f.Size == 4, d.IsBool():
		from = dtype.Int32T
	case d.IsFloat():
		from = dtype.Float64T
	}
	a.Op, _ = w.gen.ScalarMem(from)
	n := w.LoadScalar(a, from, "")
	if d.IsHandle() {
		return One(d, n)
	}
	return w.Cast(One(from, n), d, what)
}

func (w *Walker) structSet(e *tir.Call, what string) {
	a, f := w.field(e, what)
	v := w.Expr(e.Args[3])
	n, as := v.Scalar(), dtype.Int32T
	switch {
	case f.Size == 8 && (v.DType.IsHandle() || v.DType.IsBool()):
		n, as = w.extended(n, ExtendU), dtype.Int64T
	case f.Size == 8 && v.DType.IsFloat():
		n, as = w.Cast(v, dtype.Float64T, what).Scalar(), dtype.Float64T
	case f.Size == 8:
		n, as = w.Cast(v, dtype.Int64T, what).Scalar(), dtype.Int64T
	case v.DType.IsFloat():
		w.Fail(what, "field %s cannot hold %s", f.Name, v.DType)
	default:
		if w.bitsOf(n) == 64 {
			n = w.Fn(Wrap, n)
		}
		as.Bits = uint8(8 * f.Size)
	}
	_, a.Op = w.gen.ScalarMem(as)
	w.Store(a, n)
}
