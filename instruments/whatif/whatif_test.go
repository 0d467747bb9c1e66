package whatif_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/whatif"
)

// TestSort sorts by each column; rows without a number come last, in their order.
func TestSort(t *testing.T) {
	n := func(x int64) *int64 { return &x }
	e := event.Float(0.5)
	rows := []whatif.Row{
		{Variant: whatif.Variant{Name: "a"}, Ops: n(3), Kernels: n(1), Memory: n(2), Code: n(9), Compile: n(1), Latency: n(7)},
		{Variant: whatif.Variant{Name: "b"}},
		{Variant: whatif.Variant{Name: "c"}, Ops: n(1), Kernels: n(2), Memory: n(1), Code: n(8), Compile: n(2), Latency: n(7), Error: &e},
		{Variant: whatif.Variant{Name: "d"}},
	}
	for column, want := range map[string]string{"ops": "cabd", "kernels": "acbd", "memory": "cabd", "code": "cabd", "compile": "acbd", "latency": "acbd", "error": "cabd"} {
		list := append([]whatif.Row{}, rows...)
		whatif.Sort(list, column)
		var got strings.Builder
		for _, r := range list {
			got.WriteString(r.Name)
		}
		if got.String() != want {
			t.Errorf("%s: got %s, want %s", column, got.String(), want)
		}
	}
	if len(whatif.Columns) != 7 {
		t.Errorf("the columns are %v", whatif.Columns)
	}
}
