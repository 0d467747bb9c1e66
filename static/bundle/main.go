// Command bundle makes what package static serves from its sources: the style sheets and scripts of dist. `go generate ./static` runs it,
// and a test runs it into another folder to compare. It needs nothing but Go: esbuild is a tool of tools.mod.
//
// All scripts are made in one go and split: what a page loads at once is app.js with the chunks that it imports, and each dynamic
// import in the sources becomes a file of its own. What several of them need lies in a chunk that they share, so that there is one
// copy of it, and of its state, in a page. Files other than the entries, the fonts of the style sheet among them, carry esbuild's hash of
// their content in their names.
//
// Usage: go run ./bundle [DIR], in the folder static; DIR is dist unless given.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// common are the arguments of every call of esbuild.
var common = []string{"--bundle", "--minify", "--charset=utf8", "--log-level=warning"}

// calls are the calls of esbuild. Entries keep their names; package static adds the hash when it serves them.
var calls = [][]string{
	{"src/app.ts", "--splitting", "--format=esm", "--target=es2023", "--chunk-names=[name]-[hash]"},
	{"src/theme.ts", "--format=iife", "--target=es2023"}, // a script of its own: it runs before the first paint
	// An exported page: one script, without what only a server makes work.
	{
		"src/exported.ts", "src/unpackfile.ts", "--format=iife", "--target=es2023", "--external:../graph/graphview", "--external:../pipeline/pipelineeditor",
		"--external:../editing/*", "--external:../history/historyview", "--external:./share", "--external:../present/stage", "--external:../class/desk", "--external:../lesson/*",
	},
	{"css/exported.css"},
	{"css/app.css", "css/late.css", "css/home.css", "css/docs.css", "css/print.css", "css/compare.css", "css/lesson.css", "css/class.css", "--loader:.woff2=file", "--asset-names=[name]-[hash]"},
}

func main() {
	dir := "dist"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := bundle(dir); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// bundle replaces the scripts, style sheets and fonts in dir; the old ones go, because chunks and fonts have other names when they change.
func bundle(dir string) error {
	for _, pattern := range []string{"*.js", "*.css", "*.woff2"} {
		old, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, file := range old {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	for _, call := range calls {
		args := append([]string{"tool", "-modfile=../tools.mod", "esbuild"}, call...)
		cmd := exec.Command("go", append(append(args, common...), "--outdir="+dir)...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("esbuild %s: %w", call[0], err)
		}
	}
	return nil
}
