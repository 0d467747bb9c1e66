package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx"
)

var update = flag.Bool("update", false, "write docs/operators.md anew")

// TestOperatorsDoc checks that docs/operators.md and the count in the README are those of the
// importer.
func TestOperatorsDoc(t *testing.T) {
	names := onnx.Operators()
	var b strings.Builder
	fmt.Fprintf(&b, `# Operators of ONNX that the importer knows

%d operators of the default domain, in operator sets %d to %d, each with all its attributes and broadcasting forms
unless the error says otherwise. Written by `+"`go test ./e2e/cli -run TestOperatorsDoc -update`"+`.
`, len(names), onnx.MinOpset, onnx.MaxOpset)
	last := byte(0)
	for _, n := range names {
		sep := ", "
		if n[0] != last {
			sep = "\n- "
			last = n[0]
		}
		b.WriteString(sep + n)
	}
	b.WriteString("\n")
	path := filepath.Join("..", "..", "docs", "operators.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, path); got != b.String() {
		t.Errorf("%s is stale: go test ./e2e/cli -run TestOperatorsDoc -update", path)
	}
	if count := fmt.Sprintf("%d operators: [docs/operators.md]", len(names)); !strings.Contains(strings.Join(strings.Fields(read(t, filepath.Join("..", "..", "README.md"))), " "), count) {
		t.Errorf("README.md does not say %q", count)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
