package web_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/ascii85"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
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
		"html": {"text/html; charset=utf-8", "<!doctype html>"},
		"md":   {"text/markdown; charset=utf-8", "+    lv = R.multiply(x, x)", "&lt;b\\>look"},
		"zip":  {"application/zip", "manifest.json", "runs/1/events.ndjson"},
	} {
		for _, path := range []string{"/s/", "/api/sessions/"} {
			a := other.get(path+made.ID+"/export."+format+"?run="+made.Runs[0], "Accept", html).want(t, http.StatusOK)
			for _, part := range want[1:] {
				if !strings.Contains(a.body, part) {
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
	snap := decode[sharedAnswer](t, s.post("/api/sessions/"+made.ID+"/share", `{}`).want(t, http.StatusOK)).Session
	if md := s.get("/s/"+snap.ID+"/export.md").want(t, http.StatusOK); !strings.Contains(md.body, "\nAll of it: <http://127.0.0.1:") || !strings.Contains(md.body, "/s/"+snap.ID+"?run="+made.Runs[0]+">\n") || strings.Contains(md.body, made.ID) {
		t.Errorf("the report of a snapshot lacks its link: %.500s", md.body)
	}
	page := unpacked(t, s.get("/s/"+made.ID+"/export.html").body)
	for _, part := range []string{"Fuse\\u003ci\\u003eOps", "\\u003cb\\u003elook", "multiply", "irscope run gallery:mlp", "level 3 \\u003e opt_level 2", `"may_edit":false`, `"id":"exported"`, `data-run="1"`} {
		if !strings.Contains(page, strings.ReplaceAll(part, `\\`, `\`)) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if strings.Contains(page, made.ID) || strings.Contains(page, made.Runs[0]) {
		t.Error("the page holds an id, with which all can be read")
	}
	if page := unpacked(t, s.get("/s/"+snap.ID+"/export.html").body); !strings.Contains(page, "/s/"+snap.ID+"?run=") {
		t.Error("the page of a snapshot lacks its link")
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

// unpacked returns what lies packed in an exported page.
func unpacked(t *testing.T, page string) string {
	t.Helper()
	_, rest, _ := strings.Cut(page, `id="file">`)
	data, _, _ := strings.Cut(rest, "</script>")
	r, err := gzip.NewReader(ascii85.NewDecoder(strings.NewReader(strings.ReplaceAll(data, "v", "<"))))
	if err != nil {
		t.Fatalf("unpack the page: %v: %.300s", err, page)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(page, `id="file">`)
	return before + string(text)
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

// programmer compiles the programs of runs of mlp.
type programmer struct{ run.Compiler }

func (programmer) Program(_ context.Context, req run.Request) ([]byte, error) {
	if req.Source.Name != "mlp" || req.Settings.OptLevel != 2 || req.Limits.Time == 0 {
		return nil, fmt.Errorf("asked for %+v", req)
	}
	return []byte("PK the program"), nil
}

func TestPrograms(t *testing.T) {
	s := open(t, func(c *web.Config) { c.Compiler = programmer{} })
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	s.state(made.Runs[0], "ok")
	for _, path := range []string{"/runs/", "/api/runs/"} {
		a := s.another().get(path+made.Runs[0]+"/program.zip").want(t, http.StatusOK, "PK the program")
		if h := a.Header; h.Get("Content-Type") != "application/zip" || h.Get("Content-Disposition") != `attachment; filename="mlp-program.zip"` || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("the program has the headers %v", h)
		}
	}
	s.get("/runs/none/program.zip").want(t, http.StatusNotFound)
	goesOn := s.create("wait").Session
	s.get("/runs/"+goesOn.Runs[0]+"/program.zip").want(t, http.StatusConflict, "has no program")
	plain := open(t, nil)
	other := plain.create("mlp").Session
	plain.get("/runs/"+other.Runs[0]+"/program.zip").want(t, http.StatusNotImplemented, "does not compile")
}
