package sch_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
)

func traceText(s *sch.Schedule) string { return sch.Text(s.Trace()) }

// replayed checks that the trace makes the same module of the one that the schedule began with, whole and simplified, and that taking back all
// calls gives that one back.
func replayed(t *testing.T, before *ir.Module, s *sch.Schedule) {
	t.Helper()
	for _, trace := range [][]*sch.Instruction{s.Trace(), sch.Simplified(s.Trace(), false)} {
		again, err := sch.NewSchedule(before, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Replay(trace, false, nil); err != nil {
			t.Fatalf("replay: %v", err)
		}
		if !ir.StructuralEqualModule(again.Module(), s.Module(), ir.EqualOpts{}) {
			t.Error("the trace makes another module")
		}
	}
	back := s.Copy()
	for range s.Trace() {
		if err := back.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	if back.Module() != before {
		t.Error("after taking back all calls the module is another one")
	}
}
