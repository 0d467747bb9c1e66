package inproc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// graphModule is a module whose function main is the given lines.
func graphModule(lines ...string) string {
	return "@I.ir_module\nclass Module:\n    @R.function\n    " + strings.Join(lines, "\n    ") + "\n"
}

const (
	vector    = `R.Tensor((4,), dtype="float32")`
	loneScale = `@T.prim_func
def scale(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), k: T.int32):
    for i in range(4):
        B[i] = A[i] * T.Cast("float32", k) + T.float32(2)
`
)

func doubled() string {
	return graphModule("def main(x: "+vector+") -> "+vector+":", "    y = R.add(x, x)", "    return y")
}

// TestWhatARunSaysInOrder: the module, what reading it found, what scripts print, the steps, the code, and what it computed.
func TestWhatARunSaysInOrder(t *testing.T) {
	s := newStage(t)
	constant := graphModule("def main(x: "+vector+") -> "+vector+":", `    c: R.Tensor((4,), "float32") = metadata["relax.expr.Constant"][0]`, "    y = R.add(x, c)", "    return y")
	q := s.text(constant)
	q.Settings.Scripts = []run.Script{{Name: "a.star", Source: "print('top')\n"}, {Name: "b.star", Source: "print('second')\nprint('line')\n"}}
	q.Settings.Patches = []run.Patch{{After: "Nothing", Text: "# nothing"}}
	q.Settings.Seed = 7
	d := s.play(t.Context(), q)
	says := d.says()
	want := []string{
		"run_started",
		"diagnostic: the edit of the IR after Nothing is left out: the pipeline has no step Nothing",
		"diagnostic: the text does not contain the values of constants; zeros are used instead",
		"diagnostic: top",
		"diagnostic: second\nline",
		"pass_started 1/default",
	}
	if len(says) < 50 || !slices.Equal(says[:len(want)], want) {
		t.Fatalf("it says\n%s\nwant\n%s", strings.Join(says[:len(want)], "\n"), strings.Join(want, "\n"))
	}
	if got := says[len(says)-3:]; !slices.Equal(got, []string{"pass_finished 1/default", "code_generated", "executed"}) {
		t.Errorf("at the end it says %q", got)
	}
	edit, zeros := d.events[1].Body.(*event.Diagnostic), d.events[2].Body.(*event.Diagnostic)
	if edit.Severity != event.SeverityWarning || edit.Help != "put the step back, or remove the edit" || edit.Code != "edit" || edit.Span != nil {
		t.Errorf("the edit that is left out is %+v", edit)
	}
	if zeros.Severity != event.SeverityWarning || zeros.Code != "constants" || zeros.Span.Line != 5 || zeros.Span.Source != "module.py" {
		t.Errorf("the constants are %+v at %+v", zeros, zeros.Span)
	}
	for i, name := range []string{"a.star", "b.star"} {
		if b := d.events[3+i].Body.(*event.Diagnostic); b.Severity != event.SeverityNote || b.Code != "print" || b.Span.Source != name || b.Span.Line != 0 {
			t.Errorf("what %s prints is %+v at %+v", name, b, b.Span)
		}
	}
	first := body[*event.RunStarted](t, d)
	if first.Model != "module.py" || first.Target != "wasm" || first.OptLevel != 2 || first.Pipeline != "default" || len(first.Functions) != 1 || first.Functions[0].Name != "main" {
		t.Errorf("it starts with %+v", first)
	}
	if d.langs[first.History] != event.LangHistory || d.langs[first.Functions[0].Text] != event.LangTVMScript {
		t.Errorf("the texts of the module are not kept")
	}
	if m := d.events[0].Measured; m.Saved != 0 {
		t.Errorf("a first run saves %d ns", m.Saved)
	}
	// The zeros are added, so the output is the input.
	ran := body[*event.Executed](t, d)
	if !slices.Equal(ran.Inputs[0].First, ran.Outputs[0].First) || ran.Inputs[0].Source != "seed 7" {
		t.Errorf("it computed %+v", ran)
	}
	// What the same source gives again says so, and what it saved.
	again := s.play(t.Context(), q)
	if !slices.Equal(again.says(), says) || again.events[0].Measured.Saved <= 0 {
		t.Errorf("once more it saves %d ns and says\n%s", again.events[0].Measured.Saved, strings.Join(again.says(), "\n"))
	}
}

// stageRequests are runs that end well and pass through all stages: of a graph with a script, an edit and two sizes, of a
// PrimFunc, and of what makes no code or has no entry.
func stageRequests(s *stage) map[string]run.Request {
	graph := s.text(graphModule(`def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):`, "    y = R.add(x, x)", "    return y"))
	graph.Settings.Bindings = []map[string]int64{{"n": 2}, {"n": 5}}
	graph.Settings.Scripts = []run.Script{{Name: "a.star", Source: "print('top')\ndef f(mod, info):\n    print(info.name)\nw = pass_instrument(run_after_pass=f)\n"}}
	graph.Settings.Patches = []run.Patch{{After: "Nothing", Text: "# nothing"}}
	loops := s.text(loneScale)
	loops.Settings.Bindings = []map[string]int64{{"k": 2}, {"k": 3}}
	note := s.text(loneScale, "tir.Simplify")
	note.Settings.Pipeline = "zero"
	partial := s.text(loneScale)
	partial.Settings.Pipeline = "tir"
	other := s.text(strings.Replace(doubled(), "def main", "def forward", 1))
	return map[string]run.Request{"graph": graph, "loops": loops, "no code": note, "code of a partial pipeline": partial, "no entry": other}
}

// calls lists all calls of the sink in a run.
func (s *stage) calls(q run.Request) []string {
	s.Helper()
	var out []string
	d := &diary{on: func(call string) error { out = append(out, call); return nil }}
	s.Forget()
	if err := s.Runner.Run(s.Context(), q, d); err != nil {
		s.Fatal(err)
	}
	return out
}

// someOf returns the numbers of the first, the last and some calls of each kind between.
func someOf(calls []string) []int {
	seen := map[string]int{}
	var out []int
	for i, call := range calls {
		kind, _, _ := strings.Cut(call, " 1")
		if seen[kind]++; seen[kind] <= 2 || kind != "emit pass_started" && kind != "emit pass_finished" || seen[kind]%16 == 0 {
			out = append(out, i)
		}
	}
	return out
}

// TestASinkThatIsFullEndsTheRun at whichever call it says so: the error is the sink's.
func TestASinkThatIsFullEndsTheRun(t *testing.T) {
	s := newStage(t)
	for name, q := range stageRequests(s) {
		for _, stop := range someOf(s.calls(q)) {
			n, last := 0, ""
			full := &event.Error{Kind: event.KindLimit, Limit: "log", Message: "the log is full"}
			s.Forget()
			err := s.Runner.Run(t.Context(), q, &diary{on: func(call string) error {
				if n++; n-1 != stop {
					return nil
				}
				last = call
				return full
			}})
			if strings.HasPrefix(last, "emit pass_skipped") {
				continue // nobody hears of that: the run goes on to the next event, which a full log refuses too
			}
			var e *event.Error
			if !errors.As(err, &e) || e.Kind != event.KindLimit || e.Limit != "log" || e.Message != "the log is full" {
				t.Errorf("%s: where %q fails the run ends with %v", name, last, err)
			}
		}
	}
}

// TestCancelAtEachStage: whichever call a run is at when it is canceled, it ends with the cause, or well if that was the last.
func TestCancelAtEachStage(t *testing.T) {
	s := newStage(t)
	for name, q := range stageRequests(s) {
		calls := s.calls(q)
		for _, stop := range someOf(calls) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("as asked")
			n, after := 0, []string{}
			s.Forget()
			err := s.Runner.Run(ctx, q, &diary{on: func(call string) error {
				if n++; n-1 == stop {
					cancel(cause)
				} else if n > stop {
					after = append(after, call)
				}
				return nil
			}})
			late := stop >= len(calls)-3 || name == "no entry" && slices.Contains(calls[:stop+1], "text wat") // only events are left to emit
			if !errors.Is(err, cause) && !(late && err == nil) && !(err != nil && strings.Contains(err.Error(), "as asked")) {
				t.Errorf("%s: canceled at %q the run ends with %v, after %q", name, calls[stop], err, after)
			}
			if len(after) > 0 && strings.HasPrefix(after[len(after)-1], "emit executed") && !late {
				t.Errorf("%s: canceled at %q the run went on to %q", name, calls[stop], after)
			}
		}
	}
}

// TestPipelinesWithoutCode: what a partial pipeline leaves is no failure of the run, and what the default one leaves is.
func TestPipelinesWithoutCode(t *testing.T) {
	s := newStage(t)
	q := s.text(doubled(), "LegalizeOps")
	err := s.Runner.Run(t.Context(), q, &diary{})
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindCodegen {
		t.Fatalf("steps of the default pipeline that make no code end with %v", err)
	}
	wrong := e.Message
	q.Settings.Pipeline = "zero"
	d := s.play(t.Context(), q)
	last := d.events[len(d.events)-1]
	b, ok := last.Body.(*event.Diagnostic)
	if want := "nothing to execute: the pipeline custom produces no executable code: " + wrong; !ok || b.Message != want || b.Code != "execute" || b.Severity != event.SeverityNote || last.Step != "" {
		t.Errorf("steps of the pipeline zero end with %+v, want %q", last.Body, want)
	}
	q.Settings.Steps = nil
	d = s.play(t.Context(), q)
	if b, ok := d.events[len(d.events)-1].Body.(*event.Diagnostic); !ok || !strings.HasPrefix(b.Message, "nothing to execute: the pipeline zero produces no executable code: ") {
		t.Errorf("the pipeline zero ends with %v", d.says())
	}
	if got := body[*event.RunStarted](t, d).Pipeline; got != "zero" {
		t.Errorf("it is called %s", got)
	}
	// What else fails there is a failure: a sink that is full.
	full := &event.Error{Kind: event.KindLimit, Message: "full"}
	err = s.Runner.Run(t.Context(), q, &diary{on: func(call string) error {
		if strings.HasPrefix(call, "emit diagnostic") {
			return full
		}
		return nil
	}})
	if !errors.Is(err, full) {
		t.Errorf("a note that is refused ends with %v", err)
	}
}

// TestModulesWithoutAnEntry compile to the end and say why nothing runs.
func TestModulesWithoutAnEntry(t *testing.T) {
	s := newStage(t)
	private := strings.Replace(doubled(), "@R.function", "@R.function(private=True)", 1)
	other := strings.Replace(doubled(), "def main", "def forward", 1)
	for text, want := range map[string]string{
		private: "diagnostic: nothing to execute: the Relax function main is private",
		other:   "diagnostic: nothing to execute: no Relax function main",
	} {
		says := s.play(t.Context(), s.text(text)).says()
		if got := says[len(says)-2:]; got[0] != "code_generated" || got[1] != want {
			t.Errorf("it ends with %q, want %q", got, want)
		}
		c, err := s.Check(t.Context(), "a.py", text)
		if err != nil || "diagnostic: "+c.Note != want || len(c.Functions) != 1 {
			t.Errorf("checked it is %+v (%v), want %q", c, err, want)
		}
	}
}

// TestLoweringPassesThatAreOff are named where the code cannot be made, and others are not.
func TestLoweringPassesThatAreOff(t *testing.T) {
	s := newStage(t)
	q := s.text(doubled())
	for _, name := range []string{"CallTIRRewrite", "LegalizeOps"} {
		q.Settings.Disabled = []string{name, "FoldConstant"}
		err := s.Runner.Run(t.Context(), q, &diary{})
		var e *event.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, name) || strings.Contains(e.Message, "FoldConstant") {
			t.Errorf("without %s it ends with %v", name, err)
		}
	}
}

// TestPassesThatAreRequired run whatever their level.
func TestPassesThatAreRequired(t *testing.T) {
	s := newStage(t)
	for _, required := range [][]string{nil, {"EliminateCommonSubexpr"}} {
		q := s.text(doubled())
		q.Settings.Required = required
		ran := false
		for _, line := range s.play(t.Context(), q).says() {
			ran = ran || strings.HasPrefix(line, "pass_finished") && strings.HasSuffix(line, "/EliminateCommonSubexpr")
		}
		if ran != (required != nil) {
			t.Errorf("with %q required it ran: %t", required, ran)
		}
	}
}
