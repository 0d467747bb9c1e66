package driver

import (
	"errors"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/instruments/request"
)

// EditOf returns an edit of the IR of settings as the compiler knows it.
func EditOf(p request.Patch) *patch.Patch {
	return &patch.Patch{After: p.After, Text: p.Text, Removed: p.Removed, Before: p.Before}
}

// EditError is an edit of the IR that cannot be applied: Err is a *patch.MissingStepError where the pipeline lacks its step.
type EditError struct {
	After string
	Err   error
}

// Error implements error.
func (e *EditError) Error() string { return "edit of the IR: " + e.Err.Error() }

// Unwrap returns what is wrong with it.
func (e *EditError) Unwrap() error { return e.Err }

// Edited returns the pipeline with the edits of the IR, each behind its step, and the schedules of users, to run on the imported module, which
// may be nil for a pipeline that is only listed. Edits whose step is not there are left out and returned; schedules without a place are left out.
func (j *Job) Edited(imported *ir.Module) (pl *pass.Pass, missing []*EditError, err error) {
	pl, _ = j.scheduled(j.Pipeline)
	for _, x := range j.Settings.Patches {
		edit := EditOf(x).Pass(imported)
		j.registry.adopt(edit)
		with, err := patch.Insert(pl, x.After, edit)
		var none *patch.MissingStepError
		switch {
		case errors.As(err, &none):
			missing = append(missing, &EditError{x.After, err})
		case err != nil:
			return nil, nil, &EditError{x.After, err}
		default:
			pl = with
		}
	}
	return pl, missing, nil
}

// warning says that an edit is left out.
func (e *EditError) warning() ir.Diagnostic {
	return ir.Diagnostic{
		Severity: ir.Warning, Code: patch.Code, Message: "the edit of the IR after " + e.After + " is left out: " + e.Err.Error(),
		Help: "put the step back, or remove the edit",
	}
}

// adopt makes a pass that is in no registry known by its name, so that it can be turned off.
func (r registry) adopt(p *pass.Pass) { r.user[p.Name] = p }
