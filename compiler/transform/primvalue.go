package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// ComputePrimValue computes scalar expressions by loop functions.
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
			n := namesOf(f)
			e.Set(gv.Name, rewriteBlocks(f, func(b relax.Binding) []relax.Binding {
				return rewrote(c, "compute a scalar by a function", b, computePrims(b, e, n))
			}))
		}
		return e.Done(), nil
	},
}

// computePrims binds the scalar expressions of b that are neither constants nor variables
// to the results of generated functions before b.
func computePrims(b relax.Binding, e *ir.Editor, n *names) []relax.Binding {
	vb, ok := b.(*relax.VarBinding)
	if !ok {
		return []relax.Binding{b}
	}
	if _, ok := vb.Value.(*relax.Call); !ok {
		if _, ok := vb.Value.(*relax.PrimValue); !ok {
			return []relax.Binding{b}
		}
	}
	var before []relax.Binding
	m := &relax.Mapper{}
	m.Expr = func(x relax.Expr) relax.Expr {
		p, ok := x.(*relax.PrimValue)
		if !ok {
			if _, tuple := x.(*relax.Tuple); tuple {
				return m.MapExpr(x)
			}
			return x
		}
		switch p.Value.(type) {
		case *tir.IntImm, *tir.FloatImm, *tir.Var:
			return x
		}
		call := primCall(p, e)
		info := relax.SInfoOf(p)
		nb := bindNew(vb.Base, n.fresh("prim"), info, call)
		before = append(before, nb)
		return nb.Var
	}
	if p, ok := vb.Value.(*relax.PrimValue); ok {
		switch p.Value.(type) {
		case *tir.IntImm, *tir.FloatImm, *tir.Var:
			return []relax.Binding{b}
		}
		out := *vb
		out.Value = primCall(p, e)
		return []relax.Binding{&out}
	}
	value := m.MapExpr(vb.Value)
	if value == vb.Value {
		return []relax.Binding{b}
	}
	out := *vb
	out.Value = value
	return append(before, &out)
}

func primCall(p *relax.PrimValue, e *ir.Editor) *relax.Call {
	vars := relax.VarsOf(p.Value)
	ret := &tir.Call{Type: p.Value.DType(), Op: tir.OpRet, Args: []tir.Expr{p.Value}}
	attrs := ir.NewAttrs("tir.is_scheduled", true)
	f := &tir.PrimFunc{
		Base: p.Base, Params: vars, Buffers: make([]*tir.Buffer, len(vars)), RetType: &ir.PrimType{DType: p.Value.DType()},
		Body: &tir.Evaluate{Value: ret}, Attrs: attrs,
	}
	gv := e.Add("compute_symbolic_expr", f)
	args := make([]relax.Expr, len(vars))
	for i, v := range vars {
		args[i] = &relax.PrimValue{Value: v}
	}
	return &relax.Call{Base: p.Base, Op: gv, Args: args, SInfo: relax.SInfoOf(p)}
}
