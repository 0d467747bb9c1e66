package check

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
)

// Status says what the outputs behind a step are.
type Status string

// The statuses.
const (
	// Same: all outputs are equal to those of the reference, bit for bit, where NaN equals NaN and 0 equals -0.
	Same Status = "same"
	// Close: all outputs are within the tolerance.
	Close Status = "close"
	// Wrong: an element of an output is beyond the tolerance, or the type, the shape, or the number of outputs differs.
	Wrong Status = "wrong"
	// Failed: running the module ended in an error, and running the reference did not.
	Failed Status = "failed"
	// NotRunnable: the module has something that the interpreter cannot run; nothing is known of its outputs.
	NotRunnable Status = "not_runnable"
)

// Bad tells whether a status is a red mark.
func (s Status) Bad() bool { return s == Wrong || s == Failed }

// Tolerance bounds the difference of an element from that of the reference, w: ATol * max(1, M) + RTol * |w|, where M is the largest
// finite magnitude in the output of the reference. Both are 0 for types that are compared exactly.
type Tolerance struct {
	DType string  `json:"dtype"`
	RTol  float64 `json:"rtol"`
	ATol  float64 `json:"atol"`
}

// tolerances bound the errors of types whose results are rounded: passes may reorder sums. Those not listed are compared exactly.
var tolerances = []Tolerance{
	{"float64", 1e-10, 1e-12},
	{"float32", 1e-4, 1e-5},
	{"float16", 1e-2, 1e-2},
	{"bfloat16", 4e-2, 4e-2},
}

// ToleranceOf returns the tolerance of an element type by its name. Floats of 8 bits and less have steps of an eighth and more: twice
// that is allowed.
func ToleranceOf(dtype string) Tolerance {
	for _, t := range tolerances {
		if t.DType == dtype {
			return t
		}
	}
	if strings.HasPrefix(dtype, "float") {
		return Tolerance{dtype, 0.25, 0.25}
	}
	return Tolerance{DType: dtype}
}

// Difference is the distance of outputs from those of the reference: the largest errors over all outputs.
type Difference struct {
	MaxAbs event.Float `json:"max_abs"`
	// MaxRel is over elements whose reference is not 0.
	MaxRel event.Float `json:"max_rel"`
	// NaNs counts elements that are not a number, and NewNaNs those of them where the reference has a number.
	NaNs    int64 `json:"nans,omitempty"`
	NewNaNs int64 `json:"new_nans,omitempty"`
	// Output names the output with the first element beyond the tolerance, else the one with MaxAbs; Index is that element, counted
	// in row-major order, -1 where there is none, and Got and Want are its values.
	Output string      `json:"output,omitempty"`
	Index  int         `json:"index"`
	Got    event.Float `json:"got,omitempty"`
	Want   event.Float `json:"want,omitempty"`
	// Beyond is the number of elements beyond the tolerance.
	Beyond int64 `json:"beyond,omitempty"`
}

// CodePath is the path of the last step where code was generated: it is no pass, and its outputs are those of the program, run by the machine.
const CodePath = event.CodeStep

// Step is what is known behind one step.
type Step struct {
	// Path is that of the step, e.g. "1.2/FuseOps"; "" for the module before the first pass, and CodePath for the generated code.
	Path string `json:"path"`
	Pass string `json:"pass"`
	// Status is that of the module behind the step, and Changed tells whether the step changed the module. What it did not
	// change has the status and figures of the step before.
	Status  Status `json:"status"`
	Changed bool   `json:"changed"`
	// Message says why a module failed, cannot be run, or is wrong where no element says it.
	Message string `json:"message,omitempty"`
	// Difference is that from the reference; nil where the outputs are not known.
	Difference *Difference `json:"difference,omitempty"`
	// How says how the module was run; nil where it was not.
	How *How `json:"how,omitempty"`
	// Threads says what threads of a GPU did that ended the run, such as a race; Message says it in one line. nil where it was something else.
	Threads *ThreadFault `json:"threads,omitempty"`
}

// ThreadFault is what threads did that a GPU does not define.
type ThreadFault struct {
	// Kind is "race", "divergent barrier", "uninitialized read", or "shuffle from an absent thread".
	Kind string `json:"kind"`
	// Element is the element that was accessed, "" for barriers and shuffles.
	Element string `json:"element,omitempty"`
	// Function is the function, whose text behind the step has the lines of Accesses.
	Function string         `json:"function"`
	Accesses []ThreadAccess `json:"accesses"`
}

// ThreadAccess is what one thread did.
type ThreadAccess struct {
	Thread string `json:"thread"`
	Does   string `json:"does"`
	// Line is the line in the function, from 1, and Code what is there; 0 if it is not in the text.
	Line int    `json:"line,omitempty"`
	Code string `json:"code,omitempty"`
}

// How says how a module was run: who computed the results of its operators and kernels. A kernel that is called with arguments that it was called with
// behind an earlier step is not run again, and counts as it did then.
type How struct {
	// Interpreted counts the calls of kernels that the interpreter ran, and Compiled those that generated code ran. The interpreter has
	// confirmed each of the latter on a part of its iterations.
	Interpreted int `json:"interpreted,omitempty"`
	Compiled    int `json:"compiled,omitempty"`
	// Refuted are kernels whose generated code gave something else than the interpreter, whose results were taken then.
	Refuted []string `json:"refuted,omitempty"`
	// Evaluated are operators that were computed by their definitions, without anything that LegalizeOps makes.
	Evaluated []string `json:"evaluated,omitempty"`
	// Legalized tells that LegalizeOps made kernels of operators first, of those that are not Evaluated.
	Legalized bool `json:"legalized,omitempty"`
	// Machine tells that the machine ran the generated code of the whole program.
	Machine bool `json:"machine,omitempty"`
}

// Fault names who is at fault for the first red mark.
type Fault struct {
	// Step is the index of the step in Report.Steps, and Path and Pass those of the step.
	Step int    `json:"step"`
	Path string `json:"path"`
	Pass string `json:"pass"`
	// Functions are those that the step changed wrongly: the smallest set that was found. All is their number before
	// the search.
	Functions []string `json:"functions"`
	All       int      `json:"all"`
	// Why says why there is no single function, "" where there is.
	Why string `json:"why,omitempty"`
}

// Expected compares the outputs of a model with those that its author expects, before the first pass and behind the last.
type Expected struct {
	Output string      `json:"output"`
	First  *Difference `json:"first,omitempty"`
	Last   *Difference `json:"last,omitempty"`
	// Within tells whether Last, or First where the last module could not be run, is within the tolerance.
	Within bool `json:"within"`
}

// Report is the result of a check.
type Report struct {
	// Function is what was run.
	Function string `json:"function"`
	// Inputs are the tensors that it was run on.
	Inputs []event.Tensor `json:"inputs"`
	// Tolerances are those of the types of the outputs.
	Tolerances []Tolerance `json:"tolerances"`
	// Reference is the index of the first module that could be run, -1 for none. Why then says why not.
	Reference int    `json:"reference"`
	Why       string `json:"why,omitempty"`
	// Steps begin with the module before the first pass; passes that run others are not among them.
	Steps []Step `json:"steps"`
	// Fault is about the first red mark; nil where there is none.
	Fault *Fault `json:"fault,omitempty"`
	// Stopped says why the check ended before the last pass, "" where it did not.
	Stopped  string     `json:"stopped,omitempty"`
	Expected []Expected `json:"expected,omitempty"`
}

// Counts returns the number of steps of each status. Steps that changed nothing count too.
func (r *Report) Counts() map[Status]int {
	out := map[Status]int{}
	for _, s := range r.Steps {
		out[s.Status]++
	}
	return out
}

// FirstBad returns the index of the first red mark, -1 for none.
func (r *Report) FirstBad() int {
	for i, s := range r.Steps {
		if s.Status.Bad() {
			return i
		}
	}
	return -1
}

// How sums up how the modules were run that steps changed.
func (r *Report) How() How {
	var out How
	for _, s := range r.Steps {
		if !s.Changed || s.How == nil {
			continue
		}
		out.Interpreted += s.How.Interpreted
		out.Compiled += s.How.Compiled
		out.Legalized, out.Machine = out.Legalized || s.How.Legalized, out.Machine || s.How.Machine
		out.Refuted, out.Evaluated = union(out.Refuted, s.How.Refuted), union(out.Evaluated, s.How.Evaluated)
	}
	return out
}

// union appends the names to a list that it does not have.
func union(list, names []string) []string {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
