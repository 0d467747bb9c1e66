// Package request says, as plain data, what is asked of the compiler: settings with the texts that go with them. The
// command line, the web and the driver share it; docs/protocol.md describes its JSON form. It imports the standard library only and
// knows no pass: whether what settings name exists is for package driver to say.
package request

import (
	"fmt"
	"slices"
)

// Settings are what a visitor chooses for a run.
type Settings struct {
	// Target is a target string or JSON; empty means the default target.
	Target string `json:"target"`
	// OptLevel is 0 to 4.
	OptLevel int `json:"opt_level"`
	// Pipeline names a pipeline; empty means the default one.
	Pipeline string `json:"pipeline"`
	// Steps, where not nil, replace the pipeline; Pipeline then names the one that they came
	// from.
	Steps []Step `json:"steps,omitempty"`
	// Scripts define passes, which steps name, and instruments, which watch the run.
	Scripts []Script `json:"scripts,omitempty"`
	// Patches are IR that was edited behind steps.
	Patches []Patch `json:"patches,omitempty"`
	// Schedules take the place of the default schedules of kernels.
	Schedules []Schedule `json:"schedules,omitempty"`
	// Disabled and Required are names of passes.
	Disabled []string `json:"disabled,omitempty"`
	Required []string `json:"required,omitempty"`
	// Config holds options of the pass context by key.
	Config map[string]any `json:"config,omitempty"`
	// Shapes binds shapes of inputs by name.
	Shapes map[string][]int64 `json:"shapes,omitempty"`
	// Bindings are values of symbolic dimensions; the module runs once for each.
	Bindings []map[string]int64 `json:"bindings,omitempty"`
	// Inputs are those that the visitor gave, and Expected the outputs that are expected for them. Other inputs are random.
	Inputs   []Tensor `json:"inputs,omitempty"`
	Expected []Tensor `json:"expected,omitempty"`
	// Seed seeds the random inputs.
	Seed int64 `json:"seed"`
	// Rewrites asks for a record of the rewrites and decisions of each step.
	Rewrites bool `json:"rewrites,omitempty"`
	// Profile is how often to run the program to measure what it calls; 0 measures nothing.
	Profile int `json:"profile,omitempty"`
}

// Step is one step of an explicit pipeline: a pass, or, where it has steps, a sequence of
// that name.
type Step struct {
	Name    string         `json:"name"`
	Options map[string]any `json:"options,omitempty"`
	Steps   []Step         `json:"steps,omitempty"`
}

// Bounds on what settings may hold, so that a request of a megabyte cannot cost more
// than its size.
const (
	maxNames    = 1000
	maxSteps    = 1000
	maxNesting  = 8
	maxBindings = 16
	// MaxProfile is the largest number of runs to measure.
	MaxProfile = 10_000
	// MaxOptLevel is the highest optimisation level.
	MaxOptLevel = 4
)

// Normalize checks the form of settings and returns them in the form that keys are
// made of: lists of names sorted and without doubles. Whether passes, keys and
// targets exist is for package driver to say.
func (s Settings) Normalize() (Settings, error) {
	if s.OptLevel < 0 || s.OptLevel > MaxOptLevel {
		return s, fmt.Errorf("opt_level is %d, want 0 to %d", s.OptLevel, MaxOptLevel)
	}
	for name, list := range map[string][]string{"disabled": s.Disabled, "required": s.Required} {
		if len(list) > maxNames {
			return s, fmt.Errorf("%s lists %d passes; the limit is %d", name, len(list), maxNames)
		}
	}
	if n, err := countSteps(s.Steps, 1); err != nil {
		return s, err
	} else if n > maxSteps {
		return s, fmt.Errorf("steps lists %d steps; the limit is %d", n, maxSteps)
	}
	if err := validScripts(s.Scripts); err != nil {
		return s, err
	}
	var err error
	if s.Patches, err = normalPatches(s.Patches); err != nil {
		return s, err
	}
	if s.Schedules, err = normalSchedules(s.Schedules); err != nil {
		return s, err
	}
	if len(s.Bindings) > maxBindings {
		return s, fmt.Errorf("bindings lists %d executions; the limit is %d", len(s.Bindings), maxBindings)
	}
	if s.Profile < 0 || s.Profile > MaxProfile {
		return s, fmt.Errorf("profile is %d, want 0 to %d", s.Profile, MaxProfile)
	}
	if err := validTensors("inputs", s.Inputs); err != nil {
		return s, err
	}
	if err := validTensors("expected", s.Expected); err != nil {
		return s, err
	}
	s.Disabled, s.Required = sortedSet(s.Disabled), sortedSet(s.Required)
	return s, nil
}

// countSteps counts the steps with those inside of others.
func countSteps(steps []Step, depth int) (int, error) {
	n := len(steps)
	for _, step := range steps {
		if len(step.Steps) == 0 {
			continue
		}
		if depth == maxNesting {
			return n, fmt.Errorf("step %.60q is nested too deeply; sequences nest at most %d levels deep", step.Name, maxNesting)
		}
		inside, err := countSteps(step.Steps, depth+1)
		if err != nil {
			return n, err
		}
		n += inside
	}
	return n, nil
}

// sortedSet returns a sorted copy without doubles; nil for none.
func sortedSet(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}
