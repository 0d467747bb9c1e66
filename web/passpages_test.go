package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run/inproc"
)

// passPage asks for the page of a pass, "" for the list.
func passPage(s *Server, name string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	routes := chi.NewRouter()
	routes.Method(http.MethodGet, "/passes", s.do(s.passPage))
	routes.Method(http.MethodGet, "/passes/{name}", s.do(s.passPage))
	routes.ServeHTTP(w, httptest.NewRequest(http.MethodGet, strings.TrimSuffix("/passes/"+name, "/"), nil))
	return w
}

// TestPassPages asks for the page of each pass of the compiler: what it does, its example, its order and options, and where links lead.
func TestPassPages(t *testing.T) {
	t.Parallel()
	cat, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	s.cfg.Catalog = cat
	changed := 0
	for _, p := range cat.Passes {
		w := passPage(s, p.Name)
		page := w.Body.String()
		want := []string{"<h1>" + p.Name + "</h1>", `aria-current="page">` + p.Name + "</a>", html.EscapeString(p.Doc), ">Example</h2>", "irscope opt example.py --passes"}
		for _, o := range append(p.Before, p.After...) {
			want = append(want, html.EscapeString(o.Why))
		}
		for _, o := range p.Options {
			want = append(want, "<code>"+o.Name+"</code>", html.EscapeString(o.Doc))
		}
		for _, part := range want {
			if !strings.Contains(page, part) && !strings.Contains(page, strings.ReplaceAll(part, "&#39;", "'")) {
				t.Errorf("the page of %s lacks %q", p.Name, part)
			}
		}
		if w.Code != http.StatusOK || strings.Contains(page, "example:begin") || strings.Contains(page, "```") {
			t.Errorf("the page of %s gives %d, or shows its marks", p.Name, w.Code)
		}
		if strings.Contains(page, `class="plain-row is-add`) || strings.Contains(page, `class="plain-row is-del`) {
			changed++
		}
		if n := strings.Count(page, `href="/passes/`+p.Name+`"`); n != 1 {
			t.Errorf("the page of %s leads to itself %d times, want once, in the list of all", p.Name, n)
		}
		for _, m := range docLink.FindAllStringSubmatch(page, -1) {
			name, ok := strings.CutPrefix(m[1], "/passes/")
			if ok && cat.Pass(name) == nil {
				t.Errorf("the page of %s links the pass %s, which is none", p.Name, name)
			}
		}
	}
	if changed != len(cat.Passes)-9 { // Normalize, NormalizeGlobalVar, relay.InferType, tir.ConvertSSA and tir.VerifySSA (in texts), tir.VerifyMemory, tir.VerifyGPUCode, tir.VerifyVTCMLimit and tir.OOBChecker change nothing
		t.Errorf("%d of %d pages show a change", changed, len(cat.Passes))
	}
	w := passPage(s, "")
	if n := strings.Count(w.Body.String(), "<dd>"); w.Code != http.StatusOK || n != len(cat.Passes) {
		t.Errorf("the list gives %d with %d of %d passes", w.Code, n, len(cat.Passes))
	}
	for _, name := range []string{"Nothing", "fuseops", "FuseOps.md", "..%2Fcli", "%3Ci%3E"} {
		if w := passPage(s, name); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "<i>") {
			t.Errorf("/passes/%s gives %d", name, w.Code)
		}
	}
}

// TestPassWithoutText shows what the catalog says of a pass that docs has no text on, as text.
func TestPassWithoutText(t *testing.T) {
	t.Parallel()
	s := &Server{}
	s.cfg.Catalog = catalog.Catalog{Passes: []catalog.Pass{{Name: "Mine", Doc: "Does <b>this</b>.", IR: "relax"}}}
	page := passPage(s, "Mine").Body.String()
	if !strings.Contains(page, "Does &lt;b&gt;this&lt;/b&gt;.") || strings.Contains(page, "Example") {
		t.Errorf("got %s", page)
	}
}

// TestPassParts cuts a text, whose example changed two functions, one with a blank line.
func TestPassParts(t *testing.T) {
	t.Parallel()
	parts := passParts("# A\n\nWhat.\n\n## Example\n\nHow.\n<!-- example:begin -->\n```diff\n a\n-b\n+c\n\n d\n```\n```diff\n+e\n```\n<!-- example:end -->\n\n## Further reading\n")
	if parts[0] != "\nWhat.\n" || parts[1] != "## Example\n\nHow.\n" || parts[2] != "\n## Further reading\n" {
		t.Errorf("got %q", parts)
	}
	blocks := strings.Split(parts[3], "```diff\n")[1:]
	if len(blocks) != 2 {
		t.Fatalf("got %q", parts[3])
	}
	before, after := sides(strings.TrimSuffix(blocks[0], "```\n"))
	if before != "a\nb\n\nd\n" || after != "a\nc\n\nd\n" {
		t.Errorf("got %q and %q", before, after)
	}
	if failed := passParts("# A\n\nWhat.\n\n## Example\n\nHow.\n<!-- example:begin -->\n```text\nno\n```\n<!-- example:end -->\n"); failed[3] != "" || !strings.HasSuffix(failed[1], "```text\nno\n```\n") {
		t.Errorf("got %q", failed)
	}
}
