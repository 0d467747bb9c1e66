// Package licenses holds the licences of everything that the program's binary contains: its own, those of the Go standard library and
// of every module linked in, on any supported system, and those of the scripts and fonts embedded in the page.
//
// The text is generated, so that it cannot be forgotten when a dependency comes or goes; a test compares it with what
// the generator makes. Only cmd/explorer imports it.
package licenses

import _ "embed"

//go:generate go run ./gen -root ../../.. -o licenses.txt

//go:embed licenses.txt
var text string

// Text returns the licences, each under a heading that names what it is for.
func Text() string { return text }
