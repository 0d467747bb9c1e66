package inproc

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// diary is a sink that remembers what it is told. Where on is not nil it is asked before each call, with a name of the call, and
// its error is what the call returns.
type diary struct {
	on     func(call string) error
	events []event.Event
	texts  map[string]string // by hash
	langs  map[string]string // by hash
	bytes  int64
}

func (d *diary) ask(call string) error {
	if d.on == nil {
		return nil
	}
	return d.on(call)
}

func (d *diary) Emit(e event.Event) error {
	if err := d.ask("emit " + string(e.Type) + " " + e.Step); err != nil {
		return err
	}
	if _, err := event.Encode(e); err != nil {
		return err
	}
	d.events = append(d.events, e)
	return nil
}

func (d *diary) Text(language, text string) (string, error) {
	hash := event.HashText(text)
	if err := d.ask("text " + language); err != nil {
		return "", err
	}
	if d.texts == nil {
		d.texts, d.langs = map[string]string{}, map[string]string{}
	}
	d.texts[hash], d.langs[hash] = text, language
	return hash, nil
}

func (d *diary) Keep([]string) (bool, error) { return true, d.ask("keep") }

func (d *diary) Account(n int64) error {
	d.bytes += n
	return d.ask("account")
}

// says lists the events: types, steps, and the messages of diagnostics.
func (d *diary) says() []string {
	var out []string
	for _, e := range d.events {
		line := string(e.Type)
		if e.Step != "" {
			line += " " + e.Step
		}
		if b, ok := e.Body.(*event.Diagnostic); ok {
			line += ": " + b.Message
		}
		out = append(out, line)
	}
	return out
}

// body returns the only event body of a type.
func body[T event.Body](t *testing.T, d *diary) T {
	t.Helper()
	var out []T
	for _, e := range d.events {
		if b, ok := e.Body.(T); ok {
			out = append(out, b)
		}
	}
	if len(out) != 1 {
		t.Fatalf("there are %d bodies of type %T in %v, want 1", len(out), *new(T), d.says())
	}
	return out[0]
}

// stage is a runner with an engine and a store of texts.
type stage struct {
	*testing.T
	*Runner
	store *store.Memory
}

func newStage(t *testing.T) *stage {
	t.Helper()
	st, eng := store.NewMemory(16<<20), compiler.NewEngine()
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := st.CreateSession(t.Context(), store.Session{ID: "s"}); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &stage{t, New(Config{Store: st, Gallery: Gallery, Engine: eng, Log: quiet}), st}
}

// source stores bytes as a source of a kind and name.
func (s *stage) source(kind, name, data string) store.Source {
	s.Helper()
	hash, err := s.store.PutBlob(s.Context(), "s", store.LangBinary, []byte(data))
	if err != nil {
		s.Fatal(err)
	}
	return store.Source{Kind: kind, Name: name, Blob: hash}
}

// text returns a request to run a text through steps by name, or through the default pipeline where there are none.
func (s *stage) text(source string, steps ...string) run.Request {
	s.Helper()
	q := run.Request{Source: s.source(store.SourceScript, "module.py", source), Limits: run.DefaultLimits(), Settings: run.Settings{OptLevel: 2}}
	for _, name := range steps {
		q.Settings.Steps = append(q.Settings.Steps, run.Step{Name: name})
	}
	return q
}

// play runs a request that must end well.
func (s *stage) play(ctx context.Context, q run.Request) *diary {
	s.Helper()
	d := &diary{}
	if err := s.Runner.Run(ctx, q, d); err != nil {
		s.Fatalf("the run ends with %v after %v", err, d.says())
	}
	return d
}

// note is an event that says something about the run as a whole.
func note(text string) event.Event {
	return event.New("", "", &event.Diagnostic{Severity: event.SeverityNote, Message: text}, nil)
}

// opened reads the module of a request as a run does.
func (s *stage) opened(ctx context.Context, q run.Request, sink run.Sink) (*driver.Model, error) {
	s.Helper()
	job, err := s.resolve(ctx, q, sink)
	if err != nil {
		return nil, err
	}
	task, err := driver.Open(ctx, job, sink, s.hooks(q, sink))
	if err != nil {
		return nil, task.Describe(ctx, err)
	}
	return task.Model, nil
}
