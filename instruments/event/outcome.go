package event

// Error says what a run could not do and where. It is an error, so that a runner
// may return it, wrapped or not, and the run_finished event carries it whole.
type Error struct {
	// Kind sorts the error, see the ErrorKind constants.
	Kind ErrorKind `json:"kind"`
	// Message says what was wrong, where, and what to do.
	Message string `json:"message"`
	// Pass, Function, Op and Instrument name the place where they are known.
	Pass       string `json:"pass,omitempty"`
	Function   string `json:"function,omitempty"`
	Op         string `json:"op,omitempty"`
	Instrument string `json:"instrument,omitempty"`
	// Limit names the limit that was hit, for KindLimit.
	Limit string `json:"limit,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// ErrorKind sorts errors for programs.
type ErrorKind string

// The kinds of errors.
const (
	// KindInput: what the user gave is wrong (model, shape, option).
	KindInput ErrorKind = "input"
	// KindUnsupported: an operator, type or attribute that nothing here handles.
	KindUnsupported ErrorKind = "unsupported"
	// KindPass: a pass returned an error.
	KindPass ErrorKind = "pass"
	// KindPanic: a fault of this program, recovered.
	KindPanic ErrorKind = "panic"
	// KindVerify: a pass left a module that is not well-formed.
	KindVerify ErrorKind = "verify"
	// KindInstrument: an instrument failed.
	KindInstrument ErrorKind = "instrument"
	// KindCodegen: a kernel could not be generated.
	KindCodegen ErrorKind = "codegen"
	// KindExecute: the compiled module failed when it ran.
	KindExecute ErrorKind = "execute"
	// KindCancelled: the user cancelled the run.
	KindCancelled ErrorKind = "cancelled"
	// KindTimeout: the run took longer than it may.
	KindTimeout ErrorKind = "timeout"
	// KindInterrupted: the server ended while the run was in progress.
	KindInterrupted ErrorKind = "interrupted"
	// KindDamaged: what was stored of the run cannot be read any more from here on.
	KindDamaged ErrorKind = "damaged"
	// KindLimit: the run hit another limit, which Error.Limit names.
	KindLimit ErrorKind = "limit"
)

// PassFailed says that a pass began and did not finish. The module before it
// stays what the log says.
type PassFailed struct {
	Name  string `json:"name"`
	Error Error  `json:"error"`
}

// Severity grades a diagnostic.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityNote    Severity = "note"
)

// Diagnostic is a message about the user's input or about a step.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Help says what to do, where there is something to do.
	Help string `json:"help,omitempty"`
	// Code is a stable short name such as "order" for programs; may be empty.
	Code string `json:"code,omitempty"`
	// Function names the function that the message is about.
	Function string `json:"function,omitempty"`
	// Span is the place in the source; nil where there is none.
	Span *Span `json:"span,omitempty"`
}

// Span is a place in a source: a file name or the name of a graph node.
type Span struct {
	Source string `json:"source"`
	// Line and Column count from 1; 0 means unknown (a binary model has nodes, not lines).
	Line      int `json:"line,omitempty"`
	Column    int `json:"column,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
	EndColumn int `json:"end_column,omitempty"`
}

// CodeGenerated lists what the code generator made.
type CodeGenerated struct {
	Target string `json:"target"`
	// Kernels are sorted by name.
	Kernels []Kernel `json:"kernels"`
	// VM is the hash of the listing of the virtual-machine code; may be empty.
	VM string `json:"vm,omitempty"`
	// History is the hash of what the code was made from, as in RunStarted.
	History string `json:"history,omitempty"`
	// Bytes is the size of the generated module in bytes.
	Bytes int64 `json:"bytes"`
}

// Kernel is one generated function.
type Kernel struct {
	Name string `json:"name"`
	// Language is one of the Lang constants.
	Language string `json:"language"`
	// Text is the hash of the readable form of the generated code.
	Text  string `json:"text"`
	Lines int    `json:"lines"`
	Bytes int64  `json:"bytes"`
}

// Executed says what a run of the compiled module gave.
type Executed struct {
	// Function is the entry function.
	Function string `json:"function"`
	// Bindings gives the values of the symbolic dimensions of this execution.
	Bindings map[string]int64 `json:"bindings,omitempty"`
	// Inputs and Outputs summarise the tensors, in the order of the graph.
	Inputs  []Tensor `json:"inputs"`
	Outputs []Tensor `json:"outputs"`
	// Expected compares outputs with what was expected; empty where nothing was.
	Expected []Comparison `json:"expected,omitempty"`
	// Error is set where execution failed; Outputs is empty then.
	Error *Error `json:"error,omitempty"`
}

// Tensor summarises a tensor.
type Tensor struct {
	Name  string  `json:"name"`
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	// First holds the first elements in row-major order, at most 16.
	First []Float `json:"first"`
	// Min, Max and Mean are over all elements that are not NaN.
	Min  Float `json:"min"`
	Max  Float `json:"max"`
	Mean Float `json:"mean"`
	// NaNs counts elements that are not a number.
	NaNs int64 `json:"nans,omitempty"`
	// Source says where an input came from: "seed 42" or a file name.
	Source string `json:"source,omitempty"`
}

// Comparison is the distance of an output from what was expected.
type Comparison struct {
	Output string `json:"output"`
	MaxAbs Float  `json:"max_abs"`
	MaxRel Float  `json:"max_rel"`
	RTol   Float  `json:"rtol"`
	ATol   Float  `json:"atol"`
	Within bool   `json:"within"`
}

// Status is how a run ended.
type Status string

// The ways in which a run ends.
const (
	StatusOK          Status = "ok"
	StatusFailed      Status = "failed"
	StatusCancelled   Status = "cancelled"
	StatusTimeout     Status = "timeout"
	StatusLimit       Status = "limit"
	StatusInterrupted Status = "interrupted"
)

// RunFinished closes every log; no event follows it.
type RunFinished struct {
	Status Status `json:"status"`
	// Error is set unless Status is StatusOK.
	Error *Error `json:"error,omitempty"`
	// The counts are over all steps of the log.
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Skipped int `json:"skipped"`
	Failed  int `json:"failed"`
}

// EventType implements Body.
func (*RunStarted) EventType() Type { return TypeRunStarted }

// EventType implements Body.
func (*PassStarted) EventType() Type { return TypePassStarted }

// EventType implements Body.
func (*PassFinished) EventType() Type { return TypePassFinished }

// EventType implements Body.
func (*PassSkipped) EventType() Type { return TypePassSkipped }

// EventType implements Body.
func (*PassFailed) EventType() Type { return TypePassFailed }

// EventType implements Body.
func (*Diagnostic) EventType() Type { return TypeDiagnostic }

// EventType implements Body.
func (*CodeGenerated) EventType() Type { return TypeCodeGenerated }

// EventType implements Body.
func (*Executed) EventType() Type { return TypeExecuted }

// EventType implements Body.
func (*RunFinished) EventType() Type { return TypeRunFinished }
