package sch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// TestComputeAtKeepsCondition: a partial sum whose steps were split by no divisor runs under a condition on all of its variables, also where it is computed elsewhere.
func TestComputeAtKeepsCondition(t *testing.T) {
	m := parsed(t, `A: T.Buffer((6, 7), "float32"), C: T.Buffer((6,), "float32")`, `for i, k in T.grid(6, 7):
    with T.block("sum"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`)
	s := newSchedule(t, m, 1)
	block := do(t, s, "GetBlock", "sum", nil)[0]
	parts := do(t, s, "Split", do(t, s, "GetLoops", block)[1], []tir.Expr{tir.Int32(3), nil, tir.Int32(1)}, true, false)
	rf := do(t, s, "RFactor", parts[2], int64(-1))[0]
	rows := do(t, s, "GetLoops", block)
	for i, l := range rows { // that over rows
		if x, err := s.Get(l); err == nil && tir.IsConst(x.(*tir.For).Extent, 6) {
			rows = rows[i:]
			break
		}
	}
	if _, err := s.Do(sch.KindOf("ComputeAt"), rf, rows[0], true, int64(-1)); err != nil {
		t.Fatal(err)
	}
	same(t, m, s, nil)
	if text := source(s.Module()); !strings.Contains(text, "T.where(") {
		t.Errorf("the condition is gone\n%s", text)
	}
}
