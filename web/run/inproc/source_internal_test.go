package inproc

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// TestUploadsOfEachKind are read by what they hold: a model, a module as JSON, or a text, whatever the file is called.
func TestUploadsOfEachKind(t *testing.T) {
	s := newStage(t)
	mlp, _ := gallery.Lookup("mlp")
	for _, c := range []struct {
		kind, name, data string
		want             string // the beginning of the error, "" for none
	}{
		{store.SourceUpload, "a.onnx", string(mlp.Bytes), ""},
		{store.SourceUpload, "model", string(mlp.Bytes), ""},
		{store.SourceUpload, "a.py", doubled(), ""},
		{store.SourceScript, "a.py", doubled(), ""},
		{store.SourceUpload, "a.onnx", "no model", "a.onnx cannot be read: it is not an ONNX model, or it is damaged: "},
		{store.SourceUpload, "a.onnx", string(mlp.Bytes[:100]), "a.onnx cannot be read: it is not an ONNX model, or it is damaged: "},
		{store.SourceUpload, "a.json", `{"nodes": 1}`, "a.json cannot be read: "},
		{store.SourceScript, "a.py", `{"nodes": 1}`, "a.py cannot be read: "},
		{store.SourceScript, "a.py", "x = \n", "a.py cannot be read: "},
	} {
		d := &diary{}
		m, err := s.opened(t.Context(), run.Request{Source: s.source(c.kind, c.name, c.data), Limits: run.DefaultLimits()}, d)
		if c.want == "" {
			if _, ok := m.Module.Lookup("main").(*relax.Function); err != nil || !ok || len(d.events) != 1 {
				t.Errorf("%s %s is read as %+v (%v)", c.kind, c.name, m, err)
			}
			continue
		}
		var e *event.Error
		if !errors.As(err, &e) || e.Kind != event.KindInput || !strings.HasPrefix(e.Message, c.want) {
			t.Errorf("%s %s gives %v, want %q", c.kind, c.name, err, c.want)
		}
		if onnx := strings.HasSuffix(c.name, ".onnx"); len(d.events) == 0 != onnx {
			t.Errorf("%s %s says %v", c.kind, c.name, d.says())
		}
		for _, ev := range d.events {
			if b := ev.Body.(*event.Diagnostic); b.Severity != event.SeverityError || b.Span == nil || b.Span.Source != c.name || b.Span.Line != 1 && c.data[0] != 'x' {
				t.Errorf("the error in %s is %+v at %+v", c.name, b, b.Span)
			}
		}
		// A sink that is full is what the reading ends with.
		full := errors.New("full")
		if len(d.events) > 0 {
			_, err := s.opened(t.Context(), run.Request{Source: s.source(c.kind, c.name, c.data)}, &diary{on: func(call string) error {
				if strings.HasPrefix(call, "emit") {
					return full
				}
				return nil
			}})
			if !errors.Is(err, full) {
				t.Errorf("with a full sink %s gives %v", c.name, err)
			}
		}
	}
}

// TestShapesOfAModel that are bound replace those of the file; what does not fit is said with the name of the file.
func TestShapesOfAModel(t *testing.T) {
	s := newStage(t)
	batch, _ := gallery.Lookup("batch")
	q := run.Request{Source: s.source(store.SourceUpload, "batch.onnx", string(batch.Bytes)), Limits: run.DefaultLimits()}
	shape := func(q run.Request) string {
		t.Helper()
		m, err := s.opened(t.Context(), q, silent{})
		if err != nil {
			t.Fatal(err)
		}
		ty := m.Module.Lookup("main").(*relax.Function).Params[0].SInfo.(*relax.TensorStructInfo)
		dims, _ := ty.Dims()
		var out []string
		for _, d := range dims {
			out = append(out, relax.FormatPrim(d))
		}
		return strings.Join(out, " ")
	}
	if got := shape(q); got != "batch 32" {
		t.Errorf("the shape is %s", got)
	}
	q.Settings.Shapes = map[string][]int64{"features": {6, 32}}
	if got := shape(q); got != "6 32" {
		t.Errorf("with a shape that is set it is %s", got)
	}
	for _, shapes := range []map[string][]int64{{"features": {6}}, {"nothing": {6, 32}}, {"features": {6, 33}}} {
		q.Settings.Shapes = shapes
		_, err := s.opened(t.Context(), q, silent{})
		var e *event.Error
		if !errors.As(err, &e) || e.Kind != event.KindInput || !strings.HasPrefix(e.Message, "batch.onnx: ") {
			t.Errorf("the shapes %v give %v", shapes, err)
		}
	}
	// Where the context has ended that is the reason.
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	cancel(cause)
	q.Settings.Shapes = nil
	s.Forget()
	if _, err := s.opened(ctx, q, silent{}); !errors.Is(err, cause) {
		t.Errorf("after the context has ended it gives %v", err)
	}
	// The memory of the run bounds what reading takes.
	q.Limits.Memory = 1000
	if _, err := s.opened(t.Context(), q, silent{}); err == nil {
		t.Error("a model that needs more memory than there is was read")
	}
}

// TestErrorsOfTheStore pass through, but for a text that has expired.
func TestErrorsOfTheStore(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		src  store.Source
		want string
	}{
		{store.Source{Kind: store.SourceGallery, Name: "zoo"}, `there is no model "zoo" in the gallery`},
		{store.Source{Kind: store.SourceUpload, Name: "a.onnx", Blob: event.HashText("gone")}, `the model "a.onnx" has expired; upload it again`},
	} {
		_, err := s.read(ctx, c.src)
		wantError(t, err, event.Error{Kind: event.KindInput, Message: c.want})
	}
	mlp, _ := gallery.Lookup("mlp")
	if data, err := s.read(t.Context(), store.Source{Kind: store.SourceGallery, Name: "mlp"}); err != nil || string(data) != string(mlp.Bytes) {
		t.Errorf("the model of the gallery has %d bytes (%v), want %d", len(data), err, len(mlp.Bytes))
	}
	if data, err := s.read(t.Context(), s.source(store.SourceUpload, "x", "abc")); err != nil || string(data) != "abc" {
		t.Errorf("an upload is read as %q (%v)", data, err)
	}
	broken := New(Config{Store: failing{s.store}})
	if _, err := broken.read(t.Context(), store.Source{Kind: store.SourceUpload, Blob: "x"}); !errors.Is(err, errDisk) {
		t.Errorf("a store that fails gives %v", err)
	}
}

var errDisk = errors.New("the disk fails")

// failing is a store that reads nothing.
type failing struct{ *store.Memory }

func (failing) Blob(context.Context, string) (store.Blob, error) { return store.Blob{}, errDisk }

// TestFormattedTexts keep all modules, and warnings are said.
func TestFormattedTexts(t *testing.T) {
	r := New(Config{})
	two := doubled() + "\n" + strings.Replace(doubled(), "class Module", "class Other", 1)
	text, found, err := r.Format(t.Context(), "a.py", strings.ReplaceAll(two, "(x, x)", "(x,x)"))
	if err != nil || len(found) > 0 || strings.Count(text, "R.add(x, x)") != 2 || strings.Count(text, "@I.ir_module") != 2 || !strings.Contains(text, "\n\n\n") || strings.HasPrefix(text, "\n") {
		t.Errorf("two modules become\n%s\n%v (%v)", text, found, err)
	}
	if again, _, _ := r.Format(t.Context(), "a.py", text); again != text {
		t.Errorf("formatted again they become\n%s", again)
	}
	text, found, err = r.Format(t.Context(), "a.py", "x =\n")
	if err != nil || text != "x =\n" || !run.Failed(found) || found[0].Span.Source != "a.py" {
		t.Errorf("a text with an error becomes %q with %v (%v)", text, found, err)
	}
	constant := graphModule("def main(x: "+vector+") -> "+vector+":", `    c: R.Tensor((4,), "float32") = metadata["relax.expr.Constant"][0]`, "    y = R.add(x, c)", "    return y")
	if _, found, err = r.Format(t.Context(), "a.py", constant); err != nil || len(found) != 1 || found[0].Code != "constants" {
		t.Errorf("a text without its constants says %v (%v)", found, err)
	}
}

// TestCheckedTexts: lists are never null, functions are in order of their names, with their kinds.
func TestCheckedTexts(t *testing.T) {
	r := New(Config{})
	c, err := r.Check(t.Context(), "a.py", "x =\n")
	if err != nil || !c.Failed() || c.Functions == nil || len(c.Functions) != 0 || c.Note != "" {
		t.Errorf("a text with an error is %+v (%v)", c, err)
	}
	text := graphModule("def main(x: "+vector+") -> "+vector+":", "    return x", "@T.prim_func(private=True)", `def b(A: T.Buffer((4,), "float32")):`, "    for i in range(4):", "        A[i] = T.float32(1)", "@R.function", "def a(x: "+vector+") -> "+vector+":", "    return x")
	c, err = r.Check(t.Context(), "a.py", text)
	want := []run.CheckedFunction{{Name: "a", Kind: "relax"}, {Name: "b", Kind: "prim_func"}, {Name: "main", Kind: "relax"}}
	if err != nil || c.Diagnostics == nil || len(c.Diagnostics) != 0 || !reflect.DeepEqual(c.Functions, want) || c.Note != "" {
		t.Errorf("it is %+v (%v), want the functions %v", c, err, want)
	}
}
