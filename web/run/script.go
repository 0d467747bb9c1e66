package run

import "github.com/irscope/irscope/instruments/event"

// CheckedScript is what Compiler.CheckScript found in a script.
type CheckedScript struct {
	// Diagnostics are errors in the order of the text; what the script prints when it is
	// read is a note.
	Diagnostics []event.Diagnostic `json:"diagnostics"`
	// Passes are those that the script defines, and Instruments the names of its
	// instruments; none where there are errors.
	Passes      []UserPass `json:"passes"`
	Instruments []string   `json:"instruments"`
}

// UserPass describes a pass that a script defines.
type UserPass struct {
	// Name begins with UserPrefix.
	Name     string         `json:"name"`
	Level    int            `json:"level"`
	Kind     event.PassKind `json:"kind"`
	Doc      string         `json:"doc"`
	Required []string       `json:"required"`
}
