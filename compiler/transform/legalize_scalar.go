package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// scalars returns the variables of the kernel that no extent of a parameter gives a value,
// and their values at the call. They become parameters.
func (k *kernel) scalars(params []*te.Tensor) (vars []*tir.Var, values []tir.Expr) {
	given := map[tir.Expr]bool{}
	for _, t := range params {
		for _, d := range t.Shape {
			given[d] = true
		}
	}
	seen := map[*tir.Var]bool{}
	add := func(e tir.Expr) {
		for _, v := range relax.VarsOf(e) {
			inner := k.ext.vars[v]
			if inner != nil && !given[inner] && !seen[inner] {
				seen[inner] = true
				vars, values = append(vars, inner), append(values, v)
			}
		}
	}
	// In the order in which arguments and results mention them.
	for _, a := range k.call.Args {
		eachPrim(a, add)
	}
	for _, a := range k.args {
		eachPrim(a, add)
	}
	ir.Walk(k.info, func(n ir.Node) bool {
		if e, ok := n.(tir.Expr); ok {
			add(e)
			return false
		}
		return true
	})
	return vars, values
}

// eachPrim calls f for the scalar expressions of e and of its struct info.
func eachPrim(e relax.Expr, f func(tir.Expr)) {
	visit := func(n ir.Node) bool {
		if x, ok := n.(tir.Expr); ok {
			f(x)
			return false
		}
		return true
	}
	ir.Walk(e, visit)
	if info := relax.SInfoOf(e); info != nil {
		ir.Walk(info, visit)
	}
}
