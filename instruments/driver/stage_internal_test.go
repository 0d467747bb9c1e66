package driver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/instruments/roofline"
	"github.com/irscope/irscope/runtime"
)

// diary is a sink that remembers what it is told. Where on is not nil it is asked before each call, with a name of the call, and
// its error is what the call returns.
type diary struct {
	on     func(call string) error
	events []event.Event
	texts  map[string]string // by hash
	langs  map[string]string // by hash
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

// memory remembers everything.
type memory struct {
	steps    map[string]Snapshot
	programs map[string]Code
	models   map[string]*Model
}

func newMemory() *memory {
	return &memory{map[string]Snapshot{}, map[string]Code{}, map[string]*Model{}}
}

func (m *memory) Code(key string) (Code, bool) { c, ok := m.programs[key]; return c, ok }
func (m *memory) PutCode(key string, c Code)   { m.programs[key] = c }

// kept is a memory for one run, whose sink keeps texts.
type kept struct {
	*memory
	keep interface{ Keep([]string) (bool, error) }
}

func (k kept) Step(key string) (Snapshot, bool)   { s, ok := k.steps[key]; return s, ok }
func (k kept) PutStep(key string, s Snapshot)     { k.steps[key] = s }
func (k kept) DropStep(key string)                { delete(k.steps, key) }
func (k kept) Keep(hashes []string) (bool, error) { return k.keep.Keep(hashes) }

// of returns the memory for a run, whose texts keep keeps.
func (m *memory) of(keep interface{ Keep([]string) (bool, error) }) kept { return kept{m, keep} }

// stage runs requests with an engine and a memory, as any Go program may.
type stage struct {
	*testing.T
	memory   *memory
	engine   *runtime.Engine
	fixedFor time.Duration
	limits   roofline.Cache
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{T: t, memory: newMemory(), engine: compiler.NewEngine()}
	t.Cleanup(func() {
		if err := s.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// text returns a request to run a text through steps by name, or through the default pipeline where there are none.
func (s *stage) text(source string, steps ...string) Request {
	s.Helper()
	q := Request{Source: textOf("module.py", source), Memory: 512 << 20, Settings: request.Settings{OptLevel: 2}, Fixed: FixedBeside}
	for _, name := range steps {
		q.Settings.Steps = append(q.Settings.Steps, request.Step{Name: name})
	}
	return q
}

func textOf(name, text string) Source {
	return Source{Name: name, Data: []byte(text), Zeros: true, Options: frontend.Options{Form: frontend.Script, Script: parse.Options{Roots: true}}}
}

// open reads the module of a request, or returns it as it was read before.
func (s *stage) open(ctx context.Context, q Request) (*Model, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s", q.Source.Name, q.Source.Data))
	id := hex.EncodeToString(sum[:])
	if m := s.memory.models[id]; m != nil {
		return m, nil
	}
	m, err := q.Source.Model(ctx)
	if err == nil {
		m.ID, s.memory.models[id] = id, m
	}
	return m, err
}

// resolve looks up what a request names.
func (s *stage) resolve(ctx context.Context, q Request, d *diary) (*Job, error) {
	job, problems, err := Resolve(ctx, q)
	if err != nil {
		return nil, err
	}
	if p := problems.Fatal(); p != nil {
		return nil, p.Refuse(ctx, d)
	}
	return job, nil
}

func (s *stage) hooks(q Request, d *diary) Hooks {
	return Hooks{
		Engine: s.engine, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), History: true, FixedFor: s.fixedFor, Limits: &s.limits,
		Steps: s.memory.of(d), Programs: s.memory,
		Model: func(ctx context.Context) (*Model, error) { return s.open(ctx, q) },
		Instruments: func(*instruments.Snapshots) (before, behind []*pass.Instrument) {
			return nil, []*pass.Instrument{instruments.WellFormed(false)}
		},
	}
}

// Run runs a request.
func (s *stage) Run(ctx context.Context, q Request, d *diary) error {
	job, err := s.resolve(ctx, q, d)
	if err != nil {
		return err
	}
	_, err = Run(ctx, job, d, s.hooks(q, d))
	return err
}

// play runs a request that must end well.
func (s *stage) play(ctx context.Context, q Request) *diary {
	s.Helper()
	d := &diary{}
	if err := s.Run(ctx, q, d); err != nil {
		s.Fatalf("the run ends with %v after %v", err, d.says())
	}
	return d
}

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
