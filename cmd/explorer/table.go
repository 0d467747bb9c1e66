package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/irscope/irscope/instruments/event"
)

// printPasses writes the table of passes: what each changed and how long it took. With
// onlyChanged the passes that changed nothing are left out.
func printPasses(w io.Writer, events []event.Event, onlyChanged bool) {
	r := event.Fold(events)
	if len(r.Ends) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "PASS\t\tLINES\tFUNCTIONS\tTIME")
	for _, s := range r.All() {
		if s.Seq < 0 || onlyChanged && s.Status == event.StepSame {
			continue // no event ended it, or it is of no interest
		}
		fmt.Fprintln(t, strings.Repeat("  ", s.Depth)+passRow(s))
	}
	t.Flush()
}

// passRow is a row of the table.
func passRow(s *event.Step) string {
	took := ""
	if s.Measured.Total > 0 {
		took = short(time.Duration(s.Measured.Total))
	}
	switch s.Status {
	case event.StepSame:
		return fmt.Sprintf("%s\t○ same\t\t\t%s", s.Name, took)
	case event.StepChanged:
		return fmt.Sprintf("%s\t● changed\t%s\t%d\t%s", s.Name, s.Finished.Delta(), len(s.Finished.Functions), took)
	case event.StepSkipped:
		return fmt.Sprintf("%s\t– %s\t\t\t", s.Name, s.Text)
	default:
		return fmt.Sprintf("%s\t✕ failed\t\t\t", s.Name)
	}
}

// short writes a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3gms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3gµs", float64(d)/1e3)
}
