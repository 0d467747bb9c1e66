package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/event"
)

// Source is a module as its author wrote it.
type Source struct {
	// Name is what messages and spans call it.
	Name    string
	Data    []byte
	Options frontend.Options
	// Zeros reads a text whose constants are not part of it, as in IR that a page shows: they are zero, with a warning.
	Zeros bool
}

// Model is a module that was read, and what reading it had to say.
type Model struct {
	Module   *ir.Module
	Warnings []ir.Diagnostic
	// ID is the hash of all that determines the module; "" where nothing of it is re-used.
	ID string
	// Took is the time that making the module took, Saved what was saved of it because it was known.
	Took, Saved time.Duration
}

// ReadError is an error of reading a source. It says what the error that it wraps says.
type ReadError struct {
	Source Source
	Err    error
}

// Error implements error.
func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *ReadError) Unwrap() error { return e.Err }

// SeveralError says that a source that must hold one module has more.
type SeveralError struct {
	Modules []frontend.Source
	text    *frontend.TextError
}

// Error implements error.
func (e *SeveralError) Error() string { return e.text.Error() }

// Unwrap returns the error as a finding about the text.
func (e *SeveralError) Unwrap() error { return e.text }

// Load reads the modules of the source, see frontend.Load.
func (s Source) Load(ctx context.Context) ([]frontend.Source, []ir.Diagnostic, error) {
	mods, found, err := frontend.Load(ctx, s.Name, s.Data, s.Options)
	var broken *frontend.TextError
	if !s.Zeros || !errors.As(err, &broken) || !strings.Contains(string(s.Data), "metadata[") {
		return mods, found, err
	}
	lenient := s.Options
	lenient.Script.AllowMissingConstants = true
	mods, kept, err := frontend.Load(ctx, s.Name, s.Data, lenient)
	if err != nil {
		return nil, kept, err
	}
	first := broken.Diagnostics[0]
	return mods, append(kept, ir.Diagnostic{
		Severity: ir.Warning, Code: "constants", Func: first.Func, Span: first.Span,
		Message: "the text does not contain the values of constants; zeros are used instead",
	}), nil
}

// One is Load for a source that must hold one module.
func (s Source) One(ctx context.Context) (frontend.Source, []ir.Diagnostic, error) {
	mods, found, err := s.Load(ctx)
	switch {
	case err == nil && len(mods) == 1:
		return mods[0], found, nil
	case err == nil:
		err = &SeveralError{mods, &frontend.TextError{Diagnostics: []ir.Diagnostic{{
			Severity: ir.Error, Span: moduleSpan(mods[1].Module),
			Message: fmt.Sprintf("expected one module, got %d", len(mods)), Help: "start a session for each of them",
		}}}}
	}
	return frontend.Source{}, found, err
}

// Model reads the only module of the source. The error is a *ReadError.
func (s Source) Model(ctx context.Context) (*Model, error) {
	start := time.Now()
	src, found, err := s.One(ctx)
	if err != nil {
		return nil, &ReadError{s, err}
	}
	return &Model{Module: src.Module, Warnings: found, Took: time.Since(start)}, nil
}

// Findings returns what an error of reading the source found; an error without any is one finding about the first line.
func (s Source) Findings(err error) []ir.Diagnostic {
	var broken *frontend.TextError
	if errors.As(err, &broken) {
		return broken.Diagnostics
	}
	message := strings.TrimPrefix(err.Error(), s.Name+": ")
	return []ir.Diagnostic{{
		Severity: ir.Error, Message: message,
		Span: &ir.Span{Source: &ir.Source{Name: s.Name, Text: string(s.Data)}, Line: 1, Col: 1, EndLine: 1, EndCol: 1},
	}}
}

// moduleSpan returns the span of the first function of a module, nil where none is known.
func moduleSpan(m *ir.Module) *ir.Span {
	for _, fn := range m.Funcs() {
		if s := fn.Meta().Span; s != nil {
			return s
		}
	}
	return nil
}

// maxFound is how many findings about a text are reported.
const maxFound = 100

// Diagnostics returns findings in the form of events, in the order of the text. Of too many
// the first are returned, with a note on the others.
func Diagnostics(found []ir.Diagnostic) []event.Diagnostic {
	out := make([]event.Diagnostic, len(found))
	for i, d := range found {
		out[i] = *Diagnostic(d)
	}
	slices.SortStableFunc(out, func(a, b event.Diagnostic) int {
		x, y := cmp.Or(a.Span, &event.Span{}), cmp.Or(b.Span, &event.Span{})
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	if len(out) > maxFound {
		rest := event.Diagnostic{Severity: event.SeverityNote, Message: fmt.Sprintf("%d more diagnostics are not listed", len(out)-maxFound)}
		out = append(out[:maxFound:maxFound], rest)
	}
	return out
}

// emitFound makes findings about the source events of the run.
func emitFound(sink event.Sink, found []ir.Diagnostic) error {
	for _, d := range Diagnostics(found) {
		if err := sink.Emit(event.New("", "", &d, nil)); err != nil {
			return err
		}
	}
	return nil
}
