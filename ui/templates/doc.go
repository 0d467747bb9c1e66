// Package templates renders the pages of irscope as HTML: the gallery, the page of a session and the page of an error.
//
// The web package fills the view structs, which hold plain strings and numbers, and renders the components. The package may be
// imported by web and by tests. It must not know the compiler, the wire format, sessions or storage, and imports nothing of ours.
// What it renders is readable without JavaScript; the scripts of package static take it over where they run. Every value from
// outside is escaped by templ. No style attribute and no inline script is written, so that a strict Content-Security-Policy holds.
//
// The files *_templ.go are made from *.templ by `make generate` and committed; a test compares them.
package templates

//go:generate go tool -modfile=../../tools.mod templ generate
