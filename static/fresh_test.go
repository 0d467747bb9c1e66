package static

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBundlesAreFresh makes every bundle again, as go generate does, and compares it with the committed one.
func TestBundlesAreFresh(t *testing.T) {
	if out, err := exec.Command("go", "tool", "-modfile=../tools.mod", "esbuild", "--version").CombinedOutput(); err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatalf("build esbuild: %v\n%s", err, out)
		}
		t.Skipf("esbuild cannot be built here (it is fetched once by: go tool -modfile=tools.mod esbuild --version): %v", err)
	}
	fresh := t.TempDir()
	if out, err := exec.Command("go", "run", "./bundle", fresh).CombinedOutput(); err != nil {
		t.Fatalf("make the bundles: %v\n%s", err, out)
	}
	want, got := contents(t, fresh), contents(t, "dist")
	delete(got, "favicon.svg") // drawn by hand
	for name, data := range want {
		if !bytes.Equal(data, got[name]) {
			t.Errorf("dist/%s is not what the sources make: run go generate ./static", name)
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("the sources do not make dist/%s: run go generate ./static", name)
		}
	}
}

// contents returns the files in a folder.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		files[e.Name()] = read(t, filepath.Join(dir, e.Name()))
	}
	return files
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
