// Package docs tests what the documents say: it runs their commands and compares what they print, checks the names that they use, and
// looks at their pictures. It holds tests only.
package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	fixture "github.com/irscope/irscope/e2e/fixture/program"
)

const root = "../.."

// program is the path of the built command, set by TestMain.
var program string

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, &program)) }

// tested are the documents whose commands are run, from the root.
var tested = []string{"README.md", "docs/tutorial.md", "docs/from-tvm.md"}

// read returns the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tidy joins what white space separates by single blanks.
func tidy(text string) string { return strings.Join(strings.Fields(text), " ") }
