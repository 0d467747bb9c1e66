package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
)

var (
	//go:embed page.tmpl
	pageText string
	//go:embed page.css
	pageStyle string
)

// Policy returns the content security policy of a page: nothing is loaded, nothing runs,
// and only its own style sheet, by its hash, is applied.
func Policy() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// Report says what stands on a report beside what the bundle holds.
type Report struct {
	// Command is the command line that does the same, Program the version of this program.
	Command, Program string
}

// HTML returns one run of a bundle as a page that needs nothing else: it has no script
// and loads nothing.
func HTML(ctx context.Context, b *Bundle, r *Run, rep Report) ([]byte, error) {
	o := newOutline(b, r)
	w := &pageWriter{ctx: ctx, differ: differ{bundle: b, left: maxDiffBytes}}
	v := struct {
		*outline
		Report
		Title, Policy, Created string
		Style                  template.CSS
		Rows                   []rowView
		Facts                  []fact
		Kernels                []kernelView
	}{outline: o, Report: rep, Title: clean(b.Session.Title), Policy: Policy(), Created: r.Created.UTC().Format(time.RFC3339), Style: template.CSS(pageStyle), Facts: facts(o)}
	slowest := int64(1) // of the passes; a sequence takes what its passes take
	for _, s := range o.Steps {
		if !s.Sequence {
			slowest = max(slowest, s.Total)
		}
	}
	for _, s := range o.Steps {
		row, err := w.row(o, s)
		if err != nil {
			return nil, err
		}
		if !s.Sequence {
			row.Share = int(100 * float64(s.Total) / float64(slowest))
		}
		v.Rows = append(v.Rows, row)
	}
	var err error
	if v.Kernels, err = w.kernels(o); err != nil {
		return nil, err
	}
	page, err := template.New("page").Funcs(template.FuncMap{
		"duration": duration, "tensor": tensorText, "extent": rangeText, "bindings": bindingsText, "place": place, "clean": clean,
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	var buf bytes.Buffer
	if err := page.Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return buf.Bytes(), nil
}

// fact is a number at the head of a report.
type fact struct{ Name, Value string }

// facts returns the numbers at the head of a report.
func facts(o *outline) []fact {
	out := []fact{{"Model", o.Start.Model}, {"Target", o.Start.Target}, {"Pipeline", o.Start.Pipeline}, {"Opt level", fmt.Sprint(o.Start.OptLevel)}}
	out = append(out,
		fact{"Passes", fmt.Sprintf("%d changed, %d same", o.Finish.Changed, o.Finish.Same)},
		fact{"Skipped", fmt.Sprint(o.Finish.Skipped)})
	if o.Finish.Failed > 0 {
		out = append(out, fact{"Failed", fmt.Sprint(o.Finish.Failed)})
	}
	if o.Code != nil {
		out = append(out, fact{"Kernels", fmt.Sprint(len(o.Code.Kernels))})
	}
	if o.End.Total > 0 {
		out = append(out, fact{"Time", duration(o.End.Total)})
	}
	kept := out[:0]
	for _, f := range out {
		if f.Value = clean(f.Value); f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// rowView is a step on a page.
type rowView struct {
	*step
	Mark      string
	Share     int
	Outer     bool // it only holds other steps
	Functions []functionView
	More      int // functions that are not shown
}

// functionView is a changed function on a page.
type functionView struct {
	event.FunctionChange
	Diff template.HTML
	Cut  string
}

// kernelView is a kernel on a page.
type kernelView struct {
	event.Kernel
	Code template.HTML
	Cut  string
}

// pageWriter renders diffs and texts while there is room.
type pageWriter struct {
	differ
	ctx context.Context
}

var marks = map[string]string{"changed": "●", "same": "○", "skipped": "⊘", "failed": "✕", "not run": "·"}

// row renders a step.
func (w *pageWriter) row(o *outline, s *step) (rowView, error) {
	out := rowView{step: s, Mark: marks[s.Status], Outer: o.sequential(s)}
	if s.Done == nil || out.Outer {
		return out, nil
	}
	for i, f := range s.Done.Functions {
		if i == maxFunctions {
			out.More = len(s.Done.Functions) - i
			break
		}
		var rows strings.Builder
		first := true
		cut, err := w.function(w.ctx, f, func(int, int) {
			if !first {
				rows.WriteString("<span class=\"h\">⋯\n</span>")
			}
			first = false
		}, func(r highlight.Row) int { return rowHTML(&rows, r) })
		if err != nil {
			return out, err
		}
		out.Functions = append(out.Functions, functionView{f, template.HTML(rows.String()), cut})
	}
	return out, nil
}

// kernels renders the generated code.
func (w *pageWriter) kernels(o *outline) ([]kernelView, error) {
	if o.Code == nil {
		return nil, nil
	}
	w.left = maxCodeBytes
	var out []kernelView
	for i, k := range o.Code.Kernels {
		v := kernelView{Kernel: k}
		var rows strings.Builder
		if i >= maxFunctions {
			v.Cut = "not shown: the report is at its size limit; the archive has it"
			out = append(out, v)
			continue
		}
		var err error
		// Code is the difference from nothing without its colours.
		v.Cut, err = w.function(w.ctx, event.FunctionChange{After: k.Text}, func(int, int) {}, func(r highlight.Row) int {
			r.Kind, r.Before = "same", 0
			return rowHTML(&rows, r)
		})
		if err != nil {
			return nil, err
		}
		v.Code = template.HTML(rows.String())
		out = append(out, v)
	}
	return out, nil
}

// clean returns a text without control characters but tabs and newlines.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return -1 // also those that turn the direction of text around
		}
		return r
	}, s)
}
