package static

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBundlesAreFresh makes every bundle again, by the go:generate lines of this package, and compares it with the committed one.
func TestBundlesAreFresh(t *testing.T) {
	if out, err := exec.Command("go", "tool", "-modfile=../tools.mod", "esbuild", "--version").CombinedOutput(); err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatalf("build esbuild: %v\n%s", err, out)
		}
		t.Skipf("esbuild cannot be built here (it is fetched once by: go tool -modfile=tools.mod esbuild --version): %v", err)
	}
	commands := generateLines(t)
	made := map[string]bool{"favicon.svg": true} // drawn by hand
	for _, args := range commands {
		last := len(args) - 1
		committed, ok := strings.CutPrefix(args[last], "--outfile=")
		if !ok {
			t.Fatalf("the last argument of %v is not --outfile", args)
		}
		fresh := filepath.Join(t.TempDir(), filepath.Base(committed))
		args[last] = "--outfile=" + fresh
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		want, got := read(t, fresh), read(t, committed)
		if !bytes.Equal(want, got) {
			t.Errorf("%s is not what its sources make: run go generate ./static", committed)
		}
		made[filepath.Base(committed)] = true
	}
	entries, err := os.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !made[e.Name()] {
			t.Errorf("no go:generate line of doc.go makes dist/%s", e.Name())
		}
	}
}

// generateLines returns the commands of the go:generate lines in doc.go.
func generateLines(t *testing.T) [][]string {
	t.Helper()
	var commands [][]string
	lines := bufio.NewScanner(bytes.NewReader(read(t, "doc.go")))
	for lines.Scan() {
		if command, ok := strings.CutPrefix(lines.Text(), "//go:generate "); ok {
			commands = append(commands, strings.Fields(command))
		}
	}
	return commands
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
