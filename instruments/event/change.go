package event

// Change says what became of a function.
type Change string

// The kinds of change of a function.
const (
	FunctionChanged Change = "changed"
	FunctionAdded   Change = "added"
	FunctionRemoved Change = "removed"
	// FunctionRenamed: only names of variables differ; the structure is equal.
	FunctionRenamed Change = "renamed"
)

// FunctionChange is what a pass did to one function.
type FunctionChange struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Change Change `json:"change"`
	// Before and After are the hashes of the texts; Before is empty for an
	// added function and After for a removed one.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// LinesBefore and LinesAfter count the lines of the two texts.
	LinesBefore int `json:"lines_before"`
	LinesAfter  int `json:"lines_after"`
	// Added and Removed count the lines of the diff. Of these, Renamed counts the
	// pairs of a removed and an added line that differ in names of values only,
	// and Moved those with the same text, whatever its indentation.
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Renamed int `json:"renamed,omitempty"`
	Moved   int `json:"moved,omitempty"`
	// Metrics are those of the function after the pass. Sequences leave them to
	// the passes that they run.
	Metrics *FunctionMetrics `json:"metrics,omitempty"`
	// Hunks is the diff with three lines of context, unless Truncated.
	Hunks []Hunk `json:"hunks,omitempty"`
	// Truncated tells that the hunks are too large to send inline; the diff of
	// the two hashes is to be fetched.
	Truncated bool `json:"truncated,omitempty"`
}

// Hunk is one run of differing lines with its context.
type Hunk struct {
	// Before and After are the numbers of the hunk's first line in the two
	// texts, from 1.
	Before int `json:"before"`
	After  int `json:"after"`
	// Lines are the lines without their newline, each with one byte in front:
	// ' ' for both texts, '-' for the text before, '+' for the text after.
	Lines []string `json:"lines"`
	// Marks has a byte for each line: ' ' for both texts, '~' for a renamed line,
	// '>' for a moved one, '!' for any other. It is empty where no line is
	// renamed or moved.
	Marks string `json:"marks,omitempty"`
}
