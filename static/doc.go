// Package static holds the files that irscope serves as they are: style sheets, bundled scripts and the icon, embedded in
// the program and named by their content.
//
// The web package mounts Handler under Prefix and asks URL for the address of a file. The package knows no route, no template and
// no compiler, and imports only the standard library. The bundles under dist are made from css/ and src/ by bundle/ in `make generate` and
// committed, so that building the program needs Go alone; a test compares them with their sources. fonts/ holds the fonts, see FONTS.md
// there, and vendor/ a script that others wrote, see VENDOR.md there; the pages that need it import it by its address.
package static

//go:generate go run ./bundle
