package lesson

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// Bench is what Try works with: a manager of runs, the compiler behind it, and the store of both.
type Bench struct {
	Runs     *run.Manager
	Compiler run.Compiler
	Store    store.Store
	Catalog  *catalog.Catalog
}

// author is the visitor who runs lessons to try them.
const author = "author"

// Try does what students do: it runs each lesson, gives the checks the solutions of their steps, which they must take, and the wrong
// answers, which they must refuse with a word of explanation, and follows the links to places. Verify comes first: Try takes for granted
// what that checks. The error is of type Errors, or one of the compiler or the context.
func Try(ctx context.Context, list []*Lesson, b Bench) error {
	var errs Errors
	for _, l := range list {
		t := &trying{Bench: b, ctx: ctx, l: l}
		if err := t.lesson(); err != nil {
			return fmt.Errorf("try lesson %s: %w", l.File, err)
		}
		errs = append(errs, t.errs...)
	}
	return errs.sorted()
}

// trying is the state of trying a lesson.
type trying struct {
	Bench
	ctx   context.Context
	l     *Lesson
	src   store.Source
	start *run.Judged
	errs  Errors
}

func (t *trying) fail(at pos, format string, args ...any) {
	t.errs = append(t.errs, &Error{t.l.File, at.line, at.col, fmt.Sprintf(format, args...)})
}

func (t *trying) lesson() (err error) {
	sess, err := session.FromLesson(t.ctx, t.Store, t.l.Begin(), session.NewToken())
	if err != nil {
		return err
	}
	t.src = sess.Source
	if t.start, err = t.run(t.l.Settings); err != nil {
		return err
	}
	for i := range t.l.Steps {
		if s := &t.l.Steps[i]; s.Check != nil {
			if err := t.step(s); err != nil {
				return fmt.Errorf("step %q: %w", s.Title, err)
			}
		}
	}
	return t.links()
}

// step gives the check of a step all answers that the lesson has.
func (t *trying) step(s *Step) error {
	begin := pos{1 + leading(s.Check.Source), 1}
	v, ok, err := t.answer(s, s.Solution.Answer)
	if err != nil {
		return err
	}
	if ok && !v.OK {
		t.fail(s.Solution.at, "the check refuses the solution: %s", said(v))
	}
	for _, wrong := range s.Wrong {
		v, ok, err := t.answer(s, wrong)
		switch {
		case err != nil:
			return err
		case ok && v.OK:
			t.fail(wrong.at, "the check takes this wrong answer")
		case ok && v.Says == "":
			t.fail(wrong.at, "the check refuses this wrong answer without a word: return a text that says what is missing")
		}
	}
	if s.Solution.Settings == nil || s.Question != nil {
		return nil
	}
	if v, ok, err = t.answer(s, Answer{}); err == nil && ok && v.OK {
		t.fail(begin, "the check is met before anything was done")
	}
	return err
}

func said(v run.Verdict) string {
	if v.Says == "" {
		return "it says nothing"
	}
	return v.Says
}

// answer has the check of a step judge an answer, as the server does. It is not ok where the check itself fails, which is reported.
func (t *trying) answer(s *Step, a Answer) (v run.Verdict, ok bool, err error) {
	of := t.start
	if a.Settings != nil {
		if of, err = t.run(*a.Settings); err != nil {
			return v, false, err
		}
	}
	if says := t.l.Overreach(of.Request.Settings, t.start.Events.Planned(), of.Events.Planned()); says != "" {
		return run.Verdict{Says: "it changes what the lesson does not leave free: " + says}, true, nil
	}
	v, err = t.Compiler.Judge(t.ctx, run.Question{Check: *s.Check, Run: of, Start: t.start, Answer: &a.Text})
	var known *event.Error
	if errors.As(err, &known) {
		at, message := placed(t.l.File, known.Message, pos{1 + leading(s.Check.Source), 1})
		for _, e := range t.errs {
			if e.Message == message && e.Line == at.line && e.Col == at.col {
				return v, false, nil // another answer had met it
			}
		}
		t.fail(at, "%s", message)
		return v, false, nil
	}
	return v, err == nil, err
}

// placed takes the place off a message that begins with file:line:col.
func placed(file, message string, otherwise pos) (at pos, rest string) {
	if in, ok := strings.CutPrefix(message, file+":"); ok {
		line, in, _ := strings.Cut(in, ":")
		col, said, found := strings.Cut(in, ": ")
		l, errLine := strconv.Atoi(line)
		c, errCol := strconv.Atoi(col)
		if found && errLine == nil && errCol == nil {
			return pos{l, max(c, 1)}, said
		}
	}
	return otherwise, message
}

// run runs the module of the lesson to its end.
func (t *trying) run(s request.Settings) (*run.Judged, error) {
	req := run.Request{Source: t.src, Settings: Complete(s, t.Catalog.Defaults(t.src))}
	info, err := t.Runs.Start(t.ctx, author, t.l.Name, req)
	if err != nil {
		return nil, fmt.Errorf("start the run: %w", err)
	}
	log, err := t.Runs.Log(t.ctx, info.ID)
	if err != nil {
		return nil, err
	}
	for n, sealed := 0, false; !sealed; n, _ = log.Len() {
		if _, sealed, err = log.Next(t.ctx, n); err != nil {
			return nil, err
		}
	}
	state, _, err := t.Runs.State(t.ctx, info.ID)
	if err != nil {
		return nil, err
	}
	req.Settings, req.Limits = info.Settings, run.DefaultLimits()
	return &run.Judged{Request: req, Events: state}, nil
}

// links follows the links to places: pass, function and line are there in the first run, and the line has the text that the title says.
func (t *trying) links() error {
	r := t.start.Events
	for _, link := range t.l.places.links {
		q, err := url.ParseQuery(strings.TrimPrefix(link.query, "?"))
		if err != nil {
			t.fail(link.pos, "the link is no query: %v", err)
			continue
		}
		step, found := t.named(q.Get("pass"))
		if !found {
			t.fail(link.pos, "the link leads to the pass %q, and the first run has none of that name", q.Get("pass"))
			continue
		}
		name := q.Get("function")
		if name == "" {
			continue
		}
		hash := ""
		for _, f := range r.FunctionsAfter(step) {
			if f.Name == name {
				hash = f.Text
			}
		}
		if hash == "" {
			t.fail(link.pos, "the link leads to the function %q, which is not there after that pass", name)
			continue
		}
		blob, err := t.Store.Blob(t.ctx, hash)
		if err != nil {
			return fmt.Errorf("read a text: %w", err)
		}
		if at := q.Get("line"); at != "" {
			t.line(link, strings.Split(string(blob.Data), "\n"), at)
		}
	}
	return nil
}

// named returns the first step of a name, nil for the module as it was read.
func (t *trying) named(name string) (step *event.Step, found bool) {
	for _, s := range t.start.Events.All() {
		if s.Name == name {
			return s, true
		}
	}
	return nil, name == event.ImportStep
}

// line checks that a link to a line has the title of what stands there.
func (t *trying) line(link link, lines []string, at string) {
	n, err := strconv.Atoi(at)
	switch {
	case err != nil || n < 1 || n > len(lines):
		t.fail(link.pos, "the link leads to line %.20q, want 1 to %d", at, len(lines))
	case link.title == "":
		t.fail(link.pos, `the link leads to line %d and does not say what stands there: [text](?query "part of the line")`, n)
	case !strings.Contains(lines[n-1], link.title):
		var found []string
		for i, line := range lines {
			if strings.Contains(line, link.title) {
				found = append(found, strconv.Itoa(i+1))
			}
		}
		where := "none has it"
		if len(found) > 0 {
			where = "these have it: " + strings.Join(found, ", ")
		}
		t.fail(link.pos, "line %d is %q and does not have %q; %s", n, strings.TrimSpace(lines[n-1]), link.title, where)
	}
}
