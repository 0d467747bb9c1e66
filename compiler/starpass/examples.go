package starpass

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed examples/*.star
var examples embed.FS

// Example is a script that comes with the program.
type Example struct {
	Name   string // of the file, without its extension
	Title  string // the first comment
	Source string
}

// Examples returns the scripts that come with the program, by name.
func Examples() []Example {
	files, err := fs.Glob(examples, "examples/*.star")
	if err != nil {
		panic(fmt.Sprintf("starpass: %v", err)) // the pattern is a constant
	}
	var out []Example
	for _, f := range files {
		text, err := fs.ReadFile(examples, f)
		if err != nil {
			panic(fmt.Sprintf("starpass: %v", err)) // the file is embedded or the program does not build
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		out = append(out, Example{
			Name:   strings.TrimSuffix(strings.TrimPrefix(f, "examples/"), ".star"),
			Title:  title,
			Source: string(text),
		})
	}
	return out
}
