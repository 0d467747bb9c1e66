package dumps_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is read of the dumps into testdata")

// TestGolden reads the dumps of testdata and compares what is read with the section behind each.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dumps in testdata: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, in := range a.Files {
			if strings.HasSuffix(in.Name, ".out") {
				continue
			}
			t.Run(filepath.Base(file)+"/"+in.Name, func(t *testing.T) {
				if i+1 == len(a.Files) || a.Files[i+1].Name != in.Name+".out" {
					t.Fatalf("%s has no section %s.out behind %s", file, in.Name, in.Name)
				}
				r, _, err := read(t, strings.NewReader(string(in.Data)))
				got := outline(r)
				if err != nil {
					got += "error: " + err.Error() + "\n"
				}
				want := &a.Files[i+1].Data
				if got == string(*want) {
					return
				}
				if !*update {
					t.Errorf("read as\n%s\nwant\n%s", got, *want)
				}
				*want = []byte(got)
			})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
