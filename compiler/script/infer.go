package script

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// inference says which annotations follow from the values. It sees what a reader of the text
// sees.
type inference struct {
	ops   relax.OpTable
	ctx   relax.InferContext
	bound map[*relax.Var]relax.Expr
}

func newInference(root any) *inference {
	f := &inference{ops: op.Table(), bound: map[*relax.Var]relax.Expr{}}
	f.ctx = relax.InferContext{Prover: arith.NewAnalyzer(), Bound: func(v *relax.Var) relax.Expr { return f.bound[v] }}
	if m, ok := root.(*ir.Module); ok {
		f.ctx.Func = m.Lookup
		f.ctx.VDevices = func() []ir.Node { return m.GlobalInfos()["vdevice"] }
	}
	return f
}

// follows reports whether the struct info of the variable of b is that of its value.
func (f *inference) follows(b *relax.VarBinding) bool {
	f.bound[b.Var] = b.Value
	var got relax.StructInfo
	switch v := b.Value.(type) {
	case *relax.Call:
		o, ok := v.Op.(*ir.Op)
		if !ok || op.Lookup(o.Name) == nil || v.SInfo == nil {
			return false
		}
		bare := *v
		bare.SInfo = nil
		var err error
		if got, err = f.ops.InferCall(&bare, &f.ctx); err != nil {
			return false
		}
	case *relax.TupleGetItem:
		t, ok := f.ctx.SInfoOf(v.Tuple).(*relax.TupleStructInfo)
		if !ok || v.Index >= len(t.Fields) {
			return false
		}
		got = t.Fields[v.Index]
	case *relax.Tuple, *relax.Var:
		got = f.ctx.SInfoOf(v)
	default:
		return false
	}
	return got != nil && b.Var.SInfo != nil && ir.StructuralEqual(got, b.Var.SInfo, ir.EqualOpts{})
}
