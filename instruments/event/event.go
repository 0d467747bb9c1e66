// Package event is the wire format of a run: what a compiler run says about
// itself, as a sequence of JSON events, and nothing else.
//
// Instruments and the compiler facade produce events, a run log keeps them, and
// the page, scripts, exports and other machines read them. Everybody may import
// this package; it imports only the standard library and must not know passes,
// IR nodes, storage or the web. docs/protocol.md describes the same format for
// readers in other languages.
//
// An event has two parts. Its body is deterministic: the same request gives the
// same bodies, byte for byte, on every machine, and the hash of a log covers
// bodies only. What was measured (times, sizes of memory) stands apart.
package event

import (
	"encoding/json"
	"fmt"
)

// Type names the kind of an event and thereby the Go type of its body.
type Type string

// bodies makes an empty body for each type, in the order in which a run without faults emits them. A new type is a file with its
// body and a line here.
var bodies = []func() Body{
	func() Body { return new(RunStarted) },
	func() Body { return new(FunctionsSeen) },
	func() Body { return new(PassStarted) },
	func() Body { return new(PassFinished) },
	func() Body { return new(PassSkipped) },
	func() Body { return new(PassFailed) },
	func() Body { return new(Diagnostic) },
	func() Body { return new(CodeGenerated) },
	func() Body { return new(Executed) },
	func() Body { return new(Profiled) },
	func() Body { return new(RunFinished) },
}

// Body is the deterministic part of an event. It is sealed: only the body types
// of this package implement it, always as pointers.
type Body interface {
	// EventType returns the type of the events that carry this body.
	EventType() Type
	// apply brings the state of a run up to date with the event that carries this body.
	apply(r *Run, e Event)
}

// filler is a body with lists that are always present on the wire.
type filler interface{ fill() }

// Event is one entry of the log of a run. An event that was appended to a log
// is never written again.
type Event struct {
	// Seq is the number of the event in its log, from 0, without gaps. The log
	// assigns it; a producer leaves it 0.
	Seq int `json:"seq"`
	// Type says what Body holds.
	Type Type `json:"type"`
	// Step is the path of the step that the event belongs to, such as
	// "2.1/FuseOps"; it is empty for events of the run as a whole.
	Step string `json:"step,omitempty"`
	// Parent is the path of the step that Step is nested in; it is empty at the top.
	Parent string `json:"parent,omitempty"`
	// Body is the deterministic part. It is never nil.
	Body Body `json:"body"`
	// Measured holds times and sizes; nil where nothing was measured.
	Measured *Measured `json:"measured,omitempty"`
	// Reused marks an event that was copied from an earlier run with the same
	// prefix; its measured part is that of the earlier run.
	Reused bool `json:"reused,omitempty"`
}

// New returns an event of the type of its body. Seq is left to the log. Lists
// that are always present on the wire are made empty where they are nil, so
// that readers need not tell null from an empty list.
func New(step, parent string, body Body, m *Measured) Event {
	if b, ok := body.(filler); ok {
		b.fill()
	}
	return Event{Type: body.EventType(), Step: step, Parent: parent, Body: body, Measured: m}
}

// list returns xs, or an empty list for nil.
func list[T any](xs []T) []T {
	if xs == nil {
		return []T{}
	}
	return xs
}

// Sink receives what a run says. A run calls it from one goroutine at a time.
type Sink interface {
	// Emit appends an event; the sink assigns its number. An error means that
	// the run must stop: the log is full or nobody keeps it any more.
	Emit(e Event) error
	// Text keeps a text that events of this run name by hash, and returns that
	// hash (HashText of the text). Keeping the same text twice is cheap.
	// The language is one of the Lang constants.
	Text(language, text string) (hash string, err error)
}

// HashedSink is a Sink that takes the hash of a text from its caller, who has it already: to compute it takes a good part of the time
// of keeping a text.
type HashedSink interface {
	Sink
	// HashedText is Text for a text with the given hash, which is HashText of it.
	HashedText(language, hash, text string) error
}

// KeepText hands a text, whose hash is known, to a sink.
func KeepText(s Sink, language, hash, text string) error {
	if h, ok := s.(HashedSink); ok {
		return h.HashedText(language, hash, text)
	}
	_, err := s.Text(language, text)
	return err
}

// Languages of the texts that events name; they select the highlighting.
const (
	LangTVMScript = "tvmscript"
	LangWAT       = "wat"
	LangVM        = "vm"
	LangPlain     = "text"
	LangHistory   = "history" // a step of package history
	// Languages of what other compilers print.
	LangLLVM   = "llvm"
	LangMIR    = "mir" // machine code of LLVM
	LangMLIR   = "mlir"
	LangHLO    = "hlo"
	LangGIMPLE = "gimple"
	LangRTL    = "rtl"
	LangGoSSA  = "gossa"
	LangAsm    = "asm" // assembly
)

// byType are the bodies by their type; it is not written after the start of the program.
var byType = func() map[Type]func() Body {
	out := map[Type]func() Body{}
	for _, f := range bodies {
		out[f().EventType()] = f
	}
	return out
}()

// newBody returns an empty body of the given type, or nil where the type is unknown.
func newBody(t Type) Body {
	if f := byType[t]; f != nil {
		return f()
	}
	return nil
}

// wire is Event with its body left encoded; Decode goes through it.
type wire struct {
	Seq      int             `json:"seq"`
	Type     Type            `json:"type"`
	Step     string          `json:"step"`
	Parent   string          `json:"parent"`
	Body     json.RawMessage `json:"body"`
	Measured *Measured       `json:"measured"`
	Reused   bool            `json:"reused"`
}

// UnmarshalJSON reads an event. An unknown type is an error that names it.
func (e *Event) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("decode event: %w", err)
	}
	read, err := w.event()
	if err != nil {
		return err
	}
	*e = read
	return nil
}

// event decodes the body.
func (w *wire) event() (Event, error) {
	body := newBody(w.Type)
	if body == nil {
		return Event{}, fmt.Errorf("decode event %d: unknown type %q", w.Seq, w.Type)
	}
	if len(w.Body) == 0 {
		return Event{}, fmt.Errorf("decode event %d: %s has no body", w.Seq, w.Type)
	}
	if err := json.Unmarshal(w.Body, body); err != nil {
		return Event{}, fmt.Errorf("decode body of event %d (%s): %w", w.Seq, w.Type, err)
	}
	return w.with(body), nil
}

// with returns the event with its body.
func (w *wire) with(body Body) Event {
	return Event{
		Seq: w.Seq, Type: w.Type, Step: w.Step, Parent: w.Parent,
		Body: body, Measured: w.Measured, Reused: w.Reused,
	}
}
