package frontend_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

const twoModules = `from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class First:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y: R.Tensor((4,), "float32") = R.add(x, x)
        return y

@I.ir_module
class Second:
    @T.prim_func
    def copy(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = a[i]
`

func mlp(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "models", "mlp.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDetect(t *testing.T) {
	model := string(mlp(t))
	for _, tt := range []struct {
		name, data string
		want       frontend.Form
	}{
		{"mlp.onnx", model, frontend.ONNX},
		{"mlp.py", model, frontend.ONNX},
		{"-", model, frontend.ONNX},
		{"-", twoModules, frontend.Script},
		{"m.onnx", twoModules, frontend.Script},
		{"m.onnx", "a text", frontend.ONNX},
		{"m.ONNX", "", frontend.ONNX},
		{"m.py", "", frontend.Script},
		{`C:\models.onnx\x`, "", frontend.Script},
		{"-", "a text", frontend.Script},
		{"m.onnx", "\n {", frontend.JSON},
		{"-", "irscope\x00\x01", frontend.JSON},
		{"m.json", "", frontend.JSON},
	} {
		if got := frontend.Detect(tt.name, []byte(tt.data)); got != tt.want {
			t.Errorf("%s with %.12q is %s, want %s", tt.name, tt.data, got, tt.want)
		}
	}
}

func TestLoad(t *testing.T) {
	list, found, err := frontend.Load(t.Context(), "two.py", []byte(twoModules), frontend.Options{})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	if len(list) != 2 || list[0].Name != "First" || list[1].Name != "Second" || list[1].Module.Lookup("copy") == nil {
		t.Errorf("got %v", list)
	}
	if _, _, err := frontend.One(t.Context(), "two.py", []byte(twoModules), frontend.Options{}); err == nil || err.Error() != "two.py: expected one module, got 2" {
		t.Errorf("one of two: %v", err)
	}

	for _, blobs := range []irjson.Encoding{irjson.Base64, irjson.Raw} {
		var saved bytes.Buffer
		if err := irjson.Save(&saved, list[0].Module, irjson.Options{Blobs: blobs}); err != nil {
			t.Fatal(err)
		}
		again, _, err := frontend.One(t.Context(), "-", saved.Bytes(), frontend.Options{})
		if err != nil || again.Form != frontend.JSON || !ir.StructuralEqualModule(again.Module, list[0].Module, ir.EqualOpts{}) {
			t.Errorf("saved and loaded: %v, %v", again, err)
		}
	}

	one, _, err := frontend.One(t.Context(), "mlp.onnx", mlp(t), frontend.Options{Shapes: map[string][]onnx.Dim{}})
	if err != nil || one.Form != frontend.ONNX || one.Module.Lookup("main") == nil {
		t.Errorf("got %v, %v", one, err)
	}
}

func saved(t *testing.T, root any) string {
	t.Helper()
	var b strings.Builder
	if err := irjson.Save(&b, root, irjson.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLoadErrors(t *testing.T) {
	for _, tt := range []struct {
		name, data, want string
		opts             frontend.Options
	}{
		{"a.onnx", "a text", "a.onnx: ", frontend.Options{}},
		{"a.onnx", string(mlp(t)), "a.onnx: ", frontend.Options{File: onnxpb.Options{Limits: onnxpb.Limits{Nodes: 1}}}},
		{"a.py", "", "a.py: this text contains no module or function", frontend.Options{}},
		{"a.py", twoModules, "a.py: the text has 407 bytes; the limit is 100", frontend.Options{TextBytes: 100}},
		{"a.json", "{", "a.json: irjson: ", frontend.Options{}},
		{"a.json", saved(t, &relax.Var{Name: "x", SInfo: relax.StaticTensor(dtype.Float32T, 4)}), "a.json: it contains a *relax.Var, expected a module", frontend.Options{}},
		{"a.json", saved(t, ir.NewModule()), "a.json: irjson: ", frontend.Options{JSON: irjson.Limits{FileBytes: 10}}},
		{"a.py", twoModules, `a.py: unknown form "MLIR"`, frontend.Options{Form: "MLIR"}},
	} {
		list, _, err := frontend.Load(t.Context(), tt.name, []byte(tt.data), tt.opts)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || len(list) > 0 {
			t.Errorf("%s: got %v, %v, want error %q", tt.name, list, err, tt.want)
		}
	}
}

// TestDiagnostics checks that errors in a text, and what the verifiers find in it, come as
// diagnostics at their line.
func TestDiagnostics(t *testing.T) {
	for _, tt := range []struct {
		data string
		line int
		want string
	}{
		{"@I.ir_module\nclass M:\n    def main(:\n", 3, ""},
		{strings.Replace(twoModules, "b[i] = a[i]", "b[i, i] = a[i]", 1), 15, ""},
		{strings.Replace(twoModules, "return y", "return z", 1), 8, ""},
		{impure, 5, "impure"},
	} {
		list, found, err := frontend.Load(t.Context(), "a.py", []byte(tt.data), frontend.Options{})
		var text *frontend.TextError
		if !errors.As(err, &text) || len(list) > 0 || len(found) == 0 {
			t.Errorf("%.40q: got %v, %v", tt.data, list, err)
			continue
		}
		d := found[0]
		if d.Severity != ir.Error || d.Span == nil || int(d.Span.Line) != tt.line || d.Span.Source.Name != "a.py" || !strings.Contains(d.Message, tt.want) {
			t.Errorf("got %s, want line %d and %q", d.Format(), tt.line, tt.want)
		}
		if !strings.HasPrefix(err.Error(), d.String()) {
			t.Errorf("the error is %q, want it to begin with %q", err, d)
		}
	}
	if _, _, err := frontend.Load(t.Context(), "a.py", []byte(impure), frontend.Options{Unverified: true}); err != nil {
		t.Errorf("unverified: %v", err)
	}
}

// impure is what only the verifier refuses: a pure function with an effect.
const impure = `@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Object:
        y: R.Object = R.call_packed("f", x, sinfo_args=(R.Object,))
        return y
`

func FuzzLoad(f *testing.F) {
	for _, s := range []string{twoModules, impure, "", "{}", "\x08\x07", "@I.ir_module\nclass M:\n    pass\n"} {
		f.Add("a.py", []byte(s))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		list, found, err := frontend.Load(t.Context(), name, data, frontend.Options{})
		if (err == nil) != (len(list) > 0) {
			t.Errorf("%d modules and error %v (%v)", len(list), err, found)
		}
	})
}
