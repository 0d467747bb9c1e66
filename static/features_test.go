package static

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// features runs features.mjs on files, on all sources without any, and returns what it says and whether it found a fault.
func features(t *testing.T, files ...string) (string, bool) {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat("vendor/node_modules/@mdn/browser-compat-data")
	}
	if err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatalf("%v: run static/check.sh once", err)
		}
		t.Skipf("%v: run static/check.sh once", err)
	}
	out, err := exec.Command("node", append([]string{"features.mjs"}, files...)...).CombinedOutput()
	return string(out), err != nil
}

// TestFeatures checks that the current releases of Chrome, Firefox and Safari share what the page uses.
func TestFeatures(t *testing.T) {
	if out, faults := features(t); faults {
		t.Errorf("the page uses what not all browsers have:\n%s", out)
	}
}

// TestFeaturesFinds gives the check sources that use what only some browsers have, and sources that use nothing of the kind.
func TestFeaturesFinds(t *testing.T) {
	dir := t.TempDir()
	var files []string
	var want [][2]string
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"task.ts":   {`export const f = (): void => void scheduler.postTask(() => undefined);`, []string{"scheduler", ".postTask"}},
		"class.ts":  {"const w = new CloseWatcher();", []string{"CloseWatcher"}},
		"picker.ts": {`void showOpenFilePicker();`, []string{"showOpenFilePicker"}},
		"fine.ts":   {"// scheduler.postTask\nconst a = \"scheduler.postTask()\";\ndocument.querySelector(a)?.scrollIntoView();\n[1].findLast((x) => x > 0);", nil},
		"size.css":  {`.a { interpolate-size: allow-keywords; }`, []string{"interpolate-size", "interpolate-size: allow-keywords"}},
		"mark.css":  {`.a::scroll-marker { color: red; }`, []string{":scroll-marker"}},
		"view.css":  {`@view-transition { navigation: auto; }`, []string{"@view-transition"}},
		"fine.css":  {`/* interpolate-size: x */ .a:has(> b)::before { color: light-dark(#fff, #000); content: "@view-transition"; } @container x (max-width: 3px) { .b { inset: 0; } }`, nil},
		"is.templ":  {`templ a() { <button is="x-b" title="what is it">b</button> }`, []string{"<button is>"}},
	} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			want = append(want, [2]string{w, name})
		}
	}
	out, faults := features(t, files...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if !faults || len(lines) != len(want) {
		t.Errorf("%d features are found, expected %d:\n%s", len(lines), len(want), out)
	}
	for _, w := range want {
		if !slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, w[0]+" is not in ") && strings.Contains(l, "/"+w[1]+";")
		}) {
			t.Errorf("%s: nothing is said of %s:\n%s", w[1], w[0], out)
		}
	}
}
