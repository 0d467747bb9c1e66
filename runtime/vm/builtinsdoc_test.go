package vm

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBuiltinsDoc compares the lists of docs/builtins.md with the table of builtins.
func TestBuiltinsDoc(t *testing.T) {
	text, err := os.ReadFile("../../docs/builtins.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), "\n## Here\n")
	here, missing, ok2 := strings.Cut(rest, "\n## Missing\n")
	if !ok || !ok2 {
		t.Fatal("docs/builtins.md has no sections Here and Missing")
	}
	row := regexp.MustCompile("(?m)^\\| `(vm\\.builtin\\.[a-z0-9_.]+)` \\| ([^|]+) \\|$")
	names := func(section, of string) []string {
		var out []string
		for _, m := range row.FindAllStringSubmatch(section, -1) {
			out = append(out, m[1])
			if len(strings.TrimSpace(m[2])) < 4 {
				t.Errorf("%s: nothing says what it does", m[1])
			}
		}
		if n := strings.Count(section, "\n| `"); n != len(out) {
			t.Errorf("%s: %d of %d rows can be read", of, len(out), n)
		}
		if !slices.IsSorted(out) || len(slices.Compact(slices.Clone(out))) != len(out) {
			t.Errorf("%s is not sorted or names a function twice", of)
		}
		return out
	}
	listed, absent := names(here, "Here"), names(missing, "Missing")
	var have []string
	for _, n := range Builtins() {
		if strings.HasPrefix(n, "vm.builtin.") {
			have = append(have, n)
		}
	}
	if !slices.Equal(listed, have) {
		t.Errorf("Here lists\n%v, the machine has\n%v", listed, have)
	}
	for _, n := range absent {
		if slices.Contains(have, n) {
			t.Errorf("%s is listed as missing, and here", n)
		}
	}
	want := fmt.Sprintf("%d functions `vm.builtin.*`", len(listed)+len(absent))
	if words := strings.Join(strings.Fields(head), " "); !strings.Contains(words, want) || !strings.Contains(words, fmt.Sprintf("%d are here", len(listed))) || !strings.Contains(words, fmt.Sprintf("%d are missing", len(absent))) {
		t.Errorf("the counts of the introduction are not %s, %d and %d", want, len(listed), len(absent))
	}
}
