package static

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestScripts runs the tests of the scripts, src/**/*.test.ts, in Node.js: those of what knows no element of a page. Each is bundled
// by esbuild first, which takes the types off. Random cases follow from the seed of the commit.
func TestScripts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatal("no Node.js found: apt-get install nodejs")
		}
		t.Skip("no Node.js found: apt-get install nodejs")
	}
	var tests []string
	err = filepath.WalkDir("src", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".test.ts") {
			tests = append(tests, name)
		}
		return err
	})
	if err != nil || len(tests) == 0 {
		t.Fatalf("found the tests %q: %v", tests, err)
	}
	dir := t.TempDir()
	bundle := append([]string{"tool", "-modfile=../tools.mod", "esbuild", "--bundle", "--platform=node", "--format=esm", "--sourcemap=inline", "--log-level=warning", "--out-extension:.js=.mjs", "--outdir=" + dir}, tests...)
	if out, err := exec.Command("go", bundle...).CombinedOutput(); err != nil {
		t.Fatalf("bundle the tests: %v\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*", "*.test.mjs"))
	if more, _ := filepath.Glob(filepath.Join(dir, "*.test.mjs")); err == nil {
		made = append(made, more...)
	}
	if len(made) != len(tests) {
		t.Fatalf("bundled %d of the tests %q: %v", len(made), tests, err)
	}
	run := exec.Command(node, append([]string{"--enable-source-maps", "--test", "--test-reporter=spec"}, made...)...)
	run.Env = append(os.Environ(), fmt.Sprintf("SCRIPT_SEED=%d", seed.Rand(t).Uint32()))
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "tests ") || strings.Contains(line, "pass ") || strings.Contains(line, "skipped ") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if !strings.Contains(string(out), "fail 0") || strings.Contains(string(out), "tests 0") {
		t.Errorf("the tests did not run:\n%s", out)
	}
}
