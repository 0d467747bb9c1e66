// Command wiregen writes static/src/wire.gen.ts: the TypeScript types of what the server sends to the page, made from the Go structs that
// it encodes, with their doc comments. `go generate ./static/wiregen` runs it; a test of this package compares.
//
// It reads declarations only (go/parser), so it needs neither network nor a build, and imports nothing of ours. What it cannot
// express stands in the Go source: a type with a MarshalJSON of its own carries a line //wire:type with its TypeScript form.
package main

//go:generate go run .

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "wiregen:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	out, err := generate(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, output), out, 0o644)
}

// moduleRoot returns the folder of go.mod: this one or one above.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir, nil
		}
		if up := filepath.Dir(dir); up != dir && errors.Is(err, fs.ErrNotExist) {
			dir = up
			continue
		}
		return "", fmt.Errorf("find go.mod: %w", err)
	}
}
