package lesson_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/lesson"
)

const head = "---\ntitle: One\nsummary: Two.\nmodel: mlp\n"

// TestParse reads a lesson with every part.
func TestParse(t *testing.T) {
	l, err := lesson.Parse("10-one-two.md", []byte(head+`part: Fusion
level: 3
opt_level: 1
disabled: [FuseOps]
config: {tir.disable_vectorize: true, relax.FuseOps.max_depth: 2}
pipeline: [LegalizeOps, {FuseOps: {fuse_opt_level: 0}}]
may_change: [order, scripts]
---

Lead with [a place](?pass=FuseOps&function=main&line=3 "x") and <b>no tag</b>.

`+"```starlark script own.star\nx = 1\n```"+`

## First *step*

Text.

`+"```yaml question\nask: Which?\nchoices: [a, b]\n```\n\n```starlark check\ndef check(answer):\n    return answer == \"a\"\n```"+`

### More

Inside.

### Hint

One.

### Hint

Two.

### Solution

Because.

`+"```yaml answer\nanswer: a\nopt_level: 2\n```\n\n```starlark script own.star\nx = 2\n```"+`

### Wrong answer

`+"```yaml answer\nanswer: b\n```\n\n```python edit FuseOps#1\ndef main(): pass\n```"+`

## Second

`+"```python\nshown = 1\n```\n"))
	if err != nil {
		t.Fatal(err)
	}
	if l.Name != "one-two" || l.Title != "One" || l.Part != "Fusion" || l.Level != 3 || len(l.MayChange) != 2 || len(l.Steps) != 2 {
		t.Errorf("%+v", l)
	}
	if !strings.Contains(l.Lead, `<a href="?pass=FuseOps&amp;function=main&amp;line=3" title="x">`) || !strings.Contains(l.Lead, "&lt;b&gt;no tag") {
		t.Errorf("lead %q", l.Lead)
	}
	s := l.Settings
	if s.OptLevel != 1 || len(s.Steps) != 2 || s.Steps[1].Options["fuse_opt_level"] != 0.0 || s.Config["relax.FuseOps.max_depth"] != 2.0 || s.Scripts[0].Source != "x = 1\n" {
		t.Errorf("settings %+v", s)
	}
	a := l.Steps[0]
	if !strings.Contains(a.HTML, "<h4>More</h4>\n<p>Inside.</p>") || len(a.Hints) != 2 || a.Question.Choices[1] != "b" || a.Solution.HTML != "<p>Because.</p>\n<pre tabindex=\"0\"><code class=\"language-starlark\">x = 2\n</code></pre>" {
		t.Errorf("step %+v", a)
	}
	if a.Solution.Text != "a" || a.Solution.Settings.OptLevel != 2 || a.Solution.Settings.Scripts[0].Source != "x = 2\n" || a.Wrong[0].Text != "b" || l.Settings.Scripts[0].Source != "x = 1\n" {
		t.Errorf("answers %+v %+v", a.Solution, a.Wrong)
	}
	if p := a.Wrong[0].Settings.Patches; len(p) != 1 || p[0].After != "FuseOps#1" || p[0].Text != "def main(): pass\n" || a.Solution.Settings.Patches != nil {
		t.Errorf("edits %+v", p)
	}
	// The check stands at its line of the file.
	line := 1 + strings.Count(a.Check.Source[:strings.Index(a.Check.Source, "def")], "\n")
	if line != 30 || !strings.Contains(l.Steps[1].HTML, "shown = 1") {
		t.Errorf("the check is at line %d; second step %q", line, l.Steps[1].HTML)
	}
}

// TestErrors: what is wrong with the form of a lesson is said with its place.
func TestErrors(t *testing.T) {
	const step = "---\n\n## A\n\n"
	for in, want := range map[string]string{
		"# Title\n":                                       "x.md:1:1: a lesson begins with a line ---",
		"---\ntitle: a\n":                                 "x.md:1:1: a lesson begins with a line ---",
		"---\ntitle: [a\n---\n":                           "x.md:3:1: while parsing a flow sequence",
		"---\ntitel: a\n---\n":                            `x.md:2:1: there is no key "titel"`,
		"---\ntitle: a\ntitle: b\n---\n":                  `x.md:3:1: the key "title" is there twice`,
		head + "level: 9\n" + step:                        `x.md:5:8: got "9", want a number from 1 to 3`,
		head + "disabled: FuseOps\n" + step:               "x.md:5:11: want a list",
		head + "config: &a {x: 1}\nrequired: *a\n" + step: "x.md:6:11: want a list",
		head + "config: {x: *a}\n" + step:                 "x.md:5:",
		head + "may_change: [all]\n" + step:               "x.md:5:14: an answer cannot be free to change",
		head + "---\n\nText.\n":                           "x.md:1:1: the lesson has no steps",
		"---\ntitle: a\nsummary: b\n" + step:              "x.md:1:1: a lesson has either a model",
		head + "---\n\n### Hint\n\n## A\n":                `x.md:7:5: "Hint" belongs below a step`,
		head + step + "# B\n":                             "x.md:9:3: the title of a lesson is in its front matter",
		head + step + "```starlark chekc\n```\n":          `x.md:9:4: a block cannot be "starlark chekc"`,
		head + step + "```python module\nx\n```\n":        `x.md:9:4: the block "python module" cannot stand here`,
		head + step + "```python edit FuseOps\nx\n```\n":  `x.md:9:4: the block "python edit" cannot stand here`,
		head + step + "### Solution\n\n```yaml answer\nanswer: a\n```\n\n### Wrong answr\n\n```yaml answer\nanswer: b\n```\n": `x.md:17:4: the block "yaml answer" cannot stand here, or not twice`,
		head + step + "### Solution\n\n```python edit a b\n```\n":                                                             `x.md:11:4: the block "python edit" cannot stand here`,
		head + step + "### Solution\n\n```python edit <b>\n```\n":                                                             `x.md:11:1: `,
		head + step + "### Solution\n\n```python edit A\n```\n\n```python edit A\n```\n":                                      `x.md:14:1: there is another edit after A`,
		head + step + "```yaml question\nchoices: [a]\n```\n":                                                                 "x.md:10:1: the question has no text",
		head + step + "```yaml question\nask: a\nno: b\n```\n":                                                                `x.md:11:1: there is no key "no"`,

		head + step + "a\x00b\n":     "x.md:9:2: the character U+0000 cannot be seen",
		head + step + "a\u202eb\n":   "x.md:9:2: the character U+202E cannot be seen",
		head + step + "a\x1b[31mb\n": "x.md:9:2: the character U+001B cannot be seen",
		head + step + "a\xffb\n":     "x.md:9:2: this is not valid UTF-8",

		strings.Repeat("a", 300<<10):              "x.md:1:1: the file has 307200 bytes; the limit is 256 KiB",
		head + step + strings.Repeat("a", 20_000): "x.md:9:10001: the line has 20000 bytes",
	} {
		_, err := lesson.Parse("x.md", []byte(in))
		var errs lesson.Errors
		if !errors.As(err, &errs) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.80q gives %v, want %s", in, err, want)
		}
	}
	if _, err := lesson.Parse("Bad Name.md", []byte(head+step)); err == nil || !strings.Contains(err.Error(), "want a file name") {
		t.Errorf("a bad name gives %v", err)
	}
}

// TestHostileLessons: bombs of YAML and Markdown end soon, with an error or a text that holds no markup of its own.
func TestHostileLessons(t *testing.T) {
	bomb := "config: {a: &a [1,1,1,1,1,1,1,1]"
	for c := 'b'; c < 'k'; c++ {
		bomb += ", " + string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ",") + "]"
	}
	for name, in := range map[string]string{
		"aliases":  head + bomb + "}\n---\n\n## A\n",
		"nested":   head + "config: " + strings.Repeat("[", 4000) + strings.Repeat("]", 4000) + "\n---\n\n## A\n",
		"quotes":   head + "---\n\n## A\n\n" + strings.Repeat(strings.Repeat("> ", 100)+"a\n", 500),
		"hidden":   head + "---\n\n## A\n\n- a\n  ```\n~~~\n```\n~~~\n\n" + strings.Repeat(strings.Repeat("*a_", 3000)+"\n", 20),
		"brackets": head + "---\n\n## A\n\n" + strings.Repeat(strings.Repeat("[", 5000)+"\n", 20),
		"stars":    head + "---\n\n## A\n\n" + strings.Repeat(strings.Repeat("*a_", 3000)+"\n", 20),
		"steps":    head + "---\n" + strings.Repeat("\n## A\n", 20_000),
		"markup":   head + "---\n\n## <script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [x](javascript:alert(1))\n\n<svg/onload=alert(1)>\n",
	} {
		begin := time.Now()
		l, err := lesson.Parse("x.md", []byte(in))
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
		if (err != nil) != (name != "markup") {
			t.Errorf("%s gives the error %.300v", name, err)
		}
		if name == "markup" && (strings.Contains(l.Steps[0].HTML, "<img") || strings.Contains(l.Steps[0].HTML, "<svg") || strings.Contains(l.Steps[0].HTML, `"javascript:`)) {
			t.Errorf("markup becomes %q", l.Steps[0].HTML)
		}
	}
}

// TestOverreach: an answer may change what the lesson leaves free, and nothing else.
func TestOverreach(t *testing.T) {
	l := &lesson.Lesson{Settings: request.Settings{OptLevel: 2, Disabled: []string{"A"}}}
	plan := []string{"A", "B", "C"}
	ok := func(what string, s request.Settings, now []string, free ...lesson.Freedom) {
		t.Helper()
		l.MayChange = []lesson.Freedom{}
		if says := l.Overreach(s, plan, now); says == "" {
			t.Errorf("%s is free where nothing is", what)
		}
		l.MayChange = free
		if says := l.Overreach(s, plan, now); says != "" {
			t.Errorf("%s is not free: %s", what, says)
		}
		l.MayChange = nil
		if says := l.Overreach(s, plan, now); says != "" {
			t.Errorf("%s is not free where all is: %s", what, says)
		}
	}
	same := l.Settings
	ok("another order", same, []string{"B", "A", "C"}, lesson.Order)
	ok("a pass less", same, []string{"A", "C"}, lesson.Passes)
	ok("another level", request.Settings{OptLevel: 3, Disabled: []string{"A"}}, plan, lesson.OptLevel)
	ok("no pass off", request.Settings{OptLevel: 2}, plan, lesson.Disabled)
	ok("a required pass", request.Settings{OptLevel: 2, Disabled: []string{"A"}, Required: []string{"B"}}, plan, lesson.Required)
	ok("an option", request.Settings{OptLevel: 2, Disabled: []string{"A"}, Config: map[string]any{"x": 1.0}}, plan, lesson.Config)
	ok("an edit", request.Settings{OptLevel: 2, Disabled: []string{"A"}, Patches: []request.Patch{{After: "A"}}}, []string{"A", "edit.A", "B", "C"}, lesson.Edits)
	ok("a script", request.Settings{OptLevel: 2, Disabled: []string{"A"}, Scripts: []request.Script{{Name: "a.star"}}}, []string{"A", "user.P", "B", "C"}, lesson.Scripts)
	ok("options of a pass", request.Settings{OptLevel: 2, Disabled: []string{"A"}, Steps: []request.Step{{Name: "A", Options: map[string]any{"o": 1}}, {Name: "B"}, {Name: "C"}}}, plan, lesson.Passes)
	l.MayChange = []lesson.Freedom{}
	if says := l.Overreach(request.Settings{OptLevel: 2, Disabled: []string{"A"}, Seed: 7}, plan, plan); says == "" {
		t.Error("other inputs are free")
	}
	if says := l.Overreach(request.Settings{OptLevel: 2, Disabled: []string{"A"}, Config: map[string]any{"tir.instrument_bound_checkers": true}}, plan, plan); says != "" {
		t.Errorf("what goes without saying for a text is a change: %s", says)
	}
}

// TestLoad reads a folder: in the order of the names, without README.md, and with all errors of all files.
func TestLoad(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	good := head + "---\n\n## A\n"
	list, err := lesson.Load(fstest.MapFS{"20-b.md": file(good), "10-a.md": file(good), "README.md": file("# Not one"), "c.txt": file("")})
	if err != nil || len(list) != 2 || list[0].Name != "a" {
		t.Fatalf("%v %v", list, err)
	}
	if l, i := lesson.Find(list, "b"); l == nil || i != 1 {
		t.Errorf("found %v at %d", l, i)
	}
	_, err = lesson.Load(fstest.MapFS{"a.md": file("x"), "b.md": file(head + "---\n")})
	if err == nil || err.Error() != "a.md:1:1: a lesson begins with a line ---, keys such as title, and another line ---\nb.md:1:1: a lesson begins with a line ---, keys such as title, and another line ---" &&
		!strings.Contains(err.Error(), "b.md:1:1: the lesson has no steps") {
		t.Errorf("errors %v", err)
	}
	if _, err := lesson.Load(fstest.MapFS{}); err == nil {
		t.Error("an empty folder is no error")
	}
}
