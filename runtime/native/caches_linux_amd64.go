package native

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Caches returns the sizes in bytes of the data cache of the first level, and of the cache of the second, of a core; 0 where neither the system nor the processor says. The
// system knows what each core has; the kernels of small virtual machines describe no caches.
var Caches = sync.OnceValues(func() (l1, l2 int64) {
	if l1, l2 = cachesIn("/sys/devices/system/cpu/cpu0/cache"); l1 > 0 && l2 > 0 {
		return l1, l2
	}
	return cachesOf(cpuid)
})

// cachesIn reads the folders that Linux describes caches in: each has the files level, type and size.
func cachesIn(dir string) (l1, l2 int64) {
	list, _ := filepath.Glob(filepath.Join(dir, "index*")) // without a folder there is nothing to say
	for _, d := range list {
		read := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(d, name))
			return strings.TrimSpace(string(b))
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(read("size"), "K"), 10, 32)
		if err != nil || read("type") == "Instruction" {
			continue
		}
		switch read("level") {
		case "1":
			l1 = n << 10
		case "2":
			l2 = n << 10
		}
	}
	return l1, l2
}
