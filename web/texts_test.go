package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
)

func TestTextsAndDiffs(t *testing.T) {
	s := open(t, nil)
	s.finished(s.create("mlp").Session.Runs[0])
	a, b := event.HashText(textBefore), event.HashText(textAfter)

	for _, prefix := range []string{"", "/api"} {
		text := s.get(prefix+"/ir/"+a+"?from=2&count=1").want(t, http.StatusOK, `"lines":4,"from":2`, `["c-nf","main"]`)
		if strings.Contains(text.body, "R.add") {
			t.Errorf("a window of one line holds another: %s", text.body)
		}
		diff := s.get(prefix+"/diff/"+a+"/"+b).want(t, http.StatusOK, `"added":1,"removed":1`, `"kind":"del","before":3`, `["c-nb","multiply",1]`)
		for _, ans := range []answer{text, diff} {
			if c := ans.Header.Get("Cache-Control"); !strings.Contains(c, "immutable") {
				t.Errorf("%s has Cache-Control %q", ans.Request.URL.Path, c)
			}
		}
		s.get(prefix+"/diff/"+a+"/"+b+"?view=split&context=0").want(t, http.StatusOK, `"kind":"mod"`, `"kind":"fold"`, `"lines_before":4`)
		s.get(prefix+"/diff/-/"+b+"?context=all").want(t, http.StatusOK, `"added":4,"removed":0`, `"context":"all"`)
	}
	raw := s.get("/ir/"+a+"?raw=1&name=../%22main%0d%0a").want(t, http.StatusOK)
	if raw.body != textBefore || raw.Header.Get("Content-Disposition") != `attachment; filename="..__main__.py"` ||
		!strings.Contains(raw.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("raw text has headers %v", raw.Header)
	}
	for path, status := range map[string]int{
		"/ir/" + strings.Repeat("0", 40):                404,
		"/ir/nothex":                                    400,
		"/ir/" + a + "?from=0":                          400,
		"/ir/" + a + "?count=99999":                     400,
		"/diff/" + a + "/" + b + "?view=3d":             400,
		"/diff/" + a + "/" + b + "?form=short":          400,
		"/ir/" + a + "?form=short":                      400,
		"/diff/" + a + "/" + b + "?context=-1":          400,
		"/diff/" + a + "/" + strings.Repeat("0", 40):    404,
		"/diff/" + a + "/" + b + "?from=1e9":            400,
		"/diff/" + a + "/" + b + "?from=100000":         200,
		"/api/ir/" + strings.Repeat("f", 40) + "?raw=1": 404,
	} {
		got := s.get(path).want(t, status)
		if status != 200 && strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s is an error that is kept for ever", path)
		}
	}
	body, kind := form(t, "model", "m.onnx", []byte("secret weights"))
	s.do("POST", "/api/sessions", body, "Content-Type", kind).want(t, http.StatusCreated)
	s.get("/ir/"+event.HashText("secret weights")+"?raw=1").want(t, http.StatusNotFound)
}

// TestWindowsAreTheirTypes decodes what is written by hand into the types that the page's are made of, and writes these again.
func TestWindowsAreTheirTypes(t *testing.T) {
	s := open(t, nil)
	s.finished(s.create("mlp").Session.Runs[0])
	a, b := event.HashText(textBefore), event.HashText(textAfter)
	for path, page := range map[string]any{
		"/ir/" + a:             &highlight.TextPage{},
		"/diff/" + a + "/" + b: &highlight.DiffPage{},
		"/diff/-/" + b:         &highlight.DiffPage{},
		"/diff/" + a + "/" + b + "?view=split&context=0": &highlight.DiffPage{},
		"/diff/" + a + "/" + b + "?context=all":          &highlight.DiffPage{},
		"/diff/" + a + "/" + b + "?form=compact":         &highlight.DiffPage{},
		"/ir/" + a + "?form=compact":                     &highlight.TextPage{},
	} {
		body := s.get(path).want(t, http.StatusOK).body
		strict := json.NewDecoder(strings.NewReader(body))
		strict.DisallowUnknownFields()
		if err := strict.Decode(page); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, body)
		}
		again, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(again), strings.ReplaceAll(strings.TrimSpace(body), `,"text":[]`, ""); got != want {
			t.Errorf("%s is\n%s\nits type writes\n%s", path, want, got)
		}
	}
}

func TestCatalog(t *testing.T) {
	s := open(t, nil)
	s.get("/api/gallery").want(t, 200, `"name":"mlp"`, `"bindings":[{"batch":1},{"batch":3}]`, `"shape":["batch",16]`)
	s.get("/api/passes").want(t, 200, `"name":"FuseOps"`, `"required":[],"config":[]`)
	s.get("/api/targets").want(t, 200, `"name":"wasm"`)
	s.get("/api/pipelines?target=wasm").want(t, 200, `"steps":[]`)
	s.get("/api/pipelines?target=cuda").want(t, 200, `{"pipelines":[]}`)
}
