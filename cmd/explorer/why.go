package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/rewrites"
	"github.com/spf13/cobra"
)

// whyFlags are those of why alone.
type whyFlags struct {
	pass, value, function string
	json                  bool
}

func whyCommand() *cobra.Command {
	var cf compileFlags
	var sf sourceFlags
	var wf whyFlags
	cmd := &cobra.Command{
		Use: "why MODEL --pass PASS --value NAME", GroupID: groupPasses, Short: "Say why a pass changed a value, or did not",
		Long: `Runs passes on MODEL and says what one of them did with a value: which rules were applied to it, which were not, and
which condition failed at which place. NAME is a variable, parameter, buffer, loop variable, or block, as the printed IR has it
before or after the pass. With --function alone, everything in a function is listed.

MODEL is ` + inputDoc + `. It prints what the pass itself reports; a pass that reports no decisions is said to, and those that do
are listed. 'irscope opt --decisions' lists the decisions of all passes.`,
		Example: `  # Why a value was fused, and why no further
  irscope why gallery:cnn --pass FuseOps --value relu1_Relu
  # Why a loop of a kernel was not unrolled
  irscope why gallery:mlp --pass UnrollLoop --function softmax --value v_k_k
  # All that fusion did in a function, for another program
  irscope why model.onnx --pass FuseOps --function main --json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return why(cmd, a[0], &cf, &sf, &wf) },
	}
	cf.register(cmd, driver.DefaultPipeline)
	cf.registerPasses(cmd, false)
	sf.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&wf.pass, "pass", "", "the `pass` to explain")
	fl.StringVar(&wf.value, "value", "", "the value to explain, by its `name` in the printed IR")
	fl.StringVar(&wf.function, "function", "", "the function that has the value, by `name`; without --value, all of it is explained")
	fl.BoolVar(&wf.json, "json", false, "write JSON: a list of the steps of the pass")
	return cmd
}

func why(cmd *cobra.Command, in string, cf *compileFlags, sf *sourceFlags, wf *whyFlags) error {
	if wf.pass == "" || wf.value == "" && wf.function == "" {
		return usageError{errors.New("name a pass with --pass, and a value with --value or a function with --function")}
	}
	j, err := cf.job(cmd.Context())
	if err != nil {
		return err
	}
	name, err := j.PassName(wf.pass)
	if err != nil {
		return usageError{placed(err, "--pass")}
	}
	m, err := sf.loadOne(cmd, in)
	if err != nil {
		return err
	}
	w := &whyRun{pass: name, value: wf.value, function: wf.function, left: plannedRuns(j.Pipeline, name)}
	w.observer.Limit = whyLimit
	req := j.Compiler(m, j.Pipeline)
	req.Observer = &w.observer
	res, err := cf.run(cmd, req, w.instrument())
	if err != nil && !errors.Is(err, errExplained) {
		printDiagnostics(cmd.ErrOrStderr(), res.Diagnostics)
		return err
	}
	if err := w.missing(); err != nil {
		return err
	}
	if wf.json {
		return writeJSON(cmd.OutOrStdout(), w.steps)
	}
	return w.print(cmd.OutOrStdout(), colors(cmd))
}

// whyLimit is the number of rewrites, and of decisions, that a step may report and still be explained whole.
const whyLimit = 100_000

// errExplained ends a run whose remaining passes have nothing to say.
var errExplained = errors.New("the pass was explained")

// whyRun is a run that explains what a pass did with a value.
type whyRun struct {
	pass, value, function string
	left                  int // how often the pass is still to run, as planned

	observer rewrites.Observer
	steps    []whyStep
	skipped  string          // why the pass did not run, if so
	names    map[string]bool // of the values, or functions, that the pass was given or made
	decides  []string        // passes that reported decisions, in order
}

// whyStep is what the pass reported about the value in one of its runs.
type whyStep struct {
	Step string `json:"step"`
	Pass string `json:"pass"`
	// Places are the definitions of the value in the functions that the pass was given; those that it made, where it was given none.
	Places    []whyPlace       `json:"places"`
	Rewrites  []event.Rewrite  `json:"rewrites"`
	Decisions []event.Decision `json:"decisions"`
	// Rules counts all decisions of the step by rule, and Omitted those that were too many to list.
	Rules   []event.RuleCount `json:"rules"`
	Omitted int               `json:"omitted,omitempty"`
}

// whyPlace is a definition of a value, or a whole function.
type whyPlace struct {
	Func string `json:"func"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"`
}

// plannedRuns counts how often a pass runs in a pipeline, besides what other passes run inside of them.
func plannedRuns(pl *pass.Pass, name string) int {
	if len(pl.Children) == 0 {
		if pl.Name == name {
			return 1
		}
		return 0
	}
	n := 0
	for _, c := range pl.Children {
		n += plannedRuns(c, name)
	}
	return n
}

// instrument returns the instrument that looks at each step when it ends.
func (w *whyRun) instrument() *pass.Instrument {
	return &pass.Instrument{
		Name: "Why",
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if _, n := w.observer.Count(s); n > 0 && !slices.Contains(w.decides, s.Pass.Name) {
				w.decides = append(w.decides, s.Pass.Name)
			}
			if s.Pass.Name != w.pass {
				w.observer.Forget(s)
				return nil
			}
			w.explain(m, s)
			if planned(s) {
				w.left--
			}
			// A pass that reports nothing is explained by the list of those that do, so the others run too.
			if w.left == 0 && slices.Contains(w.decides, w.pass) {
				return errExplained
			}
			return nil
		},
		PassSkipped: func(_ *ir.Module, s *pass.Step, r pass.SkipReason) {
			if s.Pass.Name == w.pass {
				w.skipped = r.Text
			}
		},
		PassFailed: func(_ *ir.Module, s *pass.Step, _ error) { w.observer.Forget(s) },
	}
}

// explain notes what a step reported about the value. m is the module that it made.
func (w *whyRun) explain(m *ir.Module, s *pass.Step) {
	if w.names == nil {
		w.names = map[string]bool{}
	}
	r := w.observer.Take(s, m)
	if r == nil {
		r = &event.Rewrites{}
	}
	before, places := w.find(s.Input)
	after, made := w.find(m)
	if len(before)+len(after) == 0 {
		return
	}
	if len(places) == 0 {
		places = made
	}
	step := whyStep{Step: s.Path(), Pass: s.Pass.Name, Places: places, Rules: r.Rules, Omitted: r.Omitted + r.OmittedDecisions}
	step.Rewrites, step.Decisions = rewrites.About(r, before, after)
	w.steps = append(w.steps, step)
}

// find looks for the value in the printed functions of a module, and notes the names that could have been meant.
func (w *whyRun) find(m *ir.Module) (lines []rewrites.Lines, places []whyPlace) {
	for _, name := range script.FuncNames(m) {
		if w.value == "" {
			w.names[name] = true
		}
		if w.function != "" && w.function != name {
			continue
		}
		if w.value == "" {
			lines, places = append(lines, rewrites.Lines{Func: name}), append(places, whyPlace{Func: name})
			continue
		}
		text := functionText(name, m.Lookup(name))
		found := rewrites.Definitions(name, text, w.value)
		for _, l := range found {
			line := strings.TrimSpace(strings.Split(text, "\n")[l.First-1])
			lines, places = append(lines, l), append(places, whyPlace{name, l.First, line})
		}
		if len(found) == 0 {
			for _, n := range rewrites.Names(text) {
				w.names[n] = true
			}
		}
	}
	return lines, places
}

// missing returns an error if there is nothing to explain.
func (w *whyRun) missing() error {
	if len(w.steps) > 0 {
		return nil
	}
	if w.names == nil {
		if w.skipped != "" {
			return fmt.Errorf("%s did not run: %s (--require-pass %s runs it at any level)", w.pass, w.skipped, w.pass)
		}
		return usageError{fmt.Errorf("--pass: %s is not in the pipeline; 'irscope passes --pipeline NAME' lists its passes, and --passes sets them", w.pass)}
	}
	what, name := "value", w.value
	if name == "" {
		what, name = "function", w.function
	}
	where := "the module that " + w.pass + " was given, or in what it made"
	if what == "value" && w.function != "" {
		where = "function " + w.function + " of " + where
	}
	hint := fmt.Sprintf("; 'irscope opt MODEL --print-ir-before %s' prints it", w.pass)
	if near := nearNames(name, w.names); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usageError{fmt.Errorf("there is no %s %q in %s%s", what, name, where, hint)}
}

// maxNear is the number of names that are suggested in place of one.
const maxNear = 4

// nearNames returns the name nearest to one that does not exist, and the shortest of those that contain it.
func nearNames(name string, known map[string]bool) []string {
	var out []string
	if near := nearest.Name(name, maps.Keys(known)); near != "" {
		out = append(out, near)
	}
	low := strings.ToLower(name)
	longer := slices.SortedFunc(maps.Keys(known), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for _, k := range longer {
		if len(out) < maxNear && strings.Contains(strings.ToLower(k), low) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
