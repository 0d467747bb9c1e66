package transform

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// eraseSymbols forgets in struct info the symbolic variables that match casts defined, which
// are entries of the shape heap now. Those of the parameters stay.
func eraseSymbols(f *relax.Function) *relax.Function {
	known := map[*tir.Var]bool{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		known[v] = true
	}
	m := &relax.Mapper{}
	m.SInfo = func(s relax.StructInfo) relax.StructInfo {
		for _, v := range relax.FreeSymbolicVars(s) {
			if !known[v] {
				return relax.EraseToWellDefined(s, func(v *tir.Var) bool { return known[v] }, func(*relax.Var) bool { return true })
			}
		}
		return s
	}
	m.RenewSInfo()
	return m.MapFunction(f)
}
