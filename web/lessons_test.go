package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// judging answers checks: "right" is right, "fault" fails, and anything else is wrong. It wants a run and the first one.
type judging struct{ run.Compiler }

func (judging) Judge(_ context.Context, q run.Question) (run.Verdict, error) {
	switch {
	case q.Run == nil || q.Start == nil || q.Start.Request.Settings.OptLevel != 1:
		return run.Verdict{Says: "no runs"}, nil
	case *q.Answer == "fault":
		return run.Verdict{}, &event.Error{Kind: event.KindInput, Message: "10-fusion.md:9:1: no <such> name"}
	}
	return run.Verdict{OK: *q.Answer == "right", Says: map[bool]string{false: "no"}[*q.Answer == "right"]}, nil
}

const fusion = `---
title: Fusion <b>
summary: Two sentences.
model: mlp
opt_level: 1
may_change: [disabled]
---

Lead.

## Ask

` + "```yaml question\nask: Which?\nchoices: [right, wrong]\n```\n\n```starlark check\ndef check(answer):\n    pass\n```" + `

### Hint

A hint.

### Solution

Text.

` + "```yaml answer\ndisabled: [FuseOps]\nanswer: right\n```\n\n## Read\n\nOnly text.\n"

// withLessons is a site with a lesson.
func withLessons(t *testing.T, more ...func(*web.Config)) *site {
	t.Helper()
	l, err := lesson.Parse("10-fusion.md", []byte(fusion))
	if err != nil {
		t.Fatal(err)
	}
	return open(t, func(c *web.Config) {
		c.Compiler, c.Lessons = judging{}, []*lesson.Lesson{l}
		for _, change := range more {
			change(c)
		}
	})
}

// TestLesson begins a lesson, and has answers checked.
func TestLesson(t *testing.T) {
	s := withLessons(t)
	s.get("/lessons").want(t, http.StatusOK, "Fusion &lt;b&gt;", `value="fusion"`)
	s.get("/api/lessons").want(t, http.StatusOK, `{"name":"fusion","title":"Fusion \u003cb\u003e","summary":"Two sentences.","part":"Lessons","level":1,"steps":2}`)
	s.post("/api/sessions", `{"lesson":"fission"}`).want(t, http.StatusBadRequest, "there is no lesson")
	a := s.post("/api/sessions", `{"lesson":"fusion"}`)
	a.want(t, http.StatusCreated, `"opt_level":1`)
	var made struct {
		Session struct {
			ID   string
			Runs []string
		}
	}
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || len(made.Session.Runs) != 1 {
		t.Fatalf("%s %v", a.body, err)
	}
	id, first := made.Session.ID, made.Session.Runs[0]
	s.finished(first)
	page := s.get("/s/" + id)
	page.want(t, http.StatusOK, `id="lesson"`, "Lead.", `type="radio" name="answer" value="right"`, "A hint.", `data-checked="false"`)
	if strings.Contains(page.body, "<p>Text.</p>") {
		t.Error("the solution comes with the page")
	}
	if without := s.get("/s/" + s.create("mlp").Session.ID).body; strings.Contains(without, `id="lesson"`) {
		t.Error("a session without a lesson shows one")
	}
	at := "/api/sessions/" + id + "/lessons/fusion"
	s.get(at).want(t, http.StatusOK, `"opt_level":1`)
	s.get(at+"/steps/1/solution").want(t, http.StatusOK, `"answer":"right"`, `"disabled":["FuseOps"]`, `"opt_level":1`)
	s.get(at+"/steps/2/solution").want(t, http.StatusNotFound, "has no solution")
	s.get(at+"/steps/3/solution").want(t, http.StatusNotFound, "no such step")

	check := at + "/steps/1/check"
	s.post(check, `{"run":"`+first+`","answer":"right"}`).want(t, http.StatusOK, `{"ok":true,"says":""}`)
	s.post(check, `{"run":"`+first+`","answer":"wrong"}`).want(t, http.StatusOK, `{"ok":false,"says":"no"}`)
	s.post(check, `{"run":"`+first+`","answer":"fault"}`).want(t, http.StatusUnprocessableEntity, "the check of this step failed")
	s.post(check, `{"run":"`+first+`","answer":"`+strings.Repeat("a", 2001)+`"}`).want(t, http.StatusBadRequest, "the limit is 2000")
	s.post(check, `{"rum":""}`).want(t, http.StatusBadRequest, "rum")
	s.post(at+"/steps/2/check", `{"run":"`+first+`"}`).want(t, http.StatusBadRequest, "no check")
	s.post("/api/sessions/"+id+"/lessons/none/steps/1/check", `{}`).want(t, http.StatusNotFound, "no such lesson")

	// What the lesson does not leave free is said.
	more := s.start(id, `{"opt_level":1,"target":"wasm","bindings":[{"batch":1},{"batch":3}],"disabled":["FuseOps"]}`)
	s.post(check, `{"run":"`+more+`","answer":"right"}`).want(t, http.StatusOK, `{"ok":true`)
	more = s.start(id, `{"opt_level":2,"target":"wasm","bindings":[{"batch":1},{"batch":3}]}`)
	s.post(check, `{"run":"`+more+`","answer":"right"}`).want(t, http.StatusOK, "opt_level is 2, and was 1 at first")

	// The run of another session is none of this one's, even for who knows its id, and a session without the first run has to be reset.
	other := s.another()
	theirs := other.create("mlp").Session.ID
	run := other.start(theirs, `{"opt_level":3}`)
	s.post(check, `{"run":"`+run+`","answer":"right"}`).want(t, http.StatusNotFound, "does not belong to this session")
	other.post("/api/sessions/"+theirs+"/lessons/fusion/steps/1/check", `{"run":"`+run+`","answer":"right"}`).want(t, http.StatusConflict, "press Reset")
}

// TestLessonStays: a fork, a snapshot, an archive, and the same store under another server have the lesson too. A server that does not have
// it shows the session without.
func TestLessonStays(t *testing.T) {
	st := store.NewMemory(1 << 30)
	s := withLessons(t, func(c *web.Config) { c.Store = st })
	from := decode[sessionAnswer](t, s.post("/api/sessions", `{"lesson":"fusion"}`).want(t, http.StatusCreated, `"lesson":"fusion"`))
	s.finished(from.Session.Runs[0])
	at := "/api/sessions/" + from.Session.ID
	archive := s.get(at+"/export.zip").want(t, http.StatusOK).body
	fork := s.another().post(at+"/fork", `{}`).want(t, http.StatusCreated, `"lesson":"fusion"`)
	snapshot := s.post(at+"/share", `{}`).want(t, http.StatusOK, `"lesson":"fusion"`)
	restored := s.do("POST", "/api/sessions", archive, "Content-Type", "application/zip").want(t, http.StatusCreated, `"lesson":"fusion"`)
	again, without := withLessons(t, func(c *web.Config) { c.Store = st }), open(t, func(c *web.Config) { c.Store = st })
	for what, a := range map[string]answer{"fork": fork, "snapshot": snapshot, "archive": restored} {
		id := decode[sessionAnswer](t, a).Session.ID
		again.get("/s/"+id).want(t, http.StatusOK, `id="lesson"`, "Lead.")
		if got := without.get("/s/"+id).want(t, http.StatusOK); strings.Contains(got.body, `id="lesson"`) {
			t.Errorf("a server without the lesson shows it beside the %s", what)
		}
	}
}

// TestLessonForm begins a lesson without a script.
func TestLessonForm(t *testing.T) {
	s := withLessons(t)
	a := s.do("POST", "/sessions", "lesson=fusion", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	if to := a.Header.Get("Location"); a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/s/") {
		t.Errorf("%d %q", a.StatusCode, to)
	}
}

// start starts a run and waits for its end.
func (s *site) start(session, settings string) string {
	s.t.Helper()
	a := s.post("/api/sessions/"+session+"/runs", settings)
	var out struct{ Run struct{ ID string } }
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || out.Run.ID == "" {
		s.t.Fatalf("%s %v", a.body, err)
	}
	s.finished(out.Run.ID)
	return out.Run.ID
}
