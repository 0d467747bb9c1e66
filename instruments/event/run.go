package event

import (
	"maps"
	"slices"
	"strings"
)

// What is no step of a run and still has texts.
const (
	// ImportStep is the module as it was read.
	ImportStep = "import"
	// CodeStep is the generated code.
	CodeStep = "code"
)

// CodeKind is the kind of generated code among the kinds of functions, and VMFunction the name of the listing of the virtual machine.
const (
	CodeKind   = "code"
	VMFunction = "(vm)"
)

// Run is the state of a run as its log tells it: the one fold of events. Everything that shows, searches, compares or exports a
// run reads a Run; the page has the same rules in TypeScript (static/src/store/model.ts), and a test compares the two.
//
// Events are applied one by one in the order of the log, each in time that does not grow with the log, so that a reader may follow
// a run that goes on. Each body says what it changes in its method apply. A Run takes any log, also one that no compiler wrote:
// what an older log lacks stays empty, and a step that was not planned appears when it is first named.
//
// A Run is not safe for concurrent use. Slices only grow, and elements of Changes are not written again.
type Run struct {
	// Started, Code and Finished are nil until the log has them.
	Started  *RunStarted
	Code     *CodeGenerated
	Finished *RunFinished
	// End is what was measured of the run as a whole, once it is Finished.
	End Measured
	// Events counts those that were applied, and Clock is the latest time that they name, since the start of the run.
	Events int
	Clock  int64
	// Times of what is no pass, in nanoseconds: reading the model, generating code, and what the engine makes of the code.
	ImportTime, CodegenTime, CompileTime int64
	// Import stands for the module as it was read, Generated for the code; both are outside of the tree.
	Import, Generated *Step
	// Roots are the outermost steps; see All.
	Roots []*Step
	// Ends lists the steps in the order in which they ended.
	Ends []*Step
	// Changes lists the texts that steps gave functions. A step that encloses others reports their changes again: nothing is new
	// then, because a change is what differs from the module as it was left.
	Changes []TextChange
	// Histories lists the tables of what became of values, see package history.
	Histories []StepHistory
	// Lanes are the metrics of the module over time.
	Lanes []Lane
	// Executions, Profiles and Diagnostics are in the order of the log.
	Executions  []Execution
	Profiles    []Profile
	Diagnostics []StepDiagnostic
	Counts

	steps   map[string]*Step
	numbers map[string]*Step // the steps by the number in their path, for those that require others
	module  map[string]int   // the index of the last change of each function that the module has
	begun   []begin
	metrics *Metrics
}

// Counts adds up the outcomes of the steps of a log.
type Counts struct {
	Changed, Same, Skipped, Failed, Reused int
	// Unknown counts the steps of a dump that does not tell what they did.
	Unknown int
	// Ran counts the steps that began and are no sequences.
	Ran int
	// Saved adds up what reuse has saved, in nanoseconds.
	Saved int64
}

// TextChange is a text that a step gave a function.
type TextChange struct {
	Step *Step // Run.Import or Run.Generated for what is no step
	// Function is the function as it is then; its Text is empty where it is gone.
	Function
	// Before is the hash of the text that the function had; empty where it is new.
	Before string
}

// StepHistory is the hash of the table of a step, Run.Import or Run.Generated.
type StepHistory struct {
	Step *Step
	Hash string
}

// Lane is what a module measured at a time.
type Lane struct {
	At      int64
	Step    *Step // nil for the imported module
	Metrics *Metrics
}

// Execution is an execution of the compiled module.
type Execution struct {
	Body     *Executed
	Measured Measured
}

// Profile says what an execution consists of. Times is nil where none were measured.
type Profile struct {
	Body  *Profiled
	Times *ProfileTimes
}

// StepDiagnostic is a message with the path of the step that it names, if any, and that step, if the log knows it.
type StepDiagnostic struct {
	Path string
	Step *Step
	*Diagnostic
}

// begin is the start of a step at an event.
type begin struct {
	step *Step
	seq  int
}

// NewRun returns the state before the first event.
func NewRun() *Run {
	return &Run{
		Import:    &Step{Path: ImportStep, Name: ImportStep, Began: -1, Seq: -1, Status: StepSame},
		Generated: &Step{Path: CodeStep, Name: CodeStep, Began: -1, Seq: -1, Status: StepSame},
		steps:     map[string]*Step{}, numbers: map[string]*Step{}, module: map[string]int{},
	}
}

// Fold returns the state after some events from the start of a log.
func Fold(events []Event) *Run {
	r := NewRun()
	for _, e := range events {
		r.Apply(e)
	}
	return r
}

// Apply brings the state up to date with the next event of the log. It keeps the body, which must not be written any more.
func (r *Run) Apply(e Event) {
	r.Events++
	m := e.measured()
	r.Clock = max(r.Clock, m.At)
	e.Body.apply(r, e)
	// What the end of a run says was saved is the sum.
	if r.Finished == nil {
		r.Saved += m.Saved
	}
}

// measured returns what was measured of an event; zeros where nothing was.
func (e Event) measured() Measured {
	if e.Measured == nil {
		return Measured{}
	}
	return *e.Measured
}

// Planned names the passes of the pipeline, in order, as far as they were known before the first one ran.
func (r *Run) Planned() []string {
	if r.Started == nil {
		return nil
	}
	var out []string
	for _, p := range r.Started.Plan {
		if p.Kind != PassSequential {
			out = append(out, p.Name)
		}
	}
	return out
}

// Step returns the step with a path, or nil.
func (r *Run) Step(path string) *Step { return r.steps[path] }

// Open lists the steps that have begun and not ended, in the order in which they began.
func (r *Run) Open() []*Step {
	var out []*Step
	for _, b := range r.begun {
		if b.step.Status == StepRunning && b.step.Began == b.seq {
			out = append(out, b.step)
		}
	}
	return out
}

// FunctionsAfter lists the functions of the module as it is when a step has ended, sorted by name; nil is the imported module. A
// step that did not end, or changed nothing, gives the module as it is.
func (r *Run) FunctionsAfter(s *Step) []Function {
	switch {
	case s == nil:
		return r.functions(r.Import.changes)
	case s.Seq < 0:
		return r.functions(len(r.Changes))
	}
	return r.functions(s.changes)
}

// FunctionsBefore lists the functions of the module that a step is given; the imported ones where it has not begun.
func (r *Run) FunctionsBefore(s *Step) []Function {
	if s.Began < 0 && s.Seq < 0 {
		return r.functions(r.Import.changes)
	}
	return r.functions(s.given)
}

// functions lists the functions of the module after the first n changes.
func (r *Run) functions(n int) []Function {
	module := map[string]Function{}
	for _, c := range r.Changes[:n] {
		switch {
		case c.Kind == CodeKind:
		case c.Text == "":
			delete(module, c.Name)
		default:
			module[c.Name] = c.Function
		}
	}
	return slices.SortedFunc(maps.Values(module), func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
}

// put notes the text that a step gave a function of the module, if it is another than before.
func (r *Run) put(s *Step, f Function) {
	before := ""
	if i, ok := r.module[f.Name]; ok {
		before = r.Changes[i].Text
		// A sequence has no metrics of its own: its passes had them.
		if f.Metrics == nil {
			f.Metrics = r.Changes[i].Metrics
		}
	}
	switch {
	case before == f.Text:
		return
	case f.Text == "":
		delete(r.module, f.Name)
	default:
		r.module[f.Name] = len(r.Changes)
	}
	r.Changes = append(r.Changes, TextChange{s, f, before})
}

// putCode notes the text of something generated.
func (r *Run) putCode(name, text string, lines int) {
	r.Changes = append(r.Changes, TextChange{Step: r.Generated, Function: Function{Name: name, Kind: CodeKind, Text: text, Lines: lines}})
}

// Size estimates what the state holds in memory, in bytes.
func (r *Run) Size() int64 {
	n := int64(4096 + 512*len(r.Changes) + 512*len(r.Executions) + 256*len(r.Diagnostics))
	for _, p := range r.Profiles {
		n += int64(256 * len(p.Body.Calls))
		if p.Body.Plan != nil {
			n += int64(256 * (len(p.Body.Plan.Storages) + len(p.Body.Plan.Tensors)))
		}
	}
	for _, s := range r.steps {
		n += 1024
		if s.Finished != nil {
			n += s.Finished.size()
		}
	}
	return n
}

// history notes the table of a step, where there is one.
func (r *Run) history(s *Step, hash string) {
	if hash != "" {
		r.Histories = append(r.Histories, StepHistory{s, hash})
	}
}

// lane notes the metrics of the module after a step, where they are known.
func (r *Run) lane(s *Step, m *Metrics, at int64) {
	if m != nil {
		r.metrics = m
		r.Lanes = append(r.Lanes, Lane{at, s, m})
	}
}
