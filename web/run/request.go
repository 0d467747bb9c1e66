package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/irscope/irscope/web/store"
)

// Request is all that determines what a run says, apart from the executable.
type Request struct {
	Source   store.Source `json:"source"`
	Settings Settings     `json:"settings"`
	Limits   Limits       `json:"limits"`
	// Attempt tells measurements of the same request apart; 0 may be shared.
	Attempt int `json:"attempt,omitempty"`
}

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
	// Disabled and Required are names of passes.
	Disabled []string `json:"disabled,omitempty"`
	Required []string `json:"required,omitempty"`
	// Config holds options of the pass context by key.
	Config map[string]any `json:"config,omitempty"`
	// Shapes binds shapes of inputs by name.
	Shapes map[string][]int64 `json:"shapes,omitempty"`
	// Bindings are values of symbolic dimensions; the module runs once for each.
	Bindings []map[string]int64 `json:"bindings,omitempty"`
	// Seed seeds the random inputs.
	Seed int64 `json:"seed"`
}

// Step is one step of an explicit pipeline: a pass, or, where it has steps, a sequence of
// that name.
type Step struct {
	Name    string         `json:"name"`
	Options map[string]any `json:"options,omitempty"`
	Steps   []Step         `json:"steps,omitempty"`
}

// Limits are what a run may use.
type Limits struct {
	// Time is the wall time from the start of the run, queueing not counted.
	Time time.Duration `json:"time"`
	// Memory is the accounted memory in bytes: nodes, tensors, texts, wasm pages.
	Memory int64 `json:"memory"`
	// LogBytes and TextBytes bound the events and the texts.
	LogBytes  int64 `json:"log_bytes"`
	TextBytes int64 `json:"text_bytes"`
}

// defaultLimits are the limits of a run for a visitor of the page.
var defaultLimits = Limits{Time: 20 * time.Second, Memory: 512 << 20, LogBytes: 64 << 20, TextBytes: 256 << 20}

// DefaultLimits returns the limits of a run that was started from the page.
func DefaultLimits() Limits { return defaultLimits }

// Bounds on what settings may hold, so that a request of a megabyte cannot cost more
// than its size.
const (
	maxNames    = 1000
	maxSteps    = 1000
	maxNesting  = 8
	maxBindings = 16
	// MaxOptLevel is the highest optimisation level.
	MaxOptLevel = 4
)

// Normalize checks the form of settings and returns them in the form that keys are
// made of: lists of names sorted and without doubles. Whether passes, keys and
// targets exist is for the Runner to say.
func (s Settings) Normalize() (Settings, error) {
	if s.OptLevel < 0 || s.OptLevel > MaxOptLevel {
		return s, fmt.Errorf("opt_level is %d, want 0 to %d", s.OptLevel, MaxOptLevel)
	}
	for name, list := range map[string][]string{"disabled": s.Disabled, "required": s.Required} {
		if len(list) > maxNames {
			return s, fmt.Errorf("%s lists %d passes, at most %d are possible", name, len(list), maxNames)
		}
	}
	if n, err := countSteps(s.Steps, 1); err != nil {
		return s, err
	} else if n > maxSteps {
		return s, fmt.Errorf("steps lists %d steps, at most %d are possible", n, maxSteps)
	}
	if err := validScripts(s.Scripts); err != nil {
		return s, err
	}
	var err error
	if s.Patches, err = normalPatches(s.Patches); err != nil {
		return s, err
	}
	if len(s.Bindings) > maxBindings {
		return s, fmt.Errorf("bindings lists %d executions, at most %d are possible", len(s.Bindings), maxBindings)
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
			return n, fmt.Errorf("step %.60q is nested too deep, at most %d sequences may be inside of each other", step.Name, maxNesting)
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

// Key returns the key of a request for an executable that build identifies: two
// requests with the same key give the same bodies of events.
func (r Request) Key(build string) (string, error) {
	// Maps are encoded in the order of their keys, so the encoding is canonical.
	data, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("encode request: %w", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s\n", len(build), build)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)), nil
}
