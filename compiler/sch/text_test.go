package sch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/starpass"
)

// read returns the module of a text.
func read(t *testing.T, name, text string) *ir.Module {
	t.Helper()
	src, _, err := frontend.One(t.Context(), name, []byte(text), frontend.Options{Form: frontend.Script, Script: parse.Options{AllowMissingConstants: true}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return src.Module
}

// TestTexts runs the cases in testdata: a program (before), the calls (steps), and the program that comes of them (after), or a part of the
// error (says).
func TestTexts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]string{}
			for _, f := range txtar.Parse(data).Files {
				part[f.Name] = string(f.Data)
			}
			before := read(t, "before", part["before"])
			s, err := starpass.Parse("steps", part["steps"], starpass.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			done, err := s.Schedule(t.Context(), before, 1, nil)
			if says := strings.TrimSpace(part["says"]); says != "" {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Fatalf("error %v\nwant one with %q", err, says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if m := ir.FirstModuleMismatch(read(t, "after", part["after"]), done.Module(), ir.EqualOpts{}); m != nil {
				t.Errorf("%v", m)
			}
			if want := strings.TrimSpace(part["trace"]); want != "" && want != traceText(done) {
				t.Errorf("trace\n%s\nwant\n%s", traceText(done), want)
			}
			replayed(t, before, done)
		})
	}
}
