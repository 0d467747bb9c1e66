package event_test

import (
	"testing"

	"github.com/irscope/irscope/instruments/event"
)

func TestDelta(t *testing.T) {
	for _, c := range []struct {
		change event.FunctionChange
		want   string
		names  bool
	}{
		{event.FunctionChange{}, "", false},
		{event.FunctionChange{Added: 4, Removed: 2}, "+4 -2", false},
		{event.FunctionChange{Added: 4, Removed: 3, Renamed: 2, Moved: 1}, "+1 -0 ~2 ↕1", false},
		{event.FunctionChange{Added: 3, Removed: 3, Renamed: 3}, "~3", true},
		{event.FunctionChange{Added: 3, Removed: 3, Renamed: 2, Moved: 1}, "~2 ↕1", false},
		{event.FunctionChange{Added: 1, Removed: 1, Moved: 1}, "↕1", false},
	} {
		if got := c.change.Delta(); got.String() != c.want || got.OnlyNames() != c.names {
			t.Errorf("%+v gives %q, only names %t; want %q, %t", c.change, got, got.OnlyNames(), c.want, c.names)
		}
	}
}

// TestArrangeCountsMarksApart: what is only renamed stands behind what changed, and all is counted.
func TestArrangeCountsMarksApart(t *testing.T) {
	p := &event.PassFinished{Functions: []event.FunctionChange{
		{Name: "renamed", Added: 30, Removed: 30, Renamed: 28, Moved: 2}, {Name: "changed", Added: 1},
	}}
	p.Arrange()
	if p.Functions[0].Name != "changed" {
		t.Errorf("the first function is %s, want the one with changed lines", p.Functions[0].Name)
	}
	if got := p.Delta(); got != (event.Delta{Added: 1, Renamed: 28, Moved: 2}) || p.Added != 31 || p.Removed != 30 {
		t.Errorf("counts are %+v, +%d -%d", got, p.Added, p.Removed)
	}
}
