package web_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/store"
)

func TestExports(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	s.state(made.Runs[0], "ok")
	s.post("/api/sessions/"+made.ID+"/title", `{"title":"a/../\"b\" <i>é"}`).want(t, http.StatusOK)
	s.post("/api/sessions/"+made.ID+"/notes", `{"text":"<b>look</b>","step":"1/Fuse<i>Ops</i>"}`).want(t, http.StatusCreated)
	other := s.another() // who may read may export
	for format, want := range map[string][]string{
		"html": {"text/html; charset=utf-8", "&lt;b&gt;look", "Fuse&lt;i&gt;Ops", "R.</span>", "irscope run gallery:mlp", "level 3 &gt; opt_level 2"},
		"md":   {"text/markdown; charset=utf-8", "+    lv = R.multiply(x, x)", "&lt;b\\>look"},
		"zip":  {"application/zip", "manifest.json", "runs/1/events.ndjson"},
	} {
		for _, path := range []string{"/s/", "/api/sessions/"} {
			a := other.get(path+made.ID+"/export."+format+"?run="+made.Runs[0], "Accept", html).want(t, http.StatusOK)
			for _, part := range want[1:] {
				if format != "html" && !strings.Contains(a.body, part) {
					t.Errorf("export.%s lacks %q", format, part)
				}
			}
			h := a.Header
			if h.Get("Content-Type") != want[0] || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
				h.Get("Content-Disposition") != `attachment; filename="a_..__b___i__.`+format+`"` {
				t.Errorf("export.%s has headers %v", format, h)
			}
			if strings.Contains(a.body, made.ID) || strings.Contains(a.body, made.Runs[0]) {
				t.Errorf("export.%s holds an id, with which all can be read", format)
			}
		}
	}
	page := s.get("/s/" + made.ID + "/export.html").body
	for _, part := range []string{"&lt;b&gt;look", "Fuse&lt;i&gt;Ops", "multiply", "irscope run gallery:mlp", "level 3 &gt; opt_level 2", "http-equiv=\"Content-Security-Policy\""} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	s.get("/s/"+made.ID+"/export.exe").want(t, http.StatusNotFound)
	s.get("/s/"+made.ID+"/export.zip?run=other").want(t, http.StatusNotFound)
	waits := s.create("wait").Session
	s.get("/s/"+waits.ID+"/export.html").want(t, http.StatusConflict, "no run has finished")
	s.get("/s/"+waits.ID+"/export.zip").want(t, http.StatusOK)
	for range 40 {
		if a := s.get("/s/" + made.ID + "/export.md"); a.StatusCode == http.StatusTooManyRequests && a.Header.Get("Retry-After") != "" {
			return
		}
	}
	t.Error("exports are not limited")
}

func TestImport(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	s.state(made.Runs[0], "ok")
	s.post("/api/sessions/"+made.ID+"/notes", `{"text":"kept","run":"`+made.Runs[0]+`"}`).want(t, http.StatusCreated)
	data := s.get("/s/"+made.ID+"/export.zip").want(t, http.StatusOK).body
	log := s.get("/api/runs/" + made.Runs[0] + "/events").body

	other := open(t, nil) // another server
	got := decode[sessionAnswer](t, other.do("POST", "/api/sessions", data, "Content-Type", "application/zip").want(t, http.StatusCreated)).Session
	if !got.MayEdit || len(got.Runs) != 1 || got.Runs[0] == made.Runs[0] || got.ID == made.ID || got.Title != "MLP <b>" || got.Source.Name != "mlp" {
		t.Fatalf("the imported session is %+v", got)
	}
	if is := other.get("/api/runs/"+got.Runs[0]+"/events").want(t, http.StatusOK).body; is != log {
		t.Errorf("the log is\n%s\nwas\n%s", is, log)
	}
	other.get("/s/"+got.ID, "Accept", html).want(t, http.StatusOK, "R.multiply", "Fuse&lt;i&gt;Ops")
	other.get("/api/sessions/"+got.ID+"/notes").want(t, http.StatusOK, "kept", got.Runs[0])
	// A run with the same settings is computed, not taken from what somebody uploaded.
	again := decode[runAnswer](t, other.post("/api/sessions/"+got.ID+"/runs", `{}`).want(t, http.StatusAccepted)).Run
	if again.Shared || again.ID == got.Runs[0] {
		t.Errorf("an imported run is shared: %+v", again)
	}

	body, kind := form(t, "model", "session.zip", []byte(data))
	to := other.do("POST", "/sessions", body, "Content-Type", kind, "Accept", html).want(t, http.StatusSeeOther).Header.Get("Location")
	other.get(to, "Accept", html).want(t, http.StatusOK, "R.multiply")
	bad, kind := form(t, "model", "session.zip", []byte(data[:len(data)-40]))
	other.do("POST", "/sessions", bad, "Content-Type", kind, "Accept", html).want(t, http.StatusBadRequest, "not a readable session")

	var bomb bytes.Buffer
	w := zip.NewWriter(&bomb)
	f, err := w.Create("session.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 50<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(decode[listAnswer](t, other.get("/api/sessions")).Sessions)
	other.do("POST", "/api/sessions", bomb.String(), "Content-Type", "application/zip").want(t, http.StatusBadRequest, "compressed more than")
	other.do("POST", "/api/sessions", "nonsense", "Content-Type", "application/zip").want(t, http.StatusBadRequest, "not a zip archive")
	other.do("POST", "/api/sessions", strings.Repeat("x", web.MaxModel+1), "Content-Type", "application/zip").want(t, http.StatusRequestEntityTooLarge)
	if after := len(decode[listAnswer](t, other.get("/api/sessions")).Sessions); after != before {
		t.Errorf("refused archives left %d sessions", after-before)
	}
}

func TestAnImportWithoutRoomLeavesNothing(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	s.state(made.Runs[0], "ok")
	data := s.get("/s/"+made.ID+"/export.zip").want(t, http.StatusOK).body
	st := store.NewMemory(700)
	small := open(t, func(c *web.Config) { c.Store = st })
	small.do("POST", "/api/sessions", data, "Content-Type", "application/zip").want(t, http.StatusInsufficientStorage)
	if runs, err := st.Unfinished(t.Context()); err != nil || len(runs) != 0 {
		t.Errorf("a failed import leaves unfinished runs: %v, %v", runs, err)
	}
}
