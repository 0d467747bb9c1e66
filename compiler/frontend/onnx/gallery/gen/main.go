// Command gen writes the models of the gallery and their test data: gallery/models/*.onnx,
// which is embedded in the program, and testdata/models at the top of the repository, where
// each model has inputs and the outputs that the reference evaluator computes for them.
//
// Run it with go generate in the package gallery.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery/galleryspec"
)

func main() {
	root := flag.String("root", ".", "top of the repository")
	check := flag.Bool("check", false, "only report files that are missing or stale")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	files, err := galleryspec.Files()
	if err != nil {
		return err
	}
	var stale []error
	for name, data := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		old, err := os.ReadFile(path)
		if err == nil && bytes.Equal(old, data) {
			continue
		}
		if check {
			stale = append(stale, fmt.Errorf("%s is stale or missing", name))
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return errors.Join(stale...)
}
