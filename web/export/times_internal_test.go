package export

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
)

// TestGroupsTakeWhatTheirPassesTake: a report shows the total of a sequence, as the page does, and not the little that is left without
// its passes.
func TestGroupsTakeWhatTheirPassesTake(t *testing.T) {
	r := event.NewRun()
	for i, e := range []event.Event{
		event.New("", "", &event.RunStarted{Plan: []event.PlanStep{
			{Step: "1/default", Name: "default", Kind: event.PassSequential}, {Step: "1.1/FuseOps", Parent: "1/default", Name: "FuseOps", Kind: event.PassModule},
		}}, nil),
		event.New("1/default", "", &event.PassStarted{Name: "default", Kind: event.PassSequential}, nil),
		event.New("1.1/FuseOps", "1/default", &event.PassStarted{Name: "FuseOps", Kind: event.PassModule}, nil),
		event.New("1.1/FuseOps", "1/default", &event.PassFinished{Name: "FuseOps"}, &event.Measured{Total: 236964000, Self: 236964000}),
		event.New("1/default", "", &event.PassFinished{Name: "default"}, &event.Measured{Total: 237000000, Self: 36000}),
	} {
		e.Seq = i
		r.Apply(e)
	}
	o := &outline{}
	for _, s := range r.All() {
		o.Steps = append(o.Steps, newStep(s))
	}
	if len(o.Steps) != 2 || !o.Steps[0].Sequence || o.Steps[1].Sequence {
		t.Fatalf("the steps are %+v", o.Steps)
	}
	var lines []string
	for _, s := range o.Steps {
		lines = append(lines, tableRow(s))
	}
	for _, name := range []string{"default", "FuseOps"} {
		for _, l := range lines {
			if strings.Contains(l, name) && !strings.Contains(l, "237.0 ms") && !strings.Contains(l, "237 ms") {
				t.Errorf("%s is in the table as %s", name, l)
			}
		}
	}
}
