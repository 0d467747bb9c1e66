package web

import (
	"io/fs"
	"regexp"
	"strings"

	"github.com/irscope/irscope/docs"
	"github.com/irscope/irscope/ui/templates"
)

// docSections are the documents in the order in which a newcomer needs them. What no section names stands in the last.
var docSections = [...]struct {
	title string
	names []string
}{
	{"Start", []string{"tutorial", "page", "from-tvm", "from-compiler-explorer", "glossary"}},
	{"Use", []string{"cli", "scripting", "dumps", "relay", "operators"}},
	{"Teach", []string{"teaching", "writing-lessons"}},
	{"Serve", []string{"deploy", "store", "embed"}},
	{"Understand", []string{"history", "math", "nodes", "builtins", "protocol", "goals", "numbers", "scale"}},
}

// docList lists the documents by section.
func docList(all map[string]document) []templates.DocSection {
	out := make([]templates.DocSection, len(docSections))
	listed := map[string]bool{}
	add := func(section int, name string) {
		if doc, ok := all[name]; ok && !listed[name] {
			listed[name] = true
			out[section].Links = append(out[section].Links, templates.DocLink{Name: name, Title: doc.title, Lead: doc.lead})
		}
	}
	for i, s := range docSections {
		out[i].Title = s.title
		for _, name := range s.names {
			add(i, name)
		}
	}
	names, _ := fs.Glob(docs.Files, "*.md") // the pattern is a valid constant; names are sorted
	for _, name := range names {
		add(len(out)-1, strings.TrimSuffix(name, ".md"))
	}
	return out
}

var (
	// docMark is what Markdown writes around words: code, and links, of which the text stays.
	docMark = regexp.MustCompile("`|\\[([^\\]]*)\\]\\([^)]*\\)")
	// docSentence is the first sentence of a paragraph.
	docSentence = regexp.MustCompile(`^.*?[.:](?:\s|$)`)
)

// docHead returns the title of a document and the first sentence behind it, as text.
func docHead(source string) (title, lead string) {
	title, rest, _ := strings.Cut(strings.TrimPrefix(source, "# "), "\n")
	first, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n\n")
	first = docMark.ReplaceAllString(strings.ReplaceAll(first, "\n", " "), "$1")
	lead = strings.TrimRight(docSentence.FindString(first), ": ")
	if lead != "" && !strings.HasSuffix(lead, ".") {
		lead += "."
	}
	return title, lead
}
