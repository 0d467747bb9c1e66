package rewrites

import (
	"fmt"
	"io"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
)

// Step is what a pass reported, with its place in the pipeline.
type Step struct {
	Step string `json:"step"` // path, as in events
	Pass string `json:"pass"`
	*event.Rewrites
}

// Instrument returns the instrument that hands over what each pass reported when it ends.
// Passes that reported nothing are left out.
func (o *Observer) Instrument(each func(Step) error) *pass.Instrument {
	return &pass.Instrument{
		Name: "Rewrites", Replayable: true,
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if r := o.Take(s, m); r != nil {
				return each(Step{s.Path(), s.Pass.Name, r})
			}
			return nil
		},
		PassFailed: func(_ *ir.Module, s *pass.Step, _ error) { o.Forget(s) },
	}
}

// Print writes the rewrites of a step, its decisions, or both, for people.
func Print(w io.Writer, s Step, rewrites, decisions bool) error {
	var b strings.Builder
	if rewrites && len(s.Rewrites.Rewrites) > 0 {
		fmt.Fprintf(&b, "%s: %s\n", s.Pass, counted(len(s.Rewrites.Rewrites)+s.Omitted, "rewrite"))
		for _, r := range s.Rewrites.Rewrites {
			printRewrite(&b, r)
		}
		if s.Omitted > 0 {
			fmt.Fprintf(&b, "  %s not listed; of all, %s\n", counted(s.Omitted, "rewrite"), summary(s.Names))
		}
	}
	if decisions && len(s.Decisions) > 0 {
		fmt.Fprintf(&b, "%s: %s\n", s.Pass, counted(len(s.Decisions)+s.OmittedDecisions, "decision"))
		for _, d := range s.Decisions {
			printDecision(&b, d)
		}
		if s.OmittedDecisions > 0 {
			fmt.Fprintf(&b, "  %s not listed; of all, %s\n", counted(s.OmittedDecisions, "decision"), summary(s.Rules))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printRewrite(b *strings.Builder, r event.Rewrite) {
	fmt.Fprintf(b, "  %s -> %s: %s\n", where(r.Func, r.Before), where(r.Func, r.After), r.Name)
	for _, p := range r.Before {
		text(b, "- ", p.Text)
	}
	for _, p := range r.After {
		text(b, "+ ", p.Text)
	}
}

func printDecision(b *strings.Builder, d event.Decision) {
	not := ""
	if !d.Taken {
		not = "did not "
	}
	var at []event.Place
	if d.Place != nil {
		at = append(at, *d.Place)
	}
	fmt.Fprintf(b, "  %s: %s%s: %s\n", where(d.Func, at), not, d.Rule, d.Reason)
	for _, p := range at {
		text(b, "  ", p.Text)
	}
}

// where writes places as FUNCTION:LINE:COLUMN, or "nothing".
func where(fn string, places []event.Place) string {
	if len(places) == 0 {
		return "nothing"
	}
	out := make([]string, len(places))
	for i, p := range places {
		switch {
		case p.Line == 0 && fn == "":
			out[i] = "module"
		case p.Line == 0:
			out[i] = fn
		default:
			out[i] = fmt.Sprintf("%s:%d:%d", p.Func, p.Line, p.Col)
		}
	}
	return strings.Join(out, ", ")
}

func text(b *strings.Builder, mark, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		b.WriteString("      " + mark + l + "\n")
	}
}

func summary(list []event.RuleCount) string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = fmt.Sprintf("%d %s", c.Taken+c.Declined, c.Name)
	}
	return strings.Join(out, ", ")
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
