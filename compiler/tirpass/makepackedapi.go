package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
)

// MakePackedAPI gives public functions the packed signature.
var MakePackedAPI = &pass.Pass{
	Name: "tir.MakePackedAPI", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Gives every function with a global_symbol the packed signature (self_handle, args, num_args, result) and checks the type, shape and strides of each argument at entry.",
	Run: pass.EachPrimFunc(func(_ *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if ir.GlobalSymbol(f) == "" || f.Attrs.Int(attrCallingConv, 0) != 0 {
			return f, nil
		}
		return packedAPI(ir.GlobalSymbol(f), f)
	}),
}

// packer builds the entry of a packed function: statements are wrapped around the body from
// the last to the first.
type packer struct {
	name  string
	wraps []func(tir.Stmt) tir.Stmt
	bound map[*tir.Var]bool
	args  *tir.Var
}

func packedAPI(name string, f *tir.PrimFunc) (*tir.PrimFunc, error) {
	p := &packer{name: name, bound: map[*tir.Var]bool{}, args: tir.NewVar("args", dtype.HandleT)}
	numArgs := tir.NewVar("num_args", dtype.Int32T)
	params := []*tir.Var{
		tir.NewVar("self_handle", dtype.HandleT), p.args, numArgs,
		{Name: "result", Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Void}}},
	}
	n := int64(len(f.Params))
	p.assert(tir.NewBinary(tir.OpEQ, numArgs, tir.Int32(n)), fmt.Sprintf("%s: num_args should be %d", name, n))
	if n > 0 {
		p.assert(&tir.Not{A: isNull(p.args)}, name+": args pointer is NULL")
	}
	handles := make([]tir.Expr, n)
	for i, v := range f.Params {
		var b *tir.Buffer
		if i < len(f.Buffers) {
			b = f.Buffers[i]
		}
		h, err := p.argument(i, v, b)
		if err != nil {
			return nil, err
		}
		handles[i] = h
	}
	for i, b := range f.Buffers {
		if b != nil {
			p.buffer(i, b, handles[i])
		}
	}
	body := returnsZero(f.Body, params[3])
	for i := len(p.wraps) - 1; i >= 0; i-- {
		body = p.wraps[i](body)
	}
	out := *f
	out.Params, out.Buffers, out.RetType, out.Body = params, make([]*tir.Buffer, len(params)), &ir.PrimType{DType: dtype.Int32T}, body
	out.Attrs = f.Attrs.With(attrCallingConv, callingCPacked)
	return &out, nil
}

func isNull(e tir.Expr) tir.Expr {
	return &tir.Call{Type: dtype.BoolT, Op: tir.OpIsNullPtr, Args: []tir.Expr{e}}
}

func (p *packer) wrap(f func(tir.Stmt) tir.Stmt) { p.wraps = append(p.wraps, f) }

func (p *packer) assert(cond tir.Expr, msg string) {
	if tir.IsConst(cond, 1) {
		return
	}
	p.wrap(func(body tir.Stmt) tir.Stmt {
		return &tir.AssertStmt{Cond: cond, Message: &tir.StringImm{Value: msg}, Body: body}
	})
}

func (p *packer) let(v *tir.Var, value tir.Expr) {
	p.bound[v] = true
	p.wrap(func(body tir.Stmt) tir.Stmt { return &tir.LetStmt{Var: v, Value: value, Body: body} })
}

func structGet(d dtype.DType, of tir.Expr, index int, field abi.StructField) tir.Expr {
	return &tir.Call{Type: d, Op: tir.OpStructGet, Args: []tir.Expr{of, tir.Int32(int64(index)), tir.Int32(int64(field))}}
}

// argument unpacks argument i: the handle of a tensor or a scalar.
func (p *packer) argument(i int, v *tir.Var, b *tir.Buffer) (tir.Expr, error) {
	code := tir.NewVar(v.Name+"_type_index", dtype.Int32T)
	p.let(code, structGet(dtype.Int32T, p.args, i, abi.KTVMFFIAnyTypeIndex))
	is := func(kinds ...int64) tir.Expr {
		var cond tir.Expr
		for _, k := range kinds {
			c := tir.Expr(tir.NewBinary(tir.OpEQ, code, tir.Int32(k)))
			if cond == nil {
				cond = c
			} else {
				cond = tir.Or(cond, c)
			}
		}
		return cond
	}
	d := v.DType()
	where := fmt.Sprintf("%s: argument %d (%s)", p.name, i, v.Name)
	switch {
	case b != nil || d.IsHandle():
		kinds := []int64{abi.TypeNone, abi.TypeOpaquePtr, abi.TypeDLTensorPtr, abi.TypeTensor}
		what := "a pointer"
		if b != nil {
			kinds, what = []int64{abi.TypeDLTensorPtr, abi.TypeTensor}, "a tensor"
		}
		p.assert(is(kinds...), where+" must be "+what)
		h := v
		if b != nil {
			h = tir.NewVar(b.Name+"_handle", dtype.HandleT)
		}
		p.let(h, structGet(dtype.HandleT, p.args, i, abi.KTVMFFIAnyUnionValue))
		return h, nil
	case d.IsFloat():
		p.assert(is(abi.TypeFloat), where+" must be a float")
		p.let(v, tir.CastTo(d, structGet(dtype.Float64T, p.args, i, abi.KTVMFFIAnyUnionValue)))
	case d.IsInteger() || d.IsBool():
		p.assert(is(abi.TypeInt, abi.TypeBool), where+" must be an integer")
		p.let(v, tir.CastTo(d, structGet(dtype.Int64T, p.args, i, abi.KTVMFFIAnyUnionValue)))
	default:
		return nil, fmt.Errorf("parameter %s of type %s has no packed form", v.Name, d)
	}
	return nil, nil
}

// buffer checks the tensor behind handle h against b and defines b's data, symbolic extents
// and strides.
func (p *packer) buffer(i int, b *tir.Buffer, h tir.Expr) {
	where := fmt.Sprintf("%s: argument %d (%s)", p.name, i, b.Name)
	p.assert(tir.NewBinary(tir.OpEQ, structGet(dtype.Int32T, h, 0, abi.KArrNDim), tir.Int32(int64(len(b.Shape)))),
		fmt.Sprintf("%s must have %d dimensions", where, len(b.Shape)))
	eq := func(d dtype.DType, f abi.StructField, want int64) tir.Expr {
		return tir.NewBinary(tir.OpEQ, structGet(d, h, 0, f), tir.Const(d, want))
	}
	p.assert(tir.And(tir.And(
		eq(dtype.UInt8T, abi.KArrTypeCode, int64(b.DType.Code)), eq(dtype.UInt8T, abi.KArrTypeBits, int64(b.DType.Bits))),
		eq(dtype.UInt16T, abi.KArrTypeLanes, int64(b.DType.Lanes))), where+" must have elements of type "+b.DType.String())
	shape := &tir.Var{Name: b.Name + "_shape", Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Int64T}}}
	if len(b.Shape) > 0 {
		p.let(shape, structGet(dtype.HandleT, h, 0, abi.KArrShape))
	}
	shapeBuf := &tir.Buffer{Data: shape, DType: dtype.Int64T, Shape: []tir.Expr{tir.Int32(int64(len(b.Shape)))}, Name: shape.Name, DataAlignment: tir.DefaultAlignment, OffsetFactor: 1}
	var late []func()
	for k, e := range b.Shape {
		at := tir.CastTo(e.DType(), tir.Load(shapeBuf, tir.Int32(int64(k))))
		if v, ok := e.(*tir.Var); ok && !p.bound[v] {
			p.let(v, at)
			continue
		}
		late = append(late, func() {
			msg := fmt.Sprintf("%s has another extent than expected in dimension %d", where, k)
			if n, ok := tir.AsInt(e); ok {
				msg = fmt.Sprintf("%s must have extent %d in dimension %d", where, n, k)
			}
			p.assert(tir.NewBinary(tir.OpEQ, e, at), msg)
		})
	}
	for _, f := range late {
		f()
	}
	p.strides(b, h, where)
	off := structGet(dtype.UInt64T, h, 0, abi.KArrByteOffset)
	if v, ok := b.ElemOffset.(*tir.Var); ok && !p.bound[v] {
		p.let(v, tir.FloorDiv(tir.CastTo(v.DType(), off), tir.Const(v.DType(), int64(b.DType.Bytes()))))
	} else {
		want := int64(0)
		if n, ok := tir.AsInt(b.ElemOffset); ok && b.ElemOffset != nil {
			want = n * int64(b.DType.Bytes())
		}
		p.assert(tir.NewBinary(tir.OpEQ, off, tir.Const(dtype.UInt64T, want)), fmt.Sprintf("%s must start at byte offset %d", where, want))
	}
	if !p.bound[b.Data] {
		p.let(b.Data, structGet(dtype.HandleT, h, 0, abi.KArrData))
		p.wrap(func(body tir.Stmt) tir.Stmt {
			return &tir.AttrStmt{Node: b.Data, Key: "storage_alignment", Value: tir.Int32(int64(b.DataAlignment)), Body: body}
		})
	}
	p.wrap(func(body tir.Stmt) tir.Stmt { return &tir.DeclBuffer{Base: b.Base, Buffer: b, Body: body} })
}

// strides requires a compact tensor where b has no strides, and binds or checks them where
// it has.
func (p *packer) strides(b *tir.Buffer, h tir.Expr, where string) {
	ptr := structGet(dtype.HandleT, h, 0, abi.KArrStrides)
	if len(b.Strides) == 0 {
		p.assert(isNull(ptr), where+" must be compact (it has strides)")
		return
	}
	p.assert(&tir.Not{A: isNull(ptr)}, where+" must have strides")
	v := &tir.Var{Name: b.Name + "_strides", Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Int64T}}}
	p.let(v, ptr)
	buf := &tir.Buffer{Data: v, DType: dtype.Int64T, Shape: []tir.Expr{tir.Int32(int64(len(b.Strides)))}, Name: v.Name, DataAlignment: tir.DefaultAlignment, OffsetFactor: 1}
	for k, e := range b.Strides {
		at := tir.CastTo(e.DType(), tir.Load(buf, tir.Int32(int64(k))))
		if sv, ok := e.(*tir.Var); ok && !p.bound[sv] {
			p.let(sv, at)
			continue
		}
		p.assert(tir.NewBinary(tir.OpEQ, e, at), fmt.Sprintf("%s has another stride than expected in dimension %d", where, k))
	}
}

// returnsZero appends the return of the packed convention; a T.ret of a value stores that
// as the result first.
func returnsZero(body tir.Stmt, result *tir.Var) tir.Stmt {
	ret0 := &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpRet, Args: []tir.Expr{tir.Int32(0)}}}
	body = tir.RewriteStmt(body, func(s tir.Stmt) tir.Stmt {
		e, ok := s.(*tir.Evaluate)
		if !ok {
			return s
		}
		c, ok := tir.IsCallTo(e.Value, tir.OpRet)
		if !ok {
			return s
		}
		v := c.Args[0]
		kind, wide := int64(abi.TypeInt), tir.CastTo(dtype.Int64T, v)
		switch {
		case v.DType().IsFloat():
			kind, wide = abi.TypeFloat, tir.CastTo(dtype.Float64T, v)
		case v.DType().IsHandle():
			kind, wide = abi.TypeOpaquePtr, v
		}
		set := func(f abi.StructField, x tir.Expr) tir.Stmt {
			return &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpStructSet, Args: []tir.Expr{result, tir.Int32(0), tir.Int32(int64(f)), x}}}
		}
		return tir.Seq(set(abi.KTVMFFIAnyTypeIndex, tir.Int32(kind)), set(abi.KTVMFFIAnyUnionValue, wide), ret0)
	}, nil)
	return tir.Seq(body, ret0)
}
