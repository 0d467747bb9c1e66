package compiler

import (
	"context"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// Interpreter evaluates kernels for FoldConstant with the interpreter of PrimFuncs.
type Interpreter struct{}

// Eval runs fn on constants.
func (Interpreter) Eval(ctx context.Context, fn *tir.PrimFunc, args []*ir.Blob, outs []pass.TensorType) ([]*ir.Blob, error) {
	var all []any
	for _, a := range args {
		t, err := interp.FromBlob(a)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	var results []*tensor.Tensor
	for _, o := range outs {
		t, err := tensor.New(o.DType, o.Shape)
		if err != nil {
			return nil, err
		}
		all, results = append(all, t), append(results, t)
	}
	if err := interp.Run(ctx, fn, all, nil); err != nil {
		return nil, err
	}
	blobs := make([]*ir.Blob, len(results))
	for i, t := range results {
		b, err := interp.ToBlob(t)
		if err != nil {
			return nil, err
		}
		blobs[i] = b
	}
	return blobs, nil
}
