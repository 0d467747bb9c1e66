package web

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/docs"
)

var (
	docLink = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	// docFileName is a link to a document whose text is the name of a file.
	docFileName = regexp.MustCompile(`<a href="/docs/[^"]*">[\w/-]+\.md</a>`)
	docID       = regexp.MustCompile(`id="([^"]+)"`)
)

// doc asks for a document.
func doc(s *Server, name string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	routes := chi.NewRouter()
	routes.Method(http.MethodGet, "/docs", s.do(s.docPage))
	routes.Method(http.MethodGet, "/docs/{name}", s.do(s.docPage))
	routes.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/docs"+name, nil))
	return w
}

// TestDocuments asks for every document, and follows its links: to other documents and their headings, and to pictures.
func TestDocuments(t *testing.T) {
	s := &Server{}
	all, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	pictures := 0
	for name, d := range all {
		w := doc(s, "/"+name)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<h1") || d.title == "" {
			t.Errorf("%s gives %d, with the title %q", name, w.Code, d.title)
		}
		if m := docFileName.FindString(d.html); m != "" {
			t.Errorf("%s calls a document by its file: %s", name, m)
		}
		if strings.Contains(d.html, "style=") || strings.Contains(d.html, "raw HTML") || strings.Contains(d.html, "<script") {
			t.Errorf("%s has markup that the page may not have", name)
		}
		for _, m := range docLink.FindAllStringSubmatch(d.html, -1) {
			to, heading, _ := strings.Cut(m[1], "#")
			switch {
			case strings.Contains(to, "://"):
			case strings.HasPrefix(to, "/passes/"):
				if !pagedPasses()[strings.TrimPrefix(to, "/passes/")] {
					t.Errorf("%s links %s, which is no pass", name, to)
				}
			case strings.HasSuffix(to, ".png"), strings.HasSuffix(to, ".svg"):
				pictures++
				if w := doc(s, "/"+to); w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "image/") {
					t.Errorf("%s shows %s: %d %s", name, to, w.Code, w.Header().Get("Content-Type"))
				}
			default:
				other, ok := strings.CutPrefix(to, "/docs/")
				if to == "" {
					other, ok = name, true
				}
				target, there := all[other]
				if !ok || !there {
					t.Errorf("%s links %s, which is no document", name, m[1])
				} else if heading != "" && !strings.Contains(strings.Join(docID.FindAllString(target.html, -1), " "), `id="`+heading+`"`) {
					t.Errorf("%s links %s, and there is no such heading", name, m[1])
				}
			}
		}
	}
	if len(all) < 15 || pictures < 3 {
		t.Errorf("there are %d documents with %d pictures", len(all), pictures)
	}
}

// TestDocumentList lists all documents, those for newcomers first, and knows no others.
func TestDocumentList(t *testing.T) {
	s := &Server{}
	w := doc(s, "")
	names, _ := fs.Glob(docs.Files, "*.md")
	if w.Code != http.StatusOK || strings.Count(w.Body.String(), `<li><a href="/docs/`) != len(names) {
		t.Errorf("the list gives %d and names %d of %d documents", w.Code, strings.Count(w.Body.String(), `<li><a href="/docs/`), len(names))
	}
	if body := w.Body.String(); strings.Count(body, "<dd></dd>") > 0 || strings.Count(body, "<dd>") != len(names) {
		t.Error("documents are listed without what they are about")
	}
	for source, want := range map[string][2]string{
		"# A title\n\nOne `code` and [a link](x.md): more\n\nnext": {"A title", "One code and a link."},
		"# A title\n\nVersion v0.23 is\nmeant. More.":              {"A title", "Version v0.23 is meant."},
		"# A title\n": {"A title", ""},
	} {
		if title, lead := docHead(source); title != want[0] || lead != want[1] {
			t.Errorf("the head of %q is %q and %q", source, title, lead)
		}
	}
	if i, j := strings.Index(w.Body.String(), "/docs/tutorial"), strings.Index(w.Body.String(), "/docs/builtins"); i < 0 || i > j {
		t.Error("the tutorial is not listed before the builtins")
	}
	for _, name := range []string{"/nothing", "/tutorial.md", "/embed.go", "/nothing.png", "/..%2Fgo.mod"} {
		if w := doc(s, name); w.Code != http.StatusNotFound {
			t.Errorf("/docs%s gives %d", name, w.Code)
		}
	}
}
