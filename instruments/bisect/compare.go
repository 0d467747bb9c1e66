package bisect

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/runtime/tensor"
)

// Compare runs a function of two modules on the same inputs and tells whether the outputs of the second differ by more than rounding. Names are
// those of the outputs, if there are any. A second module that fails where the first does not is at fault; one that the runner cannot run is not known.
func Compare(ctx context.Context, r *execute.Runner, first, now *ir.Module, function string, inputs []*tensor.Tensor, names []string) (Verdict, error) {
	want, err := r.Run(ctx, first, function, inputs)
	if err != nil {
		return Verdict{Unknown: true, Detail: err.Error()}, ended(ctx)
	}
	got, err := r.Run(ctx, now, function, inputs)
	if err != nil {
		var no *execute.NotRunnableError
		return Verdict{Unknown: errors.As(err, &no), Fault: !errors.As(err, &no), Detail: err.Error()}, ended(ctx)
	}
	d := execute.Compare(got.Outputs, want.Outputs, names, nil)
	v := Verdict{Fault: d.Status().Bad(), Detail: d.Message}
	if v.Fault && v.Detail == "" {
		v.Detail = fmt.Sprintf("%s is %v at element %d, expected %v", d.Output, d.Got, d.Index, d.Want)
	}
	return v, nil
}

// ended returns why a context has ended, nil if it has not.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
