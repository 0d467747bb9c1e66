package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFresh compares the documents with what the command writes.
func TestFresh(t *testing.T) {
	for name := range documents {
		old, fresh, err := both(filepath.Join(top, filepath.FromSlash(name)), name)
		if err != nil {
			t.Fatal(err)
		}
		if old != fresh {
			t.Errorf("%s is stale: go generate ./e2e/counts", name)
		}
	}
}

// TestReadme replaces the table alone, and asks for its marks.
func TestReadme(t *testing.T) {
	got, err := readme("a\n" + begin + "| 1 |\n" + end + "b\n")
	if want := "a\n" + begin + table() + end + "b\n"; err != nil || got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
	if again, err := readme(got); err != nil || again != got {
		t.Errorf("a second time it gives %q (%v)", again, err)
	}
	for _, text := range []string{"", begin, end + begin} {
		if _, err := readme(text); err == nil || !strings.Contains(err.Error(), "counts:begin") {
			t.Errorf("%q gives %v", text, err)
		}
	}
}

// TestOperators puts names with one initial on a line, and the other domains behind the default one.
func TestOperators(t *testing.T) {
	got := operators(map[string][]string{"b.c": {"Fit"}, "": {"Abs", "Add", "Conv"}, "a": {"Gelu", "Grow"}})
	want := "\n- Abs, Add\n- Conv\n\n## Operators of a\n\n- Gelu, Grow\n\n## Operators of b.c\n\n- Fit\n"
	if !strings.HasPrefix(got, "# ") || !strings.Contains(got, "\n3 operators ") || !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
}
