package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pipeline"
)

// TestFresh compares the examples with what the passes do, and asks for a page of each pass and a pass of each page.
func TestFresh(t *testing.T) {
	paged := map[string]bool{}
	for _, p := range pipeline.All() {
		paged[p.Name+".md"] = true
		data, err := os.ReadFile(filepath.Join(pages, p.Name+".md"))
		if err != nil {
			t.Errorf("%s has no page: %v", p.Name, err)
			continue
		}
		page := string(data)
		if !strings.HasPrefix(page, "# "+p.Name+"\n\n") {
			t.Errorf("the page of %s begins with another title", p.Name)
		}
		if m := command.FindStringSubmatch(page); m == nil || !ends(strings.Trim(m[1], "'"), p.Name) {
			t.Errorf("the example of %s ends with another pass: %q", p.Name, m)
		}
		text, err := fresh(page)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		} else if text != page {
			t.Errorf("the page of %s is stale: go generate ./e2e/passpages", p.Name)
		}
	}
	files, err := os.ReadDir(pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !paged[f.Name()] {
			t.Errorf("%s is the page of no pass", f.Name())
		}
	}
}

// ends tells whether a list of passes ends with the named one, options apart.
func ends(list, name string) bool {
	list, _, _ = strings.Cut(list, "{")
	return strings.HasSuffix(list, name)
}

const page = `# FoldConstant

` + "```python" + `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(R.const(1, "float32"), R.const(2, "float32"))
        b = R.add(x, a)
        R.output(b)
    return b
` + "```" + `

    irscope opt example.py --passes FoldConstant

` + begin + "old\n" + end + "tail\n"

// TestFreshText replaces what stands between the marks, and nothing else.
func TestFreshText(t *testing.T) {
	got, err := fresh(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(page, "old\n")
	if !strings.HasPrefix(got, head+"```diff\n @R.function\n") || !strings.HasSuffix(got, "```\n"+end+"tail\n") {
		t.Errorf("got %s", got)
	}
	for _, line := range []string{"-        a: R.Tensor((), dtype=\"float32\") = R.add(", "+        b: R.Tensor((2,), dtype=\"float32\") = R.add(x, ", "     return b\n"} {
		if !strings.Contains(got, "\n"+line) {
			t.Errorf("no line begins with %q in %s", line, got)
		}
	}
	if again, err := fresh(got); err != nil || again != got {
		t.Errorf("a second time it gives %q (%v)", again, err)
	}
}

// TestFreshRefuses says what is wrong with a page.
func TestFreshRefuses(t *testing.T) {
	for what, edit := range map[string][2]string{
		"a page has":      {begin, ""},
		"changes nothing": {"FoldConstant\n\n" + begin, "DeadCodeElimination\n\n" + begin},
		"FoldConstent":    {"--passes FoldConstant", "--passes FoldConstent"},
		"example.py":      {"R.add(x, a)", "R.add(x, "},
	} {
		if _, err := fresh(strings.Replace(page, edit[0], edit[1], 1)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q for %q gives %v, want %q", edit[1], edit[0], err, what)
		}
	}
}
