package web

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	more "github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/irscope/irscope/docs"
	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/ui/templates"
)

// document is a document: its title, its first sentence, and as HTML.
type document struct{ title, lead, html string }

// docSources reads all documents, when the first is asked for.
var docSources = sync.OnceValues(func() (map[string]string, error) {
	names, err := fs.Glob(docs.Files, "*.md")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, name := range names {
		source, err := docs.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(name, ".md")] = string(source)
	}
	return out, nil
})

// documents renders all documents, when the first is asked for.
var documents = sync.OnceValues(func() (map[string]document, error) {
	md := docMarkdown("", "")
	sources, err := docSources()
	if err != nil {
		return nil, err
	}
	out := map[string]document{}
	for name, source := range sources {
		html, err := docHTML(md, []byte(source))
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		title, lead := docHead(source)
		out[name] = document{title, lead, html}
	}
	return out, nil
})

// docMarkdown renders the Markdown of documents that lie in a folder of docs. pass is the one whose page it is for, "" for none.
func docMarkdown(folder, pass string) goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(more.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID(),
		parser.WithASTTransformers(util.Prioritized(docLinks{folder}, 100), util.Prioritized(passLinks{pass}, 200))))
}

// forPage makes what may be wider than the page scroll, by keyboard too, and leaves out the marks of generators.
var forPage = strings.NewReplacer("<!-- raw HTML omitted -->\n", "", "<pre>", `<pre tabindex="0">`,
	"<table>", `<div class="doc-table" tabindex="0" role="group" aria-label="Table"><table>`, "</table>", "</table></div>")

// docHTML renders Markdown of this program.
func docHTML(md goldmark.Markdown, source []byte) (string, error) {
	var b bytes.Buffer
	err := md.Convert(source, &b)
	return forPage.Replace(b.String()), err
}

// docTitle is the title of the document at a path of this server; "" where there is none.
func docTitle(to string) string {
	name, ok := strings.CutPrefix(to, "/docs/")
	sources, err := docSources()
	if !ok || err != nil {
		return ""
	}
	title, _ := cutTitle(sources[name])
	return title
}

// called is the text of a link that is text alone, else "".
func called(link *ast.Link, source []byte) string {
	t, ok := link.FirstChild().(*ast.Text)
	if !ok || t.NextSibling() != nil {
		return ""
	}
	return string(t.Segment.Value(source))
}

// docLinks makes links from document to document lead to their pages; one that is called by its file gets the title of the document.
// What lies outside of docs is not served: its link is its text.
type docLinks struct {
	// folder is that of the document, in docs.
	folder string
}

// Transform implements parser.ASTTransformer.
func (l docLinks) Transform(doc *ast.Document, src text.Reader, _ parser.Context) {
	var outside []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor never fails
		if link, ok := n.(*ast.Link); ok && entering {
			to, heading, has := strings.Cut(string(link.Destination), "#")
			if strings.HasSuffix(to, ".md") && !strings.Contains(to, "://") {
				to = path.Join(l.folder, to)
			}
			switch {
			case strings.Contains(to, "://"):
			case strings.HasPrefix(to, "../"):
				outside = append(outside, link)
			case strings.HasPrefix(to, "passes/") && strings.HasSuffix(to, ".md"):
				to = "/" + strings.TrimSuffix(to, ".md")
			case strings.HasSuffix(to, ".md"):
				to = "/docs/" + strings.TrimSuffix(to, ".md")
			}
			if title := docTitle(to); title != "" && path.Base(called(link, src.Source())) == path.Base(to)+".md" {
				link.RemoveChildren(link)
				link.AppendChild(link, ast.NewString([]byte(title)))
			}
			if link.Destination = []byte(to); has {
				link.Destination = []byte(to + "#" + heading)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, link := range outside {
		parent := link.Parent()
		for child := link.FirstChild(); child != nil; {
			next := child.NextSibling()
			parent.InsertBefore(parent, link, child)
			child = next
		}
		parent.RemoveChild(parent, link)
	}
}

// docPage shows a document of this version, a picture of one, or the list of all.
func (s *Server) docPage(w http.ResponseWriter, r *http.Request) error {
	name := chi.URLParam(r, "name")
	if ext := path.Ext(name); ext == ".png" || ext == ".svg" {
		if _, err := fs.Stat(docs.Files, name); err == nil {
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, docs.Files, name)
			return nil
		}
	}
	all, err := documents()
	if err != nil {
		return err
	}
	doc, ok := all[name]
	if !ok && name != "" {
		return &httpError{status: http.StatusNotFound, message: "there is no such document"}
	}
	v := templates.DocView{Assets: assets("docspage"), Name: name, Title: doc.title, HTML: doc.html}
	v.Assets.OwnCSS = static.URL("docs.css")
	if name == "" {
		v.Title = "Documents"
	}
	v.Sections = docList(all)
	return s.page(w, r, http.StatusOK, templates.Doc(v))
}
