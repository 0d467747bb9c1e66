package tir

import "github.com/irscope/irscope/compiler/ir"

// IndexMap maps the indices Initial to the expressions Final over them. Inverse may be nil.
type IndexMap struct {
	ir.Base
	Initial []*Var `ir:"def"`
	Final   []Expr
	Inverse *IndexMap
}

// Apply returns the final indices for the given initial ones.
func (m *IndexMap) Apply(indices []Expr) []Expr {
	sub := make(map[*Var]Expr, len(m.Initial))
	for i, v := range m.Initial {
		sub[v] = indices[i]
	}
	out := make([]Expr, len(m.Final))
	for i, e := range m.Final {
		out[i] = SubstExpr(e, sub)
	}
	return out
}
