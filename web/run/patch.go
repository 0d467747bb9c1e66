package run

import "github.com/irscope/irscope/instruments/event"

// Edit is an edited text of the module behind a step.
type Edit struct {
	After string `json:"after"`
	// Functions are those whose text was edited; none means that the text had all functions
	// but external ones. Those that it does not define any more are taken out.
	Functions []string `json:"functions"`
	Text      string   `json:"text"`
}

// CheckedEdit is what Compiler.CheckEdit found in an edited text.
type CheckedEdit struct {
	// Diagnostics are errors and warnings in the order of the text.
	Diagnostics []event.Diagnostic `json:"diagnostics"`
	// Patch is what is to be added to the settings, in place of one of the same step; nil
	// where the text says what the module says, or has errors.
	Patch *Patch `json:"patch"`
	// Functions are the names of the functions that the patch is about.
	Functions []string `json:"functions"`
	// Text is the edited text as the printer writes it; "" where there are errors.
	Text string `json:"text"`
}
