package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// pageLog is the sink of a run of the page.
type pageLog struct{ driver.Log }

func (*pageLog) Keep([]string) (bool, error) { return true, nil }
func (*pageLog) Account(int64) error         { return nil }

// TestCommandLineAndPageSayTheSame runs models of the gallery on the command line and as the page does, under several settings: the events
// have the same types, steps and bodies. Left out is what only the page keeps, the history of values, and the name by which each
// knows the model.
func TestCommandLineAndPageSayTheSame(t *testing.T) {
	eng := compiler.NewEngine()
	defer eng.Close()
	steps := []request.Step{{Name: "LegalizeOps"}, {Name: "mine", Steps: []request.Step{{Name: "FuseOps", Options: map[string]any{"fuse_opt_level": 0.0}}, {Name: "FuseTIR"}}}, {Name: "dataflow_lower"}, {Name: "finalize"}, {Name: "tir"}}
	script := "def f(mod):\n    return mod\nmine = module_pass(f, opt_level=0, name=\"Mine\")\n"
	for name, c := range map[string]struct {
		models   []string
		settings request.Settings
		args     []string
	}{
		"defaults": {[]string{"mlp", "cnn", "batch"}, request.Settings{OptLevel: 2}, nil},
		"level 0":  {[]string{"mlp"}, request.Settings{OptLevel: 0, Seed: 7}, []string{"--opt-level", "0", "--seed", "7"}},
		"config": {
			[]string{"mlp"},
			request.Settings{OptLevel: 3, Config: map[string]any{"tir.disable_vectorize": true, "tir.UnrollLoop": map[string]any{"auto_max_step": 4.0}}, Disabled: []string{"FuseOps"}, Required: []string{"tir.UnrollLoop"}},
			[]string{"--opt-level", "3", "--config", "tir.disable_vectorize=true", "--config", "tir.UnrollLoop.auto_max_step=4", "--disable-pass", "FuseOps", "--require-pass", "tir.UnrollLoop"},
		},
		"target": {[]string{"mlp"}, request.Settings{OptLevel: 2, Target: "interp"}, []string{"--target", "interp"}},
		"steps":  {[]string{"mlp"}, request.Settings{OptLevel: 2, Steps: steps}, []string{"--passes", `LegalizeOps,mine[FuseOps{"fuse_opt_level":0},FuseTIR],dataflow_lower,finalize,tir`}},
		"script": {[]string{"mlp"}, request.Settings{OptLevel: 2, Scripts: []request.Script{{Name: "mine.star", Source: script}}}, []string{"--script", "SCRIPT"}},
	} {
		for _, model := range c.models {
			t.Run(name+" "+model, func(t *testing.T) {
				var page pageLog
				req := run.Request{Source: store.Source{Kind: store.SourceGallery, Name: model}, Settings: c.settings, Limits: run.DefaultLimits()}
				r := inproc.New(inproc.Config{Gallery: inproc.Gallery, Engine: eng, CacheBytes: -1, Log: slog.New(slog.DiscardHandler)})
				if err := r.Run(t.Context(), req, &page); err != nil {
					t.Logf("the page ends with %v", err)
				}
				got, want := bodies(t, commandLine(t, model, c.args, script)), bodies(t, page.Events)
				if len(want) < 50 {
					t.Fatalf("there are %d events", len(want))
				}
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("event %d is on the command line\n%s\non the page\n%s", i, got[i], want[i])
					}
				}
				if len(got) != len(want) {
					t.Errorf("the command line has %d events, the page %d", len(got), len(want))
				}
			})
		}
	}
}

// commandLine returns the events of irscope run --json.
func commandLine(t *testing.T, model string, args []string, script string) []event.Event {
	t.Helper()
	root := rootCommand()
	var out bytes.Buffer
	for i, a := range args {
		if a == "SCRIPT" {
			file := t.TempDir() + "/mine.star"
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(append([]string{}, args[:i]...), file)
		}
	}
	root.SetOut(&out)
	root.SetErr(io.Discard)
	root.SetArgs(append([]string{"run", galleryPrefix + model, "--target", "wasm", "--json", "--repeat", "1", "--specialize=false"}, args...))
	err := root.ExecuteContext(t.Context())
	var rep struct{ Events []json.RawMessage }
	if bad := json.Unmarshal(out.Bytes(), &rep); bad != nil {
		t.Fatal(err, bad)
	}
	var events []event.Event
	for _, line := range rep.Events {
		e, err := event.Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// bodies writes events without what the page alone keeps.
func bodies(t *testing.T, events []event.Event) []string {
	t.Helper()
	var out []string
	for i, e := range events {
		switch b := e.Body.(type) {
		case *event.RunStarted:
			b.History, b.Model = "", ""
		case *event.PassFinished:
			b.History = ""
		case *event.CodeGenerated:
			b.History = ""
		}
		data, err := json.Marshal(e.Body)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s of %s: %s", strconv.Itoa(i), e.Type, e.Step, e.Parent, data))
	}
	return out
}
