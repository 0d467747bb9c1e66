package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
)

// difference is something that is not as a session says.
type difference struct {
	// Kind is "ir", "step", "output" or "status".
	Kind     string `json:"kind"`
	Step     string `json:"step,omitempty"`
	Function string `json:"function,omitempty"`
	Message  string `json:"message"`
	// Before and After are the hashes of the texts of the function, where it is one.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`

	before, after string // the texts
	shown         bool
}

// outcome is what a step left behind.
type outcome struct {
	step   *event.Step       // Run.Import for the imported module
	end    string            // "ran", "skipped" or "failed"
	reason string            // why it was skipped or failed
	module string            // hash of the module
	attrs  map[string]string // module attributes that the step changed
}

// trailed is what a log says step by step.
type trailed struct {
	*event.Run
	steps []outcome
}

// trail follows the module through a log.
func trail(log []event.Event) trailed {
	t := trailed{Run: event.Fold(log)}
	if b := t.Started; b != nil {
		t.steps = append(t.steps, outcome{step: t.Import, end: "ran", module: b.Module, attrs: b.Attrs})
	}
	for _, s := range t.Ends {
		o := outcome{step: s, end: "ran"}
		switch {
		case s.Status == event.StepSkipped:
			o.end, o.reason = "skipped", s.Text
		case s.Error != nil:
			o.end, o.reason = "failed", s.Error.Message
		case s.Finished != nil:
			o.module, o.attrs = s.Finished.Module, s.Finished.AttrsAfter
		}
		t.steps = append(t.steps, o)
	}
	return t
}

// name names the step of an outcome.
func (t trailed) name(o outcome) string {
	if o.step == t.Import {
		return ""
	}
	return o.step.Path
}

// functions returns the hashes of the texts of the functions that a step left behind, by name.
func (t trailed) functions(o outcome) map[string]string {
	out := map[string]string{}
	for _, f := range t.FunctionsAfter(o.step) {
		out[f.Name] = f.Text
	}
	return out
}

// comparer compares what a session says with what came out now.
type comparer struct {
	was, is  trailed
	old, new export.Blobs
	flags    *replayFlags
	out      *replayRun
}

// add notes a difference.
func (c *comparer) add(d difference) { c.out.Differences = append(c.out.Differences, d) }

// compare compares steps, outputs, and how the run ended.
func (c *comparer) compare(ctx context.Context) error {
	c.out.Steps = max(len(c.was.steps)-1, 0)
	if err := c.steps(ctx); err != nil {
		return err
	}
	if was, is := c.was.Finished, c.is.Finished; was.Status != is.Status {
		c.add(difference{Kind: "status", Message: fmt.Sprintf("the run ended %s, in the session %s", message(is), message(was))})
	}
	c.results()
	return nil
}

func message(f *event.RunFinished) string {
	if f.Error == nil {
		return string(f.Status)
	}
	return fmt.Sprintf("%s (%s)", f.Status, f.Error.Message)
}

// steps finds the first step that ended otherwise or left another module.
func (c *comparer) steps(ctx context.Context) error {
	found := false
	for i := range max(len(c.was.steps), len(c.is.steps)) {
		if i >= len(c.was.steps) || i >= len(c.is.steps) || c.was.steps[i].step.Path != c.is.steps[i].step.Path {
			if !found {
				c.order(i)
			}
			return nil
		}
		was, is := c.was.steps[i], c.is.steps[i]
		switch {
		case found:
			if was.module != is.module {
				c.out.More++
			}
		case was.end != is.end:
			found = true
			c.add(difference{Kind: "step", Step: was.step.Path, Message: fmt.Sprintf("step %s %s; in the session it %s%s", was.step.Path, ended(is), ended(was), because(is, was))})
		case was.module != is.module || !maps.Equal(was.attrs, is.attrs):
			found = true
			if err := c.module(ctx, was, is); err != nil {
				return err
			}
		}
	}
	return nil
}

func ended(o outcome) string {
	if o.end == "skipped" {
		return "was skipped"
	}
	return o.end
}

// because names the reason of the one that did not run.
func because(is, was outcome) string {
	if reason := orDefault(is.reason, was.reason); reason != "" {
		return ": " + reason
	}
	return ""
}

// order notes that other steps ran.
func (c *comparer) order(i int) {
	at := func(t trailed) string {
		if i < len(t.steps) {
			return orDefault(t.name(t.steps[i]), "the import")
		}
		return "the end"
	}
	c.add(difference{Kind: "step", Step: at(c.was), Message: fmt.Sprintf("in the session step %s followed here, now it is %s", at(c.was), at(c.is))})
}

// module notes how the module after a step differs, function by function.
func (c *comparer) module(ctx context.Context, was, is outcome) error {
	where := "the imported module"
	step := c.was.name(was)
	if step != "" {
		where = "the IR after step " + step
	}
	old, now := c.was.functions(was), c.is.functions(is)
	names := slices.Collect(maps.Keys(old))
	for name := range now {
		if _, ok := old[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	before := len(c.out.Differences)
	for _, name := range names {
		x, y := old[name], now[name]
		if x == y {
			continue
		}
		d := difference{Kind: "ir", Step: step, Function: name, Before: x, After: y, shown: true}
		switch {
		case x == "":
			d.Message = fmt.Sprintf("%s has a new function %s", where, name)
		case y == "":
			d.Message = fmt.Sprintf("%s lacks function %s", where, name)
		default:
			d.Message = fmt.Sprintf("%s differs in function %s", where, name)
		}
		var err error
		if d.before, err = text(ctx, c.old, x); err != nil {
			return err
		}
		if d.after, err = text(ctx, c.new, y); err != nil {
			return err
		}
		c.add(d)
	}
	if len(c.out.Differences) == before {
		c.add(difference{Kind: "ir", Step: step, Message: fmt.Sprintf("%s has other attributes: %v, in the session %v", where, is.attrs, was.attrs)})
	}
	return nil
}

// text returns a text, "" for none.
func text(ctx context.Context, from export.Blobs, hash string) (string, error) {
	if hash == "" {
		return "", nil
	}
	b, err := from.Blob(ctx, hash)
	return string(b.Data), err
}
