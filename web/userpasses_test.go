package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run"
)

// scriptChecker finds an error in scripts that say "wrong" and a pass in all others.
type scriptChecker struct{ checker }

func (scriptChecker) CheckScript(_ context.Context, s run.Script) (run.CheckedScript, error) {
	if at := strings.Index(s.Source, "wrong"); at >= 0 {
		return run.CheckedScript{Diagnostics: []event.Diagnostic{{
			Severity: event.SeverityError, Message: "this is wrong", Span: &event.Span{Source: s.Name, Line: 1, Column: at + 1, EndLine: 1, EndColumn: at + 6},
		}}}, nil
	}
	return run.CheckedScript{Passes: []run.UserPass{{Name: "user.Mine", Kind: "function"}}}, nil
}

// openScripts is a server that takes passes of visitors.
func openScripts(t *testing.T) *site {
	return open(t, func(c *web.Config) {
		c.Compiler = scriptChecker{}
		c.Catalog.Pipelines[0].Steps = []event.PlanStep{
			{Step: "1/default", Name: "default"},
			{Step: "1.1/FuseOps", Parent: "1/default", Name: "FuseOps"},
			{Step: "1.2/tir", Parent: "1/default", Name: "tir", Kind: "sequential"},
			{Step: "1.2.1/Last", Parent: "1.2/tir", Name: "Last"},
		}
		c.Catalog.Scripts = []catalog.ScriptExample{
			{Name: "mine", Title: "Mine <b>", Doc: "shows it", Script: run.Script{Name: "mine.star", Source: "p = 1"}, Passes: []string{"user.Mine"}, ModuleName: "mine.py", Module: "x = 1\n"},
			{Name: "watch", Title: "Watch", Script: run.Script{Name: "watch.star", Source: "w = 1"}, ModuleName: "watch.py", Module: "x = 2\n"},
		}
	})
}

func TestCheckPasses(t *testing.T) {
	s := openScripts(t)
	s.post("/api/passes/check", `{"name":"a.star","source":"x = 1"}`).want(t, http.StatusOK, `"ok":true`, `"diagnostics":[]`, `"name":"user.Mine"`, `"instruments":[]`)
	s.post("/api/passes/check", `{"name":"a.star","source":"x = wrong"}`).want(t, http.StatusOK, `"ok":false`, `"column":5`, `"passes":[]`)
	s.post("/api/passes/check", `{"name":"../a.star","source":""}`).want(t, http.StatusBadRequest, "a script is named")
	s.post("/api/passes/check", fmt.Sprintf(`{"name":"a","source":%q}`, strings.Repeat("x", 64<<10+1))).want(t, http.StatusBadRequest, "the limit is 64 KiB")
	s.post("/api/passes/check", "{\"name\":\"a\",\"source\":\""+strings.Repeat("x", 2<<20)+"\"}").want(t, http.StatusRequestEntityTooLarge)
	s.get("/api/passes/examples").want(t, http.StatusOK, `"name":"mine"`, `"passes":["user.Mine"]`, `"script":{"name":"mine.star","source":"p = 1"}`)

	without := open(t, nil)
	without.post("/api/passes/check", `{"name":"a","source":""}`).want(t, http.StatusNotImplemented, "does not accept user-written passes")
	without.get("/api/passes/examples").want(t, http.StatusNotImplemented)
	without.post("/api/sessions", `{"example":"mine"}`).want(t, http.StatusNotImplemented)
	if strings.Contains(without.get("/", "Accept", "text/html").body, "Write your own pass") {
		t.Error("a server that takes no scripts offers them")
	}
}

func TestSessionOfAnExample(t *testing.T) {
	s := openScripts(t)
	s.get("/", "Accept", "text/html").want(t, http.StatusOK, "Write your own pass", "Mine &lt;b&gt;", `name="example" value="mine"`)
	made := decode[sessionAnswer](t, s.post("/api/sessions", `{"example":"mine"}`).want(t, http.StatusCreated)).Session
	if made.Source.Name != "mine.py" || made.Source.Kind != "tvmscript" || len(made.Runs) != 1 {
		t.Errorf("the session is %+v", made)
	}
	got := made.Settings
	if len(got.Scripts) != 1 || got.Scripts[0].Source != "p = 1" || len(got.Steps) != 3 || got.Steps[0].Name != "user.Mine" || got.Steps[2].Name != "tir" || len(got.Steps[2].Steps) != 0 {
		t.Errorf("its settings are %+v", got)
	}
	r := decode[runAnswer](t, s.get("/api/runs/"+made.Runs[0]).want(t, http.StatusOK))
	if want := "irscope run mine.py --target wasm --opt-level 2 --script mine.star --passes user.Mine,FuseOps,tir --config tir.instrument_bound_checkers=true"; r.Run.Command != want {
		t.Errorf("the command is %q, want %q", r.Run.Command, want)
	}
	// Without its script the page's form knows neither steps nor scripts; they stay.
	s.do("POST", "/s/"+made.ID+"/runs", "opt_level=1", "Content-Type", "application/x-www-form-urlencoded").want(t, http.StatusAccepted, `"opt_level":1`, `"name":"user.Mine"`, `"source":"p = 1"`)

	watch := decode[sessionAnswer](t, s.post("/api/sessions", `{"example":"watch"}`).want(t, http.StatusCreated)).Session
	if watch.Settings.Steps != nil || len(watch.Settings.Scripts) != 1 {
		t.Errorf("an instrument has the settings %+v", watch.Settings)
	}
	s.post("/api/sessions", `{"example":"other"}`).want(t, http.StatusBadRequest, "there are mine, watch")
	if a := s.do("POST", "/sessions", "example=mine", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the form answers %d", a.StatusCode)
	}
}

// TestScriptsOfARunAreBounded sends settings that are refused, with the limit named.
func TestScriptsOfARunAreBounded(t *testing.T) {
	s := openScripts(t)
	path := "/api/sessions/" + s.create("mlp").Session.ID + "/runs"
	script := func(name string, n int) string {
		return fmt.Sprintf(`{"name":%q,"source":%q}`, name, strings.Repeat("#", n))
	}
	var many []string
	for i := range 9 {
		many = append(many, script(fmt.Sprint("s", i), 1))
	}
	nested := strings.Repeat(`{"name":"a","steps":[`, 9) + `{"name":"b"}` + strings.Repeat("]}", 9)
	for body, want := range map[string]string{
		`{"scripts":[` + strings.Join(many, ",") + `]}`:               "there are 9 scripts; the limit is 8",
		`{"scripts":[` + script("a", 64<<10+1) + `]}`:                 "script a has 65537 bytes; the limit is 64 KiB",
		`{"scripts":[` + script("a", 1) + "," + script("a", 2) + `]}`: "two scripts are named a",
		`{"scripts":[` + script("a b", 1) + `]}`:                      "a script is named",
		`{"steps":[` + nested + `]}`:                                  "nested too deeply; sequences nest at most 8",
		`{"steps":[` + strings.Repeat(`{"name":"a"},`, 1000) + `{}]}`: "1001 steps; the limit is 1000",
	} {
		s.post(path, body).want(t, http.StatusBadRequest, want)
	}
	most := make([]string, 8)
	for i := range most {
		most[i] = script(fmt.Sprint("s", i), 64<<10)
	}
	first := decode[runAnswer](t, s.post(path, `{"scripts":[`+strings.Join(most, ",")+`]}`).want(t, http.StatusAccepted)).Run
	again := decode[runAnswer](t, s.post(path, `{"scripts":[`+strings.Join(most, ",")+`]}`).want(t, http.StatusOK)).Run
	other := decode[runAnswer](t, s.post(path, `{"scripts":[`+strings.Join(most[1:], ",")+`]}`).want(t, http.StatusAccepted)).Run
	if first.ID != again.ID || first.ID == other.ID {
		t.Errorf("runs with the same scripts are %s and %s, with others %s", first.ID, again.ID, other.ID)
	}
}
