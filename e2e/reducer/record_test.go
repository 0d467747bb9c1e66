package reducer

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"os"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

var update = flag.Bool("update", false, "record the logs of testdata again")

// sink keeps the lines of a log.
type sink struct {
	events []event.Event
}

func (s *sink) Emit(e event.Event) error {
	e.Seq = len(s.events)
	s.events = append(s.events, e)
	return nil
}
func (s *sink) Text(_, text string) (string, error) { return event.HashText(text), nil }
func (s *sink) Keep([]string) (bool, error)         { return true, nil }
func (s *sink) Account(int64) error                 { return nil }

// TestRecord records the logs with -update: what the gallery's models say, with passes turned off, with a pass that is missing, so
// that a later one fails, and a second time, with what is taken from the first. Old ones stay good: what they say is what a server
// may have kept.
func TestRecord(t *testing.T) {
	if !*update {
		t.Skip("logs are recorded by -update only")
	}
	eng := compiler.NewEngine()
	defer func() { _ = eng.Close() }()
	model := func(name string) ([]byte, bool) {
		m, ok := gallery.Lookup(name)
		return m.Bytes, ok
	}
	runner := inproc.New(inproc.Config{Store: store.NewMemory(1 << 28), Engine: eng, Gallery: model})
	for _, c := range []struct {
		name, model string
		settings    run.Settings
	}{
		{"batch", "batch", run.Settings{OptLevel: 2, Bindings: []map[string]int64{{"batch": 1}, {"batch": 3}}}},
		{"batch-again", "batch", run.Settings{OptLevel: 2, Seed: 1, Bindings: []map[string]int64{{"batch": 2}}}},
		{"mlp-disabled", "mlp", run.Settings{OptLevel: 0, Disabled: []string{"FuseOps", "FoldConstant"}, Required: []string{"CanonicalizeBindings"}}},
		{"mlp-failed", "mlp", run.Settings{OptLevel: 2, Disabled: []string{"LegalizeOps"}}},
	} {
		s := &sink{}
		done := &event.RunFinished{Status: event.StatusOK}
		limits := run.DefaultLimits()
		if err := runner.Run(context.Background(), run.Request{Source: store.Source{Kind: store.SourceGallery, Name: c.model}, Settings: c.settings, Limits: limits}, s); err != nil {
			done = &event.RunFinished{Status: event.StatusFailed, Error: &event.Error{Kind: event.KindPass, Message: err.Error()}}
		}
		if err := s.Emit(event.New("", "", done, &event.Measured{At: event.Fold(s.events).Clock + 1})); err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		z := gzip.NewWriter(&buf)
		for _, e := range s.events {
			enc, err := event.Encode(e.Brief())
			if err != nil {
				t.Fatal(err)
			}
			_, _ = z.Write(append(enc.Line, '\n'))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/"+c.name+".jsonl.gz", buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d events, %s", c.name, len(s.events), done.Status)
	}
}
