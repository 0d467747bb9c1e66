package run

import "github.com/irscope/irscope/instruments/event"

// Checked is what Compiler.Check found in a text.
type Checked struct {
	// Diagnostics are errors and warnings in the order of the text.
	Diagnostics []event.Diagnostic `json:"diagnostics"`
	// Functions are those of the module by name; none where there are errors.
	Functions []CheckedFunction `json:"functions"`
	// Note says what a run of the module will leave out, such as its execution; it may be
	// empty.
	Note string `json:"note,omitempty"`
}

// CheckedFunction is a function of a text: its name, and its kind as in events.
type CheckedFunction struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Failed tells whether the text has errors.
func (c Checked) Failed() bool { return Failed(c.Diagnostics) }

// Failed tells whether one of the diagnostics is an error.
func Failed(found []event.Diagnostic) bool {
	for _, d := range found {
		if d.Severity == event.SeverityError {
			return true
		}
	}
	return false
}
