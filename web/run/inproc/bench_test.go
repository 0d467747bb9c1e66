package inproc_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/e2e/fixture/published"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// light returns the bytes of a model of the test data, or skips.
func light(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(published.ONNX(tb), "light", name+".onnx"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// upload stores a model as an upload.
func (b *bench) upload(name string, data []byte) store.Source {
	b.t.Helper()
	src := store.Source{Kind: store.SourceUpload, Name: name + ".onnx", Blob: event.HashBytes(data)}
	if err := b.store.CreateSession(b.t.Context(), store.Session{ID: name, Source: src}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.store.PutBlob(b.t.Context(), name, store.LangBinary, data); err != nil {
		b.t.Fatal(err)
	}
	return src
}

func TestUploadedModelAndItsReRun(t *testing.T) {
	b := open(t, 0)
	src := b.upload("light_squeezenet", light(t, "light_squeezenet"))
	first := b.ok(b.run(src, run.Settings{OptLevel: 2}))
	again := b.ok(b.run(src, run.Settings{OptLevel: 2, Seed: 1}))
	steps := 0
	for _, e := range first {
		if _, ok := e.Body.(*event.PassFinished); ok && kindOf(first, e.Step) != "sequential" {
			steps++
		}
	}
	if got := again[len(again)-1].Measured.ReusedSteps; got != steps {
		t.Errorf("a re-run with another seed reuses %d steps of %d", got, steps)
	}
	t.Logf("first run %d ms, re-run %d ms", last(first).Total/1e6, last(again).Total/1e6)
}

// last returns the measurements of the last event.
func last(evs []event.Event) *event.Measured { return evs[len(evs)-1].Measured }

// BenchmarkResNet50 measures a first run with everything that the page shows, without
// the executions of the program.
func BenchmarkResNet50(b *testing.B) {
	data := light(b, "light_resnet50")
	st, eng := store.NewMemory(256<<20), compiler.NewEngine()
	defer func() { _ = eng.Close() }()
	b.ReportAllocs()
	for b.Loop() {
		sink := &stopper{}
		err := inproc.New(inproc.Config{Store: st, Engine: eng, Gallery: func(string) ([]byte, bool) { return data, true }}).
			Run(b.Context(), run.Request{Source: gallery("x"), Settings: run.Settings{OptLevel: 2}, Limits: run.DefaultLimits()}, sink)
		if !errors.Is(err, errStop) {
			b.Fatal(err)
		}
	}
}

// errStop is what stopper returns when code was generated.
var errStop = errors.New("code was generated")

// stopper is a sink that encodes events as a log does and ends the run before the
// program is executed.
type stopper struct{}

func (*stopper) Emit(e event.Event) error {
	if _, err := event.Encode(e); err != nil {
		return err
	}
	if e.Type == event.TypeCodeGenerated {
		return errStop
	}
	return nil
}

func (*stopper) Text(_, text string) (string, error) { return event.HashText(text), nil }
func (*stopper) Keep([]string) (bool, error)         { return true, nil }
func (*stopper) Account(int64) error                 { return nil }
