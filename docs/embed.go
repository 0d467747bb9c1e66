// Package docs holds the documents for users, so that a server can show those of its own version. It knows nothing else; package web
// renders them.
package docs

import "embed"

// Files are the documents and the pages of passes (passes/NAME.md), in Markdown, and the pictures that the documents show.
//
//go:embed *.md *.svg tutorial-*.png passes/*.md
var Files embed.FS
