package event

// Severity grades a diagnostic.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityNote    Severity = "note"
)

// Diagnostic is a message about the user's input or about a step.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Help says what to do, where there is something to do.
	Help string `json:"help,omitempty"`
	// Code is a stable short name such as "order" for programs; may be empty.
	Code string `json:"code,omitempty"`
	// Function names the function that the message is about.
	Function string `json:"function,omitempty"`
	// Span is the place in the source; nil where there is none.
	Span *Span `json:"span,omitempty"`
}

// Span is a place in a source: a file name or the name of a graph node.
type Span struct {
	Source string `json:"source"`
	// Line and Column count from 1; 0 means unknown (a binary model has nodes, not lines).
	Line      int `json:"line,omitempty"`
	Column    int `json:"column,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
	EndColumn int `json:"end_column,omitempty"`
}

// TypeDiagnostic is the type of the events that carry a Diagnostic.
const TypeDiagnostic Type = "diagnostic"

// EventType implements Body.
func (*Diagnostic) EventType() Type { return TypeDiagnostic }

func (b *Diagnostic) apply(r *Run, e Event) {
	var s *Step
	if e.Step != "" {
		s = r.steps[e.Step]
	}
	if s != nil {
		s.Diagnostics = append(s.Diagnostics, b)
	}
	r.Diagnostics = append(r.Diagnostics, StepDiagnostic{e.Step, s, b})
}
