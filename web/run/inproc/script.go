package inproc

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// Check implements run.Compiler.
func (r *Runner) Check(ctx context.Context, name, text string) (run.Checked, error) {
	out := run.Checked{Diagnostics: []event.Diagnostic{}, Functions: []run.CheckedFunction{}}
	from := textSource(name, text)
	src, found, err := from.One(ctx)
	if err != nil {
		found = from.Findings(err)
	}
	out.Diagnostics = driver.Diagnostics(found)
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
	out.Note = driver.NothingToExecute(src.Module)
	return out, nil
}

// Format implements run.Compiler.
func (r *Runner) Format(ctx context.Context, name, text string) (string, []event.Diagnostic, error) {
	from := textSource(name, text)
	mods, found, err := from.Load(ctx)
	if err != nil {
		return text, driver.Diagnostics(from.Findings(err)), nil
	}
	var b strings.Builder
	for i, m := range mods {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(script.Module(m.Module, script.Options{Name: m.Name}).Source)
	}
	return b.String(), driver.Diagnostics(found), nil
}

// CheckScript implements run.Compiler.
func (r *Runner) CheckScript(ctx context.Context, text run.Script) (run.CheckedScript, error) {
	out := run.CheckedScript{Diagnostics: []event.Diagnostic{}, Passes: []run.UserPass{}, Instruments: []string{}}
	found, err := driver.CheckScript(ctx, text)
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	out.Diagnostics = driver.Diagnostics(found.Found)
	if err != nil {
		return out, nil
	}
	for _, p := range found.Passes {
		out.Passes = append(out.Passes, run.UserPass{
			Name: p.Name, Level: p.Level, Kind: event.PassKind(p.Kind.String()), Doc: p.Doc, Required: append([]string{}, p.Required...),
		})
	}
	for _, in := range found.Instruments {
		out.Instruments = append(out.Instruments, in.Name)
	}
	return out, nil
}
