package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// everyChecker checks two steps, and counts how often it is asked.
type everyChecker struct {
	run.Compiler
	asked   *int
	refuse  bool
	stopped string
}

func (x everyChecker) CheckEveryPass(ctx context.Context, req run.Request, each func(check.Step)) (*check.Report, error) {
	*x.asked++
	if x.refuse || req.Source.Name != "mlp" {
		return nil, &event.Error{Kind: event.KindInput, Message: "nothing to execute"}
	}
	if _, ok := ctx.Deadline(); !ok {
		return nil, &event.Error{Kind: event.KindInput, Message: "there is no limit"}
	}
	steps := []check.Step{{Status: check.Same, Changed: true}, {Path: "1/A", Pass: "A", Status: check.Wrong, Changed: true}}
	for _, s := range steps {
		each(s)
	}
	return &check.Report{Steps: steps, Fault: &check.Fault{Step: 1, Pass: "A"}, Stopped: x.stopped}, nil
}

// TestCheckEveryPass asks for a check: a line for each step and one for the report, which is kept, unless it was stopped.
func TestCheckEveryPass(t *testing.T) {
	for _, stopped := range []string{"", "it took too long"} {
		n := 0
		s := open(t, func(c *web.Config) { c.Compiler = everyChecker{asked: &n, stopped: stopped} })
		at := "/api/runs/" + s.create("mlp").Session.Runs[0] + "/check"
		first := s.get(at).want(t, http.StatusOK, `{"report":`).body
		second := s.get(at).want(t, http.StatusOK, `"pass":"A"`).body
		if lines := strings.Split(strings.TrimSpace(first), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], `{"step":{"path":"1/A","pass":"A","status":"wrong"`) || first != second {
			t.Errorf("the answers are\n%s\n%s", first, second)
		}
		if stopped == "" && n != 1 || stopped != "" && n != 2 {
			t.Errorf("stopped %q: the check was made %d times", stopped, n)
		}
	}
	n := 0
	s := open(t, func(c *web.Config) { c.Compiler = everyChecker{asked: &n, refuse: true} })
	s.get("/api/runs/"+s.create("mlp").Session.Runs[0]+"/check").want(t, http.StatusUnprocessableEntity, "nothing to execute")
	s.get("/api/runs/nothing/check").want(t, http.StatusNotFound)
	bare := open(t, nil)
	bare.get("/api/runs/x/check").want(t, http.StatusNotImplemented)
}

// TestReportOfACheckIsKept makes a check, and asks a second server over the same store for it: nothing is checked again, and the exports have it.
func TestReportOfACheckIsKept(t *testing.T) {
	st := store.NewMemory(64 << 20)
	n := 0
	with := func(c *web.Config) { c.Store, c.Compiler = st, everyChecker{asked: &n} }
	s := open(t, with)
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	if page := unpacked(t, s.get("/s/"+made.ID+"/export.html").body); strings.Contains(page, "/api/runs/1/check") {
		t.Error("a page has a report that was not made")
	}
	unchecked := s.get("/api/sessions/"+made.ID+"/export.zip").want(t, http.StatusOK).body
	at := "/api/runs/" + made.Runs[0] + "/check"
	first := s.get(at).want(t, http.StatusOK, `{"report":`).body
	next := open(t, with)
	if second := next.get(at).want(t, http.StatusOK).body; second != first || n != 1 {
		t.Errorf("after %d checks the second server says\n%s", n, second)
	}
	for _, x := range []*site{s, next} {
		if page := unpacked(t, x.get("/s/"+made.ID+"/export.html").body); !strings.Contains(page, `"/api/runs/1/check":{`) || !strings.Contains(page, `"status":"wrong"`) {
			t.Error("the exported page lacks the report")
		}
		x.get("/s/"+made.ID+"/export.md").want(t, http.StatusOK, "## Check of every pass", "is the first pass whose result is wrong**.", "| 1/A | wrong | ")
	}
	// An archive has it, too. Who imports that sees it; a run of the same request that comes without one is checked.
	archive := s.get("/api/sessions/"+made.ID+"/export.zip").want(t, http.StatusOK).body
	m := 0
	elsewhere := open(t, func(c *web.Config) { c.Compiler = everyChecker{asked: &m} })
	got := elsewhere.get("/api/runs/"+elsewhere.imported(archive)+"/check").want(t, http.StatusOK).body
	if got != first || m != 0 {
		t.Errorf("after %d checks the server that imported it says\n%s", m, got)
	}
	elsewhere.get("/api/runs/"+elsewhere.imported(unchecked)+"/check").want(t, http.StatusOK, `{"report":`)
	if m != 1 {
		t.Errorf("the passes of a run that came without a report were checked %d times", m)
	}
}

// imported imports an archive and returns the run of its session.
func (s *site) imported(archive string) string {
	s.t.Helper()
	return decode[sessionAnswer](s.t, s.do("POST", "/api/sessions", archive, "Content-Type", "application/zip").want(s.t, http.StatusCreated)).Session.Runs[0]
}

// breakingChecker checks a step, and then does something that ends the check.
type breakingChecker struct {
	run.Compiler
	then func() error
}

func (x breakingChecker) CheckEveryPass(_ context.Context, _ run.Request, each func(check.Step)) (*check.Report, error) {
	each(check.Step{Status: check.Same})
	return nil, x.then()
}

// headCounter counts the heads of an answer.
type headCounter struct {
	*httptest.ResponseRecorder
	heads int
}

func (c *headCounter) WriteHeader(status int) {
	c.heads++
	c.ResponseRecorder.WriteHeader(status)
}

// TestCheckBreaksOff: behind lines that are sent, no other answer follows. Where somebody may still read, the answer breaks off.
func TestCheckBreaksOff(t *testing.T) {
	for _, gone := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		then := func() error {
			if gone {
				cancel()
			}
			return errors.New("no more")
		}
		s := open(t, func(c *web.Config) { c.Compiler = breakingChecker{then: then} })
		r := httptest.NewRequest(http.MethodGet, "/api/runs/"+s.create("mlp").Session.Runs[0]+"/check", nil).WithContext(ctx)
		r.Host = "127.0.0.1"
		w := &headCounter{ResponseRecorder: httptest.NewRecorder()}
		aborted := func() (aborted bool) {
			defer func() { aborted = recover() == http.ErrAbortHandler }()
			s.server.ServeHTTP(w, r)
			return false
		}()
		cancel()
		if w.heads > 0 || aborted == gone || strings.Count(w.Body.String(), "\n") != 1 || !strings.HasPrefix(w.Body.String(), `{"step":`) {
			t.Errorf("gone is %v: %d heads behind the lines, aborted is %v: %s", gone, w.heads, aborted, w.Body)
		}
	}
}
