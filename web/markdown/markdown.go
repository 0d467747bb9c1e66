// Package markdown makes HTML of the Markdown of people: of notes and of lessons. It knows no HTML in Markdown, so that nothing but what it
// writes itself is markup: tags are text, links to scripts lead nowhere, and no picture is loaded from elsewhere.
//
// Packages of the web import it; it must not know what the texts are for.
package markdown

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	more "github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markup "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// notes renders notes: each end of a line is one.
var notes = sync.OnceValue(func() goldmark.Markdown { return language(plain{}, markup.WithHardWraps()) })

// texts renders longer texts: lines are filled, and headings are the author's.
var texts = sync.OnceValue(func() goldmark.Markdown { return language(plain{headings: true}) })

// language is Markdown without HTML in it.
func language(of plain, o ...markup.Option) goldmark.Markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200), util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600), util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800), util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200), util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500), util.Prioritized(more.NewLinkifyParser(), 999),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(of, 100)),
	)
	return goldmark.New(goldmark.WithParser(p), goldmark.WithRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(markup.NewRenderer(o...), 1000)))))
}

// Note renders a note.
func Note(source string) string {
	var b bytes.Buffer
	if err := notes().Convert([]byte(source), &b); err != nil {
		return "<p>" + html.EscapeString(source) + "</p>"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Parse reads a longer text, whose blocks HTML renders.
func Parse(source []byte) ast.Node { return texts().Parser().Parse(text.NewReader(source)) }

// HTML renders some blocks of a text, which are taken out of where they were.
func HTML(source []byte, blocks []ast.Node) (string, error) {
	doc := ast.NewDocument()
	for _, n := range blocks {
		doc.AppendChild(doc, n)
	}
	var b bytes.Buffer
	if err := texts().Renderer().Render(&b, source, doc); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// plain takes out of Markdown what a text must not do to a page: a picture becomes a link, because the page loads nothing from elsewhere,
// links elsewhere open beside the page and tell nothing of it, and unless there are to be headings they become bold paragraphs, because
// those of the page are its outline.
type plain struct{ headings bool }

// Transform implements parser.ASTTransformer.
func (p plain) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	var headings, images []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor never fails
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if !p.headings {
				headings = append(headings, n)
			}
		case *ast.Image:
			images = append(images, n)
		case *ast.Link:
			outward(n, string(n.Destination))
		case *ast.AutoLink:
			outward(n, string(n.URL(r.Source())))
		}
		return ast.WalkContinue, nil
	})
	for _, h := range headings {
		par, bold := ast.NewParagraph(), ast.NewEmphasis(2)
		adopt(bold, h)
		par.AppendChild(par, bold)
		h.Parent().ReplaceChild(h.Parent(), h, par)
	}
	for _, n := range images {
		link := ast.NewLink()
		link.Destination, link.Title = n.(*ast.Image).Destination, n.(*ast.Image).Title
		outward(link, string(link.Destination))
		adopt(link, n)
		n.Parent().ReplaceChild(n.Parent(), n, link)
	}
}

// adopt moves the children of a node to another one.
func adopt(to, from ast.Node) {
	for c := from.FirstChild(); c != nil; c = from.FirstChild() {
		to.AppendChild(to, c)
	}
}

// outward marks a link that leads elsewhere.
func outward(n ast.Node, to string) {
	if strings.HasPrefix(to, "?") || strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.HasPrefix(to, "/\\") {
		return
	}
	n.SetAttributeString("target", "_blank")
	n.SetAttributeString("rel", "nofollow noopener noreferrer")
}
