package static

import (
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// pairs lists every text colour with the backgrounds on which it stands.
var pairs = []struct {
	text  []string
	on    []string
	ratio float64
}{
	{[]string{"text", "text-2", "text-3"}, []string{"canvas", "panel", "raised", "hover", "selected"}, 4.5},
	{[]string{"text", "text-2"}, []string{"lit"}, 4.5},
	{[]string{"text-3"}, []string{"add-bg", "del-bg", "ren-bg", "mov-bg"}, 4.5},
	{[]string{"text-2"}, []string{"add-word", "del-word", "ren-word", "mov-word"}, 4.5},
	{[]string{"text", "tok-keyword", "tok-function", "tok-type", "tok-number", "tok-string", "tok-comment", "tok-attr"}, []string{"lit"}, 4.5},
	{[]string{"accent"}, []string{"canvas", "panel", "raised", "hover", "selected"}, 4.5},
	{[]string{"on-accent"}, []string{"accent-fill", "accent-fill-hover"}, 4.5},
	{[]string{"plus", "minus", "failed", "running", "ren", "mov"}, []string{"canvas", "panel", "raised", "hover", "selected"}, 4.5},
	{[]string{"plus"}, []string{"add-gutter"}, 4.5},
	{[]string{"minus"}, []string{"del-gutter"}, 4.5},
	{[]string{"ren"}, []string{"ren-gutter"}, 4.5},
	{[]string{"mov"}, []string{"mov-gutter"}, 4.5},
	{[]string{"warn-text"}, []string{"warn-bg", "panel", "selected"}, 4.5},
	{[]string{"error-text"}, []string{"error-bg"}, 4.5},
	{[]string{"fold-text"}, []string{"fold-bg", "panel"}, 4.5},
	{
		[]string{"text", "tok-keyword", "tok-function", "tok-type", "tok-number", "tok-string", "tok-comment", "tok-attr"},
		[]string{"canvas", "raised", "add-bg", "add-word", "del-bg", "del-word", "ren-bg", "ren-word", "mov-bg", "mov-word"},
		4.5,
	},
	{[]string{"text"}, []string{"heat-1", "heat-2", "heat-3", "heat-4", "heat-5"}, 4.5},
	// Borders of controls and the marks of charts are no text: 3 to 1.
	{[]string{"control", "accent", "lane"}, []string{"canvas", "panel", "raised"}, 3},
	{[]string{"graph", "loops", "code"}, []string{"canvas", "panel"}, 3},
}

// TestContrast checks the colours of both themes against WCAG 2.2 AA.
func TestContrast(t *testing.T) {
	declaration := regexp.MustCompile(`--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`)
	colours := map[string][2]string{}
	for _, m := range declaration.FindAllStringSubmatch(string(read(t, "css/tokens.css")), -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for _, p := range pairs {
		for _, text := range p.text {
			for _, on := range p.on {
				for i, theme := range []string{"light", "dark"} {
					a, b := colours[text][i], colours[on][i]
					if a == "" || b == "" {
						t.Fatalf("tokens.css lacks --%s or --%s", text, on)
					}
					if r := contrast(t, a, b); r < p.ratio {
						t.Errorf("%s: --%s %s on --%s %s has a contrast of %.2f, want %.1f", theme, text, a, on, b, r, p.ratio)
					}
				}
			}
		}
	}
}

// TestVariables looks for each variable that the style sheets use: one that nothing sets takes the value of what is around it.
func TestVariables(t *testing.T) {
	set, used := map[string]bool{}, map[string]string{}
	names, err := filepath.Glob("css/*.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text := string(read(t, name))
		for _, m := range regexp.MustCompile(`(--[\w-]+)\s*:`).FindAllStringSubmatch(text, -1) {
			set[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`var\((--[\w-]+)`).FindAllStringSubmatch(text, -1) {
			used[m[1]] = name
		}
	}
	scripts, err := filepath.Glob("src/*/*.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		for _, v := range regexp.MustCompile(`--[\w-]+`).FindAllString(string(read(t, name)), -1) {
			set[v] = true
		}
	}
	for v, name := range used {
		if !set[v] {
			t.Errorf("%s uses %s, which no style sheet and no script sets", name, v)
		}
	}
	if len(used) < 50 {
		t.Errorf("found %d variables", len(used))
	}
}

// TestHeat checks that the grounds of heat are told apart by how light they are, whatever colours a reader sees: each is further from
// the canvas than the one before.
func TestHeat(t *testing.T) {
	sheet := string(read(t, "css/tokens.css"))
	of := func(name string) []string {
		m := regexp.MustCompile(`--` + name + `: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`).FindStringSubmatch(sheet)
		if m == nil {
			t.Fatalf("tokens.css lacks --%s", name)
		}
		return m[1:]
	}
	last := of("canvas")
	for _, name := range []string{"heat-1", "heat-2", "heat-3", "heat-4", "heat-5"} {
		for i, theme := range []string{"light", "dark"} {
			was, now := contrast(t, last[i], of("canvas")[i]), contrast(t, of(name)[i], of("canvas")[i])
			if step := contrast(t, last[i], of(name)[i]); now <= was || step < 1.09 {
				t.Errorf("%s: --%s differs by %.2f from the one before and by %.2f from the canvas, which that does by %.2f", theme, name, step, now, was)
			}
		}
		last = of(name)
	}
}

// contrast computes the contrast ratio of two colours as WCAG 2.2 defines it.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of "#rrggbb".
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(colour[1:], 16, 32)
	if err != nil {
		t.Fatalf("colour %q: %v", colour, err)
	}
	channel := func(shift uint) float64 {
		v := float64(n>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}
