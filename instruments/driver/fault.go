package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// fault describes an error for an event; one that is described already stays as it is.
func fault(kind event.ErrorKind, err error) error {
	var known *event.Error
	if errors.As(err, &known) {
		return err
	}
	return &event.Error{Kind: kind, Message: err.Error()}
}

// passFault describes an error of the pipeline. Wrong options of the context are the
// visitor's; what a sink said stays as it is. The stack of a panic goes to the log.
func passFault(err error, log *slog.Logger) error {
	var known *event.Error
	var config *pass.ConfigError
	var field *pass.FieldError
	var value *pass.ValueError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &config), errors.As(err, &field), errors.As(err, &value):
		return Input("%v", err)
	}
	var failed *pass.Error
	if errors.As(err, &failed) && failed.Stack != "" {
		log.Error("pass panicked", "pass", failed.Step.Pass.Name, "function", failed.Func, "err", failed.Err, "stack", failed.Stack)
	}
	e := instruments.ErrorOf(err)
	return &e
}

// nameMissing adds to the error of a run the lowering passes that were turned off and
// that it does not name: what it complains about is most likely what they would have done.
func nameMissing(err error, disabled []string) error {
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindPass && e.Kind != event.KindVerify && e.Kind != event.KindCodegen {
		return err
	}
	reg := pipeline.NewRegistry()
	var off []string
	for _, name := range disabled {
		p := reg.Lookup(name)
		if p != nil && instruments.Role(p) == event.RoleLowering && !strings.Contains(e.Message, p.Name) {
			off = append(off, p.Name)
		}
	}
	if len(off) == 0 {
		return err
	}
	named := *e
	named.Message += " (lowering passes that are off: " + strings.Join(off, ", ") + ")"
	return &named
}

// readFault describes an error of reading the source. Its findings become events of the run, with their places.
func (t *Task) readFault(ctx context.Context, e *ReadError) error {
	s := e.Source
	if form := cmp.Or(s.Options.Form, frontend.Detect(s.Name, s.Data)); form != frontend.ONNX {
		if err := emitFound(t.sink, s.Findings(e.Err)); err != nil {
			return err
		}
		return Input("%s cannot be read: %v", s.Name, e.Err)
	}
	if errors.Is(e.Err, onnxpb.ErrLimit) {
		return &event.Error{Kind: event.KindLimit, Limit: "model", Message: fmt.Sprintf("%s cannot be read: %v", s.Name, e.Err)}
	}
	var damaged *frontend.DamagedError
	if errors.As(e.Err, &damaged) {
		return importFault(fmt.Errorf("%s cannot be read: it is not an ONNX model, or it is damaged: %w", s.Name, damaged))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return importFault(e.Err)
}

// importFault describes an error of the importer.
func importFault(err error) error {
	e := &event.Error{Kind: event.KindInput, Message: err.Error()}
	var missing *onnx.UnsupportedError
	var node *onnx.Error
	switch {
	case errors.As(err, &missing):
		e.Kind = event.KindUnsupported
		if len(missing.Ops) > 0 && missing.Ops[0].First != nil {
			e.Op = missing.Ops[0].First.Op
		}
	case errors.As(err, &node):
		e.Op = node.Op
	}
	return e
}

// Input returns an error about what a user gave.
func Input(format string, args ...any) error {
	return &event.Error{Kind: event.KindInput, Message: fmt.Sprintf(format, args...)}
}

// Diagnostic returns the event of a diagnostic.
func Diagnostic(d ir.Diagnostic) *event.Diagnostic {
	out := &event.Diagnostic{Message: d.Message, Help: d.Help, Code: d.Code, Function: d.Func}
	switch d.Severity {
	case ir.Error:
		out.Severity = event.SeverityError
	case ir.Warning:
		out.Severity = event.SeverityWarning
	default:
		out.Severity = event.SeverityNote
	}
	if s := d.Span; s != nil {
		out.Span = &event.Span{Line: int(s.Line), Column: int(s.Col), EndLine: int(s.EndLine), EndColumn: int(s.EndCol)}
		if s.Source != nil {
			out.Span.Source = s.Source.Name
		}
	}
	return out
}
