package run

import (
	"context"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/flow"
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
	// Plan lists the steps that settings stand for, without a module, and what is wrong with
	// the settings.
	Plan(ctx context.Context, s Settings) (Planned, error)
}
