package inproc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/docs"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/run/inproc"
)

// lessons reads the lessons that come with the program.
func lessons(t *testing.T) []*lesson.Lesson {
	t.Helper()
	list, err := lesson.Load(docs.Lessons())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLessonsAreValid: what the lessons name is there, and their scripts and checks are programs.
func TestLessonsAreValid(t *testing.T) {
	c, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lesson.Verify(t.Context(), lessons(t), &c, open(t, 0).runner); err != nil {
		t.Fatal(err)
	}
}

// TestLessonAnswers gives each check the solution of its step, which it must take, and each wrong answer, of which there is one at least
// and which it must refuse with words, and follows the links to places.
func TestLessonAnswers(t *testing.T) {
	b := open(t, 0)
	for _, l := range lessons(t) {
		t.Run(l.Name, func(t *testing.T) {
			if err := b.try(l); err != nil {
				t.Error(err)
			}
			for i, s := range l.Steps {
				if s.Check != nil && len(s.Wrong) == 0 {
					t.Errorf("step %d (%s) has no wrong answer", i+1, s.Title)
				}
			}
		})
	}
}

// try tries a lesson.
func (b *bench) try(l *lesson.Lesson) error {
	b.t.Helper()
	c, err := inproc.Catalog(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return lesson.Try(b.t.Context(), []*lesson.Lesson{l}, lesson.Bench{Runs: b.manager, Compiler: b.runner, Store: b.store, Catalog: &c})
}

// TestLessonOfTheDocs does the same with the lesson that docs/writing-lessons.md shows.
func TestLessonOfTheDocs(t *testing.T) {
	text, err := docs.Files.ReadFile("writing-lessons.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "````markdown\n")
	whole, _, found := strings.Cut(rest, "````\n")
	l, err := lesson.Parse("10-relu.md", []byte(whole))
	if !found || err != nil {
		t.Fatal(found, err)
	}
	c, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, 0)
	if err := lesson.Verify(t.Context(), []*lesson.Lesson{l}, &c, b.runner); err != nil {
		t.Fatal(err)
	}
	if err := b.try(l); err != nil {
		t.Error(err)
	}
	for _, x := range tried {
		t.Run(x.want, func(t *testing.T) {
			text := strings.Replace(whole, x.was, x.is, 1)
			l, err := lesson.Parse("10-relu.md", []byte(text))
			if err != nil || text == whole {
				t.Fatal(err)
			}
			var errs lesson.Errors
			if err := b.try(l); !errors.As(err, &errs) || !strings.HasPrefix(err.Error(), "10-relu.md:"+x.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// tried are changes of the lesson that docs/writing-lessons.md shows, each with the error that trying it gives.
var tried = []struct{ was, is, want string }{
	{"answer: opt_level\n", "answer: the time\n", "39:5: the check refuses the solution: Which of them is a setting?"},
	{"answer: the time\n", "answer: opt_level\n", "47:5: the check takes this wrong answer"},
	{` or "Which of them is a setting?"`, "", "47:5: the check refuses this wrong answer without a word"},
	{"if run.kernels > 1:", "if run.kernels > 9:", "58:1: the check is met before anything was done\n10-relu.md:74:5: the check takes this wrong answer"},
	{"run.kernels > 1", "run.kernel > 1", "59:8: run has no .kernel field or method"},
	{"opt_level: 1\n", "disabled: [FoldConstant]\n", "68:5: the check refuses the solution: it changes what the lesson does not leave free"},
	{"    if run.kernels > 1:\n", "    while True:\n        pass\n    if run.kernels > 1:\n", "58:1: the script took more than the limit of 2000000 steps"},
	{"pass=LegalizeOps", "pass=LegalizeOp", `10:60: the link leads to the pass "LegalizeOp"`},
	{"function=main", "function=mein", `10:60: the link leads to the function "mein"`},
	{"line=5", "line=500", `10:60: the link leads to line "500"`},
	{"line=5", "line=4", `10:60: line 4 is `},
	{` "cls.add"`, "", `10:60: the link leads to line 5 and does not say`},
}

// TestHostileLessons: what never ends or is too much is refused in the end, with its place, by Verify, which a server does before it starts.
func TestHostileLessons(t *testing.T) {
	c, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, 0)
	const head, step = "---\ntitle: a\nsummary: b\n", "## A\n\n"
	for name, x := range map[string]struct{ text, want string }{
		"a script that never ends": {head + "model: mlp\n---\n\n```starlark script a.star\nwhile True: pass\n```\n\n" + step, "10-x.md:8:"},
		"a check that never ends":  {head + "model: mlp\n---\n\n" + step + "```starlark check\nx = [i for i in range(1 << 60)]\ndef check(): pass\n```\n\n### Solution\n\nSo.\n", "10-x.md:10:"},
		"a check that takes all":   {head + "model: mlp\n---\n\n" + step + "```starlark check\nx = \"a\" * (1 << 50)\ndef check(): pass\n```\n\n### Solution\n\nSo.\n", "10-x.md:10:"},
		"twenty thousand passes":   {head + "model: mlp\npipeline:\n" + strings.Repeat("- FuseOps\n", 20_000) + "---\n\n" + step, "10-x.md:890:1: the paragraph has more than 8000 bytes"},
		"a deep module":            {head + "---\n\n```python module\nx = " + strings.Repeat("((((\n", 20_000) + "\n```\n\n" + step, "10-x.md:"},
		"another deep module":      {head + "---\n\n```python module\nx = " + strings.Repeat(strings.Repeat("-", 9000)+"\\\n", 20) + "1\n```\n\n" + step, "10-x.md:"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := lesson.Parse("10-x.md", []byte(x.text))
			if err == nil {
				err = lesson.Verify(t.Context(), []*lesson.Lesson{l}, &c, b.runner)
			}
			var errs lesson.Errors
			if !errors.As(err, &errs) || !strings.HasPrefix(err.Error(), x.want) || len(err.Error()) > 100_000 {
				t.Errorf("got %.300v", err)
			}
		})
	}
}
