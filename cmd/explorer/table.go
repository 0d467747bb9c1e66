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
	depth := map[string]int{}
	order := []string{}
	rows := map[string]string{}
	for _, e := range events {
		if e.Step == "" {
			continue
		}
		if _, ok := depth[e.Step]; !ok {
			depth[e.Step] = 0
			if e.Parent != "" {
				depth[e.Step] = depth[e.Parent] + 1
			}
			order = append(order, e.Step)
		}
		if b, ok := e.Body.(*event.PassFinished); ok && !b.Changed && onlyChanged {
			continue
		}
		if row := passRow(e, depth[e.Step]); row != "" {
			rows[e.Step] = row
		}
	}
	if len(order) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "PASS\t\tLINES\tFUNCTIONS\tTIME")
	for _, s := range order {
		if rows[s] != "" {
			fmt.Fprintln(t, rows[s])
		}
	}
	t.Flush()
}

func passRow(e event.Event, depth int) string {
	name := strings.Repeat("  ", depth)
	took := func() string {
		if e.Measured == nil {
			return ""
		}
		return short(time.Duration(e.Measured.Total))
	}
	switch b := e.Body.(type) {
	case *event.PassFinished:
		if !b.Changed {
			return fmt.Sprintf("%s%s\t○ same\t\t\t%s", name, b.Name, took())
		}
		return fmt.Sprintf("%s%s\t● changed\t%s\t%d\t%s", name, b.Name, b.Delta(), len(b.Functions), took())
	case *event.PassSkipped:
		return fmt.Sprintf("%s%s\t– %s\t\t\t", name, b.Name, b.Text)
	case *event.PassFailed:
		return fmt.Sprintf("%s%s\t✕ failed\t\t\t", name, b.Name)
	}
	return ""
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
