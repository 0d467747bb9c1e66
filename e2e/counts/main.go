// Command counts writes what the documents say of how much there is: the table between the marks in README.md, and
// docs/operators.md. `go generate ./e2e/counts` runs it; a test of this package compares.
//
// Numbers are those of the tables that the program itself reads. Not counted is what has no table, and what changes with most
// commits, such as tests: two changes at a time would contradict each other for nothing.
package main

//go:generate go run .

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// top is the root of the repository, from the folder of this package.
const top = "../.."

// documents are the files that hold counts, from the root, each with what makes its text anew of the text that it has.
var documents = map[string]func(old string) (string, error){
	"README.md":         readme,
	"docs/operators.md": func(string) (string, error) { return operators(onnx.Operators()), nil },
}

func main() {
	for name := range documents {
		path := filepath.Join(top, filepath.FromSlash(name))
		_, fresh, err := both(path, name)
		if err == nil {
			err = os.WriteFile(path, []byte(fresh), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "counts:", err)
			os.Exit(1)
		}
	}
}

// both returns the text of a document as it is and as it should be.
func both(path, name string) (old, fresh string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	fresh, err = documents[name](string(data))
	return string(data), fresh, err
}

// The marks in README.md, each on a line of its own.
const (
	begin = "<!-- counts:begin -->\n"
	end   = "<!-- counts:end -->\n"
)

// readme puts the table between the marks.
func readme(old string) (string, error) {
	head, rest, ok := strings.Cut(old, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("README.md has no lines %q and %q, in this order", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + table() + end + tail, nil
}

// table lists what there is and how much of it.
func table() string {
	builtins := 0 // those of TVM; docs/builtins.md lists them
	for _, name := range vm.Builtins() {
		if strings.HasPrefix(name, "vm.builtin.") {
			builtins++
		}
	}
	var b strings.Builder
	b.WriteString("| what | number |\n|---|---|\n")
	for _, row := range []struct {
		what   string
		number int
	}{
		{fmt.Sprintf("[ONNX operators](docs/operators.md), in operator sets %d to %d", onnx.MinOpset, onnx.MaxOpset), len(onnx.Operators())},
		{"operators of Relax", len(op.All())},
		{"intrinsics of TensorIR", len(tir.Builtins())},
		{"passes, listed by `irscope passes`", len(pipeline.All())},
		{"TVM's [builtins of the virtual machine](docs/builtins.md)", builtins},
		{"kinds of target", len(target.Kinds())},
		{"built-in models", len(gallery.Models())},
	} {
		fmt.Fprintf(&b, "| %s | %d |\n", row.what, row.number)
	}
	return b.String()
}

// operators is docs/operators.md for the operators of these names, which are sorted.
func operators(names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# ONNX operators that the importer supports

%d operators of the default domain, in operator sets %d to %d, with all attributes and broadcasting forms. The importer
reports an error for anything it does not support. Written by `+"`go generate ./e2e/counts`"+`.
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
	return b.String()
}
