package ir_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
)

func TestOlderName(t *testing.T) {
	for newer, older := range map[string]string{
		"tirx.noalias": "tir.noalias", "s_tir.LowerInitBlock": "tir.LowerInitBlock", "tirx.UnrollLoop.auto_max_step": "tir.UnrollLoop.auto_max_step",
		"tirx.StmtSimplify": "tir.Simplify", "tir.StmtSimplify": "tir.Simplify", "tirx.Simplify": "tir.Simplify",
		"tirx.CommonSubexprElim": "tir.CommonSubexprElimTIR", "tir.CommonSubexprElimTIR": "tir.CommonSubexprElimTIR",
		"tirx.StmtSimplify.transitively_prove_inequalities": "tir.Simplify.transitively_prove_inequalities",
		"tir.Simplify": "tir.Simplify", "tirx.StmtSimplifyMore": "tir.StmtSimplifyMore",
		"StmtSimplify": "StmtSimplify", "relax.StmtSimplify": "relax.StmtSimplify", "tirx.": "tirx.", "tirxnoalias": "tirxnoalias",
	} {
		if got := ir.OlderName(newer); got != older {
			t.Errorf("%s is %s, want %s", newer, got, older)
		}
	}
}
