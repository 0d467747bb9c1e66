package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestAttributesThatAreLeftOut: a call that was made without its attributes has the defaults of the operator.
func TestAttributesThatAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		op, given string
		want      []float64
	}{
		{"relax.nn.leakyrelu", "2: -100 3", []float64{-1, 3}},
		{"relax.nn.softmax", "2 2: 1 1 3 3", []float64{0.5, 0.5, 0.5, 0.5}},
	} {
		in := given(c.given)
		dims := make([]any, len(in.Shape))
		for i, d := range in.Shape {
			dims[i] = int(d)
		}
		b := newBuilder()
		x := f32in("x", dims...)
		b.main(vars(x), func() relax.Expr {
			return &relax.Call{Op: ir.NewOp(c.op), Args: []relax.Expr{x}, SInfo: x.SInfo}
		})
		wantValues(t, runPass(t, passtest.NewContext(), transform.LegalizeOps, b.module()), []*tensor.Tensor{in}, c.want...)
	}
}
