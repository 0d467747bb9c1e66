package inproc_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/web/run"
)

// TestPrograms downloads the program of a run: loaded without the compiler, it gives the outputs that the run gave. It is the same
// whether the run is still in memory or not, and a run after that has all its texts.
func TestPrograms(t *testing.T) {
	b := open(t, 0)
	settings := run.Settings{OptLevel: 2, Disabled: []string{"FuseOps"}, Seed: 3}
	first := b.ok(b.run(gallery("mlp"), settings))
	var want *event.Executed
	for _, e := range first {
		if x, ok := e.Body.(*event.Executed); ok {
			want = x
		}
	}
	req := run.Request{Source: gallery("mlp"), Settings: settings, Limits: run.DefaultLimits()}
	var last []byte
	for _, what := range []string{"in memory", "forgotten"} {
		data, err := b.runner.Program(t.Context(), req)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		files, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		art, err := artifact.LoadFS(files)
		if err != nil {
			t.Fatalf("%s: the program cannot be loaded: %v", what, err)
		}
		engine := compiler.NewEngine()
		how := driver.Request{Settings: settings}
		task := driver.Program(art, how, driver.Hooks{Engine: engine})
		err = task.Execute(t.Context())
		_ = engine.Close()
		if err != nil {
			t.Fatalf("%s: the program cannot be executed: %v", what, err)
		}
		got := task.Executed().Body
		if len(got.Outputs) != len(want.Outputs) || len(got.Outputs) == 0 {
			t.Fatalf("%s: %d outputs, want %d", what, len(got.Outputs), len(want.Outputs))
		}
		for i, o := range got.Outputs {
			if o.Mean != want.Outputs[i].Mean || o.Max != want.Outputs[i].Max {
				t.Errorf("%s: output %d is %+v, want %+v", what, i, o, want.Outputs[i])
			}
		}
		if last != nil && len(last) != len(data) {
			t.Errorf("%s: the program has %d bytes, had %d", what, len(data), len(last))
		}
		last = data
		b.runner.Forget()
	}
	// What was compiled for the program alone is no text of a run.
	b.runner.Forget()
	if _, err := b.runner.Program(t.Context(), run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 1}, Limits: run.DefaultLimits()}); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 1})) {
		for _, hash := range event.Texts(e) {
			if _, err := b.store.Blob(t.Context(), hash); err != nil {
				t.Fatalf("a text of %s %s is not there: %v", e.Type, e.Step, err)
			}
		}
	}
	if _, err := b.runner.Program(t.Context(), run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 2, Disabled: []string{"LegalizeOps"}}, Limits: run.DefaultLimits()}); err == nil {
		t.Error("a run without code has a program")
	}
}
