package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// compileTime returns the variables of f that can be computed before its inputs are known: the weights, which are the parameters behind the first
// num_input ones, and what follows from them or from nothing.
func compileTime(f *relax.Function) (map[*relax.Var]bool, error) {
	known, symbols := map[*relax.Var]bool{}, map[*tir.Var]bool{}
	add := func(v *relax.Var) {
		known[v] = true
		if v.SInfo != nil {
			for _, s := range relax.DefinableVars(v.SInfo) {
				symbols[s] = true
			}
		}
	}
	n, has, err := numInput(f)
	if err != nil {
		return nil, err
	}
	if has {
		for _, p := range f.Params[n:] {
			add(p)
		}
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		for _, v := range relax.FreeVars(b.BoundValue()) {
			if !known[v] {
				return
			}
		}
		fine := true
		ir.Walk(b.BoundValue(), func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok && !symbols[v] {
				fine = false
			}
			return fine
		})
		if fine {
			add(b.Bound())
		}
	})
	return known, nil
}
