//go:build linux && amd64

package native

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCaches(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index0/level": "1\n", "index0/type": "Data\n", "index0/size": "48K\n",
		"index1/level": "1\n", "index1/type": "Instruction\n", "index1/size": "32K\n",
		"index2/level": "2\n", "index2/type": "Unified\n", "index2/size": "1024K\n",
		"index3/level": "3\n", "index3/type": "Unified\n", "index3/size": "32768K\n",
		"index4/level": "2\n", "index4/type": "Unified\n", "index4/size": "?\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if l1, l2 := cachesIn(dir); l1 != 48<<10 || l2 != 1<<20 {
		t.Errorf("%d and %d bytes", l1, l2)
	}
	if l1, l2 := cachesIn(filepath.Join(dir, "none")); l1 != 0 || l2 != 0 {
		t.Errorf("%d and %d bytes of nothing", l1, l2)
	}
	l1, l2 := Caches()
	t.Logf("this machine: %d and %d bytes", l1, l2)
}
