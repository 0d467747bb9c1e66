package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/catalog"
)

const html = "text/html,application/xhtml+xml,*/*;q=0.8"

func TestASessionFromStartToEnd(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp")
	sess := made.Session
	if len(sess.ID) != 22 || !sess.MayEdit || len(sess.Runs) != 1 || sess.Source.Arg != "gallery:mlp" || len(made.EditToken) != 43 {
		t.Fatalf("session is %+v", made)
	}
	evs := s.finished(sess.Runs[0])
	if len(evs) != 5 || evs[4].Body.(*event.RunFinished).Status != event.StatusOK {
		t.Fatalf("%d events, the last is %+v", len(evs), evs[len(evs)-1])
	}
	s.state(sess.Runs[0], "ok")

	// Another run with other settings, a shared one, and defaults for what is absent.
	r := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", `{"opt_level":3,"disabled":["B","A"]}`).want(t, http.StatusAccepted)).Run
	if r.Session != sess.ID || r.Command != "irscope run gallery:mlp --target wasm --opt-level 3 --disable-pass A,B" || len(r.Settings.Bindings) != 2 {
		t.Errorf("run is %+v", r)
	}
	s.state(r.ID, "ok")
	again := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", `{"disabled":["A","B","A"],"opt_level":3}`).want(t, http.StatusOK)).Run
	if !again.Shared || again.ID != r.ID {
		t.Errorf("an identical run is %+v, want %s", again, r.ID)
	}
	def := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", `{}`).want(t, http.StatusOK)).Run
	if def.Settings.OptLevel != 2 || def.ID != sess.Runs[0] {
		t.Errorf("without settings the run is %+v", def)
	}
	info := decode[sessionAnswer](t, s.get("/api/sessions/"+sess.ID).want(t, http.StatusOK)).Session
	if strings.Join(info.Runs, " ") != sess.Runs[0]+" "+r.ID || info.Settings.OptLevel != 2 {
		t.Errorf("session is %+v", info)
	}

	page := s.get("/s/"+sess.ID+"?run="+r.ID, "Accept", html).want(t, http.StatusOK, "Fuse&lt;i&gt;Ops", "level 3 &gt; opt_level 2", "MLP &lt;b&gt;", "R.multiply", `data-may-edit="true"`, r.ID)
	if strings.Contains(page.body, "Fuse<i>") || strings.Contains(page.body, "MLP <b>") {
		t.Error("a name is on the page unescaped")
	}
	s.get("/s/"+s.create("wait").Session.ID+"?run="+r.ID).want(t, http.StatusNotFound)
}

func TestOnlyWhoMadeASessionMayChangeIt(t *testing.T) {
	s := open(t, nil)
	made := s.create("wait")
	id, runID := made.Session.ID, made.Session.Runs[0]
	other := s.another()
	if got := decode[sessionAnswer](t, other.get("/api/sessions/"+id).want(t, http.StatusOK)); got.Session.MayEdit || got.EditToken != "" {
		t.Errorf("a stranger gets %+v", got)
	}
	other.get("/s/"+id, "Accept", html).want(t, http.StatusOK, `data-may-edit="false"`)
	other.post("/api/sessions/"+id+"/runs", `{}`).want(t, http.StatusForbidden)
	other.post("/api/runs/"+runID+"/cancel", ``).want(t, http.StatusForbidden)
	other.post("/api/runs/"+runID+"/cancel", ``, "Authorization", "Bearer "+strings.Repeat("A", 43)).want(t, http.StatusForbidden)
	other.post("/api/sessions/"+id+"/runs", `{"opt_level":1}`, "Authorization", "Bearer "+made.EditToken).want(t, http.StatusAccepted)
	s.post("/runs/"+runID+"/cancel", ``).want(t, http.StatusAccepted)
	s.state(runID, "cancelled")
	// What does not exist looks like what one may not know of.
	a, b := s.get("/api/sessions/"+strings.Repeat("A", 22)), s.get("/api/runs/x/events")
	if a.want(t, 404).body != b.want(t, 404).body {
		t.Errorf("two kinds of 404: %s and %s", a.body, b.body)
	}
}

func TestFormsWorkWithoutScripts(t *testing.T) {
	s := open(t, nil)
	s.get("/", "Accept", html).want(t, http.StatusOK, `value="mlp"`, "MLP &lt;b&gt;", "batch×16", "batch = 1, 3")
	const urlencoded = "application/x-www-form-urlencoded"
	made := s.do("POST", "/sessions", "gallery=mlp", "Accept", html, "Content-Type", urlencoded).want(t, http.StatusSeeOther)
	where := made.Header.Get("Location")
	cookie := made.Header.Get("Set-Cookie")
	for _, part := range []string{"irscope_edit=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("cookie %q lacks %s", cookie, part)
		}
	}
	again := s.do("POST", where+"/runs", "opt_level=1&disabled=A&disabled=B&seed=7&target=wasm&pipeline=zero", "Accept", html, "Content-Type", urlencoded).want(t, http.StatusSeeOther)
	s.get(again.Header.Get("Location"), "Accept", html).want(t, http.StatusOK, "--opt-level 1 --pipeline zero --disable-pass A,B")
	js := s.do("POST", where+"/runs", `settings_json={"opt_level":0}`, "Content-Type", urlencoded).want(t, http.StatusAccepted)
	if r := decode[runAnswer](t, js).Run; r.Settings.OptLevel != 0 {
		t.Errorf("settings_json gives %+v", r)
	}
	s.do("POST", "/sessions", "gallery=none", "Accept", html, "Content-Type", urlencoded).want(t, http.StatusBadRequest, "there are mlp, wait")
	s.do("POST", where+"/runs", "opt_level=high", "Content-Type", urlencoded).want(t, http.StatusBadRequest, `opt_level is \"high\"`)
	s.get("/s/none", "Accept", html).want(t, http.StatusNotFound, "<!doctype html>", "No session has this address", "expires 90 days after its last run", "Ask for a new link")
}

func TestWrongSettingsAreNamed(t *testing.T) {
	s := open(t, nil)
	path := "/api/sessions/" + s.create("mlp").Session.ID + "/runs"
	for body, want := range map[string]string{
		`{"opt_level":9}`: "opt_level is 9",
		`{"optlevel":1}`:  `unknown field \"optlevel\"`,
		`{"opt_level":`:   "the expected JSON",
		`{} {}`:           "more than one",
		`{"bindings":[` + strings.Repeat(`{"b":1},`, 20) + `{"b":1}]}`: "bindings lists 21",
	} {
		s.post(path, body).want(t, http.StatusBadRequest, want)
	}
}

func TestUpload(t *testing.T) {
	s := open(t, nil)
	body, kind := form(t, "model", `<img src=x>/"net'.onnx`, []byte("\x08\x07weights"))
	made := decode[sessionAnswer](t, s.do("POST", "/api/sessions", body, "Content-Type", kind).want(t, http.StatusCreated)).Session
	if made.Title != `"net'.onnx` || made.Source.Kind != "upload" || len(made.Runs) != 1 {
		t.Fatalf("session is %+v", made)
	}
	s.get("/s/"+made.ID, "Accept", html).want(t, http.StatusOK, "irscope run &#39;&#34;net")
	empty, kind := form(t, "model", "e.onnx", nil)
	s.do("POST", "/api/sessions", empty, "Content-Type", kind).want(t, http.StatusBadRequest, "is empty")
	s.post("/api/sessions", `{}`).want(t, http.StatusBadRequest, "choose a model")
	s.do("POST", "/api/sessions", "nonsense", "Content-Type", "multipart/form-data").want(t, http.StatusBadRequest)
}

func TestBodiesAreLimited(t *testing.T) {
	s := open(t, nil)
	// A body that says its length is refused before it is read, on the page and for programs.
	big, kind := form(t, "model", "big.onnx", make([]byte, web.MaxModel+1<<20))
	for _, accept := range []string{"application/json", html} {
		began := time.Now()
		s.do("POST", "/sessions", big, "Content-Type", kind, "Accept", accept).want(t, http.StatusRequestEntityTooLarge, "64 MiB")
		goal.Time(t, "refusing a large model", time.Since(began), 100*time.Millisecond) // nothing is read
	}
	// One that does not is cut at the limit.
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/sessions", struct{ io.Reader }{strings.NewReader(big[:web.MaxModel+4096])})
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	if resp, err := s.client.Do(req); err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a large model of unknown length gives %d", resp.StatusCode)
		}
	}
	id := s.create("mlp").Session.ID
	long := `{"target":"` + strings.Repeat("x", 1<<20) + `"}`
	s.post("/api/sessions/"+id+"/runs", long).want(t, http.StatusRequestEntityTooLarge, "1 MiB")
	text := `{"kind":"tvmscript","source":"` + strings.Repeat("x", web.MaxScript+1) + `"}`
	s.post("/api/sessions", text).want(t, http.StatusRequestEntityTooLarge, "the limit is 1 MiB")
	s.post("/api/check", `{"text":"`+strings.Repeat("x", 4<<20)+`"}`).want(t, http.StatusRequestEntityTooLarge, "4 MiB")
	s.post("/api/sessions", `{"gallery":"`+strings.Repeat("x", 4<<20)+`"}`).want(t, http.StatusRequestEntityTooLarge)
	s.do("POST", "/sessions", "gallery="+strings.Repeat("x", 4<<20), "Content-Type", "application/x-www-form-urlencoded").want(t, http.StatusRequestEntityTooLarge)
}

func TestRunsAreLimited(t *testing.T) {
	s := open(t, nil)
	id := s.create("wait").Session.ID
	refused := 0
	for seed := range 12 {
		a := s.post("/api/sessions/"+id+"/runs", fmt.Sprintf(`{"seed":%d}`, seed+1))
		if a.StatusCode == http.StatusTooManyRequests {
			refused++
			if a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, "message") {
				t.Errorf("refused with %q, Retry-After %q", a.body, a.Header.Get("Retry-After"))
			}
		}
	}
	if refused == 0 {
		t.Error("one visitor may have any number of runs")
	}
}

// TestARunIsMeasuredOnRequest: a measured run is another run of the session, with its own command line, within bounds.
func TestARunIsMeasuredOnRequest(t *testing.T) {
	s := open(t, nil)
	sess := s.create("mlp").Session
	s.state(sess.Runs[0], "ok")
	r := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", `{"opt_level":3,"profile":20}`).want(t, http.StatusAccepted)).Run
	if r.ID == sess.Runs[0] || r.Settings.Profile != 20 || !strings.HasSuffix(r.Command, " --opt-level 3 --profile=20") {
		t.Errorf("the run is %+v", r)
	}
	s.state(r.ID, "ok")
	s.post("/api/sessions/"+sess.ID+"/runs", `{"profile":10001}`).want(t, http.StatusBadRequest, "profile is 10001, want 0 to 10000")
}

// TestStartPageCode: the start page names the code that runs get for which no target is chosen.
func TestStartPageCode(t *testing.T) {
	for target, want := range map[string]string{"wasm": "WebAssembly", "x86": "x86-64 machine code", "interp": "a program"} {
		s := open(t, func(c *web.Config) { c.Catalog.Targets = []catalog.Target{{Name: target}, {Name: "wasm"}} })
		s.get("/", "Accept", "text/html").want(t, http.StatusOK, `from graph to <span class="whole">`+want+`</span> the way`)
	}
}
