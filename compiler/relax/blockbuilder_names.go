package relax

import (
	"strconv"
	"strings"
)

// nameTable gives out names, each once.
type nameTable struct {
	used map[string]bool
	next map[string]int // number to try for a name that is taken
}

func newNameTable() *nameTable {
	return &nameTable{used: map[string]bool{}, next: map[string]int{}}
}

func (t *nameTable) reserve(name string) { t.used[name] = true }

// unique returns an identifier made from hint that was not given out yet: lv, lv1, lv2; a
// name that ends in a digit gets an underscore in between.
func (t *nameTable) unique(hint string) string {
	name := Identifier(hint)
	base := name
	if c := name[len(name)-1]; c >= '0' && c <= '9' {
		base += "_"
	}
	return t.numbered(name, base)
}

// numbered returns name, or base with the first number that makes a name not given out yet.
func (t *nameTable) numbered(name, base string) string {
	if !t.used[name] {
		t.used[name] = true
		return name
	}
	for n := max(1, t.next[name]); ; n++ {
		if s := base + strconv.Itoa(n); !t.used[s] {
			t.used[s], t.next[name] = true, n+1
			return s
		}
	}
}

// Identifier returns s with everything but ASCII letters, digits and underscores replaced
// by underscores, so that printed text parses; it never starts with a digit and is never
// empty. Names of the source model, such as "/layer1/Conv_output_0", stay recognisable.
func Identifier(s string) string {
	fine := s != ""
	for i := range len(s) {
		fine = fine && identByte(s[i], i)
	}
	if fine {
		return s
	}
	var b strings.Builder
	for _, r := range strings.TrimLeft(s, "/.:") {
		if r < 0x80 && identByte(byte(r), 1) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	out := b.String()
	if out == "" {
		return "v"
	}
	if out[0] >= '0' && out[0] <= '9' {
		return "v" + out
	}
	return out
}

func identByte(c byte, i int) bool {
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i > 0 && c >= '0' && c <= '9')
}
