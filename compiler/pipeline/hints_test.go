package pipeline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pipeline"
)

// advice is a message that says to run a pass.
var advice = regexp.MustCompile(`\b[Rr]un ((?:tir\.)?[A-Z]+[a-z][A-Za-z0-9]*)(?:(?: before| after|,| or| and| first)* ((?:tir\.)?[A-Z]+[a-z][A-Za-z0-9]*))?`)

// TestAdviceNamesPasses looks in the messages of the program for passes that they say to run:
// each must exist.
func TestAdviceNamesPasses(t *testing.T) {
	reg := pipeline.NewRegistry()
	found := 0
	for _, root := range []string{"..", "../../cmd", "../../web/run", "../../instruments", "../../target"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, _ := strconv.Unquote(lit.Value)
				for _, m := range advice.FindAllStringSubmatch(text, -1) {
					for _, name := range m[1:] {
						if name == "" {
							continue
						}
						found++
						if reg.Lookup(name) == nil {
							t.Errorf("%s says %q, and there is no pass %s", path, text, name)
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 4 {
		t.Errorf("only %d messages name a pass: are they looked for?", found)
	}
}
