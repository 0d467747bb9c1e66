package event

// Role says what turning a pass off does to the module.
type Role string

// The roles of a pass.
const (
	// RoleOptional passes improve a module; without them it still compiles.
	RoleOptional Role = "optional"
	// RoleLowering passes must run for code to be generated.
	RoleLowering Role = "lowering"
)

// PassKind says what a pass works on.
type PassKind string

// The kinds of passes.
const (
	PassModule        PassKind = "module"
	PassFunction      PassKind = "function"
	PassPrimFunc      PassKind = "prim_func"
	PassDataflowBlock PassKind = "dataflow_block"
	// PassSequential is a pass that runs others and is itself no work.
	PassSequential PassKind = "sequential"
)

// RunStarted opens every log: the module as imported and what is about to run.
type RunStarted struct {
	// Model is the name of the source as the user knows it.
	Model string `json:"model"`
	// Target is the printed target, such as "wasm".
	Target string `json:"target"`
	// OptLevel is the optimisation level of the pass context, 0 to 4.
	OptLevel int `json:"opt_level"`
	// Pipeline names the pipeline, or is "custom" for an explicit list of steps.
	Pipeline string `json:"pipeline"`
	// Module is the hash of the imported module, see HashModule.
	Module string `json:"module"`
	// Functions lists all functions of the imported module, sorted by name.
	Functions []Function `json:"functions"`
	// Attrs are the module attributes, printed.
	Attrs map[string]string `json:"attrs,omitempty"`
	// Metrics are those of the imported module.
	Metrics *Metrics `json:"metrics,omitempty"`
	// History is the hash of where the values of the module come from, see package history;
	// absent where it is not recorded.
	History string `json:"history,omitempty"`
	// Plan lists the steps that the pipeline holds, in order, parents first. A
	// page draws its tree from it before the first pass has run. Steps that a
	// pass starts inside itself are not planned; they appear when they start.
	Plan []PlanStep `json:"plan"`
}

// Function is one function of a module.
type Function struct {
	// Name is the name of the function's global variable.
	Name string `json:"name"`
	// Kind is "relax", "prim_func" or "extern".
	Kind string `json:"kind"`
	// Text is the hash of the function's canonical print.
	Text string `json:"text"`
	// Lines counts the lines of that print.
	Lines int `json:"lines"`
	// Metrics are those of the function.
	Metrics *FunctionMetrics `json:"metrics,omitempty"`
}

// PlanStep is one step of the pipeline before it runs.
type PlanStep struct {
	Step   string `json:"step"`
	Parent string `json:"parent,omitempty"`
	Name   string `json:"name"`
	Level  int    `json:"level"`
	Role   Role   `json:"role"`
	// Kind is the kind of pass.
	Kind PassKind `json:"kind"`
}

// PassStarted says that a pass passed all filters and begins.
type PassStarted struct {
	Name  string   `json:"name"`
	Level int      `json:"level"`
	Role  Role     `json:"role"`
	Kind  PassKind `json:"kind"`
	// Occurrence counts the steps of this name that came before, from 0:
	// name#occurrence identifies the step in links.
	Occurrence int `json:"occurrence"`
	// Why is empty where the pass ran because it stands in the pipeline and
	// passed the filters; otherwise a sentence: "required by FuseOps",
	// "required by name although level 4 > opt_level 2".
	Why string `json:"why,omitempty"`
}

// ReasonKind says which rule kept a pass from running.
type ReasonKind string

// The kinds of reasons.
const (
	// ReasonDisabled: the pass is in the list of disabled passes.
	ReasonDisabled ReasonKind = "disabled"
	// ReasonOptLevel: the level of the pass is above opt_level.
	ReasonOptLevel ReasonKind = "opt_level"
	// ReasonInstrument: an instrument's should-run said no.
	ReasonInstrument ReasonKind = "instrument"
	// ReasonStopped: an earlier step failed, or the run was cancelled.
	ReasonStopped ReasonKind = "stopped"
)

// PassSkipped says that a pass did not run, and why.
type PassSkipped struct {
	Name  string   `json:"name"`
	Level int      `json:"level"`
	Role  Role     `json:"role"`
	Kind  PassKind `json:"kind"`
	// Occurrence is as in PassStarted.
	Occurrence int `json:"occurrence"`
	// Reason is the rule, for programs.
	Reason ReasonKind `json:"reason"`
	// Text is the rule for people: "level 3 > opt_level 2".
	Text string `json:"text"`
	// Instrument names the instrument for ReasonInstrument.
	Instrument string `json:"instrument,omitempty"`
}

// PassFinished says what a pass did to the module.
type PassFinished struct {
	Name string `json:"name"`
	// Changed tells whether the pass returned a different module.
	Changed bool `json:"changed"`
	// Module is the hash of the module after the pass.
	Module string `json:"module"`
	// Functions lists the functions that differ, sorted by size of change,
	// largest first, then by name. Functions that are the same are not listed.
	Functions []FunctionChange `json:"functions"`
	// Same counts the functions that are the same.
	Same int `json:"same"`
	// Added and Removed count lines over all functions, Renamed and Moved the
	// pairs of them that FunctionChange describes.
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Renamed int `json:"renamed,omitempty"`
	Moved   int `json:"moved,omitempty"`
	// AttrsBefore and AttrsAfter are the printed module attributes that differ.
	AttrsBefore map[string]string `json:"attrs_before,omitempty"`
	AttrsAfter  map[string]string `json:"attrs_after,omitempty"`
	// Metrics are those of the module after the pass.
	Metrics *Metrics `json:"metrics,omitempty"`
	// History is the hash of what became of values in this step, as in RunStarted.
	History string `json:"history,omitempty"`
	// Rewrites counts what the pass reported of its work, where that is recorded and there was anything.
	Rewrites *RewriteCounts `json:"rewrites,omitempty"`
	// Truncated tells that hunks of some function were left out.
	Truncated bool `json:"truncated,omitempty"`
}

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
