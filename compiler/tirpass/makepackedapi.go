package tirpass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// MakePackedAPI gives public functions the packed signature.
var MakePackedAPI = &pass.Pass{
	Name: "tir.MakePackedAPI", Kind: pass.PrimFunc, Lowering: true,
	Needs: []pass.Need{{Form: pass.NoBlocks, Why: "a block knows no buffers from outside of its function", Strict: true}, {Form: pass.FlatBuffers, Why: "arguments are passed as flat buffers"}},
	Doc:   "Gives every function with a global_symbol the packed signature (self_handle, args, num_args, result) and checks the type, shape and strides of each argument at entry. For hosts that run TVM's code, entries get the prefix of TVM's symbols, and calls between them are packed.",
	Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if ir.GlobalSymbol(f) == "" || f.Attrs.Int(ir.AttrCallingConv, 0) != 0 {
			c.Declined("give the packed signature", f, "it is private, or has another calling convention already")
			return f, nil
		}
		own := ownConvention(f)
		if !own && hostOf(f.Attrs.Str(ir.AttrTarget, "")) == "" {
			c.Declined("give the packed signature", f, "its target has no host: it is code of a device, or was given it already")
			return f, nil
		}
		out, err := packedAPI(ir.GlobalSymbol(f), callsPacked(c, f), own)
		if err == nil {
			c.Rewrite("give the packed signature", f, out)
		}
		return out, err
	}),
}

// entryPrefix begins the names of entries in libraries that TVM loads.
const entryPrefix = "__tvm_ffi_"

// ownConvention reports whether the code of a function is made and run here, where entries keep their names, rather than by TVM's generators.
func ownConvention(f *tir.PrimFunc) bool {
	text := f.Attrs.Str(ir.AttrTarget, "")
	if text == "" {
		return true
	}
	t, err := target.Parse(text)
	if err != nil { // a kind that nobody knows is refused where code is made
		return farDevices[targetKind(text)] == 0 && hostOf(text) == ""
	}
	return t.Kind().Code || t.Host().Kind().Code
}

// callsPacked makes calls of functions that get the packed signature of TVM calls by that convention.
func callsPacked(c *pass.Context, f *tir.PrimFunc) *tir.PrimFunc {
	if c.Step() == nil { // the function is packed on its own
		return f
	}
	m := c.Step().Input
	return f.WithBody(tir.RewriteStmt(f.Body, nil, func(e tir.Expr) tir.Expr {
		call, ok := e.(*tir.Call)
		if !ok {
			return e
		}
		gv, ok := call.Op.(*ir.GlobalVar)
		if !ok || m == nil {
			return e
		}
		callee, ok := m.Lookup(gv.Name).(*tir.PrimFunc)
		if !ok || ir.GlobalSymbol(callee) == "" || callee.Attrs.Int(ir.AttrCallingConv, 0) != 0 || ownConvention(callee) {
			return e
		}
		args := append([]tir.Expr{&tir.StringImm{Base: call.Base, Value: ir.GlobalSymbol(callee)}}, call.Args...)
		null := &tir.Call{Type: dtype.HandleT, Op: tir.OpReinterpret, Args: []tir.Expr{tir.Const(dtype.UInt64T, 0)}}
		return &tir.Call{Base: call.Base, Type: call.Type, Op: tir.OpCallCPacked, Args: append(args, null)}
	}))
}

// packer builds the entry of a packed function: statements are wrapped around the body from
// the last to the first. What defines variables comes before what compares with them, whatever
// the order of parameters and dimensions.
type packer struct {
	name  string
	wraps []tir.Stmt
	bound map[*tir.Var]bool
	args  *tir.Var
	due   []field // compared when their variables are defined
	// declare holds the buffers of parameters, whose shapes may need variables that are defined last.
	declare []*tir.Buffer
}

// maxPacked bounds the parameters of a packed function that TVM runs: the checks of each nest in those of the one
// before. One that is run here has abi.MaxArgs at the most.
const maxPacked = 1 << 12

func packedAPI(name string, f *tir.PrimFunc, own bool) (*tir.PrimFunc, error) {
	most := maxPacked
	if own {
		most = abi.MaxArgs
	}
	if len(f.Params) > most {
		return nil, fmt.Errorf("%s has %d parameters, more than the %d that can be passed: combine tensors", name, len(f.Params), most)
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
	var reads []func()
	for i, v := range f.Params {
		var b *tir.Buffer
		if i < len(f.Buffers) {
			b = f.Buffers[i]
		}
		read, err := p.argument(i, v, b)
		if err != nil {
			return nil, err
		}
		reads = append(reads, func() { handles[i] = read() })
	}
	for _, read := range reads { // when all types are known to be right
		read()
	}
	for i, b := range f.Buffers {
		if b != nil {
			p.buffer(f.Params[i].Name, b, handles[i])
		}
	}
	if err := p.settle(); err != nil {
		return nil, err
	}
	if inParallel(f.Body) {
		return nil, errors.New("tir.ret cannot be used in parallel scope: what iteration would return is not defined")
	}
	cast := tir.CastTo
	if !own { // as TVM writes it
		cast = func(d dtype.DType, e tir.Expr) tir.Expr { return &tir.Cast{Type: d, Value: e} }
	}
	body := returnsZero(f.Body, params[3], cast, func(body tir.Stmt) tir.Stmt {
		if own {
			return body
		}
		return &tir.AttrStmt{Node: tir.Int32(0), Key: "compute_scope", Value: &tir.StringImm{Value: name + "_compute_"}, Body: body}
	})
	for i := len(p.wraps) - 1; i >= 0; i-- {
		body = around(p.wraps[i], body)
	}
	out := *f
	out.Params, out.Buffers, out.RetType, out.Body = params, make([]*tir.Buffer, len(params)), &ir.PrimType{DType: dtype.Int32T}, body
	out.Attrs = f.Attrs.With(ir.AttrCallingConv, callingCPacked)
	if !own {
		out.Attrs = out.Attrs.With(ir.AttrGlobalSymbol, entryPrefix+name)
	}
	if host := hostOf(f.Attrs.Str(ir.AttrTarget, "")); host != "" { // what is packed runs on the host
		out.Attrs = out.Attrs.With(ir.AttrTarget, host)
	}
	return &out, nil
}

func isNull(e tir.Expr) tir.Expr {
	return &tir.Call{Type: dtype.BoolT, Op: tir.OpIsNullPtr, Args: []tir.Expr{e}}
}

// wrap puts a statement without a body around what follows.
func (p *packer) wrap(s tir.Stmt) { p.wraps = append(p.wraps, s) }

// around gives a statement that wrap was given its body.
func around(s, body tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.AssertStmt:
		s.Body = body
	case *tir.LetStmt:
		s.Body = body
	case *tir.AttrStmt:
		s.Body = body
	case *tir.DeclBuffer:
		s.Body = body
	default:
		panic(fmt.Sprintf("tirpass: %T wraps nothing", s))
	}
	return s
}

func (p *packer) assert(cond tir.Expr, msg string) {
	if tir.IsConst(cond, 1) {
		return
	}
	a := &struct { // one piece of memory, as in structGet: there are many
		tir.AssertStmt
		message tir.StringImm
	}{message: tir.StringImm{Value: msg}}
	a.Cond, a.Message = cond, &a.message
	p.wrap(&a.AssertStmt)
}

func (p *packer) let(v *tir.Var, value tir.Expr) {
	p.bound[v] = true
	p.wrap(&tir.LetStmt{Var: v, Value: value})
}

func structGet(d dtype.DType, of tir.Expr, index int, field abi.StructField) tir.Expr {
	g := &struct {
		tir.Call
		args   [3]tir.Expr
		at, of tir.IntImm
	}{at: tir.IntImm{Type: dtype.Int32T, Value: int64(index)}, of: tir.IntImm{Type: dtype.Int32T, Value: int64(field)}}
	g.args = [3]tir.Expr{of, &g.at, &g.of}
	g.Type, g.Op, g.Args = d, tir.OpStructGet, g.args[:]
	return &g.Call
}

// argument checks the type of argument i, the handle of a tensor or a scalar, and returns what reads it.
func (p *packer) argument(i int, v *tir.Var, b *tir.Buffer) (read func() tir.Expr, err error) {
	code := tir.NewVar(v.Name+"_type_index", dtype.Int32T)
	p.let(code, structGet(dtype.Int32T, p.args, i, abi.KTVMFFIAnyTypeIndex))
	is := func(k int64) tir.Expr { return tir.NewBinary(tir.OpEQ, code, tir.Int32(k)) }
	expect := func(what string, kinds ...int64) {
		cond := is(kinds[0])
		for _, k := range kinds[1:] {
			cond = tir.Or(cond, is(k))
		}
		p.assert(cond, fmt.Sprintf("%s: Expect arg[%d] to be %s", p.name, i, what))
	}
	value := func(d dtype.DType) tir.Expr { return structGet(d, p.args, i, abi.KTVMFFIAnyUnionValue) }
	d := v.DType()
	switch {
	case b != nil:
		expect("pointer", abi.TypeDLTensorPtr, abi.TypeTensor) // others have no shape to check
		return func() tir.Expr {
			h := tir.NewVar(b.Name+"_handle", dtype.HandleT)
			p.let(h, value(dtype.HandleT))
			return h
		}, nil
	case d.IsHandle():
		expect("pointer", abi.TypeNone, abi.TypeOpaquePtr, abi.TypeDLTensorPtr, abi.TypeTensor)
		return func() tir.Expr { p.let(v, value(dtype.HandleT)); return v }, nil
	case d.IsFloat():
		expect("float", abi.TypeFloat, abi.TypeInt, abi.TypeBool)
		return func() tir.Expr {
			p.let(v, &tir.Select{Cond: is(abi.TypeFloat), True: tir.CastTo(d, value(dtype.Float64T)), False: tir.CastTo(d, value(dtype.Int64T))})
			return nil
		}, nil
	case d.IsBool():
		expect("boolean", abi.TypeBool, abi.TypeInt)
	case d.IsInteger():
		expect("int", abi.TypeInt, abi.TypeBool)
	default:
		return nil, fmt.Errorf("parameter %s of type %s has no packed form", v.Name, d)
	}
	return func() tir.Expr { p.let(v, tir.CastTo(d, value(dtype.Int64T))); return nil }, nil
}

// inParallel reports whether a function returns from within a parallel loop.
func inParallel(body tir.Stmt) bool {
	found := false
	ir.Walk(body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			if n.Kind == tir.Parallel {
				found = found || returns(n.Body)
				return false
			}
		case tir.Expr:
			return false
		}
		return !found
	})
	return found
}

// returns reports whether a function returns from within a statement.
func returns(s tir.Stmt) bool {
	found := false
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Evaluate:
			_, ret := tir.IsCallTo(n.Value, tir.OpRet)
			found = found || ret
			return false
		case tir.Expr:
			return false
		}
		return !found
	})
	return found
}

// returnsZero appends the return of the packed convention; a T.ret of a value stores that
// as the result first.
// compute is put around what the function computes.
func returnsZero(body tir.Stmt, result *tir.Var, cast func(dtype.DType, tir.Expr) tir.Expr, compute func(tir.Stmt) tir.Stmt) tir.Stmt {
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
		kind, wide := int64(abi.TypeInt), cast(dtype.Int64T, v)
		switch {
		case v.DType().IsBool():
			kind = abi.TypeBool
		case v.DType().IsFloat():
			kind, wide = abi.TypeFloat, cast(dtype.Float64T, v)
		case v.DType().IsHandle():
			kind, wide = abi.TypeOpaquePtr, v
		}
		set := func(f abi.StructField, x tir.Expr) tir.Stmt {
			return &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpStructSet, Args: []tir.Expr{result, tir.Int32(0), tir.Int32(int64(f)), x}}}
		}
		return tir.Seq(set(abi.KTVMFFIAnyTypeIndex, tir.Int32(kind)), set(abi.KTVMFFIAnyZeroPadding, tir.Int32(0)), set(abi.KTVMFFIAnyUnionValue, wide), ret0)
	}, nil)
	return tir.Seq(compute(body), ret0)
}
