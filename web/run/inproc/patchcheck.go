package inproc

import (
	"context"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/run"
)

// CheckEdit implements run.Compiler.
func (r *Runner) CheckEdit(ctx context.Context, req run.Request, e run.Edit) (run.CheckedEdit, error) {
	out := run.CheckedEdit{Diagnostics: []event.Diagnostic{}, Functions: []string{}}
	var old *patch.Patch
	req.Settings.Patches = slices.Clone(req.Settings.Patches)
	req.Settings.Patches = slices.DeleteFunc(req.Settings.Patches, func(p run.Patch) bool {
		if p.After == e.After {
			old = driver.EditOf(p)
		}
		return p.After == e.After
	})
	base, imported, err := r.behind(ctx, req, e.After)
	if err != nil {
		return out, err
	}
	for _, name := range e.Functions {
		known := base.Lookup(name) != nil
		if old != nil && !known {
			_, known = old.Before[name]
		}
		if !known {
			return out, driver.Input("the module after %s has no function %.120q", e.After, name)
		}
	}
	name := request.EditPrefix + e.After
	made, found := patch.Make(patch.Edit{
		Module: base, Imported: imported, Old: old, After: e.After, Functions: e.Functions, Name: name, Text: e.Text,
	})
	out.Diagnostics = driver.Diagnostics(found)
	if made == nil {
		return out, nil
	}
	out.Text, out.Functions = made.Text, append(out.Functions, made.Functions...)
	if p := made.Patch; p != nil {
		out.Patch = &run.Patch{After: p.After, Text: p.Text, Removed: p.Removed, Before: p.Before}
	}
	return out, nil
}

// behind returns the module that a step leaves behind, and the one before the first step.
func (r *Runner) behind(ctx context.Context, req run.Request, after string) (m, imported *ir.Module, err error) {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, nil, err
	}
	m, model, err := driver.Behind(ctx, job, after, silent{}, r.hooks(req, silent{}))
	if err != nil {
		return nil, nil, err
	}
	return m, model.Module, nil
}

// silent is a sink that keeps nothing.
type silent struct{}

// Emit implements event.Sink.
func (silent) Emit(event.Event) error { return nil }

// Text implements event.Sink.
func (silent) Text(_, text string) (string, error) { return event.HashText(text), nil }

// Keep implements run.Sink.
func (silent) Keep([]string) (bool, error) { return true, nil }

// Account implements run.Sink.
func (silent) Account(int64) error { return nil }
