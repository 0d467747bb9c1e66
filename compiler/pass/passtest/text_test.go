package passtest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/target"
)

var update = flag.Bool("update", false, "write what passes make of the texts into testdata")

// TestTexts runs passes on the texts in testdata/PASS.txtar, each NAME/before with a NAME/after. A line "options {...}" on top gives the pass
// options. Most passes have theirs beside them.
func TestTexts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		p := pipeline.NewRegistry().Lookup(strings.TrimSuffix(filepath.Base(file), ".txtar"))
		if p == nil {
			t.Errorf("%s is named after no pass", file)
			continue
		}
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(ar.Comment), "\n")
		if options, ok := strings.CutPrefix(first, "options "); ok {
			list, err := pipeline.Parse(p.Name+options, pipeline.NewRegistry(), target.Default())
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			p = list[0]
		}
		for i := 0; i+1 < len(ar.Files); i += 2 {
			name, ok := strings.CutSuffix(ar.Files[i].Name, "/before")
			if !ok || ar.Files[i+1].Name != name+"/after" {
				t.Fatalf("%s: section %s and %s, expected NAME/before and NAME/after", file, ar.Files[i].Name, ar.Files[i+1].Name)
			}
			t.Run(p.Name+"/"+name, func(t *testing.T) {
				m, found := parse.Module(name, string(ar.Files[i].Data), parse.Options{})
				for _, d := range found {
					t.Fatal(d)
				}
				c := passtest.NewContext(pass.Configure(map[string]any{"tir.instrument_bound_checkers": true}))
				passtest.WellFormed(t, "before", m)
				out, _ := passtest.Check(t, c, p, m)
				if got := passtest.Text(out); *update {
					ar.Files[i+1].Data = []byte(got)
				} else if got != string(ar.Files[i+1].Data) {
					t.Errorf("got\n%s\nwant\n%s", got, ar.Files[i+1].Data)
				}
				if out == m {
					t.Error("the pass changes nothing")
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEveryPassHasTexts checks that for each registered pass somebody wrote down what goes in and what comes out: here, in the golden
// files beside the passes, or in a table of pairs.
func TestEveryPassHasTexts(t *testing.T) {
	var sources strings.Builder
	for _, dir := range []string{"../../transform", "../../relaypass", "../../tirpass"} {
		files, err := filepath.Glob(dir + "/*_test.go")
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(text)
		}
	}
	for _, p := range pipeline.All() {
		name := strings.TrimPrefix(strings.TrimPrefix(p.Name, "tir."), "relay.")
		files := []string{"testdata/" + p.Name + ".txtar", "../../transform/testdata/" + name + ".txtar", "../../tirpass/testdata/golden/" + name + ".txtar"}
		found := regexp.MustCompile(fmt.Sprintf(`(runPairs|checkPairs)\(t, (transform|relaypass|tirpass)\.%s\b`, name)).MatchString(sources.String())
		for _, f := range files {
			if _, err := os.Stat(f); err == nil {
				found = true
			}
		}
		if !found {
			t.Errorf("nobody wrote down what %s does: add %s", p.Name, files[0])
		}
	}
}
