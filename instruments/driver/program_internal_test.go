package driver

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// code returns the event of generated code, and whether it was reused.
func code(t *testing.T, d *diary) (*event.CodeGenerated, bool) {
	t.Helper()
	b := body[*event.CodeGenerated](t, d)
	for _, e := range d.events {
		if e.Body == event.Body(b) {
			return b, e.Reused
		}
	}
	t.Fatal("the event is gone")
	return nil, false
}

// TestCodeIsReused where a run ends in the same module for the same target, however it came about, and only there.
func TestCodeIsReused(t *testing.T) {
	s := newStage(t)
	script := func(comment string) request.Script {
		return request.Script{Name: "mine.star", Source: "# " + comment + "\ndef f(func):\n    return func.with_attr(\"mark\", \"m\")\nmine = function_pass(f, opt_level=0, name=\"Mine\")\n"}
	}
	own := func(comment string) Request {
		q := s.text(doubled(), "user.Mine", "default")
		q.Settings.Scripts = []request.Script{script(comment)}
		return q
	}
	with := func(q Request, change func(*request.Settings)) Request { change(&q.Settings); return q }
	for _, c := range []struct {
		name  string
		q     Request
		known bool
	}{
		{"a first run", s.text(doubled()), false},
		{"another seed", with(s.text(doubled()), func(s *request.Settings) { s.Seed = 5 }), true},
		{"another target", with(s.text(doubled()), func(s *request.Settings) { s.Target = "interp" }), false},
		{"another level", with(s.text(doubled()), func(s *request.Settings) { s.OptLevel = 0 }), false},
		{"an option of the loop passes", with(s.text(doubled()), func(s *request.Settings) { s.Config = map[string]any{"tir.disable_vectorize": true} }), false},
		{"a module of another name", with(s.text(strings.Replace(doubled(), "x", "z", -1)), func(*request.Settings) {}), false},
		{"a pass of the user", own("one"), false},
		{"the same pass with another comment", own("two"), true},
		{"the same once more", own("two"), true},
	} {
		got, known := code(t, s.play(t.Context(), c.q))
		if known != c.known {
			t.Errorf("%s: the code is reused: %t, want %t", c.name, known, c.known)
		}
		// What is said is what a server that has just started says.
		if want, again := code(t, newStage(t).play(t.Context(), c.q)); again || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: it says %+v, want %+v", c.name, got, want)
		}
	}
}

// compiled returns a task whose passes have run on a model that adds constants, and what it says.
func (s *stage) compiled(values ...float32) (*Task, *diary) {
	s.Helper()
	b := onnxbuild.New("adds", 17)
	c := b.Initializer("c", onnxbuild.Floats([]int64{4}, values...))
	b.NodeOut("Add", "add", []string{b.Input("x", onnxpb.Float, 4), c}, []string{"y"})
	b.Output("y", onnxpb.Float, 4)
	d := &diary{}
	q := Request{
		Source: Source{Name: "adds.onnx", Data: b.Bytes(), Options: frontend.Options{Form: frontend.ONNX}}, Memory: 512 << 20,
		Settings: request.Settings{OptLevel: 2},
	}
	job, err := s.resolve(s.Context(), q, d)
	if err != nil {
		s.Fatal(err)
	}
	task, err := Open(s.Context(), job, d, s.hooks(q, d))
	if err == nil {
		err = task.Compile(s.Context())
	}
	if err != nil {
		s.Fatal(err)
	}
	return task, d
}

// TestEqualModulesShareCode however they came about. Code that is found by the content of a module and was made of another one is not used.
func TestEqualModulesShareCode(t *testing.T) {
	s := newStage(t)
	one, d := s.compiled(1, 2, 3, 4)
	made, _ := code(t, d)
	program := func(task *Task, d *diary, id string) bool {
		t.Helper()
		task.Model.ID = "one and the same"
		d.events = nil
		if err := task.program(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		b, known := code(t, d)
		if b.VM != made.VM && known {
			t.Errorf("for %s it says %+v", id, b)
		}
		return known
	}
	s.memory.programs = map[string]Code{}
	if program(one, d, "first") {
		t.Error("code of nothing is reused")
	}
	same, d := s.compiled(1, 2, 3, 4)
	if !program(same, d, "second") || same.Result.Artifact != one.Result.Artifact || !program(same, d, "second") {
		t.Error("an equal module does not get the code")
	}
	// What the code was made from is of the module: here nobody asks for it.
	third, d := s.compiled(1, 2, 3, 4)
	third.lives = nil
	if !program(third, d, "third way") {
		t.Error("an equal module does not get the code")
	}
	if b, _ := code(t, d); b.History != "" || made.History == "" {
		t.Errorf("the history of the code is that of another module: %q", b.History)
	}
	other, d := s.compiled(1, 2, 3, 5)
	content, err := other.content()
	if err != nil {
		t.Fatal(err)
	}
	s.memory.programs = map[string]Code{codeKey("wasm", "one and the same", content): {Artifact: one.Result.Artifact, Module: one.Result.Module}}
	if program(other, d, "third") || other.Result.Artifact == one.Result.Artifact {
		t.Error("a module gets the code of another with other constants")
	}
}

// TestCodeKey depends on each of its parts.
func TestCodeKey(t *testing.T) {
	seen := map[string]string{}
	for _, parts := range [][3]string{{"t", "m", "x"}, {"u", "m", "x"}, {"t", "n", "x"}, {"t", "m", "y"}, {"t", "m", "made by x"}} {
		key := codeKey(parts[0], parts[1], parts[2])
		if old, ok := seen[key]; ok || len(key) != 64 {
			t.Errorf("the key of %q is that of %s: %s", parts, old, key)
		}
		seen[key] = fmt.Sprint(parts)
	}
}

// TestContentOfAModule depends on its texts, its attributes and the order of its functions.
func TestContentOfAModule(t *testing.T) {
	s := newStage(t)
	task, _ := s.compiled(1, 2, 3, 4)
	m := task.Result.Module
	content := func(m *ir.Module) string {
		t.Helper()
		task.Result.Module = m
		out, err := task.content()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	base := content(m)
	names := slices.Collect(func(yield func(string) bool) {
		for gv := range m.Funcs() {
			if !yield(gv.Name) {
				return
			}
		}
	})
	first := m.Lookup(names[0])
	for what, other := range map[string]*ir.Module{
		"another attribute":               m.WithAttrs(m.Attrs().With("mark", "m")),
		"another order":                   m.Without(names[0]).With(names[0], first),
		"a function less":                 m.Without(names[0]),
		"another attribute of a function": m.With(names[0], first.WithFuncAttrs(ir.NewAttrs("mark", "m"))),
	} {
		if content(other) == base {
			t.Errorf("with %s the content is the same", what)
		}
	}
	if content(m) != base {
		t.Error("the content of a module changes")
	}
}

// TestCodeWhoseTextsAreGone is generated again.
func TestCodeWhoseTextsAreGone(t *testing.T) {
	s := newStage(t)
	s.play(t.Context(), s.text(doubled()))
	task, d := s.compiled(1, 2, 3, 4)
	task.hooks.Steps, d.events = s.memory.of(&forgetful{}), nil
	if err := task.program(t.Context(), "a way"); err != nil {
		t.Fatal(err)
	}
	if _, known := code(t, d); known {
		t.Error("code is reused whose texts are gone")
	}
	full := errors.New("full")
	task.hooks.Steps = s.memory.of(&forgetful{err: full})
	if err := task.program(t.Context(), "a way"); !errors.Is(err, full) {
		t.Errorf("a sink that cannot keep texts gives %v", err)
	}
}
