package inproc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// loadText reads the modules of a text; the form "" is detected. Constants whose values
// the text does not hold, as in IR that the page shows, are zero, with a warning.
func loadText(ctx context.Context, name, text string, form frontend.Form) ([]frontend.Source, []ir.Diagnostic, error) {
	mods, found, err := frontend.Load(ctx, name, []byte(text), frontend.Options{Form: form, Script: parse.Options{Roots: true}})
	var mistakes *frontend.TextError
	if !errors.As(err, &mistakes) || !strings.Contains(text, "metadata[") {
		return mods, found, err
	}
	lenient := frontend.Options{Form: form, Script: parse.Options{AllowMissingConstants: true, Roots: true}}
	mods, kept, err := frontend.Load(ctx, name, []byte(text), lenient)
	if err != nil {
		return nil, kept, err
	}
	first := mistakes.Diagnostics[0]
	return mods, append(kept, ir.Diagnostic{
		Severity: ir.Warning, Code: "constants", Func: first.Func, Span: first.Span,
		Message: "the values of constants are not part of the text; zeros stand in their place",
	}), nil
}

// oneModule is loadText for a text that must hold one module: others are mistakes too.
func oneModule(ctx context.Context, name, text string, form frontend.Form) (frontend.Source, []ir.Diagnostic, error) {
	mods, found, err := loadText(ctx, name, text, form)
	switch {
	case err == nil && len(mods) == 1:
		return mods[0], found, nil
	case err == nil:
		err = &frontend.TextError{Diagnostics: []ir.Diagnostic{{
			Severity: ir.Error, Span: moduleSpan(mods[1].Module),
			Message: fmt.Sprintf("expected one module, got %d", len(mods)), Help: "start a session for each of them",
		}}}
	}
	return frontend.Source{}, mistakesOf(name, text, err), err
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

// mistakesOf returns the findings that an error of loading holds; an error without any is
// one finding about the first line.
func mistakesOf(name, text string, err error) []ir.Diagnostic {
	var mistakes *frontend.TextError
	if errors.As(err, &mistakes) {
		return mistakes.Diagnostics
	}
	message := strings.TrimPrefix(err.Error(), name+": ")
	return []ir.Diagnostic{{
		Severity: ir.Error, Message: message,
		Span: &ir.Span{Source: &ir.Source{Name: name, Text: text}, Line: 1, Col: 1, EndLine: 1, EndCol: 1},
	}}
}

// Check implements run.Compiler.
func (r *Runner) Check(ctx context.Context, name, text string) (run.Checked, error) {
	out := run.Checked{Diagnostics: []event.Diagnostic{}, Functions: []run.CheckedFunction{}}
	src, found, err := oneModule(ctx, name, text, frontend.Script)
	out.Diagnostics = diagnostics(found)
	if err != nil {
		return out, nil
	}
	for gv, fn := range src.Module.Funcs() {
		kind := "extern"
		switch fn.(type) {
		case *relax.Function:
			kind = "relax"
		case *tir.PrimFunc:
			kind = "prim_func"
		}
		out.Functions = append(out.Functions, run.CheckedFunction{Name: gv.Name, Kind: kind})
	}
	slices.SortFunc(out.Functions, func(a, b run.CheckedFunction) int { return cmp.Compare(a.Name, b.Name) })
	if why := nothingToExecute(src.Module); why != "" {
		out.Note = why
	}
	return out, nil
}

// Format implements run.Compiler.
func (r *Runner) Format(ctx context.Context, name, text string) (string, []event.Diagnostic, error) {
	mods, found, err := loadText(ctx, name, text, frontend.Script)
	if err != nil {
		return text, diagnostics(mistakesOf(name, text, err)), nil
	}
	var b strings.Builder
	for i, m := range mods {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(script.Module(m.Module, script.Options{Name: m.Name}).Source)
	}
	return b.String(), diagnostics(found), nil
}

// maxFound is how many findings about a text are reported.
const maxFound = 100

// diagnostics returns findings in the form of events, in the order of the text. Of too many
// the first are returned, with a note on the others.
func diagnostics(found []ir.Diagnostic) []event.Diagnostic {
	out := make([]event.Diagnostic, len(found))
	for i, d := range found {
		out[i] = *diagnostic(d)
	}
	slices.SortStableFunc(out, func(a, b event.Diagnostic) int {
		x, y := cmp.Or(a.Span, &event.Span{}), cmp.Or(b.Span, &event.Span{})
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	if len(out) > maxFound {
		rest := event.Diagnostic{Severity: event.SeverityNote, Message: fmt.Sprintf("%d more findings are not listed", len(out)-maxFound)}
		out = append(out[:maxFound:maxFound], rest)
	}
	return out
}

// emitFound makes findings about the source events of the run.
func emitFound(sink run.Sink, found []ir.Diagnostic) error {
	for _, d := range diagnostics(found) {
		if err := sink.Emit(event.New("", "", &d, nil)); err != nil {
			return err
		}
	}
	return nil
}
