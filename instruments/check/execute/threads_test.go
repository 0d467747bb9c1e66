package execute_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

const turnParts = `@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    bx = T.launch_thread("blockIdx.x", 2)
    tx = T.launch_thread("threadIdx.x", 32)
    S = T.decl_buffer((32,), "float32", scope="shared")
    S[tx] = A[bx * 32 + tx]
    B[bx * 32 + tx] = S[31 - tx]`

// TestRaceIsReportedWithBothLines makes a kernel of its own of a function without its barrier: behind that step it has a race, and before it
// has not, since its barriers were not written yet.
func TestRaceIsReportedWithBothLines(t *testing.T) {
	m, diags := parse.Module("turn.py", turnParts, parse.Options{})
	if m == nil {
		t.Fatal(diags)
	}
	a := tensor.MustNew(dtype.Float32T, 64)
	for i := range 64 {
		a.SetFloat(i, float64(i))
	}
	c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: []*tensor.Tensor{a, tensor.MustNew(dtype.Float32T, 64)}}
	ctx := context.Background()
	if err := c.Start(ctx, m); err != nil {
		t.Fatal(err)
	}
	f := m.Lookup("main").(*tir.PrimFunc)
	f = f.WithBody(&tir.AttrStmt{Key: "pragma", Value: tir.Int32(1), Body: f.Body}).WithAttrs(f.Attrs.With("tir.is_global_func", true))
	if err := c.Step(ctx, "1.1/tir.SplitHostDevice", "tir.SplitHostDevice", m.With("main", ir.Function(f))); err != nil {
		t.Fatal(err)
	}
	rep := c.Report()
	if rep.Steps[0].Status != check.Same || rep.Steps[1].Status != check.Failed || rep.Fault == nil {
		t.Fatalf("%+v", rep)
	}
	s := rep.Steps[1]
	if s.Threads == nil || s.Threads.Kind != "race" || s.Threads.Function != "main" || len(s.Threads.Accesses) != 2 {
		t.Fatalf("%+v %+v", s, s.Threads)
	}
	for i, want := range []string{"= S[31 - tx]", "S[tx] ="} {
		if x := s.Threads.Accesses[i]; x.Line == 0 || !strings.Contains(x.Code, want) || !strings.Contains(x.Thread, "threadIdx.x=") {
			t.Errorf("access %d: %+v, want %q", i, x, want)
		}
	}
	if !strings.Contains(rep.Fault.Why, "barriers that are written") || !strings.Contains(s.Message, "turn.py:") {
		t.Errorf("%q %q", rep.Fault.Why, s.Message)
	}
}
