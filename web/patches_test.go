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
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

// patcher finds an error in texts that say "wrong" and makes a patch of all others.
type patcher struct {
	run.Compiler
	asked *run.Request
}

func (p patcher) CheckEdit(_ context.Context, req run.Request, e run.Edit) (run.CheckedEdit, error) {
	*p.asked = req
	if e.After == "Nothing" {
		return run.CheckedEdit{}, &event.Error{Kind: event.KindInput, Message: "the pipeline has no step Nothing"}
	}
	if at := strings.Index(e.Text, "wrong"); at >= 0 {
		return run.CheckedEdit{Diagnostics: []event.Diagnostic{{
			Severity: event.SeverityError, Message: "this is wrong", Span: &event.Span{Source: "edit." + e.After, Line: 1, Column: at + 1},
		}}}, nil
	}
	return run.CheckedEdit{Patch: &run.Patch{After: e.After, Text: e.Text}, Functions: e.Functions, Text: e.Text}, nil
}

func (patcher) PatchFile(p run.Patch) string { return "# for " + p.After + "\n" + p.Text }

func openPatches(t *testing.T) (*site, *run.Request) {
	asked := &run.Request{}
	return open(t, func(c *web.Config) { c.Compiler = patcher{asked: asked} }), asked
}

func TestCheckAnEdit(t *testing.T) {
	s, asked := openPatches(t)
	id := s.create("mlp").Session.Runs[0]
	at := "/api/runs/" + id + "/edit"
	s.post(at, `{"after":"FuseOps#0","functions":["main"],"text":"good"}`).want(t, http.StatusOK, `"ok":true`, `"after":"FuseOps"`, `"diagnostics":[]`, `"functions":["main"]`)
	if asked.Source.Name != "mlp" || asked.Settings.OptLevel != 2 || asked.Limits.Memory == 0 {
		t.Errorf("the edit was checked in %+v", asked)
	}
	// The difference follows the text, with errors too; spaces at the ends are one.
	s.post(at, `{"after":"FuseOps","functions":["main"],"text":"a\nwrong\n","was":"a\nb\n"}`).want(t, http.StatusOK, `"ok":false`, `"diff":{`, `"kind":"del","before":2`, `"kind":"add","after":2`)
	if a := s.post(at, `{"after":"FuseOps","functions":["main"],"text":"good","was":"good"}`); strings.Contains(a.body, `"diff"`) {
		t.Errorf("what changes nothing has a difference: %s", a.body)
	}
	s.post(at, `{"after":"FuseOps","text":"so wrong","patches":[{"after":"import","text":"x"}]}`).want(t, http.StatusOK, `"ok":false`, `"patch":null`, `"column":4`, `"functions":[]`)
	if len(asked.Settings.Patches) != 1 {
		t.Errorf("edits beside are %+v", asked.Settings.Patches)
	}
	s.post(at, `{"after":"Nothing","text":""}`).want(t, http.StatusUnprocessableEntity, "has no step Nothing")
	for body, want := range map[string]string{
		`{"after":"","text":""}`:             "a step is named",
		`{"after":"edit.FuseOps","text":""}`: "a step is named",
		`{"after":"Fuse Ops","text":""}`:     "a step is named",
		`{"after":"A","text":"","patches":[{"after":"B","text":"x"},{"after":"B#0","text":"y"}]}`: "there are two edits after B",
		`{"after":"A","unknown":1}`: "unknown",
	} {
		s.post(at, body).want(t, http.StatusBadRequest, want)
	}
	long, err := json.Marshal(strings.Repeat("x", 1<<20+1))
	if err != nil {
		t.Fatal(err)
	}
	s.post(at, fmt.Sprintf(`{"after":"A","text":%s}`, long)).want(t, http.StatusRequestEntityTooLarge, "1048577 bytes; the limit is 1 MiB")
	s.post("/api/runs/nothing/edit", `{"after":"A","text":""}`).want(t, http.StatusNotFound)
	other := open(t, nil)
	other.post("/api/runs/"+other.create("mlp").Session.Runs[0]+"/edit", `{"after":"A","text":""}`).want(t, http.StatusNotImplemented, "does not accept edits")
	page := other.get("/s/"+other.create("mlp").Session.ID, "Accept", "text/html").body
	if strings.Contains(page, `id="edit-ir"`) || !strings.Contains(s.get("/s/"+s.create("mlp").Session.ID, "Accept", "text/html").body, `id="edit-ir"`) {
		t.Error("the button to edit IR is not where the server takes edits")
	}
}

// TestEditsStayWithTheSession runs with edits, and looks for them in the session, its command line, a fork, and an archive of it.
func TestEditsStayWithTheSession(t *testing.T) {
	s, _ := openPatches(t)
	sess := s.create("mlp").Session
	patches := []run.Patch{
		{After: "FuseOps#1", Text: "@R.function\ndef main(x):\n    return x\n", Before: map[string]string{"main": "1234"}},
		{After: "import", Text: strings.Repeat("# a comment\n", 50_000), Removed: []string{"f", "g"}},
	}
	settings, err := json.Marshal(map[string]any{"opt_level": 2, "patches": patches, "disabled": []string{"edit.import"}})
	if err != nil {
		t.Fatal(err)
	}
	started := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", string(settings)).want(t, http.StatusAccepted)).Run
	s.state(started.ID, "ok")
	has := func(what string, got run.Settings) {
		t.Helper()
		if !reflect.DeepEqual(got.Patches, patches) {
			t.Errorf("%s has edits %.200v", what, got.Patches)
		}
	}
	has("the run", started.Settings)
	has("the session", decode[sessionAnswer](t, s.get("/api/sessions/"+sess.ID)).Session.Settings)
	if want := "--patch 'FuseOps#1=edit.FuseOps-1.py'"; !strings.Contains(started.Command, want) || strings.Contains(started.Command, "edit.import") {
		t.Errorf("the command line is %q, want %q in it and nothing of what is off", started.Command, want)
	}
	file := s.get("/runs/"+started.ID+"/edits/edit.FuseOps-1.py").want(t, http.StatusOK, "# for FuseOps#1\n@R.function")
	if got := file.Header.Get("Content-Disposition"); got != `attachment; filename="edit.FuseOps-1.py"` {
		t.Errorf("the file comes as %s", got)
	}
	s.get("/runs/"+started.ID+"/edits/edit.FuseOps.py").want(t, http.StatusNotFound)

	fork := decode[sessionAnswer](t, s.post("/api/sessions/"+sess.ID+"/fork", `{}`).want(t, http.StatusCreated)).Session
	has("the fork", fork.Settings)
	archive := s.get("/api/sessions/"+sess.ID+"/export.zip").want(t, http.StatusOK).body
	back := decode[sessionAnswer](t, s.do("POST", "/api/sessions", archive, "Content-Type", "application/zip").want(t, http.StatusCreated)).Session
	has("what was exported and imported", back.Settings)
	if len(back.Runs) == 0 {
		t.Fatal("the imported session has no runs")
	}
	has("its run", decode[runAnswer](t, s.get("/api/runs/"+back.Runs[len(back.Runs)-1])).Run.Settings)

	// A form keeps them; too much is refused.
	s.do("POST", "/s/"+sess.ID+"/runs", "opt_level=1", "Content-Type", "application/x-www-form-urlencoded").want(t, http.StatusAccepted)
	has("the session after a form", decode[sessionAnswer](t, s.get("/api/sessions/"+sess.ID)).Session.Settings)
	for want, list := range map[string][]run.Patch{
		"exceeds 1024 KiB":            {{After: "A", Text: strings.Repeat("x", 1<<20)}, {After: "B", Text: "x"}},
		"the limit is 32":             make([]run.Patch, 33),
		"a step is named":             {{After: "../x", Text: ""}},
		"there are two edits after A": {{After: "A"}, {After: "A#0"}},
		"affects too many":            {{After: "A", Removed: make([]string, 1001)}},
	} {
		body, err := json.Marshal(map[string]any{"patches": list})
		if err != nil {
			t.Fatal(err)
		}
		s.post("/api/sessions/"+sess.ID+"/runs", string(body)).want(t, http.StatusBadRequest, want)
	}
}
