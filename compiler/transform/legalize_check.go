package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// check puts casts before a call that check what it takes to be equal of symbolic extents, but for what its block has checked already. TVM's kernels read beyond
// their arguments where it is not.
func (l *legalizer) check(m *relax.ExprMutator, vb *relax.VarBinding) {
	list, err := op.Assumptions(vb.Value.(*relax.Call), m.Builder().Context())
	if err != nil {
		return // making the kernel says what is wrong
	}
	for _, a := range list {
		if slices.ContainsFunc(l.checked, a.Same) {
			continue
		}
		l.checked = append(l.checked, a)
		v := &relax.Var{Base: vb.Base, Name: vb.Var.Name + "_fits", SInfo: relax.ShapeOf(a.Want), Dataflow: vb.Var.Dataflow}
		m.EmitNormalized(&relax.MatchCast{Base: vb.Base, Var: v, Value: &relax.ShapeExpr{Values: []tir.Expr{a.Have}}, SInfo: v.SInfo})
	}
}

// note remembers what a binding checks. A block that begins has checked nothing.
func (l *legalizer) note(b relax.Binding) {
	if block := l.blocks[b]; block != l.block {
		l.block, l.checked = block, nil
	}
	cast, ok := b.(*relax.MatchCast)
	if !ok {
		return
	}
	have, ok := cast.Value.(*relax.ShapeExpr)
	want, _ := cast.SInfo.(*relax.ShapeStructInfo)
	if !ok || want == nil || len(want.Values) != len(have.Values) {
		return
	}
	for i, e := range have.Values {
		l.checked = append(l.checked, op.Assumption{Have: e, Want: want.Values[i]})
	}
}
