package cpu_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/target"
)

// TestTrace: the schedule of each kernel is a trace, which prints as Python, and makes the same function when it is replayed.
func TestTrace(t *testing.T) {
	tiled := 0
	for name, k := range kernels() {
		t.Run(name, func(t *testing.T) {
			f := create(t, k)
			m := cpu.MachineOf(target.Default())
			trace, needs, err := m.Trace(f)
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.Schedule(f, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			again, err := sch.NewSchedule(ir.NewModule().With("main", f), 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Replay(trace, false, nil); err != nil {
				t.Fatal(err)
			}
			if len(needs) == 0 && !ir.StructuralEqualModule(again.Module(), ir.NewModule().With("main", want), ir.EqualOpts{}) {
				t.Error("the trace makes another function")
			}
			text := sch.Text(trace)
			for _, line := range strings.Split(text, "\n")[2:] {
				if !strings.Contains(line, "sch.") && line != "  pass" {
					t.Errorf("line %q of the trace is no call", line)
				}
			}
			if strings.Contains(text, "sch.tile_reduction(") {
				tiled++
			}
			if _, err := json.Marshal(sch.JSON(trace)); err != nil {
				t.Error(err)
			}
		})
	}
	if tiled < 10 {
		t.Errorf("%d traces tile a reduction, expected most", tiled)
	}
}
