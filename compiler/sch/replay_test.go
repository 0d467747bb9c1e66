package sch_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
)

func traceText(s *sch.Schedule) string { return sch.Text(s.Trace()) }

// decoded reads JSON as scripts and files hold it: integers stay integers.
func decoded(t *testing.T, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		t.Fatal(err)
	}
	var numbers func(any) any
	numbers = func(x any) any {
		switch x := x.(type) {
		case json.Number:
			if n, err := x.Int64(); err == nil {
				return n
			}
			f, _ := x.Float64()
			return f
		case []any:
			for i, e := range x {
				x[i] = numbers(e)
			}
		case map[string]any:
			for k, e := range x {
				x[k] = numbers(e)
			}
		}
		return x
	}
	return numbers(x)
}

// replayed checks that the trace makes the same module of the one that the schedule began with, whole and simplified, and that taking back all
// calls gives that one back.
func replayed(t *testing.T, before *ir.Module, s *sch.Schedule) {
	t.Helper()
	for _, trace := range [][]*sch.Instruction{s.Trace(), sch.Simplified(s.Trace(), false)} {
		again, err := sch.NewSchedule(before, 1)
		if err != nil {
			t.Fatal(err)
		}
		again.UseIntrinsics(s.Intrinsics())
		if err := again.Replay(trace, false, nil); err != nil {
			t.Fatalf("replay: %v", err)
		}
		if !ir.StructuralEqualModule(again.Module(), s.Module(), ir.EqualOpts{}) {
			t.Error("the trace makes another module")
		}
	}
	data, err := json.Marshal(sch.JSON(s.Trace()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := sch.NewSchedule(before, 1)
	if err != nil {
		t.Fatal(err)
	}
	again.UseIntrinsics(s.Intrinsics())
	if err := again.ApplyJSON(decoded(t, data)); err != nil {
		t.Fatalf("from JSON: %v\n%s", err, data)
	}
	if !ir.StructuralEqualModule(again.Module(), s.Module(), ir.EqualOpts{}) {
		t.Errorf("the JSON of the trace makes another module\n%s", data)
	}
	if a, b := traceText(again), traceText(s); a != b {
		t.Errorf("the JSON of the trace makes another trace\n%s\nwant\n%s", a, b)
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
