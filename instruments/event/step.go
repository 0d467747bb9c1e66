package event

import (
	"regexp"
	"strings"
	"sync"
)

// StepStatus says how far a step has got.
type StepStatus string

// The states of steps.
const (
	StepWaiting StepStatus = "waiting"
	StepRunning StepStatus = "running"
	// StepChanged and StepSame: the pass has finished, and returned another module or the same one.
	StepChanged StepStatus = "changed"
	StepSame    StepStatus = "same"
	StepSkipped StepStatus = "skipped"
	StepFailed  StepStatus = "failed"
	// StepUnknown: the pass has finished, and a dump does not tell what it did.
	StepUnknown StepStatus = "unknown"
)

// Step is a step of a run as far as the log has got.
type Step struct {
	// Path identifies the step, Parent is the path of the one that it is nested in.
	Path, Parent string
	Name         string
	Level        int
	Role         Role
	Kind         PassKind
	// Depth counts the steps around it.
	Depth int
	// Children are the steps inside of it, in the order in which they appear; Required are those that ran before it because it
	// requires them, and are no children of the same parent.
	Children, Required []*Step
	Status             StepStatus
	// Text and Reason say why it was skipped: the step itself, the sequence that holds it, or because the run ended before it. Text also
	// says why it is unknown what the step did.
	Text   string
	Reason ReasonKind
	// Why says for which unusual reason it ran, and Title what a dump calls it in full.
	Why, Title string
	// Line is that of the user's schedule which asked for it; 0 for other steps.
	Line int
	// Error is set where it failed, and where the run ended in it.
	Error *Error
	// Finished is what the pass did, once it is done.
	Finished *PassFinished
	// Measured is that of the event that ended it.
	Measured    Measured
	Reused      bool
	Diagnostics []*Diagnostic
	// Began and Seq are the numbers of the events that began and ended it; -1 where there is none. At is when it began.
	Began, Seq int
	At         int64
	// Before are the metrics of the module that it was given; nil where they are not known.
	Before *Metrics

	// given and changes are the numbers of changes of texts before and after it.
	given, changes int
	spread         bool  // it was skipped with all inside of it
	above          *Step // what it is in; nil at the top
}

// All lists the steps in the order of the tree: parents first, and what a step requires before it.
func (r *Run) All() []*Step {
	var out []*Step
	var walk func(steps []*Step)
	walk = func(steps []*Step) {
		for _, s := range steps {
			walk(s.Required)
			out = append(out, s)
			walk(s.Children)
		}
	}
	walk(r.Roots)
	return out
}

// FailedStep returns the step that the run failed in, the innermost; nil where it failed in none. A failure that the step around it went on after is none of
// the run.
func (r *Run) FailedStep() *Step {
	var out *Step
	for _, s := range r.All() {
		if s.Kind != PassSequential && s.Status == StepFailed && (s.above == nil || s.above.Status == StepFailed) {
			out = s
		}
	}
	return out
}

// step returns the step of an event, and makes it where nothing named it before.
func (r *Run) step(e Event, name string, level int, role Role, kind PassKind) *Step {
	path := e.Step
	if path == "" {
		path = name
	}
	if s := r.steps[path]; s != nil {
		return s
	}
	return r.add(path, e.Parent, name, level, role, kind)
}

// end returns the step of an event that ends it.
func (r *Run) end(e Event, name string, level int, role Role, kind PassKind) *Step {
	s := r.step(e, name, level, role, kind)
	if s.Began < 0 {
		s.given = len(r.Changes)
	}
	s.Seq, s.Measured, s.Reused, s.changes = e.Seq, e.measured(), e.Reused, len(r.Changes)
	r.Ends = append(r.Ends, s)
	return s
}

// required matches the path of a step that ran because another requires it, and so before it: 1.3r1/Name before 1.3.
var required = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([\d.]+)r\d+/`) })

// add adds a step to the tree. A parent that nothing has named is none.
func (r *Run) add(path, parent, name string, level int, role Role, kind PassKind) *Step {
	s := &Step{Path: path, Parent: parent, Name: name, Level: level, Role: role, Kind: kind, Status: StepWaiting, Began: -1, Seq: -1}
	list := &r.Roots
	if s.above = r.steps[parent]; s.above != nil {
		s.Depth = s.above.Depth + 1
		list = &s.above.Children
	}
	if m := required().FindStringSubmatch(path); m != nil {
		if by := r.numbers[m[1]]; by != nil && by.above == s.above {
			list = &by.Required
		}
	} else if number, _, ok := strings.Cut(path, "/"); ok && r.numbers[number] == nil {
		r.numbers[number] = s
	}
	*list = append(*list, s)
	r.steps[path] = s
	return s
}

// skip marks a step and all below it that has not begun: a sequence that is skipped stands for what it holds.
func (s *Step) skip(text string, reason ReasonKind) {
	s.Status, s.Text, s.Reason = StepSkipped, text, reason
	if s.spread {
		return
	}
	s.spread = true
	for _, c := range s.Children {
		for _, inside := range append(c.Required[:len(c.Required):len(c.Required)], c) {
			if inside.Status == StepWaiting {
				inside.skip(text, reason)
			}
		}
	}
}
