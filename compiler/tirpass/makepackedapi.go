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
	Needs: []pass.Need{{Form: pass.FlatBuffers, Why: "arguments are passed as flat buffers"}},
	Doc:   "Gives every function with a global_symbol the packed signature (self_handle, args, num_args, result) and checks the type, shape and strides of each argument at entry.",
	Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if ir.GlobalSymbol(f) == "" || f.Attrs.Int(ir.AttrCallingConv, 0) != 0 {
			c.Declined("give the packed signature", f, "it is private, or has another calling convention already")
			return f, nil
		}
		out, err := packedAPI(ir.GlobalSymbol(f), f)
		if err == nil {
			c.Rewrite("give the packed signature", f, out)
		}
		return out, err
	}),
}

// packer builds the entry of a packed function: statements are wrapped around the body from
// the last to the first. What defines variables comes before what compares with them, whatever
// the order of parameters and dimensions.
type packer struct {
	name  string
	wraps []func(tir.Stmt) tir.Stmt
	bound map[*tir.Var]bool
	args  *tir.Var
	due   []field // compared when their variables are defined
	// declare holds the buffers of parameters, whose shapes may need variables that are defined last.
	declare []*tir.Buffer
}

// maxPacked bounds the parameters of a packed function: the checks of each nest in those of the one
// before.
const maxPacked = 1 << 12

func packedAPI(name string, f *tir.PrimFunc) (*tir.PrimFunc, error) {
	if len(f.Params) > maxPacked {
		return nil, fmt.Errorf("%s has %d parameters, more than the %d that can be passed: combine tensors", name, len(f.Params), maxPacked)
	}
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
	if err := p.settle(); err != nil {
		return nil, err
	}
	body := returnsZero(f.Body, params[3])
	for i := len(p.wraps) - 1; i >= 0; i-- {
		body = p.wraps[i](body)
	}
	out := *f
	out.Params, out.Buffers, out.RetType, out.Body = params, make([]*tir.Buffer, len(params)), &ir.PrimType{DType: dtype.Int32T}, body
	out.Attrs = f.Attrs.With(ir.AttrCallingConv, callingCPacked)
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
