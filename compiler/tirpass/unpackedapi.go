package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// MakeUnpackedAPI gives public functions the signature of a function in C.
var MakeUnpackedAPI = &pass.Pass{
	Name: "tir.MakeUnpackedAPI", Kind: pass.Module, Lowering: true,
	Doc: "Gives every function with a global_symbol, and a host in its target, the signature of a function in C: pointers to data in place of tensors, and an error code as its result. It checks no arguments.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		public := map[string]bool{}
		for gv, fn := range m.Funcs() {
			if _, ok := fn.(*tir.PrimFunc); ok && ir.GlobalSymbol(fn) != "" {
				public[gv.Name] = true
			}
		}
		return ir.MapFuncs(m, func(gv *ir.GlobalVar, f *tir.PrimFunc) (ir.Function, error) {
			c.Working(gv.Name)
			out, err := unpackedAPI(c, f.WithBody(unpackedCalls(c, f.Body, public)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", gv.Name, err)
			}
			return out, nil
		})
	},
}

// unpackedCalls makes calls of public functions pass pointers to data for tensors.
func unpackedCalls(c *pass.Context, s tir.Stmt, public map[string]bool) tir.Stmt {
	return tir.RewriteStmt(s, nil, func(e tir.Expr) tir.Expr {
		call, ok := e.(*tir.Call)
		if !ok {
			return e
		}
		gv, ok := call.Op.(*ir.GlobalVar)
		if !ok || !public[gv.Name] {
			return e
		}
		args := ir.MapSame(call.Args, func(a tir.Expr) tir.Expr {
			if t, ok := tir.IsCallTo(a, tir.OpStackMakeArray); ok && len(t.Args) > 0 {
				return t.Args[0]
			}
			return a
		})
		out := call.WithArgs(args).WithType(dtype.Int32T)
		c.Rewrite("pass a pointer for a tensor", call, out)
		return out
	})
}

func unpackedAPI(c *pass.Context, f *tir.PrimFunc) (*tir.PrimFunc, error) {
	if f.Attrs.Int(ir.AttrCallingConv, 0) != 0 || ir.GlobalSymbol(f) == "" {
		c.Declined("give the signature of C", f, "it is private, or has another calling convention already")
		return f, nil
	}
	if !f.Attrs.Has(ir.AttrTarget) {
		return nil, fmt.Errorf("MakeUnpackedAPI required the function to be annotated with tvm::attr::kTarget (target), but the function only has attributes %v: run tir.BindTarget first", attrNames(f.Attrs))
	}
	text := f.Attrs.Str(ir.AttrTarget, "")
	host := hostOf(text)
	if host == "" {
		c.Declined("give the signature of C", f, "its target has no host, so it is lowered already")
		return f, nil
	}
	params := make([]*tir.Var, len(f.Params))
	known := map[*tir.Var]bool{}
	tensors := false
	for i, v := range f.Params {
		params[i] = v
		if b := f.Buffers[i]; b != nil {
			params[i], tensors = b.Data, true
		}
		known[params[i]] = true
	}
	for _, v := range freeVars(f.Body) {
		if !known[v] {
			return nil, fmt.Errorf("it uses %s, which follows from the shape of an argument and cannot be told from a pointer: make it a parameter", v.Name)
		}
	}
	ret := &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpRet, Args: []tir.Expr{tir.Int32(0)}}}
	body := tir.Seq(f.Body, ret)
	if tensors {
		node := &tir.StringImm{Value: "default"}
		body = &tir.AttrStmt{Node: node, Key: "device_type", Value: tir.Int32(int64(deviceType(text))), Body: body}
		body = &tir.AttrStmt{Node: node, Key: "device_id", Value: tir.Int32(0), Body: body}
	}
	out := *f
	out.Params, out.Buffers, out.RetType, out.Body = params, make([]*tir.Buffer, len(params)), &ir.PrimType{DType: dtype.Int32T}, body
	out.Attrs = f.Attrs.With(ir.AttrTarget, host)
	c.Rewrite("give the signature of C", f, &out)
	return &out, nil
}

func attrNames(a *ir.Attrs) []string {
	out := make([]string, a.Len())
	for i := range out {
		out[i], _ = a.At(i)
	}
	return out
}
