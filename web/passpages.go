package web

import (
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/irscope/irscope/docs"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/highlight"
)

// passText is what docs/passes has on a pass, as HTML: what it is for, its example with what it changed there, and where to read on.
type passText struct {
	prose, example, reading string
	changes                 []templates.CodeBlock
}

// passTexts renders the texts on all passes, when the first is asked for.
var passTexts = sync.OnceValues(func() (map[string]passText, error) {
	out := map[string]passText{}
	for name := range pagedPasses() {
		source, err := docs.Files.ReadFile("passes/" + name + ".md")
		if err != nil {
			return nil, err
		}
		md := docMarkdown("passes", name)
		t, parts := passText{}, passParts(string(source))
		for i, to := range []*string{&t.prose, &t.example, &t.reading} {
			if *to, err = docHTML(md, []byte(parts[i])); err != nil {
				return nil, fmt.Errorf("render the page of %s: %w", name, err)
			}
		}
		for block := range strings.SplitSeq(parts[3], "```diff\n") {
			before, after := sides(strings.TrimSuffix(block, "```\n"))
			if before == after {
				continue
			}
			l := highlight.NewDiff(highlight.NewDocument(event.LangTVMScript, before), highlight.NewDocument(event.LangTVMScript, after)).Layout(highlight.Unified, highlight.All)
			change, err := diffBlock("", l, l.Rows)
			if err != nil {
				return nil, err
			}
			t.changes = append(t.changes, change)
		}
		out[name] = t
	}
	return out, nil
})

// pagedPasses are the passes that docs/passes has a text on.
var pagedPasses = sync.OnceValue(func() map[string]bool {
	files, _ := fs.Glob(docs.Files, "passes/*.md") // the pattern is a valid constant
	out := make(map[string]bool, len(files))
	for _, f := range files {
		out[strings.TrimSuffix(path.Base(f), ".md")] = true
	}
	return out
})

// passParts cuts the text on a pass into what it is for, the example, what stands behind that, and the differences that the example made;
// an error that it gave instead stays with the example.
func passParts(source string) [4]string {
	_, rest, _ := strings.Cut(source, "\n") // the title
	prose, rest, _ := strings.Cut(rest, "\n## ")
	example, rest, _ := strings.Cut(rest, "<!-- example:begin -->\n")
	change, reading, _ := strings.Cut(rest, "<!-- example:end -->\n")
	if !strings.HasPrefix(change, "```diff\n") {
		example, change = example+change, ""
	}
	return [4]string{prose, "## " + example, reading, change}
}

// sides returns the texts before and after of a difference that has all lines.
func sides(diff string) (before, after string) {
	var x, y strings.Builder
	for line := range strings.Lines(diff) {
		sign, rest := line[0], line[1:]
		if rest == "" {
			rest = "\n" // a blank line, whose sign was a blank
		}
		if sign != '+' {
			x.WriteString(rest)
		}
		if sign != '-' {
			y.WriteString(rest)
		}
	}
	return x.String(), y.String()
}

// passLinks makes the name of a pass, where it stands as code, lead to its page, but for the name of the pass whose page it is on.
type passLinks struct{ own string }

// Transform implements parser.ASTTransformer.
func (l passLinks) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	var spans []*ast.CodeSpan
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor never fails
		switch n := n.(type) {
		case *ast.Link, *ast.Heading:
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			if name := codeOf(n, r.Source()); entering && name != l.own && pagedPasses()[name] {
				spans = append(spans, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range spans {
		link := ast.NewLink()
		link.Destination = []byte("/passes/" + codeOf(n, r.Source()))
		n.Parent().ReplaceChild(n.Parent(), n, link)
		link.AppendChild(link, n)
	}
}

func codeOf(n *ast.CodeSpan, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		}
	}
	return b.String()
}

// passPage shows what there is to know of a pass, or the list of all.
func (s *Server) passPage(w http.ResponseWriter, r *http.Request) error {
	name := chi.URLParam(r, "name")
	v := templates.PassView{Assets: assets("docspage"), Name: name}
	v.Assets.OwnCSS = static.URL("docs.css")
	for _, p := range s.cfg.Catalog.Passes {
		link := templates.PassLink{Name: p.Name, Doc: p.Doc}
		if p.IR == "tir" {
			v.Loops = append(v.Loops, link)
		} else {
			v.Graph = append(v.Graph, link)
		}
	}
	if name != "" {
		p := s.cfg.Catalog.Pass(name)
		if p == nil {
			return &httpError{status: http.StatusNotFound, message: "there is no pass of this name; /passes lists all"}
		}
		texts, err := passTexts()
		if err != nil {
			return err
		}
		fillPass(&v, *p, texts[name])
	}
	return s.page(w, r, http.StatusOK, templates.Pass(v))
}

// fillPass fills a page with what the catalog and the docs say of a pass.
func fillPass(v *templates.PassView, p catalog.Pass, t passText) {
	v.Doc, v.Prose, v.Example, v.Changes, v.Reading = p.Doc, t.prose, t.example, t.changes, t.reading
	v.Facts = []string{strings.ReplaceAll(string(p.Kind), "_", " ") + " pass", fmt.Sprintf("level %d", p.Level), string(p.Role)}
	for _, name := range p.Required {
		v.Order = append(v.Order, templates.PassOrder{Word: "requires", Pass: name, Why: "it is run first, whatever the level"})
	}
	for _, o := range p.Before {
		v.Order = append(v.Order, templates.PassOrder{Word: o.Earlier(), Pass: o.Pass, Why: o.Why})
	}
	for _, o := range p.After {
		v.Order = append(v.Order, templates.PassOrder{Word: o.Later(), Pass: o.Pass, Why: o.Why})
	}
	for _, o := range p.Options {
		v.Options = append(v.Options, templates.PassOption{Name: o.Name, Type: o.Type, Default: fmt.Sprint(o.Default), Doc: o.Doc})
	}
	for _, o := range p.Config {
		v.Options = append(v.Options, templates.PassOption{Name: o.Key, Type: o.Type, Default: fmt.Sprint(o.Default), Doc: o.Doc, Context: true})
	}
}
