package inproc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
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
			old = editOf(p)
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
			return out, input("the module after %s has no function %.120q", e.After, name)
		}
	}
	name := request.EditPrefix + e.After
	made, found := patch.Make(patch.Edit{
		Module: base, Imported: imported, Old: old, After: e.After, Functions: e.Functions, Name: name, Text: e.Text,
	})
	out.Diagnostics = diagnostics(found)
	if made == nil {
		return out, nil
	}
	out.Text, out.Functions = made.Text, append(out.Functions, made.Functions...)
	if p := made.Patch; p != nil {
		out.Patch = &run.Patch{After: p.After, Text: p.Text, Removed: p.Removed, Before: p.Before}
	}
	return out, nil
}

// behind returns the module that a step leaves behind, and the one before the first step. It
// takes from memory what earlier runs left there, and remembers the module: the same one is
// asked for while a text is edited.
func (r *Runner) behind(ctx context.Context, req run.Request, after string) (m, imported *ir.Module, err error) {
	p, err := r.prepare(ctx, req, silent{})
	if err != nil {
		return nil, nil, err
	}
	settings, err := json.Marshal(req.Settings)
	if err != nil {
		return nil, nil, fmt.Errorf("encode settings: %w", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "behind %q\nmodel %s\n", after, p.model.id)
	h.Write(settings)
	key := hex.EncodeToString(h.Sum(nil))
	if found, ok := r.memory.Get(key); ok {
		return found.step.Module, p.model.module, nil
	}
	there := errors.New("the step is reached")
	probe := &pass.Pass{Name: request.EditPrefix + after, Kind: pass.Module, Run: func(_ *pass.Context, at *ir.Module) (*ir.Module, error) {
		m = at
		return nil, there
	}}
	pl, err := patch.Insert(p.pipeline, after, probe)
	if err != nil {
		return nil, nil, input("%v", err)
	}
	watches, err := p.user.instruments(ctx, silent{})
	if err != nil {
		return nil, nil, err
	}
	mem := r.memory
	if len(watches) > 0 {
		mem = newMemory(0)
	}
	p.settings.Disabled = slices.DeleteFunc(slices.Clone(p.settings.Disabled), func(name string) bool { return name == probe.Name })
	_, err = compiler.Passes(ctx, p.request(newReuse(mem, &tap{Sink: silent{}}, p.model).wrap(pl), watches))
	switch {
	case m != nil:
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil:
		return nil, nil, r.passFault(err)
	default:
		return nil, nil, input("no step %s runs with these settings", after)
	}
	keepStep(r.memory, key, snapshot{Module: m})
	return m, p.model.module, nil
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
