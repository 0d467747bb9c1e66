package tirpass_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
)

var update = flag.Bool("update", false, "write the golden files")

// goldenCase is a function for a pass. What must come out stands in the golden file of the
// pass, after what goes in.
type goldenCase struct {
	name string
	f    *tir.PrimFunc
	opts []pass.ContextOption
	// prepare runs before the pass, to bring f to its level.
	prepare []*pass.Pass
	fails   bool // the error stands in the golden file
}

func TestGolden(t *testing.T) {
	for p, cases := range goldens() {
		t.Run(strings.TrimPrefix(p.Name, "tir."), func(t *testing.T) {
			file := filepath.Join("testdata", "golden", strings.TrimPrefix(p.Name, "tir.")+".txtar")
			want := map[string]string{}
			if a, err := txtar.ParseFile(file); err == nil {
				for _, f := range a.Files {
					want[f.Name] = string(f.Data)
				}
			} else if !*update {
				t.Fatalf("%v: run the test with -update", err)
			}
			got := &txtar.Archive{Comment: []byte(p.Doc + "\n\n")}
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					before, after := c.run(t, p)
					for _, s := range [][2]string{{"before", before}, {"after", after}} {
						name := c.name + "/" + s[0]
						got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(s[1])})
						if !*update && want[name] != s[1] {
							t.Errorf("%s differs: run with -update and look at the difference\n--- got\n%s\n--- want\n%s", name, s[1], want[name])
						}
					}
				})
			}
			if *update && !t.Failed() {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// run runs the pass with the checks of the harness, keeps the meaning where the function can
// be interpreted, and returns the texts of the golden file.
func (c *goldenCase) run(t *testing.T, p *pass.Pass) (before, after string) {
	t.Helper()
	ctx := passtest.NewContext(c.opts...)
	f := c.f
	wellFormed(t, "input", f)
	m := moduleOf(f)
	for _, q := range c.prepare {
		var err error
		if m, err = ctx.Run(q, m); err != nil {
			t.Fatal(err)
		}
	}
	f = funcOf(m)
	before = strings.TrimSpace(print(f)) + "\n"
	if c.fails {
		_, err := ctx.Run(p, m)
		if err == nil {
			t.Fatal("no error")
		}
		return before, err.Error() + "\n"
	}
	g := apply(t, ctx, p, f)
	for _, b := range c.f.Buffers {
		if b == nil {
			return before, strings.TrimSpace(print(g)) + "\n" // scalars: not run
		}
		for _, n := range b.Shape {
			if _, ok := tir.AsInt(n); !ok {
				return before, strings.TrimSpace(print(g)) + "\n"
			}
		}
	}
	args := tirtest.Arguments(c.f, 1)
	want := mustRun(t, c.f, args)
	sameMeaning(t, p, f, g, args, want)
	return before, strings.TrimSpace(print(g)) + "\n"
}
