package docs

import (
	"embed"
	"io/fs"
)

//go:embed lessons/*.md
var lessons embed.FS

// Lessons returns the folder of the lessons that come with the program; package web/lesson reads them.
func Lessons() fs.FS {
	sub, err := fs.Sub(lessons, "lessons")
	if err != nil {
		panic(err) // the name is valid
	}
	return sub
}
