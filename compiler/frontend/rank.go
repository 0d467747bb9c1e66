package frontend

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// maxRank is the number of dimensions that a tensor or a buffer may have, as in an ONNX file:
// a kernel has a loop for each, and what passes do with loops grows faster than their number.
const maxRank = 64

// tooManyDims returns an error for each function with a shape of more than maxRank dimensions.
func tooManyDims(m *ir.Module) []ir.Diagnostic {
	var found []ir.Diagnostic
	for gv, fn := range m.Funcs() {
		told := false
		ir.Walk(fn, func(n ir.Node) bool {
			rank := 0
			switch n := n.(type) {
			case *relax.ShapeExpr:
				rank = len(n.Values)
			case *relax.TensorStructInfo:
				rank = n.NDim
			case *tir.Buffer:
				rank = len(n.Shape)
			}
			if rank > maxRank && !told {
				told = true
				found = append(found, ir.Diagnostic{
					Severity: ir.Error, Func: gv.Name, Span: n.Meta().Span,
					Message: fmt.Sprintf("a shape has %d dimensions; at most %d are allowed", rank, maxRank),
				})
			}
			return !told
		})
	}
	return found
}
