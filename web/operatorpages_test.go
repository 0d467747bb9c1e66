package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/web/run/inproc"
)

// operatorPage asks for the page of an operator, "" for the list.
func operatorPage(s *Server, name string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	routes := chi.NewRouter()
	routes.Method(http.MethodGet, "/operators", s.do(s.operatorPage))
	routes.Method(http.MethodGet, "/operators/{name}", s.do(s.operatorPage))
	routes.ServeHTTP(w, httptest.NewRequest(http.MethodGet, strings.TrimSuffix("/operators/"+name, "/"), nil))
	return w
}

// TestOperatorPages asks for the page of each operator: what it takes, the shapes that come out, and its kernel.
func TestOperatorPages(t *testing.T) {
	t.Parallel()
	s := &Server{}
	if w := operatorPage(s, ""); w.Code != http.StatusNotFound {
		t.Errorf("a server without operators gives %d", w.Code)
	}
	s.cfg.Operators = inproc.Operators{}
	list := s.cfg.Operators.Operators()
	kernels := 0
	for _, o := range list {
		w := operatorPage(s, o.Name)
		page := html.UnescapeString(w.Body.String())
		want := []string{"<h1>" + o.Name + "</h1>", `aria-current="page">` + o.Name + "</a>", o.Doc, "<td>static</td>", "R." + o.Name + "("}
		for _, a := range o.Args {
			want = append(want, "<code>"+a.Name+"</code>", a.Doc)
		}
		for _, a := range o.Attrs {
			want = append(want, "<code>"+a.Name+"</code>", a.Doc)
		}
		for _, part := range want {
			if !strings.Contains(page, part) {
				t.Errorf("the page of %s lacks %q", o.Name, part)
			}
		}
		if w.Code != http.StatusOK {
			t.Errorf("the page of %s gives %d", o.Name, w.Code)
		}
		if strings.Contains(page, `class="plain-row is-add`) {
			kernels++
		}
	}
	if len(list) < 230 || kernels < 150 {
		t.Errorf("%d of %d pages show what LegalizeOps makes", kernels, len(list))
	}
	if w := operatorPage(s, ""); w.Code != http.StatusOK || strings.Count(w.Body.String(), "<dd>") != len(list) {
		t.Errorf("the list gives %d with %d of %d operators", w.Code, strings.Count(w.Body.String(), "<dd>"), len(list))
	}
	for _, name := range []string{"nothing", "relax.add", "..%2Fcli", "%3Ci%3E"} {
		if w := operatorPage(s, name); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "<i>") {
			t.Errorf("/operators/%s gives %d", name, w.Code)
		}
	}
}
