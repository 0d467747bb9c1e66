package tirpass_test

import (
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/target"
)

// lowering returns the passes of the loop pipeline in order.
func lowering(t passtest.Failer) []*pass.Pass {
	t.Helper()
	p, err := pipeline.Lookup("tir", target.Default())
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p.Children
}
