package inproc_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// TestRunsForThisMachine starts runs for x86: the request, and so the key, names the features that it stands for.
func TestRunsForThisMachine(t *testing.T) {
	here, err := compiler.ForMachine(target.Of("x86"))
	if err != nil {
		t.Skip(err)
	}
	b := open(t, 0)
	start := func(text string) run.Info {
		info, err := b.manager.Start(t.Context(), "v", "s", run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 2, Target: text}})
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first, second := start("x86"), start(here.String())
	if first.Settings.Target != here.String() || first.ID != second.ID {
		t.Errorf("a run for x86 is for %q, and its like is another: %s, %s", first.Settings.Target, first.ID, second.ID)
	}
	if got := start("wasm -num-cores=1").Settings.Target; got != "wasm -num-cores=1" {
		t.Errorf("another target became %q", got)
	}
	evs, _ := b.run(gallery("mlp"), run.Settings{OptLevel: 2, Target: "x86", Bindings: []map[string]int64{{"batch": 3}}})
	var executed bool
	for _, e := range evs {
		switch body := e.Body.(type) {
		case *event.CodeGenerated:
			if body.Target != here.String() || len(body.Kernels) == 0 || body.Kernels[0].Language != "asm" {
				t.Errorf("code for %q: %+v", body.Target, body.Kernels)
			}
		case *event.Executed:
			executed = true
		}
	}
	if !executed {
		t.Error("the run was not executed")
	}
}

// TestNoMachineCode has a server for others refuse targets of machine code; its engine has no loader for what else might come to it.
func TestNoMachineCode(t *testing.T) {
	st, eng := store.NewMemory(16<<20), compiler.NewEngineWith(compiler.EngineOptions{ForOthers: true})
	defer eng.Close()
	for _, f := range eng.Formats() {
		if f == "x86_64" {
			t.Error("the engine for others loads machine code")
		}
	}
	r := inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: eng, NoMachineCode: true, Log: slog.New(slog.DiscardHandler)})
	err := r.Run(t.Context(), run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 2, Target: "x86 -mattr=+avx2"}, Limits: run.DefaultLimits()}, nil)
	if err == nil || !strings.Contains(err.Error(), "this server runs no machine code") {
		t.Errorf("a run for x86: %v", err)
	}
}
