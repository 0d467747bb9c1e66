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

// docHead returns the title of a document and the first sentence behind it, as text: of what Markdown writes around code and links, the text stays. Documents are read once, so it has no expressions that
// the program would make at its start.
func docHead(source string) (title, lead string) {
	mark, sentence := regexp.MustCompile("`|\\[([^\\]]*)\\]\\([^)]*\\)"), regexp.MustCompile(`^.*?[.:](?:\s|$)`)
	title, rest := cutTitle(source)
	first, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n\n")
	first = mark.ReplaceAllString(strings.ReplaceAll(first, "\n", " "), "$1")
	lead = strings.TrimRight(sentence.FindString(first), ": ")
	if lead != "" && !strings.HasSuffix(lead, ".") {
		lead += "."
	}
	return title, lead
}

// cutTitle parts the title of a document from what follows.
func cutTitle(source string) (title, rest string) {
	title, rest, _ = strings.Cut(strings.TrimPrefix(source, "# "), "\n")
	return title, rest
}
