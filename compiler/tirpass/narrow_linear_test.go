package tirpass

import (
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestNarrowDataTypeOfLongValues narrows the index in the middle of a value of 50,000 terms, or of
// choices inside each other: comparing or asking about the rest at each would take minutes.
func TestNarrowDataTypeOfLongValues(t *testing.T) {
	i := tir.NewVar("i", dtype.Int64T)
	ints := tir.NewBuffer("Z", dtype.Int64T, []tir.Expr{tir.Int(64)}, "")
	for name, add := range map[string]func(value, load tir.Expr) tir.Expr{
		"sum": tir.Add,
		"choices": func(value, load tir.Expr) tir.Expr {
			return tir.IfThenElseExpr(tir.LT(load, tir.Int(9)), value, tir.Int(5))
		},
	} {
		value := tir.Expr(tir.Load(ints, i))
		for k := range int64(50_000) {
			value = add(value, tir.Load(ints, tir.Int(k%64)))
		}
		start := time.Now()
		f := funcOf(loopOf(i, tir.Int(64), tir.Store(ints, value, i)), nil, ints)
		if out := narrowDataType(nil, f, 32); out == f {
			t.Errorf("%s: nothing is narrowed", name)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}
