package tirpass_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// withoutSpan lists the kinds of nodes of f that have no place in the text.
func withoutSpan(f *tir.PrimFunc) []string {
	var out []string
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n.(type) {
		case *tir.Var, *tir.IntImm, *tir.FloatImm, *tir.StringImm, *tir.Buffer, *tir.SeqStmt, *tir.Range, *tir.Binary, *tir.BufferRegion, *ir.Op:
			return true
		}
		if kind := strings.TrimPrefix(fmt.Sprintf("%T", n), "*tir."); n.Meta().Span == nil && !slices.Contains(out, kind) {
			out = append(out, kind)
		}
		return true
	})
	return out
}

// made lists the kinds of nodes that passes add, which stand nowhere in the text.
var made = map[string][]string{
	"tir.CommonSubexprElimTIR":                  {"LetStmt"},
	"tir.FlattenBuffer":                         {"Broadcast"},
	"tir.ForceNarrowIndexToInt32":               {"Cast"},
	"tir.InstrumentBoundCheckers":               {"BufferLoad", "Call", "Cast", "Not"},
	"tir.LowerInitBlock":                        {"IfThenElse"},
	"tir.LowerIntrin":                           {"Call", "Select"},
	"tir.LowerTVMBuiltin":                       {"AttrStmt", "Call", "Cast", "Evaluate", "IfThenElse", "LetStmt"},
	"tir.NarrowDataType":                        {"Cast"},
	"tir.PlanAndUpdateBufferAllocationLocation": {"Block", "BlockRealize"},
	"tir.RemoveNoOp":                            {"Evaluate", "Not"},
	"tir.Simplify":                              {"Evaluate"},
	"tir.UnrollLoop":                            {"Evaluate"},
	"tir.VectorizeLoop":                         {"Broadcast", "Cast", "For", "Ramp"},
}

// spansKept checks that what p makes of the nodes of f is still where those were in the text.
func spansKept(t *testing.T, c *pass.Context, p *pass.Pass, f *tir.PrimFunc) {
	t.Helper()
	out, err := c.Run(p, moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	known := append(withoutSpan(f), made[p.Name]...)
	for _, k := range withoutSpan(funcOf(out)) {
		if !slices.Contains(known, k) {
			t.Errorf("%s: a %s has lost its place in the text", p.Name, k)
		}
	}
}
