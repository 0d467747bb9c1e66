package export_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/ascii85"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/web/export"
)

// pageFile is what lies packed in an exported page.
type pageFile struct {
	Theme, Style, Script, Run string
	Events                    []struct {
		Type string
		Body struct {
			Functions []struct {
				Text, Before, After string
				Hunks               []any
			}
			Kernels []struct{ Text string }
		}
	}
	Packed struct {
		Classes []string
		Texts   map[string]struct{ Exact, Compact []int }
		Diffs   map[string]struct {
			Layouts map[string]struct{ Rows []int }
		}
	}
	cells []string
}

// openPage returns the head of a page, and what lies packed in it.
func openPage(t *testing.T, page string) (head string, file pageFile) {
	t.Helper()
	head, rest, ok := strings.Cut(page, `<script type="text/plain" id="file">`)
	data, _, ok2 := strings.Cut(rest, "</script>")
	if !ok || !ok2 {
		t.Fatalf("the page holds no file: %.500s", page)
	}
	r, err := gzip.NewReader(ascii85.NewDecoder(strings.NewReader(strings.ReplaceAll(data, "v", "<"))))
	check(t, err)
	text, err := io.ReadAll(r)
	check(t, err)
	first, cells, _ := strings.Cut(string(text), "\n")
	check(t, json.Unmarshal([]byte(first), &file))
	file.cells = strings.Split(cells, "\n")
	return head, file
}

func TestNothingHostileSurvivesOnThePage(t *testing.T) {
	st, sess := fill(t, evil)
	b, err := export.Collect(t.Context(), st, sess)
	check(t, err)
	if len(b.Runs) != 2 {
		t.Fatalf("%d runs are exported, want the two that finished", len(b.Runs))
	}
	data, err := export.HTML(t.Context(), b, &b.Runs[0], export.Page{Body: "<main></main>", Answers: map[string]any{"/a": 1}})
	check(t, err)
	page := string(data)
	head, file := openPage(t, page)
	// What stands in the document as it is: its own tags, the title as text, and the script that unpacks the rest.
	if got := regexp.MustCompile(`<[a-zA-Z/][^>]*>`).FindAllString(head, -1); len(got) != 17 {
		t.Errorf("the head has the tags %q", got)
	}
	if !strings.Contains(head, html.EscapeString("alert(1)</script>")) || strings.Contains(head, "\u202e") {
		t.Errorf("the title is not text: %s", head)
	}
	if strings.Count(page, "</script>") != 2 {
		t.Error("something closes a script")
	}
	if strings.Contains(page, "session\"") || strings.Contains(page, sess.ID+`"`) {
		t.Error("the page holds an id")
	}
	// The texts are there, and what names them names them alike.
	for _, e := range file.Events {
		for _, f := range e.Body.Functions {
			if len(f.Hunks) > 0 {
				t.Error("an event repeats a difference")
			}
			for _, name := range []string{f.Text, f.Before, f.After} {
				if _, ok := file.Packed.Texts[name]; name != "" && !ok {
					t.Errorf("%s names the text %q, which is not there", e.Type, name)
				}
			}
			if f.Before != "" {
				if d := file.Packed.Diffs[f.Before+"/"+f.After]; len(d.Layouts["unified exact"].Rows) == 0 || len(d.Layouts["split exact"].Rows) == 0 {
					t.Errorf("the difference of %s and %s is not there: %+v", f.Before, f.After, d)
				}
			}
		}
		for _, k := range e.Body.Kernels {
			if _, ok := file.Packed.Texts[k.Text]; !ok {
				t.Errorf("the code %q is not there", k.Text)
			}
		}
	}
	if !slices.ContainsFunc(file.cells, func(c string) bool { return strings.Contains(c, "<script src=//evil") }) {
		t.Error("the lines are not there")
	}
}

func TestThePolicyAllowsItsOwnScriptAndStyleAndNothingElse(t *testing.T) {
	st, sess := fill(t, "x")
	b, err := export.Collect(t.Context(), st, sess, "second")
	check(t, err)
	data, err := export.HTML(t.Context(), b, &b.Runs[0], export.Page{})
	check(t, err)
	head, file := openPage(t, string(data))
	_, last, _ := strings.Cut(string(data), "</script>\n<script>")
	last, _, _ = strings.Cut(last, "</script>")
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; script-src " + hash(last) + " " + hash(file.Theme) + " " + hash(file.Script) + "; style-src " + hash(file.Style) + "; img-src data:; base-uri 'none'; form-action 'none'"
	if got := html.UnescapeString(head); !strings.Contains(got, `content="`+want+`"`) {
		t.Errorf("the policy is not %s: %s", want, head)
	}
	if len(file.Script) < 50_000 || len(file.Style) < 10_000 || strings.Contains(file.Style, "url(") {
		t.Errorf("the script has %d bytes, the style %d", len(file.Script), len(file.Style))
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
