package bisect_test

import (
	"context"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/check/execute"
)

// hooks execute graphs by the reference interpreter.
func hooks() bisect.Hooks {
	runner := &execute.Runner{}
	return bisect.Hooks{Compare: func(ctx context.Context, first, now *ir.Module) (bisect.Verdict, error) {
		f, ok := first.Lookup("main").(*relax.Function)
		if !ok {
			return bisect.Verdict{Unknown: true}, nil
		}
		args, err := graphrun.Inputs(f, 3, 1)
		if err != nil {
			return bisect.Verdict{Unknown: true, Detail: err.Error()}, nil
		}
		return bisect.Compare(ctx, runner, first, now, "main", graphrun.Tensors(graphrun.Tuple(args)), nil)
	}, Measure: func(_ context.Context, _, lowered *ir.Module) (time.Duration, error) {
		n := int64(0)
		for _, fn := range lowered.Funcs() {
			if f, ok := fn.(*relax.Function); ok {
				ir.Walk(f, func(x ir.Node) bool {
					if gv, ok := x.(*ir.GlobalVar); ok {
						if k, ok := lowered.Lookup(gv.Name).(*tir.PrimFunc); ok {
							n += iterations(k.Body)
						}
					}
					return true
				})
			}
		}
		return time.Duration(n) * time.Nanosecond, nil
	}}
}

// iterations counts the nodes of a statement, those of loops as often as they run, which stands for the time that it takes.
func iterations(n ir.Node) int64 {
	sum := int64(0)
	ir.Walk(n, func(x ir.Node) bool {
		f, ok := x.(*tir.For)
		if ok {
			extent, _ := tir.AsInt(f.Extent)
			sum += extent * iterations(f.Body)
		}
		sum++
		return !ok
	})
	return sum
}
