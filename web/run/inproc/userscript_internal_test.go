package inproc

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// TestScriptsAreChecked: lists are never null, what is printed is a note, and errors have places.
func TestScriptsAreChecked(t *testing.T) {
	r := New(Config{})
	got, err := r.CheckScript(t.Context(), run.Script{Name: "a.star", Source: "print('top')\n" + passText("A", 1) + "w = pass_instrument(name='first')\nv = pass_instrument(name='second')\n"})
	want := run.CheckedScript{
		Diagnostics: []event.Diagnostic{{Severity: event.SeverityNote, Code: "print", Message: "top", Span: &event.Span{Source: "a.star"}}},
		Passes:      []run.UserPass{{Name: "user.A", Level: 1, Kind: "module", Doc: "Says its name.", Required: []string{"FuseOps"}}},
		Instruments: []string{"first", "second"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("it is %+v (%v), want %+v", got, err, want)
	}
	got, err = r.CheckScript(t.Context(), run.Script{Name: "a.star", Source: "x = 1\n"})
	if err != nil || got.Diagnostics == nil || got.Passes == nil || got.Instruments == nil || len(got.Diagnostics)+len(got.Passes)+len(got.Instruments) > 0 {
		t.Errorf("a script without passes is %+v (%v)", got, err)
	}
	got, err = r.CheckScript(t.Context(), run.Script{Name: "a.star", Source: "print('x')\ny = nope\n"})
	if err != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0].Span.Line != 2 || got.Passes == nil || got.Instruments == nil || len(got.Passes) > 0 {
		t.Errorf("a script with an error is %+v (%v)", got, err)
	}
	got, err = r.CheckScript(t.Context(), run.Script{Name: "a.star", Source: "print('x')\ny = 1 // 0\n" + passText("A", 1)})
	if err != nil || len(got.Diagnostics) != 2 || got.Diagnostics[0].Message != "x" || got.Diagnostics[1].Severity != event.SeverityError || got.Diagnostics[1].Span.Line != 2 || len(got.Passes) > 0 {
		t.Errorf("a script that fails is %+v (%v)", got, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	cancel(cause)
	if _, err := r.CheckScript(ctx, run.Script{Name: "a.star", Source: "while True:\n    pass\n"}); !errors.Is(err, cause) {
		t.Errorf("after the context has ended it gives %v", err)
	}
}

// passText is a script with a pass that does nothing.
func passText(name string, level int) string {
	return strings.NewReplacer("NAME", fmt.Sprintf("%q", name), "LEVEL", fmt.Sprint(level)).Replace(userPass)
}

const userPass = "def f(mod):\n    \"\"\"Says its name.\"\"\"\n    print(\"in \" + NAME)\n    return mod\np = module_pass(f, opt_level=LEVEL, name=NAME, required=[\"FuseOps\"])\n"
