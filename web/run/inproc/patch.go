package inproc

import (
	"errors"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/web/run"
)

// editOf returns a patch of settings as the compiler knows it.
func editOf(p run.Patch) *patch.Patch {
	return &patch.Patch{After: p.After, Text: p.Text, Removed: p.Removed, Before: p.Before}
}

// patch puts the edits of the visitor into the pipeline, each behind its step. Those whose
// step is not there are left out, with a warning for each.
func (p *prepared) patch(list []run.Patch) ([]ir.Diagnostic, error) {
	var missing []ir.Diagnostic
	var imported *ir.Module
	if p.model != nil {
		imported = p.model.module
	}
	for _, x := range list {
		edit := editOf(x).Pass(imported)
		p.registry.adopt(edit)
		with, err := patch.Insert(p.pipeline, x.After, edit)
		var none *patch.MissingStepError
		switch {
		case errors.As(err, &none):
			missing = append(missing, ir.Diagnostic{
				Severity: ir.Warning, Code: patch.Code, Message: "the edit of the IR after " + x.After + " is left out: " + err.Error(),
				Help: "put the step back, or remove the edit",
			})
		case err != nil:
			return nil, input("edit of the IR: %v", err)
		default:
			p.pipeline = with
		}
	}
	return missing, nil
}

// adopt makes a pass that is in no registry known by its name, so that it can be turned off.
func (r registry) adopt(p *pass.Pass) { r.user[p.Name] = p }

// PatchFile implements run.Compiler.
func (r *Runner) PatchFile(p run.Patch) string { return editOf(p).File() }
