package run

import (
	"context"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/fault"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/looptree"
	"github.com/irscope/irscope/instruments/whatif"
)

// Compiler answers what the web asks besides runs. Like a Runner it stands between the web and the compiler; an error of a
// method means that the answer could not be found out, not that what was asked about is wrong.
type Compiler interface {
	// Check says what is wrong with the text of a module and which functions it has. Spans
	// mention the name.
	Check(ctx context.Context, name, text string) (Checked, error)
	// Format returns a text as the printer writes it. A text with errors comes back as it
	// is, with diagnostics.
	Format(ctx context.Context, name, text string) (string, []event.Diagnostic, error)
	// CheckScript says what is wrong with a script and what it defines.
	CheckScript(ctx context.Context, s Script) (CheckedScript, error)
	// CheckEdit reads a text as an edit of the module that a step of a run leaves behind,
	// and verifies the module with it.
	CheckEdit(ctx context.Context, req Request, e Edit) (CheckedEdit, error)
	// PatchFile returns a patch as a file for the command line.
	PatchFile(p Patch) string
	// Graph returns the graph of the function whose text this is, as the events of a run name
	// it: the dataflow of a Relax function, the loop nest of a PrimFunc. It depends on the
	// text alone. The error of a text that is no such function says where it stops being one.
	Graph(ctx context.Context, text string) (*flow.Graph, error)
	// Loops returns the loops and blocks of the PrimFunc whose text this is. It depends on the text alone, as Graph does.
	Loops(ctx context.Context, text string) (*looptree.Tree, error)
	// CheckSchedule applies a schedule to its kernel as a run comes to it; the run stays as it is. An empty script is answered with one to
	// start from.
	CheckSchedule(ctx context.Context, req Request, s Schedule) (CheckedSchedule, error)
	// MeasureSchedule compiles a kernel with the default schedule and with that of a user, for the target of a run, and measures both.
	MeasureSchedule(ctx context.Context, req Request, s Schedule) (MeasuredSchedule, error)
	// Explain returns the rewrites and decisions that a step of a run reports, of which the run need have no record.
	Explain(ctx context.Context, req Request, step string) (*event.Rewrites, error)
	// CheckEveryPass runs the module of a run behind each of its passes and compares what it computes; each hears of the steps
	// as they are checked. The report is there with an error, too, where some steps were checked.
	CheckEveryPass(ctx context.Context, req Request, each func(check.Step)) (*check.Report, error)
	// Tensors reads a file of tensors and finds for each the input or output of the module that it belongs to.
	Tensors(ctx context.Context, req Request, f TensorFile) ([]GivenTensor, error)
	// Bisect finds the pass at fault in a run, the function and the rewrite, and the smallest module that shows it; each hears of what
	// is being done. The error is a *NoFaultError where the fault does not show.
	Bisect(ctx context.Context, req Request, p Predicate, each func(doing string)) (*fault.Finding, error)
	// WhatIf runs the variants of a run and says what each comes to. known returns rows that need not be made again, by their keys.
	WhatIf(ctx context.Context, req Request, known func(key string) *whatif.Row, each func(row whatif.Row, total int) error) error
	// Reproduce returns the file of a reproducer of a run that ended with an error: of the pass that fails, or of the whole run. It is nil for an error
	// that none shows. Program is the version.
	Reproduce(ctx context.Context, req Request, program string, failed *event.Error) ([]byte, error)
	// Try says what passes would do behind a step of a run; the run stays as it is. It answers for as many of them as there is time for.
	Try(ctx context.Context, req Request, t Trial) ([]Tried, error)
	// Plan lists the steps that settings stand for, without a module, and what is wrong with
	// the settings.
	Plan(ctx context.Context, s Settings) (Planned, error)
	// CheckPredicate says what is wrong with a script that judges runs: it has to define a function check.
	CheckPredicate(ctx context.Context, s Script) ([]event.Diagnostic, error)
	// Judge calls the check of a question. An error of the check itself is an *event.Error of the kind KindInput.
	Judge(ctx context.Context, q Question) (Verdict, error)
	// Program compiles what a run compiled and returns the program as a zip of the folder that the command line writes, which
	// runs without the compiler.
	Program(ctx context.Context, req Request) ([]byte, error)
}

// Predicate says which fault is looked for: in the notation of the command line, or by a script in Starlark with a function predicate.
type Predicate struct {
	Predicate string `json:"predicate"`
	Script    string `json:"script"`
}

// NoFaultError says that the fault that was looked for does not show.
type NoFaultError struct{ Message string }

// Error implements error.
func (e *NoFaultError) Error() string { return e.Message }
