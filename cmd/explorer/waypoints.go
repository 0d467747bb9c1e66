package main

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/spf13/cobra"
)

// The ends of a run of passes.
const (
	pointStart = "start"
	pointEnd   = "end"
	// beforePrefix asks for the module before a step.
	beforePrefix = "before:"
)

// waypoints remembers the modules before and after each step of a run. Modules share what no
// pass changed, so they cost little.
type waypoints struct {
	start, end *ir.Module // end is nil if a pass failed
	steps      []waypoint // in the order in which they ended
}

type waypoint struct {
	path, name    string
	before, after *ir.Module
}

// run runs the passes of a request, and prints and measures what the flags ask for.
func (p *waypoints) run(cmd *cobra.Command, cf *compileFlags, req compiler.Request) error {
	note := func(after *ir.Module, s *pass.Step) {
		p.steps = append(p.steps, waypoint{s.Path(), s.Pass.Name, s.Input, after})
	}
	p.start = req.Module
	res, err := cf.run(cmd, req, &pass.Instrument{
		Name:         "Waypoints",
		RunAfterPass: func(m *ir.Module, s *pass.Step) error { note(m, s); return nil },
		PassSkipped:  func(m *ir.Module, s *pass.Step, _ pass.SkipReason) { note(m, s) },
	})
	if err == nil {
		p.end = res.Module
	}
	return err
}

// find returns the module at a point and what to call the point.
func (p *waypoints) find(spec string) (*ir.Module, string, error) {
	name, before := strings.CutPrefix(spec, beforePrefix)
	switch {
	case name == pointStart && !before:
		return p.start, pointStart, nil
	case name == pointEnd && !before && p.end == nil:
		return nil, "", fmt.Errorf("the passes did not finish")
	case name == pointEnd && !before:
		return p.end, pointEnd, nil
	}
	s := p.step(name)
	if s == nil {
		return nil, "", p.unknown(name)
	}
	if before {
		return s.before, "before " + s.path, nil
	}
	return s.after, "after " + s.path, nil
}

// step finds a step by its path, by its number, or by the name of its pass.
func (p *waypoints) step(name string) *waypoint {
	if i := findStep(len(p.steps), p.named, name); i >= 0 {
		return &p.steps[i]
	}
	return nil
}

func (p *waypoints) named(i int) (path, name string) { return p.steps[i].path, p.steps[i].name }

func (p *waypoints) unknown(name string) error { return unknownStep(len(p.steps), p.named, name) }

// findStep finds one of n steps by its path, by its number, or by the name of its pass; -1 where there is none.
func findStep(n int, named func(int) (path, name string), spec string) int {
	for i := range n {
		path, _ := named(i)
		if number, _, _ := strings.Cut(path, "/"); path == spec || number == spec {
			return i
		}
	}
	spec, count, _ := strings.Cut(spec, "#")
	skip := 0
	if count != "" {
		var err error
		if skip, err = strconv.Atoi(count); err != nil {
			return -1
		}
	}
	for i := range n {
		if _, name := named(i); name == spec || name == pipeline.Canonical(spec) {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	return -1
}

// unknownStep is the error of a step that is none of n.
func unknownStep(n int, named func(int) (path, name string), spec string) error {
	names := map[string]bool{pointStart: true, pointEnd: true}
	for i := range n {
		path, name := named(i)
		names[name], names[path] = true, true
	}
	hint := "the points are start, end, and the passes and steps of the pipeline"
	if near := nearest.Name(spec, maps.Keys(names)); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	if short, _, ok := strings.Cut(spec, "#"); ok && findStep(n, named, short) >= 0 {
		hint = fmt.Sprintf("%s did not run that often; PASS#0 is its first run", short)
	}
	return usageError{fmt.Errorf("no step %q was run: %s", spec, hint)}
}
