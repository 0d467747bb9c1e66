package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/search"
)

func TestSearch(t *testing.T) {
	s := open(t, nil)
	id := s.create("mlp").Session.Runs[0]
	s.finished(id)
	s.state(id, "ok")
	find := func(query, more string) answer {
		return s.get("/api/runs/" + id + "/search?q=" + url.QueryEscape(query) + more)
	}

	got := decode[search.Answer](t, find("gone:R.add", "").want(t, http.StatusOK))
	if len(got.Results) != 1 || got.More || !got.Sealed || got.Results[0].Pass != "Fuse<i>Ops</i>" || got.Results[0].Text != event.HashText(textBefore) {
		t.Fatalf("answer is %+v", got)
	}
	// The link is the query of the session's page.
	link, err := url.ParseQuery(strings.TrimPrefix(got.Results[0].Link, "?"))
	if err != nil || link.Get("run") != id || link.Get("pass") != "1/Fuse<i>Ops</i>" || link.Get("function") != "main" || link.Get("view") != "unified" || link.Get("line") != "3" {
		t.Errorf("link %s is %v, error %v", got.Results[0].Link, link, err)
	}

	// Page by page.
	var lines []int
	for cursor := ""; ; {
		page := decode[search.Answer](t, find("name:lv", "&count=1&cursor="+cursor).want(t, http.StatusOK))
		for _, r := range page.Results {
			lines = append(lines, r.Line)
		}
		if cursor = page.Next; !page.More {
			break
		}
	}
	if want := []int{3, 4, 3, 4}; len(lines) != len(want) || lines[0] != 3 || lines[3] != 4 {
		t.Errorf("lines are %v, want %v", lines, want)
	}
	find("name:lv", "&kind=relax").want(t, http.StatusOK, `"kind":"relax"`)
	find("name:lv", "&kind=prim_func").want(t, http.StatusOK, `"results":[],"notes":[],"more":false,"sealed":true`)
}

func TestSearchesThatAreWrong(t *testing.T) {
	s := open(t, nil)
	id := s.create("mlp").Session.Runs[0]
	s.finished(id)
	path := "/api/runs/" + id + "/search"
	for query, want := range map[string]string{
		"":                                "the query is empty",
		"?q=x&kind=code2":                 "kind is \"code2\", want one of relax, prim_func, extern, code",
		"?q=x&count=1001":                 "want a number from 1 to 1000",
		"?q=x&count=0":                    "want a number from 1 to 1000",
		"?q=x&cursor=9.9":                 "does not belong to this run",
		"?q=x&cursor=999.0.0":             "does not belong to this run",
		"?q=lv+gone:":                     "query, column 9: gone: needs a value",
		"?q=%2F(a%2F":                     "missing closing )",
		"?q=" + strings.Repeat("x", 1001): "limited to 1000 bytes; this one has 1001",
	} {
		var body struct{ Error struct{ Message string } }
		status := http.StatusUnprocessableEntity
		if strings.Contains(query, "&") {
			status = http.StatusBadRequest
		}
		got := s.get(path+query).want(t, status)
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || !strings.Contains(body.Error.Message, want) {
			t.Errorf("%.40s gives %q, want %q", query, body.Error.Message, want)
		}
	}
	s.get(path+"?q=lv+gone:").want(t, http.StatusUnprocessableEntity, `"code":"query","span":{"source":"q","line":1,"column":9,"end_line":1,"end_column":10}`)
	s.get("/api/runs/none/search?q=x").want(t, http.StatusNotFound)
	// A query of a MiB is refused before anybody reads it.
	if got := s.get(path + "?q=" + strings.Repeat("x", 1<<20)); got.StatusCode != http.StatusRequestHeaderFieldsTooLarge && got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a query of 1 MiB is %d", got.StatusCode)
	}
}

func TestSearchesAreCounted(t *testing.T) {
	s := open(t, nil)
	id := s.create("mlp").Session.Runs[0]
	for range 1000 {
		got := s.get("/api/runs/" + id + "/search?q=%22")
		if got.StatusCode == http.StatusTooManyRequests {
			if got.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			return
		}
		got.want(t, http.StatusUnprocessableEntity)
	}
	t.Error("a visitor may search without end")
}
