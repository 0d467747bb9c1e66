package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRequests sends bodies to the routes that read JSON and forms. Whatever comes, the answer
// is no failure of the server, and what it says is JSON with a message where it is an error.
func FuzzRequests(f *testing.F) {
	for _, seed := range []struct {
		route int
		body  string
	}{
		{0, `{"gallery":"mlp","pipeline":"default","start":true}`},
		{0, `{"kind":"tvmscript","source":"x","name":"a.py"}`},
		{0, `{"example":"mine"}`},
		{1, `{"target":"wasm","opt_level":2,"pipeline":"default","disabled":["A"],"required":["B"],"seed":7}`},
		{1, `{"steps":[{"name":"A","options":{"x":[1,null]},"steps":[{"name":"B"}]}],"config":{"k":1e400},"shapes":{"x":[-1]},"bindings":[{"n":9223372036854775807}]}`},
		{1, `{"scripts":[{"name":"a.star","source":"p = 1"}]}`},
		{2, `{"title":"t"}`},
		{3, `{"text":"a","run":"r","step":"1/A","function":"f","line":3}`},
		{4, `{"days":3}`},
		{5, `{"text":"x = wrong","name":"a.py"}`},
		{6, `{"name":"a.star","source":"x"}`},
		{7, `gallery=mlp&kind=tvmscript&source=%00`},
		{8, `opt_level=2&settings_json={"opt_level":1}&disabled=A&disabled=B`},
	} {
		f.Add(seed.route, seed.body)
	}
	routes := []string{
		"/api/sessions", "/api/sessions/%s/runs", "/api/sessions/%s/title", "/api/sessions/%s/notes", "/api/sessions/%s/expiry", "/api/check",
		"/api/passes/check", "/sessions", "/s/%s/runs",
	}
	f.Fuzz(func(t *testing.T, route int, body string) {
		if route < 0 || len(body) > 64<<10 {
			t.Skip("no route, or more than there is to learn from")
		}
		s := openScripts(t)
		made := s.create("mlp")
		path := routes[route%len(routes)]
		if strings.Contains(path, "%s") {
			path = fmt.Sprintf(path, made.Session.ID)
		}
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+made.EditToken)
		r.Header.Set("Content-Type", "application/json")
		if !strings.HasPrefix(path, "/api/") {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable && !strings.Contains(body, "panic") {
			t.Fatalf("%s %q answers %d: %s", path, body, w.Code, w.Body)
		}
		if w.Code == http.StatusSeeOther || w.Body.Len() == 0 {
			return
		}
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || !utf8.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %q answers %d %q: %v", path, body, w.Code, w.Body, err)
		}
		if w.Code >= 400 && answer["error"] == nil {
			t.Fatalf("%s %q answers %d without an error: %s", path, body, w.Code, w.Body)
		}
	})
}
