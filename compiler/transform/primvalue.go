package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// ComputePrimValue computes scalar expressions by PrimFuncs.
var ComputePrimValue = &pass.Pass{
	Name: "ComputePrimValue", Kind: pass.Module, Lowering: true,
	Doc: "Replaces scalar values that are expressions over symbolic variables by calls of generated functions that compute them.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok {
				continue
			}
			c.Working(gv.Name)
			out, err := computePrims(c, op.NewExprMutator(m), e, f)
			if err != nil {
				return nil, err
			}
			e.Set(gv.Name, out)
		}
		return e.Done(), nil
	},
}

// rulePrims is the name of the rewrite.
const rulePrims = "compute a scalar by a function"

// computePrims binds the scalar expressions in calls of f, and those that are bound themselves,
// that are neither constants nor variables, to the results of generated functions.
func computePrims(c *pass.Context, m *relax.ExprMutator, e *ir.Editor, f *relax.Function) (*relax.Function, error) {
	m.Expr = func(x relax.Expr) relax.Expr {
		b, bound := m.At().(*relax.VarBinding)
		p, ok := x.(*relax.PrimValue)
		if !ok || !bound {
			return m.VisitExpr(x)
		}
		switch p.Value.(type) {
		case *tir.IntImm, *tir.FloatImm, *tir.Var:
			return x
		}
		call := primCall(p, e)
		c.Rewrite(rulePrims, p, call)
		if b.Value == x { // the result of f may be declared by the expression, so it stays known
			return call.WithSInfo(relax.SInfoOf(p))
		}
		return m.Emit(call, "prim")
	}
	return m.Function(f)
}

func primCall(p *relax.PrimValue, e *ir.Editor) *relax.Call {
	vars := relax.VarsOf(p.Value)
	ret := &tir.Call{Type: p.Value.DType(), Op: tir.OpRet, Args: []tir.Expr{p.Value}}
	attrs := ir.NewAttrs("tir.is_host_func", true)
	f := &tir.PrimFunc{
		Base: p.Base, Params: vars, Buffers: make([]*tir.Buffer, len(vars)), RetType: &ir.PrimType{DType: p.Value.DType()},
		Body: &tir.Evaluate{Value: ret}, Attrs: attrs,
	}
	gv := e.Add("compute_symbolic_expr", f)
	args := make([]relax.Expr, len(vars))
	for i, v := range vars {
		args[i] = &relax.PrimValue{Value: v}
	}
	return &relax.Call{Base: p.Base, Op: gv, Args: args, SInfo: &relax.PrimStructInfo{DType: p.Value.DType()}}
}
