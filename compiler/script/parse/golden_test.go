package parse_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is printed into the goldens")

// TestGoldens reads the sections of testdata: each prints as the section "name want" says, or
// gives the errors that it lists. What is printed reads back as the same module.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, f := range ar.Files {
			if name, ok := strings.CutSuffix(f.Name, " want"); ok {
				want[name] = string(f.Data)
			}
		}
		out := &txtar.Archive{Comment: ar.Comment}
		for _, f := range ar.Files {
			if strings.HasSuffix(f.Name, " want") {
				continue
			}
			got := outcome(t, f.Name, string(f.Data))
			out.Files = append(out.Files, f, txtar.File{Name: f.Name + " want", Data: []byte(got)})
			if !*update && got != want[f.Name] {
				t.Errorf("%s: %s gives\n%s\nwant\n%s", path, f.Name, got, want[f.Name])
			}
			if errors := strings.HasSuffix(path, "errors.txtar"); errors != strings.Contains(got, "error: ") {
				t.Errorf("%s: %s: errors are expected: %v; got\n%s", path, f.Name, errors, got)
			}
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// outcome is what reading a text comes to: the printed module or the errors.
func outcome(t *testing.T, name, text string) string {
	mods, diags := parse.File(name, text, parse.Options{})
	var b strings.Builder
	for _, d := range diags {
		b.WriteString(d.Format())
	}
	for _, m := range mods {
		b.WriteString(script.Module(m.Module, script.Options{Name: m.Name}).Source)
		if err := roundTrip(m.Module); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	return b.String()
}

// TestSpans checks that nodes know where they were written.
func TestSpans(t *testing.T) {
	text := "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    for i in range(4):\n        A[i] = A[i] + T.float32(1)\n"
	m, diags := parse.Module("a.py", text, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	found := map[string]bool{}
	ir.Walk(m.Lookup("f"), func(n ir.Node) bool {
		if s := n.Meta().Span; s != nil && s.Line == s.EndLine {
			found[strings.Split(text, "\n")[s.Line-1][s.Col-1:s.EndCol-1]] = true
		}
		return true
	})
	for _, want := range []string{"for i in range(4):", "A[i] = A[i] + T.float32(1)", "A[i]", "A[i] + T.float32(1)", "T.float32(1)", "A", "i"} {
		if !found[want] {
			t.Errorf("no node has the span of %q; there are %v", want, found)
		}
	}
}

// TestOptions reads texts that refer to what stands outside of them.
func TestOptions(t *testing.T) {
	text := "@T.prim_func\ndef f(A: T.Buffer((N,), dt)):\n    A[0] = T.Cast(dt, M[1])\n"
	if _, d := parse.Module("a.py", text, parse.Options{}); len(d) == 0 {
		t.Error("undefined names were accepted")
	}
	m, d := parse.Module("a.py", text, parse.Options{Define: map[string]any{"N": 8, "dt": "float16", "M": []any{1, 2}}})
	if len(d) > 0 {
		t.Fatal(d[0].Format())
	}
	if got := script.Module(m, script.Options{}).Source; !strings.Contains(got, `A: T.Buffer((8,), "float16")`) || !strings.Contains(got, `T.Cast("float16", 2)`) {
		t.Error(got)
	}
	constant := "@R.function\ndef f() -> R.Tensor((2,), \"float32\"):\n    x: R.Tensor((2,), \"float32\") = metadata[\"relax.expr.Constant\"][0]\n    return x\n"
	if _, d := parse.Module("a.py", constant, parse.Options{}); len(d) == 0 {
		t.Error("a constant without a value was accepted")
	}
	blob := ir.Float32Blob([]int64{2}, 3, 4)
	m, d = parse.Module("a.py", constant, parse.Options{Constants: map[string]*ir.Blob{"0": blob}})
	if len(d) > 0 {
		t.Fatal(d[0].Format())
	}
	if !constantsOf(m)[blob.Digest()[:12]].Equal(blob) {
		t.Error("the constant is not the one given")
	}
	m, d = parse.Module("a.py", constant, parse.Options{AllowMissingConstants: true})
	if len(d) > 0 {
		t.Fatal(d[0].Format())
	}
	for _, c := range constantsOf(m) {
		if !c.IsSplat() || c.Shape()[0] != 2 {
			t.Errorf("the missing constant is %v of shape %v", c.Stored(), c.Shape())
		}
	}
}
