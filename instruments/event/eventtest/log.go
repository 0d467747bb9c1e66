// Package eventtest draws logs of runs for tests. Only tests import it.
package eventtest

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/instruments/event"
)

// Log draws a log: steps that are planned or not, nested, required by others, begun twice, never ended or ended without a
// beginning, in any order, as a compiler would not write it.
func Log(t *rapid.T) []event.Event {
	paths := []string{"1/A", "1.1/B", "1.2/C", "1.2r1/D", "1.2r2/E", "1.2.1/F", "2/G", "2.1/H", "r/I", "J", ""}
	path := rapid.SampledFrom(paths)
	parent := func(p string) string {
		number, _, _ := strings.Cut(p, "/")
		if i := strings.LastIndexByte(number, '.'); i > 0 {
			for _, q := range paths {
				if strings.HasPrefix(q, number[:i]+"/") {
					return q
				}
			}
		}
		return rapid.SampledFrom([]string{"", "", "1/A", "nowhere"}).Draw(t, "parent")
	}
	name := func(p string) string { return p[strings.IndexByte(p, '/')+1:] }
	kind := rapid.SampledFrom([]event.PassKind{event.PassModule, event.PassSequential})
	fn := rapid.SampledFrom([]string{"f", "g", "main"})
	text := rapid.SampledFrom([]string{"t1", "t2", "t3", "t4"})
	metrics := func() *event.Metrics {
		if rapid.Bool().Draw(t, "metrics") {
			return nil
		}
		return &event.Metrics{Functions: rapid.IntRange(1, 9).Draw(t, "functions")}
	}
	measured := func() *event.Measured {
		if rapid.Bool().Draw(t, "unmeasured") {
			return nil
		}
		n := rapid.Int64Range(0, 99)
		var profile *event.ProfileTimes
		if rapid.IntRange(0, 3).Draw(t, "profile") == 0 {
			profile = &event.ProfileTimes{Runs: 1, Median: n.Draw(t, "median"), Calls: []event.CallTime{{Median: n.Draw(t, "call")}}}
		}
		return &event.Measured{Profile: profile, At: n.Draw(t, "at"), Total: n.Draw(t, "total"), Saved: n.Draw(t, "saved"), Compile: n.Draw(t, "compile"), Latency: rapid.SliceOfN(n, 0, 4).Draw(t, "latency")}
	}
	body := func(p string) event.Body {
		switch rapid.IntRange(0, 13).Draw(t, "type") {
		case 0:
			b := &event.RunStarted{Model: "m", Metrics: metrics()}
			for _, q := range rapid.SliceOfDistinct(path, rapid.ID[string]).Draw(t, "plan") {
				b.Plan = append(b.Plan, event.PlanStep{Step: q, Parent: parent(q), Name: name(q), Kind: kind.Draw(t, "kind")})
			}
			for _, f := range rapid.SliceOfDistinct(fn, rapid.ID[string]).Draw(t, "functions") {
				b.Functions = append(b.Functions, event.Function{Name: f, Kind: "relax", Text: text.Draw(t, "text")})
			}
			return b
		case 1, 2, 3:
			return &event.PassStarted{Name: name(p), Kind: kind.Draw(t, "kind"), Title: rapid.SampledFrom([]string{"", "in full"}).Draw(t, "title"), Why: rapid.SampledFrom([]string{"", "required by X"}).Draw(t, "why")}
		case 4, 5, 6:
			b := &event.PassFinished{Name: name(p), Changed: rapid.Bool().Draw(t, "changed"), Metrics: metrics()}
			if !b.Changed {
				b.Unknown = rapid.SampledFrom([]string{"", "not told"}).Draw(t, "unknown")
			}
			for _, f := range rapid.SliceOfDistinct(fn, rapid.ID[string]).Draw(t, "functions") {
				c := event.FunctionChange{Name: f, Kind: "relax", Change: event.FunctionChanged, Before: text.Draw(t, "before"), After: text.Draw(t, "after"), Hunks: []event.Hunk{{Before: 1, After: 1, Lines: []string{"-a", "+b"}}}}
				if rapid.IntRange(0, 3).Draw(t, "removed") == 0 {
					c.Change, c.After = event.FunctionRemoved, ""
				} else if rapid.Bool().Draw(t, "measured") {
					c.Metrics = &event.FunctionMetrics{FLOPs: rapid.Int64Range(1, 9).Draw(t, "flops")}
				}
				b.Functions = append(b.Functions, c)
			}
			return b
		case 7:
			return &event.PassSkipped{Name: name(p), Kind: kind.Draw(t, "kind"), Reason: event.ReasonDisabled, Text: "disabled"}
		case 8:
			return &event.PassFailed{Name: name(p), Error: event.Error{Kind: event.KindPass, Message: "no"}}
		case 9:
			return &event.Diagnostic{Severity: event.SeverityNote, Message: "hm"}
		case 10:
			return &event.CodeGenerated{Kernels: []event.Kernel{{Name: "k", Text: text.Draw(t, "kernel")}}, VM: rapid.SampledFrom([]string{"", "vm"}).Draw(t, "vm")}
		case 11:
			call := event.ProfiledCall{Name: "k", Kernel: true, In: "main", Count: rapid.Int64Range(1, 9).Draw(t, "calls")}
			return &event.Profiled{Function: "main", Calls: []event.ProfiledCall{call}, Plan: &event.MemoryPlan{Steps: []int{0}}}
		case 12:
			b := &event.FunctionsSeen{}
			for _, f := range rapid.SliceOfDistinct(fn, rapid.ID[string]).Draw(t, "functions") {
				b.Functions = append(b.Functions, event.Function{Name: f, Kind: "function", Text: rapid.SampledFrom([]string{"t1", "t2", ""}).Draw(t, "text")})
			}
			return b
		}
		return &event.Executed{Function: "main"}
	}
	var log []event.Event
	for i := range rapid.IntRange(0, 40).Draw(t, "events") {
		p := path.Draw(t, "path")
		e := event.New(p, parent(p), body(p), measured())
		e.Seq, e.Reused = i, rapid.Bool().Draw(t, "reused")
		log = append(log, e)
	}
	if rapid.Bool().Draw(t, "finished") {
		e := event.New("", "", &event.RunFinished{Status: event.StatusFailed}, measured())
		e.Seq = len(log)
		log = append(log, e)
	}
	return log
}
