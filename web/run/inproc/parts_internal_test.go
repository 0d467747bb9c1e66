package inproc

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/target"
)

// wantError checks an error for an event, whole.
func wantError(t *testing.T, err error, want event.Error) {
	t.Helper()
	var e *event.Error
	if !errors.As(err, &e) || !reflect.DeepEqual(*e, want) {
		t.Errorf("the error is %+v, want %+v", err, want)
	}
}

// TestEventsHaveASize: that of their lines, with something for each entry.
func TestEventsHaveASize(t *testing.T) {
	changes := func(lines ...string) event.Event {
		return event.New("", "", &event.PassFinished{Functions: []event.FunctionChange{{Hunks: []event.Hunk{{Lines: lines}}}}}, nil)
	}
	for _, c := range []struct {
		events []event.Event
		want   int64
	}{
		{nil, 0},
		{[]event.Event{note("x")}, 512},
		{[]event.Event{note("x"), changes()}, 2*512 + 256},
		{[]event.Event{changes("abc", "de"), note("x")}, 2*512 + 256 + 5 + 2*16},
	} {
		if got := eventBytes(c.events); got != c.want {
			t.Errorf("%d events have %d bytes, want %d", len(c.events), got, c.want)
		}
	}
	vals := make([]float32, 250)
	for i := range vals {
		vals[i] = float32(i)
	}
	blob := ir.Float32Blob([]int64{250}, vals...)
	if n, holds := measure(blob); n < 1000 || n > 1000+2*perPart || holds != nil {
		t.Errorf("a constant of 1000 bytes has %d and holds %v", n, holds)
	}
}

// TestRunnerDefaults: what is kept, and where panics go.
func TestRunnerDefaults(t *testing.T) {
	for given, want := range map[int64]int64{0: 128 << 20, -1: 0, 5: 5} {
		if got := New(Config{CacheBytes: given}).cfg.CacheBytes; got != want {
			t.Errorf("asked for %d bytes it keeps %d, want %d", given, got, want)
		}
	}
	if New(Config{}).cfg.Log == nil {
		t.Error("panics go nowhere")
	}
}

// TestCatalogHasEverything that the compiler knows, and of each model what its text says.
func TestCatalogHasEverything(t *testing.T) {
	c, err := Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var passes []string
	for i, p := range pipeline.All() {
		got := c.Passes[i]
		passes = append(passes, got.Name)
		if got.Name != p.Name || got.Level != p.Level || got.Doc != p.Doc || len(got.Config) != len(p.Config) || len(got.Options) != len(p.Options) || !reflect.DeepEqual(got.Required, p.Required) {
			t.Errorf("%s is described as %+v", p.Name, got)
		}
		for i, o := range got.Config {
			if o.Key != p.Config[i] || o.Type == "" {
				t.Errorf("%s reads %+v, want %s", p.Name, o, p.Config[i])
			}
		}
		if tir := strings.HasPrefix(p.Name, "tir.") || p.Kind == pass.PrimFunc; tir && got.IR != "tir" || got.IR != "tir" && got.IR != "relax" {
			t.Errorf("%s is a pass on %s", p.Name, got.IR)
		}
	}
	if len(c.Passes) != len(passes) || len(c.Scripts) != len(examples) || len(c.Pipelines) != len(pipeline.Names())*len(target.Kinds()) || len(c.Config) != len(pass.ListConfigs()) {
		t.Errorf("there are %d passes, %d scripts, %d pipelines, %d targets, %d options", len(c.Passes), len(c.Scripts), len(c.Pipelines), len(c.Targets), len(c.Config))
	}
	for i, o := range c.Config {
		if i > 0 && o.Key <= c.Config[i-1].Key {
			t.Errorf("%s stands behind %s", o.Key, c.Config[i-1].Key)
		}
		if o.Type == "bool" {
			if _, ok := o.Default.(bool); !ok {
				t.Errorf("the default of %s is %v, want a bool", o.Key, o.Default)
			}
		}
	}
	for _, p := range c.Pipelines {
		if p.Target == "" || len(p.Steps) == 0 || p.Steps[0].Step != "1/"+p.Name {
			t.Errorf("the pipeline %s for %q has %d steps", p.Name, p.Target, len(p.Steps))
		}
	}
	for _, m := range c.Models {
		if m.Name == "" || m.Title == "" || m.Doc == "" || len(m.Ops) == 0 || m.Functions != 1 || m.Parameters <= 0 || len(m.Inputs) == 0 {
			t.Errorf("the model %s is described as %+v", m.Name, m)
		}
		symbolic := ""
		for _, in := range m.Inputs {
			if in.Name == "" || in.DType == "" || len(in.Shape) == 0 {
				t.Errorf("an input of %s is %+v", m.Name, in)
			}
			for _, d := range in.Shape {
				switch d := d.(type) {
				case int64:
				case string:
					symbolic = d
				default:
					t.Errorf("a dimension of %s is a %T", m.Name, d)
				}
			}
		}
		if (symbolic != "") != (len(m.Bindings) > 0) {
			t.Errorf("%s has the dimension %q and the bindings %v", m.Name, symbolic, m.Bindings)
		}
		for i, b := range m.Bindings {
			if len(b) != 1 || b[symbolic] != batches[i] {
				t.Errorf("%s is bound to %v, want %s to be %d", m.Name, b, symbolic, batches[i])
			}
		}
	}
	for in, want := range map[ir.Value]any{nil: nil, true: true, int64(3): int64(3), 1.5: 1.5, "x": "x"} {
		if got := plain(in); got != want {
			t.Errorf("%v becomes %v in JSON", in, got)
		}
	}
}

// TestScriptsThatComeWithTheProgram have a module, passes and words.
func TestScriptsThatComeWithTheProgram(t *testing.T) {
	list, err := describeScripts(t.Context())
	if err != nil || len(list) != len(examples) {
		t.Fatalf("%d scripts (%v)", len(list), err)
	}
	r := New(Config{})
	for i, e := range list {
		l := examples[i]
		if e.Name != l.script || e.Title != l.title || e.Doc != l.doc || e.Script.Name != l.script+".star" || e.ModuleName != l.script+".py" || e.Passes == nil {
			t.Errorf("%s is described as %+v", l.script, e)
		}
		if err := e.Script.Valid(); err != nil || e.Script.Source == "" {
			t.Errorf("%s is not a script: %v", l.script, err)
		}
		if c, err := r.Check(t.Context(), e.ModuleName, e.Module); err != nil || c.Failed() || len(c.Functions) == 0 {
			t.Errorf("the module of %s is wrong: %+v (%v)", l.script, c, err)
		}
		if l.script != "counter" && (len(e.Passes) == 0 || !strings.HasPrefix(e.Passes[0], request.UserPrefix)) {
			t.Errorf("%s has the passes %v", l.script, e.Passes)
		}
	}
}
