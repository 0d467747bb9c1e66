package run

// Trial asks what passes would do behind a step.
type Trial struct {
	After string `json:"after"`
	Steps []Step `json:"steps"`
	// Function, where it is not empty, is the one whose texts before and after are wanted.
	Function string `json:"function"`
}

// Tried is what a pass would do.
type Tried struct {
	Name string `json:"name"`
	// Functions counts those of the module, and Changed names those that the pass would change, add, or remove.
	Functions int      `json:"functions"`
	Changed   []string `json:"changed"`
	// Skipped says why the pass would not run, and Error why it would fail.
	Skipped string `json:"skipped,omitempty"`
	Error   string `json:"error,omitempty"`
	// Before and After are the texts of the function that is wanted.
	Before string `json:"-"`
	After  string `json:"-"`
}
