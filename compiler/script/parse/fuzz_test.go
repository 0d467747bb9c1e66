package parse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
)

// seeds are the goldens, whole and cut off in the middle.
func seeds(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no goldens: %v", err)
	}
	var out []string
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		for _, part := range strings.Split(string(data), "\n-- ") {
			if _, text, ok := strings.Cut(part, " --\n"); ok {
				out = append(out, text, text[:len(text)/2])
			}
		}
	}
	return out
}

// FuzzModule reads any text: it never panics, every error has a place and a message, and
// what it reads can be printed.
func FuzzModule(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Add("@T.prim_func\ndef f(a: T.handle):\n    T.evaluate(((((((((")
	f.Add("x = 1 +\n\t\\\n'''")
	for i, s := range fuzzScripts(f) {
		if i%20 == 0 && len(s) < 4000 {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		mods, diags := parse.File("fuzz.py", text, parse.Options{AllowMissingConstants: true})
		for _, d := range diags {
			if d.Span == nil || d.Message == "" {
				t.Errorf("diagnostic without a place or a message: %+v", d)
			}
			if strings.Contains(d.Message, "runtime error") {
				t.Errorf("%s", d.Message)
			}
			d.Format()
		}
		for _, m := range mods {
			if script.Module(m.Module, script.Options{}).Source == "" {
				t.Error("a module prints as nothing")
			}
		}
	})
}

// fuzzScripts are the scripts of TVM where there are any, as further seeds.
func fuzzScripts(f *testing.F) []string {
	if os.Getenv("IRSCOPE_TVM_SCRIPTS") == "" {
		return nil
	}
	var out []string
	for _, s := range tvmSources(f) {
		out = append(out, s.Source)
	}
	return out
}
