package templates

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGeneratedCodeIsFresh generates the Go code of every template again and compares it with what is committed.
func TestGeneratedCodeIsFresh(t *testing.T) {
	modfile, err := filepath.Abs("../../tools.mod")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "tool", "-modfile="+modfile, "templ", "version").CombinedOutput(); err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatalf("build templ: %v\n%s", err, out)
		}
		t.Skipf("templ cannot be built here (it is fetched once by: go tool -modfile=tools.mod templ version): %v", err)
	}
	dir := t.TempDir()
	sources, err := filepath.Glob("*.templ")
	if err != nil || len(sources) == 0 {
		t.Fatalf("find templates: %v, %v", sources, err)
	}
	for _, source := range sources {
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, source), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "tool", "-modfile="+modfile, "templ", "generate", "-path", dir).CombinedOutput(); err != nil {
		t.Fatalf("generate: %v\n%s", err, out)
	}
	committed, err := filepath.Glob("*_templ.go")
	if err != nil || len(committed) != len(sources) {
		t.Errorf("%d templates have %d generated files: %v", len(sources), len(committed), committed)
	}
	for _, file := range committed {
		want, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Errorf("%s has no template: %v", file, err)
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its template makes: run go generate ./ui/templates", file)
		}
	}
}
