package ir

import "fmt"

// Source is a text that nodes were read from.
type Source struct {
	Name string // file name as the user gave it
	Text string
}

// Span is a range of a source text. Lines and columns count from 1; columns count bytes.
// The end is exclusive. Each node of a module that was read has one, so that it is small.
type Span struct {
	Source          *Source
	Line, Col       int32
	EndLine, EndCol int32
}

// NewSpan returns the span of a range of a source text.
func NewSpan(source *Source, line, col, endLine, endCol int) *Span {
	return &Span{Source: source, Line: int32(line), Col: int32(col), EndLine: int32(endLine), EndCol: int32(endCol)}
}

// String writes the start of s as file:line:col; a nil span is empty.
func (s *Span) String() string {
	if s == nil {
		return ""
	}
	name := ""
	if s.Source != nil {
		name = s.Source.Name
	}
	return fmt.Sprintf("%s:%d:%d", name, s.Line, s.Col)
}

// Severity grades a diagnostic.
type Severity uint8

// The severities, worst first.
const (
	Error Severity = iota
	Warning
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Diagnostic is a finding for the user: about a place in the source, a function or a pass.
type Diagnostic struct {
	Severity Severity
	Pass     string // pass that reported it; empty outside passes
	Func     string // function that it is about, if any
	Span     *Span  // nil where no source text is known
	Origin   OriginID
	Code     string // short stable name for programs, such as "order"; may be empty
	Message  string
	Help     string // what to do, if known
}

// String writes d on one line.
func (d Diagnostic) String() string {
	s := d.Severity.String() + ": " + d.Message
	if d.Func != "" {
		s = d.Func + ": " + s
	}
	if d.Span != nil {
		s = d.Span.String() + ": " + s
	}
	if d.Help != "" {
		s += "; " + d.Help
	}
	return s
}
