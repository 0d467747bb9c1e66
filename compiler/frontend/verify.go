package frontend

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// TextError reports the errors in a text.
type TextError struct {
	Name        string          // of the text
	Diagnostics []ir.Diagnostic // at least one of which is an error
}

// Error writes the first error and how many follow.
func (e *TextError) Error() string {
	first, n := "", 0
	for _, d := range e.Diagnostics {
		if d.Severity != ir.Error {
			continue
		}
		if n == 0 {
			first = d.String()
		}
		n++
	}
	if n == 1 {
		return first
	}
	return fmt.Sprintf("%s (and %d more)", first, n-1)
}

// textError returns a *TextError where found has errors, nil otherwise.
func textError(name string, found []ir.Diagnostic) error {
	for _, d := range found {
		if d.Severity == ir.Error {
			return &TextError{name, found}
		}
	}
	return nil
}

// Verify returns what is wrong with the functions of m at both levels. Findings about nodes
// that no text is known for point at their function, where that has a span.
func Verify(m *ir.Module) []ir.Diagnostic {
	if found := tooManyDims(m); len(found) > 0 {
		return found // what else is wrong takes long to find
	}
	found := relax.WellFormed(m, op.VerifyOpts())
	for gv, fn := range m.Funcs() {
		if !script.IsFunctionName(gv.Name) {
			found = append(found, ir.Diagnostic{
				Severity: ir.Error, Func: gv.Name, Code: "name",
				Message: fmt.Sprintf("the function is named %q, which TVMScript cannot write: expected letters, digits and underscores, and no word of Python, nor I, T or R", gv.Name),
			})
		}
		if f, ok := fn.(*tir.PrimFunc); ok {
			found = append(found, tir.Verify(gv.Name, f)...)
		}
	}
	found = append(found, tir.VerifyHandles(m, nil)...)
	for i := range found {
		if fn := m.Lookup(found[i].Func); found[i].Span == nil && fn != nil {
			found[i].Span = fn.Meta().Span
		}
	}
	return found
}
