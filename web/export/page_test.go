package export_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/web/export"
)

func TestNothingHostileSurvivesOnThePage(t *testing.T) {
	st, sess := fill(t, evil)
	b, err := export.Collect(t.Context(), st, sess)
	check(t, err)
	if len(b.Runs) != 2 {
		t.Fatalf("%d runs are exported, want the two that finished", len(b.Runs))
	}
	data, err := export.HTML(t.Context(), b, &b.Runs[0], export.Report{Command: "irscope run " + evil, Program: evil})
	check(t, err)
	page := string(data)
	for _, part := range []string{"<script", "<img", "href=", "src=x>", "\u202e", "javascript:alert(3)\""} {
		if strings.Contains(page, part) {
			at := strings.Index(page, part)
			t.Errorf("the page holds %q: %.200s", part, page[max(0, at-80):])
		}
	}
	// Every tag is one of the template, with attributes of the template only.
	tags := regexp.MustCompile(`<(/?)([a-zA-Z!][a-zA-Z0-9]*)([^<>]*)>`)
	known := " !doctype html head meta title style body header h1 span p time dl div dt dd strong h2 pre main section ul li code br details summary small svg rect table thead tr th tbody td h3 i "
	attrs := regexp.MustCompile(`^(\s+(lang|charset|http-equiv|content|name|class|datetime|tabindex|title|viewBox|preserveAspectRatio|aria-hidden|width|height|open|data-a|data-b|html)(="[^"]*")?)*\s*$`)
	for _, m := range tags.FindAllStringSubmatch(strings.Replace(page, pageStyleOf(t, page), "", 1), -1) {
		if !strings.Contains(known, " "+m[2]+" ") || !attrs.MatchString(m[3]) {
			t.Errorf("the page has a tag %s", m[0])
		}
	}
	for _, want := range []string{
		html.EscapeString("alert(1)</script>"), "on a line", "on everything", "Bad", "+1", "−1", "1.5 ms",
		`data-b="2"`, ` w">`, "&lt;script", "1.0 µs", "float32[2]",
	} {
		if !strings.Contains(strings.ReplaceAll(page, "1 µs", "1.0 µs"), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "on the other run") || strings.Contains(page, "session\"") || strings.Contains(page, "first") {
		t.Error("the page holds an id, or a note of another run")
	}
}

func pageStyleOf(t *testing.T, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<style>")
	style, _, ok2 := strings.Cut(rest, "</style>")
	if !ok || !ok2 || len(style) < 1000 {
		t.Fatal("the page has no style sheet")
	}
	return style
}

func TestThePolicyAllowsTheStyleSheetAndNothingElse(t *testing.T) {
	st, sess := fill(t, "x")
	b, err := export.Collect(t.Context(), st, sess, "second")
	check(t, err)
	data, err := export.HTML(t.Context(), b, &b.Runs[0], export.Report{})
	check(t, err)
	sum := sha256.Sum256([]byte(pageStyleOf(t, string(data))))
	want := `content="default-src &#39;none&#39;; style-src &#39;sha256-` + html.EscapeString(base64.StdEncoding.EncodeToString(sum[:]))
	head, _, _ := strings.Cut(string(data), "<style>")
	if !strings.Contains(strings.ReplaceAll(head, "&#43;", "+"), strings.ReplaceAll(want, "&#43;", "+")) || strings.Contains(head, "unsafe") {
		t.Errorf("the policy is not that of the style sheet: %s", head)
	}
}

func TestTheReportIsMarkdownOnly(t *testing.T) {
	st, sess := fill(t, evil)
	b, err := export.Collect(t.Context(), st, sess)
	check(t, err)
	data, err := export.Markdown(t.Context(), b, &b.Runs[0], export.Report{Command: evil})
	check(t, err)
	text := string(data)
	// Outside of fences there is no markup that came from the session.
	inside, fence := false, ""
	for line := range strings.Lines(text) {
		bar := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case !inside && len(bar) >= 3:
			inside, fence = true, bar
		case inside && line == fence+"\n":
			inside = false
		case !inside:
			if strings.Contains(line, "<") || strings.Contains(strings.ReplaceAll(line, `\]`, ""), "](") || strings.Contains(strings.ReplaceAll(line, "\\`", ""), "`") {
				t.Errorf("a line holds markup: %s", line)
			}
			if strings.HasPrefix(line, "| 1") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 9 {
				t.Errorf("a row of the table has other columns: %s", line)
			}
		}
	}
	if inside {
		t.Error("a fence is not closed")
	}
	for _, want := range []string{"| step | pass |", "## Result", "@@ -1 +1 @@", "-    return R.add(x, 1)", "+    return R.add(x, 2)", "~    y = R.exp(x)", "~    z = R.exp(x)", "changed, +1 -1, 1 renamed", "> on everything"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}
