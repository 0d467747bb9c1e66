package event

// Error says what a run could not do and where. It is an error, so that a runner
// may return it, wrapped or not, and the run_finished event carries it whole.
type Error struct {
	// Kind sorts the error, see the ErrorKind constants.
	Kind ErrorKind `json:"kind"`
	// Message says what was wrong, where, and what to do.
	Message string `json:"message"`
	// Program is the program with the places of the error underlined, where the error has it.
	Program string `json:"program,omitempty"`
	// Accesses are what threads did that ended the run, such as the two sides of a race.
	Accesses []Access `json:"accesses,omitempty"`
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

// Access is what a thread of a GPU did to an element of a buffer, or at a barrier.
type Access struct {
	Thread string `json:"thread"`
	// Does is "reads", "writes", ...; empty if the thread did nothing.
	Does string `json:"does,omitempty"`
	// Function is a function after the last pass, Line the line there, from 1, and Code what is on it; Line is 0 if that is not known.
	Function string `json:"function"`
	Line     int    `json:"line,omitempty"`
	Code     string `json:"code,omitempty"`
	// Span is the place in the source, nil if it is not known.
	Span *Span `json:"span,omitempty"`
}

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
	// KindCanceled: the user canceled the run. Logs spell it with two l's, since the first of them.
	KindCanceled ErrorKind = "cancelled"
	// KindTimeout: the run exceeded its time limit.
	KindTimeout ErrorKind = "timeout"
	// KindInterrupted: the server ended while the run was in progress.
	KindInterrupted ErrorKind = "interrupted"
	// KindDamaged: what was stored of the run cannot be read any more from here on.
	KindDamaged ErrorKind = "damaged"
	// KindLimit: the run hit another limit, which Error.Limit names.
	KindLimit ErrorKind = "limit"
)
