package dumps_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/instruments/dumps"
)

// TestPageKnowsTheFormats holds the expression by which the start page tells dumps from models against the dumps of testdata: the page
// sends all that the reader knows.
func TestPageKnowsTheFormats(t *testing.T) {
	const script = "../../static/src/gallery/dumpfile.ts"
	data, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^const begins = /(.*)/m;$`).FindSubmatch(data)
	if m == nil {
		t.Fatalf("%s has no expression for what begins a dump", script)
	}
	begins, err := regexp.Compile("(?m)" + strings.ReplaceAll(string(m[1]), `\/`, "/"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range a.Files {
			if strings.HasSuffix(in.Name, ".out") {
				continue
			}
			if !dumps.Knows(in.Data) || !begins.Match(in.Data) {
				t.Errorf("%s: %s is not known for a dump: the reader says %t, the page %t", file, in.Name, dumps.Knows(in.Data), begins.Match(in.Data))
			}
		}
	}
	if begins.MatchString("define void @f() {\n}\n*** x\n// ---\n") {
		t.Error("the page takes IR without passes for a dump")
	}
}
