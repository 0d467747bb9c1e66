package dumps_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
)

// tool runs a compiler of the machine and returns what it prints on standard error. Where it is missing the test is skipped, or fails
// where all tools are required.
func tool(t testing.TB, dir, name string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatalf("%s is missing: %v", name, err)
		}
		t.Skipf("%s is missing; on Debian, .ci/run installs it", name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out bytes.Buffer
	cmd.Stderr, cmd.Dir = &out, dir
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out.Bytes())
	}
	return out.Bytes()
}

// opt returns what the optimizer of LLVM prints of a small module at -O2.
func opt(t testing.TB, flags ...string) []byte {
	t.Helper()
	return tool(t, "testdata", "opt", append([]string{"-O2", "-S", "sum.ll", "-o", os.DevNull}, flags...)...)
}

// effects lists the passes of a dump with what they did, without the sequences around them.
func effects(r *event.Run) (names []string, status []event.StepStatus) {
	for _, s := range r.All() {
		if s.Kind != event.PassSequential {
			names, status = append(names, s.Path), append(status, s.Status)
		}
	}
	return names, status
}

// TestLLVMSaysTheSame holds what is read of dumps from before and after passes against what LLVM itself says with -print-changed: which
// of the passes changed something. Dumps from after passes alone, or of changes alone, may leave some unknown, and must not contradict.
func TestLLVMSaysTheSame(t *testing.T) {
	both, _, err := read(t, bytes.NewReader(opt(t, "-print-before-all", "-print-after-all")))
	if err != nil {
		t.Fatal(err)
	}
	steps, want := effects(both)
	if both.Unknown > 0 || both.Changed < 40 || both.Same < 150 {
		t.Fatalf("of %d passes %d changed something, %d nothing, and %d are unknown", len(steps), both.Changed, both.Same, both.Unknown)
	}
	for form, most := range map[string]int{"-print-changed": 10, "-print-after-all": 40, "-print-changed=diff": 0} {
		r, _, err := read(t, bytes.NewReader(opt(t, form)))
		if err != nil {
			t.Fatal(err)
		}
		names, got := effects(r)
		if len(names) != len(steps) {
			t.Fatalf("%s has %d passes, want %d", form, len(names), len(steps))
		}
		for i, s := range got {
			if names[i] != steps[i] {
				t.Fatalf("%s: pass %d is %s, want %s", form, i, names[i], steps[i])
			}
			// LLVM compares the text of functions without their attributes.
			attributes := strings.Contains(names[i], "FunctionAttrs")
			if s != event.StepUnknown && s != want[i] && !attributes {
				t.Errorf("%s: %s is %s, and %s in the dump from before and after", form, names[i], s, want[i])
			}
		}
		if r.Unknown > most {
			t.Errorf("%s: %d passes are unknown, want at most %d", form, r.Unknown, most)
		}
	}
}

// TestLLVMForms reads the other forms of LLVM 14: the whole module at each pass, the old pass manager, only changes, and machine code.
func TestLLVMForms(t *testing.T) {
	optimized := t.TempDir() + "/o.ll"
	tool(t, "testdata", "opt", "-O2", "-S", "sum.ll", "-o", optimized)
	for name, c := range map[string]struct {
		data             []byte
		passes, changed  int // at least
		function, inside string
	}{
		"module":  {opt(t, "-print-after-all", "-print-module-scope"), 240, 50, "two", "define dso_local i32 @two"},
		"old":     {opt(t, "-enable-new-pm=0", "-print-after-all"), 240, 50, "two", "define dso_local i32 @two"},
		"quiet":   {opt(t, "-print-changed=diff-quiet"), 45, 45, "two", "ret i32"},
		"machine": {tool(t, ".", "llc", "-O2", "-print-after-all", optimized, "-o", os.DevNull), 180, 40, "two", "# Machine code for function two"},
	} {
		r, s, err := read(t, bytes.NewReader(c.data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		names, _ := effects(r)
		if len(names) < c.passes || r.Changed < c.changed {
			t.Errorf("%s: %d passes, %d of them changed something, want %d and %d", name, len(names), r.Changed, c.passes, c.changed)
		}
		found := false
		for _, f := range r.FunctionsAfter(nil) {
			found = found || f.Name == c.function
		}
		for _, x := range r.Changes {
			found = found || x.Name == c.function
			if x.Name == c.function && x.Text != "" && !strings.Contains(s.texts[x.Text], "ret") && !strings.Contains(s.texts[x.Text], "RET") {
				t.Errorf("%s: a text of %s is\n%s", name, x.Name, s.texts[x.Text])
			}
		}
		last := ""
		for _, f := range r.FunctionsAfter(r.Ends[len(r.Ends)-1]) {
			if f.Name == c.function {
				last = s.texts[f.Text]
			}
		}
		if !found || !strings.Contains(last, c.inside) {
			t.Errorf("%s: the last text of %s is\n%s\nwant one with %q", name, c.function, last, c.inside)
		}
		for _, d := range r.Diagnostics {
			if d.Severity == event.SeverityWarning {
				t.Errorf("%s: %s", name, d.Message)
			}
		}
	}
}

// TestGitLog reads the history of a repository that the test makes, listed from either end: a file is made, changed, renamed by another
// commit, and removed.
func TestGitLog(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		tool(t, dir, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"}, args...)...)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	for _, c := range []struct{ name, text, message string }{
		{"f.ll", "define i32 @f() {\n  %a = add i32 1, 1\n  ret i32 %a\n}\n", "import"},
		{"f.ll", "define i32 @f() {\n  ret i32 2\n}\n", "fold: constants"},
		{"g.txt", "commit 0123456789012345678901234567890123456789\n-- a\n++ b\n@@ x\n", "a file whose lines look like those of git"},
		{"g.txt", "", "remove it"},
	} {
		if c.text == "" {
			git("rm", "-q", c.name)
		} else {
			write(c.name, c.text)
		}
		git("add", "-A")
		git("commit", "-q", "-m", c.message)
	}
	const want = `1/import changed [added f.ll +4 -0]
2/fold: constants changed [changed f.ll +1 -2]
3/a file whose lines look like those of git changed [added g.txt +4 -0]
4/remove it changed [removed g.txt +0 -4]
`
	for _, flags := range [][]string{{}, {"--reverse"}, {"--stat", "--decorate", "--color=always"}} {
		log := filepath.Join(t.TempDir(), "log")
		git(append([]string{"log", "-p", "--output=" + log}, flags...)...)
		in, err := os.Open(log)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := read(t, in)
		if err := errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		if got := outline(r); got != want {
			t.Errorf("git log -p %v is read as\n%s\nwant\n%s", flags, got, want)
		}
	}
}
