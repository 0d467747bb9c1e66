package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// steering finds what steers a terminal: control characters and those that change the direction of text.
var steering = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]|\x{c2}[\x{80}-\x{9f}]|[\x{80}-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// TestNothingSteersTheTerminal gives every command models and texts whose names hold escape sequences, and looks at all that is printed.
func TestNothingSteersTheTerminal(t *testing.T) {
	const evil = "\x1b]0;title\x07\x1b[31mred\x1b[2J\u009b31m\u202egnp.exe\u2069\rover"
	dir := t.TempDir()
	write := func(name, op string) string {
		t.Helper()
		b := onnxbuild.New("graph"+evil, 17)
		x := b.Input("x"+evil, onnxpb.Float, 4)
		b.NodeOut(op, "n"+evil, []string{x}, []string{"y" + evil})
		b.Output("y"+evil, onnxpb.Float, 4)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, bad := write("good.onnx", "Relu"), write("bad.onnx", "Nope"+evil)
	script := filepath.Join(dir, "bad.py")
	if err := os.WriteFile(script, []byte("from tvm.script import relax as R\n@R.function\ndef main(x: R.Tensor((4,), \"float32\")):\n    return y"+evil+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", good},
		{"run", good, "--json"},
		{"run", good, "--print-ir-after", "LegalizeOps", "--timing"},
		{"run", good, "--input", "x=" + evil},
		{"run", bad},
		{"run", script},
		{"run", evil},
		{"run", "gallery:" + evil},
		{"run", good, "--disable-pass", evil},
		{"compile", good, "-o", filepath.Join(dir, "out")},
		{"opt", good},
		{"opt", good, "--emit", "json"},
		{"opt", script},
		{"diff", good, "--from", "start", "--to", "LegalizeOps"},
		{"diff", good, script},
		{"equal", good, script},
		{"passes", evil},
		{evil},
	} {
		cmd := exec.Command(program, args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		if out.Len() == 0 {
			t.Errorf("%q prints nothing", args)
		}
		if at := steering.FindIndex(out.Bytes()); at != nil {
			t.Errorf("%.60q prints what steers a terminal: %q", args, out.Bytes()[max(0, at[0]-60):min(out.Len(), at[1]+20)])
		}
	}
	colored, err := exec.Command(program, "diff", good, "--from", "start", "--to", "LegalizeOps", "--color", "always").Output()
	if rest := regexp.MustCompile(`\x1b\[\d+m`).ReplaceAll(colored, nil); !strings.Contains(string(colored), "\x1b[31m") || steering.Match(rest) {
		t.Errorf("a coloured difference (%v) is %q", err, colored[:min(len(colored), 500)])
	}
}
