package run

import (
	"context"

	"github.com/irscope/irscope/instruments/event"
)

// Checker reads texts of modules while they are written. Like a Runner it stands between
// the web and the compiler. Its methods take a name for the text, which spans mention.
type Checker interface {
	// Check says what is wrong with a text and which functions it has.
	Check(ctx context.Context, name, text string) (Checked, error)
	// Format returns a text as the printer writes it. A text with mistakes comes back as it
	// is, with diagnostics.
	Format(ctx context.Context, name, text string) (string, []event.Diagnostic, error)
}

// Checked is what a Checker found in a text.
type Checked struct {
	// Diagnostics are mistakes and warnings in the order of the text.
	Diagnostics []event.Diagnostic `json:"diagnostics"`
	// Functions are those of the module by name; none where there are mistakes.
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

// Failed tells whether the text has mistakes.
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
