package inproc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

const addMain = `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = R.add(x, x)
        return y
`

const scaleFunc = `@T.prim_func
def scale(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), k: T.int32):
    for i in range(8):
        B[i] = A[i] * T.Cast("float32", k) + T.float32(2)
`

const graphOther = `@I.ir_module
class Module:
    @R.function
    def forward(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y = R.add(x, x)
        return y
    @T.prim_func
    def unused(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = T.float32(1)
`

// script stores a text as a session does and returns it as a source.
func (b *bench) script(text string) store.Source {
	b.t.Helper()
	hash := event.HashText(text)
	src := store.Source{Kind: store.SourceScript, Name: "module.py", Blob: hash}
	s := store.Session{ID: "s" + hash, Source: src}
	if _, err := b.store.Session(b.t.Context(), s.ID); err != nil {
		if err := b.store.CreateSession(b.t.Context(), s); err != nil {
			b.t.Fatal(err)
		}
	}
	if _, err := b.store.PutBlob(b.t.Context(), s.ID, event.LangTVMScript, []byte(text)); err != nil {
		b.t.Fatal(err)
	}
	return src
}

// found returns the diagnostics of a log, the last execution and the end.
func found(events []event.Event) (ds []*event.Diagnostic, ran *event.Executed, end *event.RunFinished) {
	for _, e := range events {
		switch body := e.Body.(type) {
		case *event.Diagnostic:
			ds = append(ds, body)
		case *event.Executed:
			ran = body
		case *event.RunFinished:
			end = body
		}
	}
	return ds, ran, end
}

// TestScripts runs texts of several kinds: what runs, and the words where nothing does.
func TestScripts(t *testing.T) {
	for _, tt := range []struct {
		name, text, pipeline, note string
		outputs                    int
	}{
		{"graph", addMain, "", "", 1},
		{"lone PrimFunc", scaleFunc, "", "", 1},
		{"lone PrimFunc, loops only", scaleFunc, "tir", "", 1},
		{"no main", graphOther, "", "nothing to execute: no Relax function main", 0},
		{"partial pipeline", addMain, "zero", "nothing to execute: the pipeline zero produces no executable code", 0},
		{"unknown shape", strings.ReplaceAll(scaleFunc, `A: T.Buffer((8,), "float32")`, `p: T.handle`), "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t, 0)
			events, _ := b.run(b.script(tt.text), run.Settings{OptLevel: 2, Pipeline: tt.pipeline})
			ds, ran, end := found(events)
			if tt.name == "unknown shape" {
				if end.Status != event.StatusFailed || len(ds) == 0 || ds[0].Span == nil {
					t.Errorf("a text with an error ends %s with %v", end.Status, ds)
				}
				return
			}
			if end.Status != event.StatusOK {
				t.Fatalf("it ends %s: %+v", end.Status, end.Error)
			}
			if tt.note != "" && (len(ds) == 0 || !strings.Contains(ds[len(ds)-1].Message, tt.note)) {
				t.Errorf("the diagnostics are %v, want %q", ds, tt.note)
			}
			if ran == nil && tt.outputs > 0 || ran != nil && len(ran.Outputs) != tt.outputs {
				t.Fatalf("the execution is %+v, want %d outputs", ran, tt.outputs)
			}
			if tt.outputs > 0 && tt.text == scaleFunc {
				a, y := ran.Inputs[0].First, ran.Outputs[0].First
				for i := range y {
					if d := float64(y[i] - a[i] - 2); d > 1e-6 || d < -1e-6 {
						t.Errorf("element %d is %v, want %v + 2", i, y[i], a[i])
					}
				}
			}
		})
	}
}

// TestScriptErrors checks that errors, of the text and of what it says, come with places.
func TestScriptErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		line             int
	}{
		{"syntax", strings.Replace(addMain, "R.add(x, x)", "R.add(x, ", 1), "", 5},
		{"name", strings.Replace(addMain, "R.add(x, x)", "R.addd(x, x)", 1), "addd", 5},
		{"verifier", strings.Replace(addMain, "        return y", "        _ = R.print(y, format=\"y\")\n        return y", 1), "pure", 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t, 0)
			events, _ := b.run(b.script(tt.text), run.Settings{OptLevel: 2})
			ds, _, end := found(events)
			if end.Status != event.StatusFailed || end.Error.Kind != event.KindInput || len(ds) == 0 {
				t.Fatalf("it ends %s with %v", end.Status, ds)
			}
			s := ds[0].Span
			if s == nil || s.Source != "module.py" || s.Line < 1 || tt.line > 0 && s.Line != tt.line || !strings.Contains(ds[0].Message, tt.want) {
				t.Errorf("%q at %+v, want %q in line %d of module.py", ds[0].Message, s, tt.want, tt.line)
			}
		})
	}
}

// TestJSONUpload runs a module that was saved as JSON, and a file that is none.
func TestJSONUpload(t *testing.T) {
	list, _, err := frontend.Load(t.Context(), "a.py", []byte(addMain), frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := irjson.Save(&data, list[0].Module, irjson.Options{}); err != nil {
		t.Fatal(err)
	}
	b := open(t, 0)
	for text, want := range map[string]event.Status{data.String(): event.StatusOK, `{"nodes": 1}`: event.StatusFailed} {
		src := b.script(text)
		src.Kind, src.Name = store.SourceUpload, "module.json"
		events, _ := b.run(src, run.Settings{OptLevel: 2})
		_, ran, end := found(events)
		if end.Status != want || want == event.StatusOK && len(ran.Outputs) != 1 {
			t.Errorf("%.40s ends %s (%+v), want %s", text, end.Status, end.Error, want)
		}
	}
}

// TestCheckAndFormat asks the checker as the editor does.
func TestCheckAndFormat(t *testing.T) {
	r := inproc.New(inproc.Config{})
	c, err := r.Check(t.Context(), "a.py", addMain)
	if err != nil || len(c.Diagnostics) > 0 || len(c.Functions) != 1 || c.Functions[0].Kind != "relax" || c.Note != "" {
		t.Errorf("%+v %v", c, err)
	}
	if c, _ = r.Check(t.Context(), "a.py", graphOther); c.Note == "" || len(c.Functions) != 2 {
		t.Errorf("%+v", c)
	}
	if c, _ = r.Check(t.Context(), "a.py", addMain+"\n"+strings.Replace(addMain, "Module", "Other", 1)); !c.Failed() || c.Diagnostics[0].Span == nil || c.Diagnostics[0].Span.Line < 8 {
		t.Errorf("two modules: %+v", c.Diagnostics)
	}
	if c, _ = r.Check(t.Context(), "a.py", ""); !c.Failed() || c.Diagnostics[0].Span == nil {
		t.Errorf("an empty text: %+v", c)
	}
	constant := strings.Replace(addMain, "y = R.add(x, x)", `c: R.Tensor((4,), "float32") = metadata["relax.expr.Constant"][0]
        y = R.add(x, c)`, 1)
	if c, _ = r.Check(t.Context(), "a.py", constant); c.Failed() || len(c.Diagnostics) != 1 || c.Diagnostics[0].Code != "constants" {
		t.Logf("%s", constant)
		t.Errorf("a constant without its value: %+v", c.Diagnostics)
	}
	if c, _ = r.Check(t.Context(), "a.py", strings.Repeat("x =\n", 5000)); len(c.Diagnostics) > 101 || !c.Failed() {
		t.Errorf("%d findings are reported", len(c.Diagnostics))
	}
	text, ds, err := r.Format(t.Context(), "a.py", strings.Replace(addMain, "(x, x)", "( x,x )", 1))
	if err != nil || len(ds) > 0 || !strings.Contains(text, "R.add(x, x)") {
		t.Errorf("%s %v %v", text, ds, err)
	}
	if again, _, _ := r.Format(t.Context(), "a.py", text); again != text {
		t.Errorf("formatting twice differs:\n%s", again)
	}
	if same, ds, _ := r.Format(t.Context(), "a.py", "def"); same != "def" || !run.Failed(ds) {
		t.Errorf("a text with errors became %q %v", same, ds)
	}
}
