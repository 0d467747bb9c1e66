package predicate

import (
	"errors"
	"strconv"
	"strings"

	"go.starlark.net/resolve"

	"github.com/irscope/irscope/instruments/event"
)

// Fault is an error of a check itself: of whoever wrote it, not of what it judges. The message begins with file:line:col where the
// place is known.
type Fault struct {
	Err  error
	file string
}

// Error implements error.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f *Fault) Unwrap() error { return f.Err }

// Diagnostics returns the error, or errors, with the places that it names.
func (f *Fault) Diagnostics() []event.Diagnostic {
	var list resolve.ErrorList
	if errors.As(f.Err, &list) {
		out := make([]event.Diagnostic, len(list))
		for i, e := range list {
			out[i] = event.Diagnostic{Severity: event.SeverityError, Message: e.Msg, Span: &event.Span{Source: f.file, Line: int(e.Pos.Line), Column: int(e.Pos.Col)}}
		}
		return out
	}
	d := event.Diagnostic{Severity: event.SeverityError, Message: f.Err.Error()}
	if rest, ok := strings.CutPrefix(d.Message, f.file+":"); ok {
		line, rest, _ := strings.Cut(rest, ":")
		col, message, _ := strings.Cut(rest, ": ")
		l, errLine := strconv.Atoi(line)
		c, errCol := strconv.Atoi(col)
		if errLine == nil && errCol == nil {
			d.Message, d.Span = message, &event.Span{Source: f.file, Line: l, Column: c}
		}
	}
	return []event.Diagnostic{d}
}
