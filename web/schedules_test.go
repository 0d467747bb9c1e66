package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/looptree"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// scheduler knows the kernel matmul. It finds an error in schedules that say "wrong", panics at "panic", and waits for its context at "wait".
type scheduler struct {
	run.Compiler
	asked *run.Request
	began chan struct{}
	ended chan error
}

func (c scheduler) answer(ctx context.Context, req run.Request, s run.Schedule) error {
	*c.asked = req
	switch {
	case s.Kernel != "matmul":
		return &event.Error{Kind: event.KindInput, Message: "the module has no PrimFunc " + s.Kernel + " where kernels are scheduled"}
	case s.Source == "panic":
		panic("lost")
	case s.Source == "wait":
		c.began <- struct{}{}
		<-ctx.Done()
		c.ended <- context.Cause(ctx)
		return context.Cause(ctx)
	}
	return nil
}

func (c scheduler) CheckSchedule(ctx context.Context, req run.Request, s run.Schedule) (out run.CheckedSchedule, err error) {
	if err := c.answer(ctx, req, s); err != nil {
		return out, err
	}
	out.Before, out.After, out.Loops = "a\nb\n", "a\nc\n", &looptree.Tree{Name: s.Kernel}
	if at := strings.Index(s.Source, "wrong"); at >= 0 {
		out.Steps = []run.ScheduleStep{{Name: "split", Call: s.Source, Line: 1, Error: "it is wrong"}}
		out.Diagnostics = []event.Diagnostic{{Severity: event.SeverityError, Message: "it is wrong", Span: &event.Span{Source: s.Step(), Line: 1, Column: at + 1}}}
	}
	if s.Source == "" {
		out.Start = "b = sch.get_block()"
	}
	return out, nil
}

func (c scheduler) MeasureSchedule(ctx context.Context, req run.Request, s run.Schedule) (out run.MeasuredSchedule, err error) {
	if err := c.answer(ctx, req, s); err != nil {
		return out, err
	}
	if _, ok := ctx.Deadline(); !ok {
		return out, &event.Error{Kind: event.KindInput, Message: "there is no limit"}
	}
	return run.MeasuredSchedule{Target: "wasm", Own: run.ScheduleTimes{Median: 7}, Same: true}, nil
}

func (scheduler) Loops(ctx context.Context, text string) (*looptree.Tree, error) {
	switch text {
	case "wait":
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case "panic":
		panic("lost")
	case textBefore:
		return &looptree.Tree{Name: "<main>", Rows: []looptree.Row{{Kind: looptree.Function, Name: "<main>"}}}, nil
	}
	return nil, fmt.Errorf("the text does not parse")
}

func openSchedules(t *testing.T) (*site, scheduler) {
	c := scheduler{asked: &run.Request{}, began: make(chan struct{}, 1), ended: make(chan error, 1)}
	return open(t, func(cfg *web.Config) { cfg.Compiler = c }), c
}

// TestCheckASchedule asks what a schedule does, rightly and wrongly.
func TestCheckASchedule(t *testing.T) {
	s, c := openSchedules(t)
	at := "/api/runs/" + s.create("mlp").Session.Runs[0] + "/schedule"
	s.post(at, `{"kernel":"matmul","source":"good"}`).want(t, http.StatusOK, `"ok":true`, `"diagnostics":[]`, `"steps":[]`, `"name":"matmul"`, `"kind":"del","before":2`, `"kind":"add","after":2`)
	if c.asked.Source.Name != "mlp" || c.asked.Settings.OptLevel != 2 || c.asked.Limits.Memory == 0 {
		t.Errorf("the schedule was checked in %+v", c.asked)
	}
	s.post(at, `{"kernel":"matmul","source":""}`).want(t, http.StatusOK, `"start":"b = sch.get_block()"`)
	s.post(at, `{"kernel":"matmul","source":"wrong"}`).want(t, http.StatusOK, `"ok":false`, `"error":"it is wrong"`, `"line":1`, `"column":1`)
	s.post(at, `{"kernel":"gone","source":""}`).want(t, http.StatusUnprocessableEntity, "no PrimFunc gone")
	s.post(at, `{"kernel":"matmul","source":"panic"}`).want(t, http.StatusInternalServerError, "its log has the details")
	s.refusesSchedules(at)
	bare := open(t, nil)
	bare.post("/api/runs/"+bare.create("mlp").Session.Runs[0]+"/schedule", `{"kernel":"matmul","source":""}`).want(t, http.StatusNotImplemented, "does not schedule kernels")
	for _, x := range []*site{s, bare} {
		offered := strings.Contains(x.get("/s/"+x.create("mlp").Session.ID, "Accept", "text/html").body, `id="schedule-kernel"`)
		if offered != (x == s) {
			t.Errorf("the button to schedule a kernel is there: %v", offered)
		}
	}
}

// refusesSchedules checks that a route that takes a schedule refuses what is none.
func (s *site) refusesSchedules(at string) {
	s.t.Helper()
	for body, want := range map[string]string{
		`{"source":"x"}`:                                                      "kernel is missing",
		`{"kernel":"../x","source":""}`:                                       "want the name of a PrimFunc",
		`{"kernel":"a b","source":""}`:                                        "want the name of a PrimFunc",
		`{"kernel":"<script>","source":""}`:                                   "want the name of a PrimFunc",
		`{"kernel":"matmul","source":3}`:                                      "not the expected JSON",
		`{"kernel":"matmul","unknown":""}`:                                    "unknown field",
		`["matmul"]`:                                                          "not the expected JSON",
		`{"kernel":"matmul","source":"x"`:                                     "JSON",
		`{"kernel":"` + strings.Repeat("k", 256) + `"}`:                       "want the name of a PrimFunc",
		`{"kernel":"matmul","source":"` + strings.Repeat("x", 1<<18+1) + `"}`: "has 262145 bytes; the limit is 64 KiB",
	} {
		s.post(at, body).want(s.t, http.StatusBadRequest, want)
	}
	s.post(at, `{"kernel":"matmul","source":"`+strings.Repeat("x", 5<<20)+`"}`).want(s.t, http.StatusRequestEntityTooLarge, "larger than")
	s.post(strings.Replace(at, "/runs/", "/runs/x", 1), `{"kernel":"matmul","source":""}`).want(s.t, http.StatusNotFound)
	s.do("GET", at, "").want(s.t, http.StatusMethodNotAllowed)
}

// TestMeasureASchedule measures one, rightly and wrongly.
func TestMeasureASchedule(t *testing.T) {
	s, c := openSchedules(t)
	at := "/api/runs/" + s.create("mlp").Session.Runs[0] + "/schedule/measure"
	s.post(at, `{"kernel":"matmul","source":"good"}`).want(t, http.StatusOK, `"target":"wasm"`, `"median":7`, `"same":true`)
	if c.asked.Source.Name != "mlp" {
		t.Errorf("it was measured in %+v", c.asked)
	}
	s.post(at, `{"kernel":"gone","source":""}`).want(t, http.StatusUnprocessableEntity, "no PrimFunc gone")
	s.post(at, `{"kernel":"matmul","source":"panic"}`).want(t, http.StatusInternalServerError, "its log has the details")
	s.refusesSchedules(at)
	bare := open(t, nil)
	bare.post("/api/runs/"+bare.create("mlp").Session.Runs[0]+"/schedule/measure", `{"kernel":"matmul","source":""}`).want(t, http.StatusNotImplemented, "does not schedule kernels")
}

// TestSchedulesEndWithTheRequest cancels a check and a measurement: both end, and give their turns back.
func TestSchedulesEndWithTheRequest(t *testing.T) {
	s, c := openSchedules(t)
	at := "/api/runs/" + s.create("mlp").Session.Runs[0] + "/schedule"
	for range 3 {
		for _, path := range []string{at, at + "/measure"} {
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(`{"kernel":"matmul","source":"wait"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			gone := make(chan error, 1)
			go func() {
				resp, err := s.client.Do(req)
				if err == nil {
					_ = resp.Body.Close()
				}
				gone <- err
			}()
			<-c.began
			cancel()
			if err := <-c.ended; err == nil {
				t.Errorf("%s does not end with its request", path)
			}
			if err := <-gone; err == nil {
				t.Errorf("%s was answered", path)
			}
		}
	}
	s.post(at, `{"kernel":"matmul","source":"good"}`).want(t, http.StatusOK)
	s.post(at+"/measure", `{"kernel":"matmul","source":"good"}`).want(t, http.StatusOK)
}

// TestLoops asks for the loops of texts.
func TestLoops(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Compiler, c.Store = scheduler{}, st })
	id := s.create("mlp").Session.Runs[0]
	s.finished(id)
	for _, path := range []string{"/loops/", "/api/loops/"} {
		got := s.get(path+event.HashText(textBefore)).want(t, http.StatusOK, `"rows":[{"kind":"function"`)
		if got.Header.Get("Content-Type") != "application/json; charset=utf-8" || strings.Contains(got.body, "<main>") || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s comes with %v: %s", path, got.Header, got.body)
		}
	}
	for path, want := range map[string]struct {
		status int
		part   string
	}{
		"/loops/-":                            {422, "has no loops"},
		"/loops/nothex":                       {400, "not the hash of a text"},
		"/loops/..%2f..%2fetc":                {400, "not the hash of a text"},
		"/loops/" + strings.Repeat("0", 40):   {404, "expired"},
		"/loops/" + event.HashText(textAfter): {422, "has no loops: the text does not parse; see the text instead"},
	} {
		if got := s.get(path).want(t, want.status, want.part); got.Header.Get("ETag") != "" || strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s is kept for ever", path)
		}
	}
	for _, tt := range []struct {
		language, text string
		status         int
		part           string
	}{
		{event.LangWAT, "(module)", 400, "want the TVMScript of a PrimFunc"},
		{event.LangTVMScript, strings.Repeat(" ", 2<<20+1), 413, "2097153 bytes of text; lists of loops are limited to 2 MiB"},
		{event.LangTVMScript, "panic", 500, "its log has the details"},
		{event.LangTVMScript, "wait", 503, "try again"},
	} {
		hash, err := st.PutBlob(t.Context(), id, tt.language, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if tt.text == "wait" && testing.Short() {
			continue // it takes as long as the limit
		}
		s.get("/loops/"+hash).want(t, tt.status, tt.part)
	}
	open(t, nil).get("/loops/"+event.HashText(textBefore)).want(t, http.StatusNotImplemented, "does not list loops")
}

// TestSchedulesStayWithTheSession runs with schedules, and looks for them in the session, its command line, files, a fork, a form, an archive, and a
// server that comes after.
func TestSchedulesStayWithTheSession(t *testing.T) {
	st := store.NewMemory(64 << 20)
	with := func(c *web.Config) { c.Store, c.Compiler = st, scheduler{} }
	s := open(t, with)
	sess := s.create("mlp").Session
	schedules := []run.Schedule{{Kernel: "matmul", Source: "sch.split(1)\n"}, {Kernel: "off", Source: "# <off>"}, {Kernel: "ns.relu", Source: ""}}
	settings, err := json.Marshal(map[string]any{"opt_level": 2, "schedules": schedules, "disabled": []string{"schedule.off"}})
	if err != nil {
		t.Fatal(err)
	}
	schedules = []run.Schedule{schedules[0], schedules[2], schedules[1]} // by name
	started := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", string(settings)).want(t, http.StatusAccepted)).Run
	s.state(started.ID, "ok")
	has := func(what string, got run.Settings) {
		t.Helper()
		if !reflect.DeepEqual(got.Schedules, schedules) {
			t.Errorf("%s has the schedules %+v", what, got.Schedules)
		}
	}
	has("the run", started.Settings)
	has("the session", decode[sessionAnswer](t, s.get("/api/sessions/"+sess.ID)).Session.Settings)
	if c := started.Command; !strings.Contains(c, "--schedule matmul=schedule.matmul.py") || !strings.Contains(c, "--schedule ns.relu=schedule.ns.relu.py") || strings.Contains(c, "off=") {
		t.Errorf("the command line is %q", c)
	}
	file := s.get("/runs/"+started.ID+"/schedules/schedule.off.py").want(t, http.StatusOK, "# <off>")
	if h := file.Header; h.Get("Content-Disposition") != `attachment; filename="schedule.off.py"` || h.Get("Content-Type") != "text/x-python; charset=utf-8" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the file comes with %v", h)
	}
	if empty := s.get("/api/runs/"+started.ID+"/schedules/schedule.ns.relu.py").want(t, http.StatusOK); empty.body != "" {
		t.Errorf("an empty schedule is the file %q", empty.body)
	}
	for _, name := range []string{"schedule.gone.py", "matmul.py", "schedule.matmul", "..%2fschedule.matmul.py", strings.Repeat("x", 3000)} {
		s.get("/runs/"+started.ID+"/schedules/"+name).want(t, http.StatusNotFound)
	}
	s.get("/runs/nothing/schedules/schedule.matmul.py").want(t, http.StatusNotFound)

	fork := decode[sessionAnswer](t, s.post("/api/sessions/"+sess.ID+"/fork", `{}`).want(t, http.StatusCreated)).Session
	has("the fork", fork.Settings)
	shared := decode[sessionAnswer](t, s.post("/api/sessions/"+sess.ID+"/share", `{}`)).Session
	if shared.ID != "" {
		has("what was shared", decode[sessionAnswer](t, s.another().get("/api/sessions/"+shared.ID)).Session.Settings)
	}
	archive := s.get("/api/sessions/"+sess.ID+"/export.zip").want(t, http.StatusOK).body
	back := decode[sessionAnswer](t, s.do("POST", "/api/sessions", archive, "Content-Type", "application/zip").want(t, http.StatusCreated)).Session
	has("what was exported and imported", back.Settings)
	if len(back.Runs) == 0 {
		t.Fatal("the imported session has no runs")
	}
	has("its run", decode[runAnswer](t, s.get("/api/runs/"+back.Runs[len(back.Runs)-1])).Run.Settings)
	next := open(t, with)
	next.client = s.client
	has("the session on the next server", decode[sessionAnswer](t, next.get("/api/sessions/"+sess.ID)).Session.Settings)
	has("the run on the next server", decode[runAnswer](t, next.get("/api/runs/"+started.ID)).Run.Settings)
	next.get("/runs/"+started.ID+"/schedules/schedule.matmul.py").want(t, http.StatusOK, "sch.split(1)")

	s.do("POST", "/s/"+sess.ID+"/runs", "opt_level=1", "Content-Type", "application/x-www-form-urlencoded").want(t, http.StatusAccepted)
	has("the session after a form", decode[sessionAnswer](t, s.get("/api/sessions/"+sess.ID)).Session.Settings)
	for want, list := range map[string][]run.Schedule{
		"the limit is 32":              make([]run.Schedule, 33),
		"want the name of a PrimFunc":  {{Kernel: "../x"}},
		"there are two schedules of A": {{Kernel: "A"}, {Kernel: "A"}},
		"the limit is 64 KiB":          {{Kernel: "A", Source: strings.Repeat("x", 1<<18+1)}},
	} {
		body, err := json.Marshal(map[string]any{"schedules": list})
		if err != nil {
			t.Fatal(err)
		}
		s.post("/api/sessions/"+sess.ID+"/runs", string(body)).want(t, http.StatusBadRequest, want)
	}
}
