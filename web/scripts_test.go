package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

// checker finds an error in texts that say "wrong", panics at "panic" and waits at "wait".
type checker struct {
	run.Compiler
	hold chan struct{}
}

func (c checker) Check(_ context.Context, name, text string) (run.Checked, error) {
	switch {
	case strings.Contains(text, "panic"):
		panic("as asked")
	case strings.Contains(text, "wait"):
		<-c.hold
	}
	if at := strings.Index(text, "wrong"); at >= 0 {
		return run.Checked{Diagnostics: []event.Diagnostic{{
			Severity: event.SeverityError, Message: "this is <b>wrong</b>", Help: "write what is right",
			Span: &event.Span{Source: name, Line: 1, Column: at + 1, EndLine: 1, EndColumn: at + 6},
		}}}, nil
	}
	return run.Checked{Functions: []run.CheckedFunction{{Name: "main", Kind: "relax"}}}, nil
}

func (c checker) Format(ctx context.Context, name, text string) (string, []event.Diagnostic, error) {
	found, err := c.Check(ctx, name, text)
	if err != nil || found.Failed() {
		return text, found.Diagnostics, err
	}
	return strings.TrimSpace(text) + "\n", nil, nil
}

// openChecked is a server whose texts a checker reads.
func openChecked(t *testing.T) (*site, chan struct{}) {
	hold := make(chan struct{})
	return open(t, func(c *web.Config) { c.Compiler = checker{hold: hold} }), hold
}

func TestCheckAndFormat(t *testing.T) {
	s, _ := openChecked(t)
	s.post("/api/check", `{"text":"x = 1"}`).want(t, http.StatusOK, `"diagnostics":[]`, `{"name":"main","kind":"relax"}`, `"ok":true`)
	s.post("/api/check", `{"text":"x = wrong","name":"../a.py"}`).want(t, http.StatusOK,
		`"help":"write what is right"`, `"span":{"source":"a.py","line":1,"column":5,"end_line":1,"end_column":10}`, `"functions":[]`, `"ok":false`)
	s.post("/api/format", `{"text":"  x = 1  "}`).want(t, http.StatusOK, `"text":"x = 1\n"`, `"diagnostics":[]`, `"ok":true`)
	s.post("/api/format", `{"text":" wrong"}`).want(t, http.StatusOK, `"text":" wrong"`, `"ok":false`)
	s.post("/api/check", `{"text":"panic"}`).want(t, http.StatusInternalServerError, "its log has the details")
	s.post("/api/check", `{"text":1}`).want(t, http.StatusBadRequest, "not the expected JSON")
	s.post("/api/check", `{"texts":""}`).want(t, http.StatusBadRequest, "unknown field")

	without := open(t, nil)
	without.post("/api/check", `{"text":""}`).want(t, http.StatusNotImplemented, "does not accept module text")
	without.get("/new").want(t, http.StatusNotFound)
	if strings.Contains(without.get("/", "Accept", "text/html").body, "/new") {
		t.Error("a server that does not accept module text leads to the editor")
	}
}

// TestChecksAreLimited checks the rate, and that texts whose check does not end block no one for ever.
func TestChecksAreLimited(t *testing.T) {
	s, hold := openChecked(t)
	done := make(chan answer, 2)
	for range 2 {
		go func() { done <- s.post("/api/check", `{"text":"wait"}`) }()
	}
	for range 2 {
		(<-done).want(t, http.StatusServiceUnavailable, "try again")
	}
	close(hold)
	refused := false
	for range 300 {
		a := s.post("/api/check", `{"text":"x"}`)
		if a.StatusCode == http.StatusTooManyRequests {
			refused = a.Header.Get("Retry-After") != ""
			break
		}
	}
	if !refused {
		t.Error("300 checks in a moment were all allowed")
	}
}

func TestSessionFromText(t *testing.T) {
	s, _ := openChecked(t)
	made := decode[sessionAnswer](t, s.post("/api/sessions", `{"kind":"tvmscript","source":"x = 1\n","name":"dir/mod.py","pipeline":"tir"}`).want(t, http.StatusCreated, `"text":"`+event.HashText("x = 1\n")))
	if got := made.Session; got.Source.Kind != "tvmscript" || got.Source.Name != "mod.py" || got.Title != "mod.py" || got.Settings.Pipeline != "tir" || len(got.Runs) != 1 {
		t.Errorf("the session is %+v", got)
	}
	s.get("/ir/"+event.HashText("x = 1\n")+"?raw=1").want(t, http.StatusOK, "x = 1\n")
	s.get("/s/"+made.Session.ID, "Accept", "text/html").want(t, http.StatusOK, `data-source="`+event.HashText("x = 1\n")+`"`, "/new?from="+made.Session.ID)
	s.get("/new?from="+made.Session.ID, "Accept", "text/html").want(t, http.StatusOK, "x = 1", `name="parent" value="`+made.Session.ID+`"`, `value="mod.py"`)
	s.post("/api/sessions", `{"kind":"tvmscript","source":"x = 2","parent":"`+made.Session.ID+`"}`).want(t, http.StatusCreated, `"parent":"`+made.Session.ID+`"`)
	s.post("/api/sessions", `{"kind":"tvmscript","source":"x","parent":"gone"}`).want(t, http.StatusCreated)

	for body, want := range map[string]string{
		`{"kind":"tvmscript","source":"x = wrong"}`: "the text has an error: line 1: this is ",
		`{"kind":"tvmscript","source":" \n"}`:       "the text is empty",
		`{"kind":"onnx","source":"x"}`:              "want gallery, tvmscript or dump",
	} {
		a := s.post("/api/sessions", body)
		if a.StatusCode < 400 || a.StatusCode >= 500 || !strings.Contains(a.body, want) {
			t.Errorf("%s gives %d %s, want %q", body, a.StatusCode, a.body, want)
		}
	}
	s.post("/api/sessions", `{"kind":"tvmscript","source":"x = wrong"}`).want(t, http.StatusUnprocessableEntity, `"diagnostics":[{"severity":"error"`)
	gallery := s.create("mlp").Session.ID
	s.get("/new?from="+gallery).want(t, http.StatusBadRequest, "from a model, not from text")
	s.get("/new?from=unknown").want(t, http.StatusNotFound)
	s.get("/new?example=unknown").want(t, http.StatusNotFound)
}

// TestEditorForm sends the forms of the page without its script.
func TestEditorForm(t *testing.T) {
	s, _ := openChecked(t)
	const encoded, html = "application/x-www-form-urlencoded", "text/html"
	for _, name := range []string{"mlp", "matmul", "symbolic", "both"} {
		s.get("/new?example="+name, "Accept", html).want(t, http.StatusOK, "<textarea", "</textarea>")
	}
	s.do("POST", "/sessions", "kind=tvmscript&source=a%0D%0A+wrong", "Content-Type", encoded, "Accept", html).
		want(t, http.StatusUnprocessableEntity, "a\n wrong</textarea>", "1:4", "this is &lt;b&gt;wrong", "write what is right")
	s.do("POST", "/new", "source=++x%0D%0A", "Content-Type", encoded, "Accept", html).want(t, http.StatusOK, "\nx\n</textarea>")
	if a := s.do("POST", "/sessions", "kind=tvmscript&source=x%0D%0Ay", "Content-Type", encoded, "Accept", html); !strings.HasPrefix(a.Request.URL.Path, "/s/") && a.StatusCode != http.StatusSeeOther {
		t.Errorf("a right text leads to %s with %d", a.Request.URL, a.StatusCode)
	}
	body, kind := form(t, "model", "mod.py", []byte("x = wrong"))
	s.do("POST", "/sessions", body, "Content-Type", kind, "Accept", html).want(t, http.StatusUnprocessableEntity, "x = wrong</textarea>", `value="mod.py"`)
}
