package driver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// wrongScript defines passes that compute something else, fail, and never end.
const wrongScript = `
def less(self, x):
    x = self.visit_default(x)
    return tir.Sub(x.a, x.b)

def broken(func, mod, ctx):
    fail("broken on purpose")

wrong = prim_func_pass(mutator({"Add": less}), opt_level=0, name="Wrong")
fails = prim_func_pass(broken, opt_level=0, name="Fails")
`

// checkOf checks a module of additions, under the memory of the stage.
func (s *stage) checkOf(ctx context.Context, want Checked, steps ...string) (*check.Report, error) {
	s.Helper()
	q := s.text(graphModule("def main(x: "+vector+", y: "+vector+") -> "+vector+":", "    z = R.add(x, y)", "    w = R.exp(z)", "    return w"), steps...)
	q.Settings.Scripts = []request.Script{{Name: "wrong.star", Source: wrongScript}}
	d := &diary{}
	job, err := s.resolve(ctx, q, d)
	if err != nil {
		s.Fatal(err)
	}
	return Check(ctx, job, want, d, s.hooks(q, d))
}

// TestCheckFindsAPassOfAUser checks a pipeline with a wrong pass in Starlark.
func TestCheckFindsAPassOfAUser(t *testing.T) {
	s := newStage(t)
	var heard []check.Step
	rep, err := s.checkOf(t.Context(), Checked{Each: func(x check.Step) { heard = append(heard, x) }}, "LegalizeOps", "user.Wrong", "FuseOps", "FuseTIR")
	if err != nil {
		t.Fatal(err)
	}
	f := rep.Fault
	if f == nil || f.Pass != "user.Wrong" || !slices.Equal(f.Functions, []string{"add"}) || rep.Steps[f.Step].Status != check.Wrong || f.Path != "1.2/user.Wrong" {
		t.Errorf("fault %+v of %+v", f, rep.Steps)
	}
	if len(heard) != len(rep.Steps) || rep.Stopped != "" || len(rep.Inputs) != 2 || rep.Inputs[0].Source != "seed 0" || len(rep.Tolerances) != 1 {
		t.Errorf("%d steps were heard of, the report is %+v", len(heard), rep)
	}
	if rep, err = s.checkOf(t.Context(), Checked{}, "LegalizeOps", "FuseOps", "FuseTIR"); err != nil || rep.Fault != nil || rep.Counts()[check.Same] != len(rep.Steps) {
		t.Errorf("without it: %+v (%v)", rep, err)
	}
}

// TestCheckTakesStepsOfARun has steps from the memory of a run: the passes of the compiler do not run again, and the result is the same.
func TestCheckTakesStepsOfARun(t *testing.T) {
	s := newStage(t)
	text := graphModule("def main(x: "+vector+") -> "+vector+":", "    y = R.add(x, x)", "    return y")
	q := s.text(text)
	s.play(t.Context(), q)
	d := &diary{}
	job, err := s.resolve(t.Context(), q, d)
	if err != nil {
		t.Fatal(err)
	}
	known := len(s.memory.steps)
	rep, err := Check(t.Context(), job, Checked{}, d, s.hooks(q, d))
	if err != nil || rep.Fault != nil || len(rep.Steps) < 40 || rep.Counts()[check.NotRunnable] > 0 {
		t.Errorf("%+v (%v)", rep, err)
	}
	if len(s.memory.steps) != known {
		t.Errorf("the check has added to the %d steps that are remembered", known)
	}
	for _, x := range s.memory.steps {
		if x.Module != nil {
			return
		}
	}
	t.Error("the run left no step behind")
}

// TestCheckStops has a pass that fails, a context that ends, and an input that does not fit: what is known so far is reported.
func TestCheckStops(t *testing.T) {
	s := newStage(t)
	rep, err := s.checkOf(t.Context(), Checked{}, "LegalizeOps", "user.Fails", "FuseOps")
	if err == nil || rep == nil || len(rep.Steps) != 2 || !strings.Contains(rep.Stopped, "broken on purpose") {
		t.Errorf("after a pass that fails: %+v (%v)", rep, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	rep, err = s.checkOf(ctx, Checked{Each: func(x check.Step) {
		if x.Pass == "LegalizeOps" {
			cancel(why)
		}
	}}, "LegalizeOps", "FuseOps", "FuseTIR")
	if !errors.Is(err, why) || rep == nil || len(rep.Steps) < 2 || len(rep.Steps) > 3 || rep.Stopped != "the check was stopped: enough" {
		t.Errorf("after the end of the context: %+v (%v)", rep, err)
	}
	q := s.text(doubled())
	q.Inputs.Given = func(int) *tensor.Tensor { return tensor.MustNew(dtype.Float32T, 5) }
	d := &diary{}
	job, err := s.resolve(t.Context(), q, d)
	if err != nil {
		t.Fatal(err)
	}
	if rep, err = Check(t.Context(), job, Checked{}, d, s.hooks(q, d)); err == nil || rep != nil || !strings.Contains(err.Error(), "input x is float32[5], expected float32[4]") {
		t.Errorf("with an input of another shape: %+v (%v)", rep, err)
	}
}

// TestCheckOfAKernel checks a module of one PrimFunc with a number among its parameters.
func TestCheckOfAKernel(t *testing.T) {
	s := newStage(t)
	q := s.text(loneScale)
	d := &diary{}
	job, err := s.resolve(t.Context(), q, d)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Check(t.Context(), job, Checked{}, d, s.hooks(q, d))
	if err != nil || rep.Fault != nil || rep.Reference != 0 || rep.Function != "scale" || rep.Counts()[check.Same] != len(rep.Steps) {
		t.Errorf("%+v (%v)", rep, err)
	}
}
