package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// lineGrapher makes a node of each line that assigns, and counts the graphs that it made.
type lineGrapher struct {
	run.Compiler
	made atomic.Int32
}

func (l *lineGrapher) Graph(_ context.Context, text string) (*flow.Graph, error) {
	l.made.Add(1)
	g := &flow.Graph{Name: "main", Form: flow.Dataflow}
	for i, line := range strings.Split(text, "\n") {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			continue
		}
		g.Nodes = append(g.Nodes,
			flow.Node{ID: name, Name: name, Label: value, Kind: flow.Op, Line: i + 1, Inline: []string{"2.5"}},
			flow.Node{ID: name + ":kill", Label: "kill", Kind: flow.Memory, Line: i + 1})
		g.Edges = append(g.Edges, flow.Edge{From: len(g.Nodes) - 2, To: len(g.Nodes) - 1})
	}
	if len(g.Nodes) == 0 {
		return nil, errors.New("no line assigns")
	}
	return g, nil
}

type graphAnswer struct {
	Name, Form, SVG, Minimap, Near        string
	Nodes, Edges, Changed, Added, Removed int
	Diff                                  bool
	Width, Height                         int
}

func TestGraphs(t *testing.T) {
	grapher := &lineGrapher{}
	s := open(t, func(c *web.Config) { c.Compiler = grapher })
	s.finished(s.create("mlp").Session.Runs[0])
	a, b := event.HashText(textBefore), event.HashText(textAfter)

	first := s.get("/graph/"+a+"/"+b).want(t, http.StatusOK)
	tag := first.Header.Get("ETag")
	if !strings.Contains(first.Header.Get("Cache-Control"), "immutable") || tag == "" {
		t.Errorf("the headers are %v", first.Header)
	}
	g := decode[graphAnswer](t, first)
	if g.Nodes != 2 || g.Edges != 1 || g.Changed != 1 || !g.Diff || g.Width < 20 || g.Height < 20 {
		t.Errorf("got %+v", g)
	}
	for _, part := range []string{`m-changed`, `data-line="3"`, "R.multiply(x, x)", "2.5", "was R.add(x, x)"} {
		if !strings.Contains(g.SVG, part) {
			t.Errorf("the drawing lacks %s: %s", part, g.SVG)
		}
	}
	if !strings.Contains(g.Minimap, "g-mini") || strings.Contains(g.SVG+g.Minimap, "style=") {
		t.Errorf("the minimap is %s", g.Minimap)
	}
	again := s.get("/api/graph/"+a+"/"+b, "If-None-Match", `"other", W/`+tag).want(t, http.StatusNotModified)
	if again.body != "" || again.Header.Get("ETag") != tag {
		t.Errorf("not modified: %q with %v", again.body, again.Header)
	}
	if n := grapher.made.Load(); n != 2 {
		t.Errorf("%d graphs were made, expected one of each text", n)
	}

	hidden := decode[graphAnswer](t, s.get("/graph/"+a+"/"+b+"?hide=constants,memory").want(t, http.StatusOK))
	if hidden.Nodes != 1 || strings.Contains(hidden.SVG, "2.5") {
		t.Errorf("without memory and constants: %+v", hidden)
	}
	// Around a node: its end is a step away, and nothing else is there.
	near := decode[graphAnswer](t, s.get("/graph/"+b+"/"+b+"?near=lv&steps=1").want(t, http.StatusOK))
	if near.Near != "lv" || near.Nodes != 2 {
		t.Errorf("around lv: %+v", near)
	}
	if all := decode[graphAnswer](t, s.get("/graph/"+b+"/"+b+"?near=gone").want(t, http.StatusOK)); all.Near != "" || all.Nodes != 2 {
		t.Errorf("around a node that is not there: %+v", all)
	}
	if g := decode[graphAnswer](t, s.get("/graph/-/"+b).want(t, http.StatusOK)); g.Added != 2 {
		t.Errorf("of nothing before: %+v", g)
	}
	if g := decode[graphAnswer](t, s.get("/graph/"+a+"/-").want(t, http.StatusOK)); g.Removed != 2 {
		t.Errorf("of nothing after: %+v", g)
	}
	if g := decode[graphAnswer](t, s.get("/graph/"+a+"/"+a).want(t, http.StatusOK)); g.Diff || g.Nodes != 2 {
		t.Errorf("of one text: %+v", g)
	}
}

func TestGraphErrors(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Compiler, c.Store = &lineGrapher{}, st })
	id := s.create("mlp").Session.Runs[0]
	s.finished(id)
	a := event.HashText(textBefore)
	for path, want := range map[string]struct {
		status int
		part   string
	}{
		"/graph/-/-":                                                   {400, "want the hash"},
		"/graph/nothex/-":                                              {400, "not the hash of a text"},
		"/graph/-/" + strings.Repeat("0", 40):                          {404, "expired"},
		"/graph/" + a + "/" + a + "?hide=everything":                   {400, "want memory, constants, or both"},
		"/graph/" + a + "/" + a + "?groups=half":                       {400, "want open or folded"},
		"/graph/" + a + "/" + a + "?run=" + id:                         {400, "want all three or none"},
		"/graph/" + a + "/" + a + "?near=x&steps=0":                    {400, "want a number from 1 to 20"},
		"/graph/" + a + "/" + a + "?near=" + strings.Repeat("x", 2000): {400, "with 2000 bytes"},
		"/graph/" + a + "/" + a + strings.Replace(strings.Repeat("&open=x", 401), "&", "?", 1): {400, "401 groups"},
		"/graph/" + a + "/" + a + "?run=999999&step=import&function=main":                      {200, ""}, // a run that is gone leaves a graph without groups
	} {
		got := s.get(path).want(t, want.status, want.part)
		if strings.Contains(got.Header.Get("Cache-Control"), "immutable") || want.status >= 400 && got.Header.Get("ETag") != "" {
			t.Errorf("%s is kept for ever", path)
		}
	}
	for _, tt := range []struct {
		language, text string
		status         int
		part           string
	}{
		{event.LangTVMScript, "x", 422, "has no graph: no line assigns; see the text instead"},
		{event.LangWAT, "y = (module)", 400, "generated code has no graph"},
		{event.LangTVMScript, "y = 1" + strings.Repeat(" ", 2<<20), 413, "2097157 bytes of text; graphs are limited to 2 MiB"},
	} {
		hash, err := st.PutBlob(t.Context(), id, tt.language, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		s.get("/graph/-/"+hash).want(t, tt.status, tt.part)
	}
	none := open(t, nil)
	none.get("/graph/-/"+a).want(t, http.StatusNotImplemented, "does not draw graphs")
}
