package driver

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.starlark.net/resolve"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/target"
)

// TestWhatScriptsPrintIsBounded together; what was printed is taken once, and can be put back in front.
func TestWhatScriptsPrintIsBounded(t *testing.T) {
	room := &budget{left: 10}
	a, b := &output{room: room}, &output{room: room}
	write := func(o *output, text string, want int) {
		t.Helper()
		n, err := o.Write([]byte(text))
		if n != want || (err == nil) != (want == len(text)) {
			t.Errorf("of %q %d bytes are written (%v), want %d", text, n, err, want)
		}
		if err != nil {
			wantError(t, err, event.Error{Kind: event.KindLimit, Limit: "print", Message: "the scripts of a run can print at most 256 KiB"})
		}
	}
	write(a, "abc", 3)
	write(b, "defg", 4)
	write(a, "hij", 3) // exactly what is left
	write(b, "k", 0)
	if got := a.take(); got != "abchij" {
		t.Errorf("the first printed %q", got)
	}
	if got := a.take(); got != "" {
		t.Errorf("once more it printed %q", got)
	}
	if got := b.take(); got != "defg" {
		t.Errorf("the second printed %q", got)
	}
	if maxPrinted != 256*1024 {
		t.Errorf("the bound is %d", maxPrinted)
	}
}

// TestTopLevelTakesRoomOnce runs a top level a second time: well, it leaves what was said and the room; if it fails, what it says then stands.
func TestTopLevelTakesRoomOnce(t *testing.T) {
	room := &budget{left: 10}
	o := &output{room: room}
	print := func(text string) {
		t.Helper()
		if _, err := o.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	print("eight by")
	if err := o.again(func() error { print("eight by"); return nil }); err != nil || string(o.text) != "eight by" || room.left != 2 {
		t.Errorf("a second time it says %q with room for %d: %v", o.text, room.left, err)
	}
	wrong := errors.New("wrong")
	if err := o.again(func() error { print("five!"); return wrong }); err != wrong || string(o.text) != "five!" || room.left != 5 {
		t.Errorf("failing it says %q with room for %d: %v", o.text, room.left, err)
	}
}

// TestScriptsPrintOnce reads a script that prints more than a third of what there is room for, and makes its instruments.
func TestScriptsPrintOnce(t *testing.T) {
	text := "print(\"x\" * 200000)\nwatch = pass_instrument(name = \"w\")\n"
	room := &budget{left: maxPrinted}
	s, err := readScript(t.Context(), request.Script{Name: "a.star", Source: text}, room, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.watches(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d instruments: %v", len(list), err)
	}
	if got := s.out.take(); len(got) != 200001 || room.left != maxPrinted-200001 {
		t.Errorf("it said %d bytes, and there is room for %d", len(got), room.left)
	}
}

// scriptOf returns a script that was read.
func scriptOf(text string) *userScript {
	return &userScript{source: &ir.Source{Name: "a.star", Text: text}, out: &output{room: &budget{left: maxPrinted}}}
}

// TestWordsOfAScript: the word at a place, whose column counts characters; behind the end it is the last character.
func TestWordsOfAScript(t *testing.T) {
	s := scriptOf("ab_1 = äb(x)\n\nlast")
	for _, c := range []struct{ line, col, wantLine, wantCol, wantEnd int }{
		{1, 1, 1, 1, 5},
		{1, 3, 1, 3, 5},
		{1, 5, 1, 5, 6},
		{1, 6, 1, 6, 7},
		{1, 8, 1, 8, 11}, // ä has two bytes
		{1, 9, 1, 10, 11},
		{1, 10, 1, 11, 12},
		{1, 11, 1, 12, 13},
		{1, 13, 1, 13, 14}, // behind the last character
		{1, 99, 1, 13, 14},
		{1, 0, 1, 1, 5},
		{2, 1, 2, 1, 1},
		{2, 5, 2, 1, 1},
		{3, 1, 3, 1, 5},
		{3, 4, 3, 4, 5},
		{4, 1, 4, 1, 1},
		{0, 3, 1, 1, 1},
		{-1, 0, 1, 1, 1},
	} {
		got := s.span(c.line, c.col)
		if got.Source != s.source || int(got.Line) != c.wantLine || int(got.EndLine) != c.wantLine || int(got.Col) != c.wantCol || int(got.EndCol) != c.wantEnd {
			t.Errorf("%d:%d is %d:%d to %d:%d, want %d:%d to %d", c.line, c.col, got.Line, got.Col, got.EndLine, got.EndCol, c.wantLine, c.wantCol, c.wantEnd)
		}
	}
}

// TestErrorsOfAScript have a place where the error names one in this script, and the calls where there are several.
func TestErrorsOfAScript(t *testing.T) {
	s := scriptOf("x = 1\ny = foo\n")
	whole := &ir.Span{Source: s.source}
	for _, c := range []struct {
		err     error
		message string
		span    *ir.Span
	}{
		{errors.New("a.star:2:5: bad"), "bad", s.span(2, 5)},
		{errors.New("b.star:2:5: bad"), "b.star:2:5: bad", whole},
		{errors.New("bad"), "bad", whole},
		{errors.New("see a.star:2:5: bad"), "see a.star:2:5: bad", whole},
		{errors.New("a.star:2: bad"), "a.star:2: bad", whole},
		{fmt.Errorf("around: %w", &starpass.Error{Pos: "a.star:1:1", Err: errors.New("inner")}), "inner", s.span(1, 1)},
	} {
		got := s.places(c.err)
		if len(got) != 1 || got[0].Severity != ir.Error || got[0].Code != "script" || got[0].Message != c.message || !reflect.DeepEqual(got[0].Span, c.span) || got[0].Help != "" {
			t.Errorf("%v becomes %+v at %+v, want %q at %+v", c.err, got[0], got[0].Span, c.message, c.span)
		}
	}
	name := "a.star"
	list := resolve.ErrorList{{Pos: syntax.MakePosition(&name, 2, 5), Msg: "first"}, {Pos: syntax.MakePosition(&name, 1, 1), Msg: "second"}}
	got := s.places(fmt.Errorf("around: %w", list))
	if len(got) != 2 || got[0].Message != "first" || !reflect.DeepEqual(got[0].Span, s.span(2, 5)) || got[1].Message != "second" || got[1].Code != "script" || got[1].Severity != ir.Error || !reflect.DeepEqual(got[1].Span, s.span(1, 1)) {
		t.Errorf("a list becomes %+v", got)
	}

	// What it printed comes first, as a note about the whole script; then what is wrong, unless it was stopped.
	if _, err := s.out.Write([]byte("one\ntwo\n")); err != nil {
		t.Fatal(err)
	}
	said := s.said(t.Context(), errors.New("bad"))
	if len(said) != 2 || said[0].Severity != ir.Note || said[0].Code != "print" || said[0].Message != "one\ntwo" || !reflect.DeepEqual(said[0].Span, whole) || said[1].Message != "bad" {
		t.Errorf("it says %+v", said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if said := s.said(ctx, errors.New("bad")); len(said) != 0 {
		t.Errorf("stopped it says %+v", said)
	}
	if said := s.said(t.Context(), nil); len(said) != 0 {
		t.Errorf("without anything it says %+v", said)
	}
}

// TestCallbacksAreHeard: what an instrument prints is an event of its step, an error stays what it is, and what it lacks stays away.
func TestCallbacksAreHeard(t *testing.T) {
	s := scriptOf("x")
	print := func(text string) {
		if _, err := s.out.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	wrong := errors.New("wrong")
	d := &diary{}
	in := &pass.Instrument{
		Name: "w", Replayable: true,
		EnterPassCtx: func() error { print("enter"); return nil },
		ExitPassCtx:  func() error { print("exit"); return wrong },
		ShouldRun: func(*ir.Module, *pass.Step) (bool, error) {
			print("should")
			return true, nil
		},
		RunBeforePass: func(*ir.Module, *pass.Step) error { print("before"); return nil },
		RunAfterPass:  func(*ir.Module, *pass.Step) error { print("after"); return wrong },
	}
	out := s.watch(t.Context(), d, in)
	root := &pass.Step{Pass: &pass.Pass{Name: "R"}, ID: "1"}
	step := &pass.Step{Pass: &pass.Pass{Name: "P"}, ID: "1", Parent: root}
	if err := out.EnterPassCtx(); err != nil {
		t.Error(err)
	}
	if ok, err := out.ShouldRun(nil, step); !ok || err != nil {
		t.Errorf("should run: %t (%v)", ok, err)
	}
	if err := out.RunBeforePass(nil, root); err != nil {
		t.Error(err)
	}
	if err := out.RunAfterPass(nil, step); !errors.Is(err, wrong) {
		t.Errorf("after the pass: %v", err)
	}
	if err := out.ExitPassCtx(); !errors.Is(err, wrong) {
		t.Errorf("at the end: %v", err)
	}
	equal(t, "the events", d.says(), "diagnostic: enter", "diagnostic 1.1/P: should", "diagnostic 1/R: before", "diagnostic 1.1/P: after", "diagnostic 1.1/P: wrong", "diagnostic: exit", "diagnostic: wrong")
	if d.events[1].Parent != "1/R" || d.events[2].Parent != "" {
		t.Errorf("the steps are in %q and %q", d.events[1].Parent, d.events[2].Parent)
	}
	if out.Name != "w" || !out.Replayable {
		t.Errorf("the instrument is %+v", out)
	}
	bare := s.watch(t.Context(), d, &pass.Instrument{Name: "b"})
	if bare.EnterPassCtx != nil || bare.ExitPassCtx != nil || bare.ShouldRun != nil || bare.RunBeforePass != nil || bare.RunAfterPass != nil {
		t.Error("an instrument without callbacks got some")
	}
	// A sink that is full and the error of the script are both told.
	full := errors.New("full")
	print("x")
	err := s.emit(t.Context(), &diary{on: func(string) error { return full }}, nil, wrong)
	if !errors.Is(err, full) || !errors.Is(err, wrong) {
		t.Errorf("both errors together are %v", err)
	}
	print("x")
	if err := s.emit(t.Context(), &diary{on: func(string) error { return full }}, nil, nil); !errors.Is(err, full) {
		t.Errorf("the error of the sink alone is %v", err)
	}
}

const userPass = "def f(mod):\n    \"\"\"Says its name.\"\"\"\n    print(\"in \" + NAME)\n    return mod\np = module_pass(f, opt_level=LEVEL, name=NAME, required=[\"FuseOps\"])\n"

func passText(name string, level int) string {
	return strings.NewReplacer("NAME", fmt.Sprintf("%q", name), "LEVEL", fmt.Sprint(level)).Replace(userPass)
}

// TestScriptsAreRead one by one: their passes by name, what they print at the top once, and which two define the same.
func TestScriptsAreRead(t *testing.T) {
	u, err := readScripts(t.Context(), []request.Script{{Name: "a.star", Source: "print('top a')\n" + passText("A", 1)}, {Name: "b.star", Source: passText("B", 3) + strings.ReplaceAll(passText("C", 0), "p =", "q =")}}, nil)
	if err != nil || len(u.scripts) != 2 || len(u.passes) != 3 {
		t.Fatalf("they are read as %+v (%v)", u, err)
	}
	for name, level := range map[string]int{"user.A": 1, "user.B": 3, "user.C": 0} {
		if p := u.passes[name]; p == nil || p.Name != name || p.Level != level || len(p.Required) != 1 {
			t.Errorf("%s is %+v", name, p)
		}
	}
	if a, b := u.scripts[0].out.take(), u.scripts[1].out.take(); a != "top a\n" || b != "" {
		t.Errorf("they print %q and %q", a, b)
	}
	list, err := u.instruments(t.Context(), &diary{})
	if err != nil || len(list) != 0 {
		t.Errorf("they have the instruments %v (%v)", list, err)
	}

	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{passText("A", 1), passText("A", 2)}, "the pass user.A is defined in s0.star and in s1.star; rename one"},
		{[]string{passText("A", 1) + strings.ReplaceAll(passText("A", 1), "p =", "q =")}, "two passes are named A; rename one"},
		{[]string{"x = 1", "x = nope"}, "s1.star:1:5: undefined: nope"},
	} {
		var list []request.Script
		for i, text := range c.texts {
			list = append(list, request.Script{Name: fmt.Sprintf("s%d.star", i), Source: text})
		}
		_, err := readScripts(t.Context(), list, nil)
		var e *scriptError
		if !errors.As(err, &e) || err.Error() != c.want || e.script.source.Name != list[len(list)-1].Name || errors.Unwrap(err) == nil {
			t.Errorf("it gives %v, want %q", err, c.want)
		}
	}
	// All scripts print into one budget.
	if _, err := readScripts(t.Context(), []request.Script{{Name: "a.star", Source: "print('x' * 140000)\n"}, {Name: "b.star", Source: "print('x' * 140000)\n"}}, nil); err == nil || !strings.Contains(err.Error(), "at most 256 KiB") {
		t.Errorf("what two scripts print together is bounded by nothing: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	cancel(cause)
	if _, err := readScripts(ctx, []request.Script{{Name: "a.star", Source: "while True:\n    pass\n"}}, nil); !errors.Is(err, cause) {
		t.Errorf("after the context has ended it gives %v", err)
	}
}

// TestNamesOfPasses: those of scripts come first, and a name that is near is looked for among them where it begins as theirs.
func TestNamesOfPasses(t *testing.T) {
	twice, thrice := &pass.Pass{Name: "user.Twice"}, &pass.Pass{Name: "user.Thrice"}
	r := registry{pipeline.NewRegistry(), target.Default(), map[string]*pass.Pass{"user.Twice": twice, "user.Thrice": thrice}, false}
	if r.Lookup("user.Twice") != twice || r.Lookup("FuseOps") == nil || r.Lookup("FuseOps").Name != "FuseOps" || r.Lookup("Twice") != nil {
		t.Error("passes are not found by their names")
	}
	for name, want := range map[string]string{
		"user.Twise": "user.Twice", "user.Thrize": "user.Thrice", "Twice": "user.Twice", "Thrice": "user.Thrice", "user.zzzzzzzzzzz": "", "FuseOp": "FuseOps", "zzzzzzzzzzz": "",
	} {
		if got := r.Nearest(name); got != want {
			t.Errorf("near %s is %q, want %q", name, got, want)
		}
	}
	edit := &pass.Pass{Name: "edit.X"}
	r.adopt(edit)
	if r.Lookup("edit.X") != edit {
		t.Error("a pass that was adopted is not found")
	}
	if s := r.step("tir"); s == nil || s.Kind != pass.Sequential || r.step("nothing") != nil || r.step("user.Twice") != twice {
		t.Error("steps are not found by their names")
	}
}

// TestErrorsOfScriptsAreEventsOfTheRun, and the error names the script; what a sink says ends it.
func TestErrorsOfScriptsAreEventsOfTheRun(t *testing.T) {
	s := scriptOf("x = nope\n")
	plainErr := errors.New("x")
	if scriptFault(t.Context(), &diary{}, plainErr) != plainErr {
		t.Error("an error of another kind is changed")
	}
	d := &diary{}
	wantError(t, scriptFault(t.Context(), d, &scriptError{s, errors.New("a.star:1:5: bad")}), event.Error{Kind: event.KindInput, Message: "the script a.star cannot be used: a.star:1:5: bad"})
	equal(t, "the events", d.says(), "diagnostic: bad")
	limit := &event.Error{Kind: event.KindLimit, Limit: "print", Message: "too much"}
	wantError(t, scriptFault(t.Context(), d, &scriptError{s, fmt.Errorf("a.star:1:1: %w", limit)}), *limit)
	full := errors.New("full")
	if err := scriptFault(t.Context(), &diary{on: func(string) error { return full }}, &scriptError{s, plainErr}); err != full {
		t.Errorf("a full sink gives %v", err)
	}
}
