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
	if b, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index0/size"); err == nil && len(b) > 0 && (l1 == 0 || l2 == 0) {
		t.Errorf("the system describes caches, and %d and %d bytes are known", l1, l2)
	}
}

func TestCachesOfProcessors(t *testing.T) {
	type part struct{ a, b, c uint32 }
	zen5 := []part{ // 48 KiB of data in 12 ways, 32 KiB of instructions, 1 MiB in 16 ways, 32 MiB
		{0x121, 11<<22 | 63, 63}, {0x122, 7<<22 | 63, 63}, {0x143, 15<<22 | 63, 1023}, {0x163, 15<<22 | 63, 32767},
	}
	for _, c := range []struct {
		name           string
		last, extended uint32
		leaves         map[uint32][]part
		l1, l2         int64
	}{
		{"AMD", 0x10, 0x8000_0028, map[uint32][]part{leafCachesAMD: zen5}, 48 << 10, 1 << 20},
		{"Intel", 0x20, 0x8000_0008, map[uint32][]part{leafCaches: zen5}, 48 << 10, 1 << 20},
		{"lines in two parts", 0x20, 0, map[uint32][]part{leafCaches: {{0x21, 7<<22 | 1<<12 | 31, 63}}}, 32 << 10, 0},
		{"too old", 3, 0x8000_0004, map[uint32][]part{leafCaches: zen5, leafCachesAMD: zen5}, 0, 0},
		{"AMD in a virtual machine", 0x10, 0x8000_0028, map[uint32][]part{leafFirstAMD: {{0, 0, 48<<24 | 12<<16 | 64}}, leafSecondAMD: {{0, 0, 1024<<16 | 0x6140}}}, 48 << 10, 1 << 20},
		{"silent", 0x20, 0x8000_0028, nil, 0, 0},
		{"endless", 0x20, 0, map[uint32][]part{leafCaches: make([]part, 1000)}, 0, 0},
	} {
		l1, l2 := cachesOf(func(leaf, n uint32) (a, b, c2, d uint32) {
			switch leaf {
			case 0:
				return c.last, 0, 0, 0
			case leafExtended:
				return c.extended, 0, 0, 0
			}
			if list := c.leaves[leaf]; int(n) < len(list) {
				return list[n].a, list[n].b, list[n].c, 0
			}
			return 0, 0, 0, 0
		})
		if l1 != c.l1 || l2 != c.l2 {
			t.Errorf("%s: %d and %d bytes, want %d and %d", c.name, l1, l2, c.l1, c.l2)
		}
	}
}
