package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/instruments/event"
)

// whyText writes explanations for people.
type whyText struct {
	w       io.Writer
	colored bool
	width   int
	b       strings.Builder
}

// print writes what the pass said in each of its runs.
func (w *whyRun) print(out io.Writer, when terminal.When) error {
	t := &whyText{w: out, colored: terminal.Colors(out, when)}
	t.width, _ = terminal.Width(out)
	for i, s := range w.steps {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.step(w, s)
	}
	if t.colored {
		out = terminal.Raw(out)
	}
	_, err := io.WriteString(out, t.b.String())
	return err
}

// line writes a line that begins with a styled word, in a paragraph that the terminal's width cuts.
func (t *whyText) line(indent int, style terminal.Style, word, rest string) {
	lead := strings.Repeat(" ", indent)
	text := terminal.Wrap(lead+terminal.Plain(word+rest), lead+"    ", t.width)
	word = terminal.Plain(word)
	if t.colored && word != "" && strings.HasPrefix(text, lead+word) {
		text = lead + terminal.Paint(style, word) + text[len(lead+word):]
	}
	t.b.WriteString(text + "\n")
}

// code writes a place with the beginning of what is there, on one line.
func (t *whyText) code(where, text string) {
	first, _, cut := strings.Cut(text, "\n")
	if first = strings.TrimSpace(first); cut && !strings.HasSuffix(first, "...") {
		first += " ..."
	}
	where = terminal.Middle("      "+terminal.Plain(where), t.width*2/3) + "  "
	first = terminal.End(terminal.Plain(first), t.width-utf8.RuneCountInString(where))
	if t.colored {
		first = terminal.Paint(terminal.Dim, first)
	}
	t.b.WriteString(where + first + "\n")
}

func (t *whyText) step(w *whyRun, s whyStep) {
	number, _, _ := strings.Cut(s.Step, "/")
	t.line(0, terminal.Bold, s.Pass, ", step "+number)
	for _, p := range s.Places {
		if p.Line > 0 {
			t.code(fmt.Sprintf("%s:%d", p.Func, p.Line), p.Text)
		}
	}
	for _, r := range s.Rewrites {
		t.line(2, terminal.Green, "applied", ": "+r.Name)
		for _, p := range r.Before {
			t.place("-", r.Func, p)
		}
		for _, p := range r.After {
			t.place("+", r.Func, p)
		}
	}
	for _, d := range s.Decisions {
		if d.Taken {
			t.line(2, terminal.Green, "did", " "+d.Rule+": "+d.Reason)
		} else {
			t.line(2, terminal.Red, "did not", " "+d.Rule+": "+d.Reason)
		}
		if d.Place != nil {
			t.place("at", d.Func, *d.Place)
		}
	}
	if len(s.Rewrites)+len(s.Decisions) == 0 {
		t.nothing(w, s)
	}
	if s.Omitted > 0 {
		t.line(2, "", "", fmt.Sprintf("%s not looked at: the step has more than %d", count(s.Omitted, "report"), whyLimit))
	}
}

// place writes one place of a report.
func (t *whyText) place(mark, fn string, p event.Place) {
	if p.Func != "" {
		fn = p.Func
	}
	if p.Line > 0 {
		fn = fmt.Sprintf("%s:%d:%d", fn, p.Line, p.Col)
	}
	t.code(mark+" "+fn, p.Text)
}

// nothing says what a pass reports elsewhere, where it has reported nothing about the value.
func (t *whyText) nothing(w *whyRun, s whyStep) {
	what := orDefault(w.value, w.function)
	if len(s.Rules) > 0 {
		var rules []string
		for _, c := range s.Rules {
			rules = append(rules, fmt.Sprintf("%d to %s", c.Taken+c.Declined, c.Name))
		}
		t.line(2, "", "", fmt.Sprintf("%s reports nothing about %s: it did not change it, and had no rule for it that it turned down. Its decisions on other places: %s.", s.Pass, what, strings.Join(rules, ", ")))
		return
	}
	others := "no other pass of the run does"
	if len(w.decides) > 0 {
		others = "those that do: " + strings.Join(w.decides, ", ")
	}
	t.line(2, "", "", fmt.Sprintf("%s reports nothing about %s, and no decisions on this module; %s.", s.Pass, what, others))
}
