package compiler

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Specialize compiles the module of req for the sizes that symbolic dimensions of its Relax function fn have in one execution, by
// their names. The code is then that of fixed shapes: their extents are constants, and every kernel is scheduled for them.
// It is an error that there is no such function, or none of these dimensions in it.
func Specialize(ctx context.Context, req Request, fn string, sizes map[string]int64) (*Result, error) {
	f, ok := req.Module.Lookup(fn).(*relax.Function)
	if !ok {
		return nil, fmt.Errorf("the module has no Relax function %s", fn)
	}
	values := map[*tir.Var]tir.Expr{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		if n, ok := sizes[v.Name]; ok {
			values[v] = tir.Const(v.DType(), n)
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("the Relax function %s has none of the symbolic dimensions that are given", fn)
	}
	e := req.Module.Edit()
	e.Set(fn, relax.BindSymbolicVars(f, values))
	req.Module, req.CodegenTime = e.Done(), nil
	return Compile(ctx, req)
}
