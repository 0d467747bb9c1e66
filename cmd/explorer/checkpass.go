package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/spf13/cobra"
)

// checkFlags are the flags of run for a check of every pass.
type checkFlags struct{ on bool }

func (f *checkFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "check-every-pass", false, "run the module after each pass, compare its outputs with those before the first pass, and name the pass and the function at fault; exit code 1 if there are any")
}

// start has the task check every pass, if the flag is given.
func (f *checkFlags) start(t *driver.Task, in *data, outputs int) error {
	if !f.on {
		return nil
	}
	want := make([]*tensor.Tensor, outputs)
	for _, x := range in.expect {
		want[x.at] = x.tensor
	}
	err := t.CheckEveryPass(driver.Checked{Expected: want})
	if wrong := inputError(err); wrong != nil {
		return wrong
	}
	return err
}

// finish prints what the check found and returns the error of a red mark, or of a module that could not be run.
func (f *checkFlags) finish(w io.Writer, when terminal.When, t *driver.Task, rep *report) error {
	if rep.Check = t.Checked(); rep.Check == nil || len(rep.Check.Steps) == 0 {
		return nil
	}
	r := rep.Check
	fmt.Fprintln(w)
	if err := printChecks(w, when, r); err != nil {
		return err
	}
	for _, x := range r.Expected {
		first, last := "cannot be compared", "cannot be compared"
		if x.First != nil {
			first = distance(*x.First)
		}
		if x.Last != nil {
			last = distance(*x.Last)
		}
		say(w, "expected %s: before the first pass %s, behind the last %s", x.Output, first, last)
	}
	switch {
	case r.Reference < 0:
		return fmt.Errorf("--check-every-pass: no pass can be checked: %s", r.Why)
	case r.Fault != nil:
		return fmt.Errorf("--check-every-pass: %s", faultText(r))
	}
	return nil
}

// printChecks prints a row for each step that changed the module, and a line that counts.
func printChecks(w io.Writer, when terminal.When, r *check.Report) error {
	names := 0
	for _, s := range r.Steps {
		names = max(names, utf8.RuneCountInString(stepName(s)))
	}
	t, err := tableOf(w, when, names, []terminal.Column{
		{Head: "MODULE AFTER"},
		{Head: "OUTPUTS", Width: len("? not runnable")},
		{Head: "MAX ABS", Width: len("1.19e-07"), Right: true},
		{Head: "MAX REL", Width: len("1.19e-07"), Right: true},
		{Head: "NAN", Right: true},
	}, 4, 3)
	if err != nil {
		return err
	}
	ran, how := 0, r.How()
	for _, s := range r.Steps {
		if !s.Changed {
			continue
		}
		if s.Path != check.CodePath {
			ran++
		}
		if err := t.Row(checkRow(s)...); err != nil {
			return err
		}
		if s.Message != "" {
			say(w, "    %s", s.Message)
		}
		if s.Threads != nil {
			for _, a := range s.Threads.Accesses {
				if a.Line > 0 {
					say(w, "    %s, line %d: %s", s.Threads.Function, a.Line, a.Code)
				}
			}
		}
	}
	var tol []string
	for _, x := range r.Tolerances {
		if x.RTol == 0 && x.ATol == 0 {
			tol = append(tol, x.DType+" exact")
			continue
		}
		tol = append(tol, fmt.Sprintf("%s %g relative, %g absolute", x.DType, x.RTol, x.ATol))
	}
	n := r.Counts()
	steps, code := len(r.Steps), ""
	if how.Machine {
		steps, code = steps-1, " and the generated code"
	}
	say(w, "checked %s behind %s of %d%s: %d same, %d within the tolerance (%s), %d wrong, %d failed, %d not runnable",
		r.Function, count(ran, "module"), steps, code, n[check.Same], n[check.Close], strings.Join(tol, "; "), n[check.Wrong], n[check.Failed], n[check.NotRunnable])
	printHow(w, how)
	return nil
}

// printHow says who computed the results.
func printHow(w io.Writer, how check.How) {
	if how.Compiled == 0 {
		say(w, "the interpreter ran all kernels")
	} else {
		say(w, "the interpreter ran %s of kernels; generated code ran %d, of large kernels, each confirmed by the interpreter on a part of its iterations",
			count(how.Interpreted, "call"), how.Compiled)
	}
	if n := len(how.Refuted); n > 0 {
		say(w, "generated code gave something else than the interpreter, whose results were taken, for %s", strings.Join(how.Refuted, ", "))
	}
	if len(how.Evaluated) > 0 {
		say(w, "operators were computed by their definitions, not by kernels: %s", strings.ReplaceAll(strings.Join(how.Evaluated, ", "), "relax.", ""))
	}
	if how.Legalized {
		other := "other "
		if len(how.Evaluated) == 0 {
			other = ""
		}
		say(w, "%soperators were run by the kernels that LegalizeOps makes of them: an error in those kernels does not show", other)
	}
}

// stepName returns what the table calls a step.
func stepName(s check.Step) string {
	switch s.Path {
	case "":
		return "(as imported)"
	case check.CodePath:
		return "(generated code)"
	}
	return s.Path
}

func checkRow(s check.Step) []terminal.Cell {
	status, style := map[check.Status]string{
		check.Same: "○ same", check.Close: "● close", check.Wrong: "✕ wrong", check.Failed: "✕ failed", check.NotRunnable: "? not runnable",
	}[s.Status], terminal.Style("")
	switch {
	case s.Status.Bad():
		style = terminal.Red
	case s.Status != check.Close:
		style = terminal.Dim
	}
	row := []terminal.Cell{{Text: stepName(s)}, {Text: status, Style: style}, {}, {}, {}}
	if d := s.Difference; d != nil {
		row[2].Text, row[3].Text, row[4].Text = figure(d.MaxAbs), figure(d.MaxRel), fmt.Sprint(d.NaNs)
	}
	return row
}

func figure(f event.Float) string { return fmt.Sprintf("%.3g", float64(f)) }

func distance(d check.Difference) string {
	if d.Beyond > 0 {
		return fmt.Sprintf("%d elements differ, max abs error %.3g, max rel error %.3g", d.Beyond, float64(d.MaxAbs), float64(d.MaxRel))
	}
	return fmt.Sprintf("max abs error %.3g, max rel error %.3g", float64(d.MaxAbs), float64(d.MaxRel))
}

// faultText says which pass is at fault, which functions, and what is wrong.
func faultText(r *check.Report) string {
	f, s := r.Fault, r.Steps[r.Fault.Step]
	out := fmt.Sprintf("%s is the first pass whose result is wrong", f.Path)
	if f.Path == check.CodePath {
		out = "the generated code is wrong, and no pass is"
	}
	switch {
	case len(f.Functions) == 0:
	case len(f.Functions) == 1:
		out += ", in function " + f.Functions[0]
	case f.Path == check.CodePath:
		out += ", in functions " + strings.Join(f.Functions, ", ")
	default:
		out += fmt.Sprintf(", in %s of the %d functions that it changed", strings.Join(f.Functions, ", "), f.All)
	}
	if f.Why != "" {
		out += " (" + f.Why + ")"
	}
	switch d := s.Difference; {
	case s.Message != "":
		out += ": " + s.Message
	case d != nil:
		out += fmt.Sprintf(": %s[%d] is %.6g, expected %.6g; %d elements are beyond the tolerance", d.Output, d.Index, float64(d.Got), float64(d.Want), d.Beyond)
	}
	return out
}
