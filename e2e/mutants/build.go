//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// builder makes test binaries in which the drawn mutants are compiled.
type builder struct {
	root string // the module
	work string // where files are written
	race bool
}

// overlay writes the mutated files and returns the drawn sites of each, and the file that tells the compiler about them.
func (b *builder) overlay(files []*source, drawn []*site) (string, error) {
	byFile := map[string][]*site{}
	for _, s := range drawn {
		byFile[s.file] = append(byFile[s.file], s)
	}
	replace := map[string]string{}
	for i, f := range files {
		sites := byFile[strings.TrimPrefix(f.name, b.root+"/")]
		if len(sites) == 0 {
			continue
		}
		out := filepath.Join(b.work, fmt.Sprintf("%d_%s", i, filepath.Base(f.name)))
		if err := os.WriteFile(out, []byte(render(f.pkg.TypesInfo, f.pkg.Fset, f.file, f.text, sites)), 0o644); err != nil {
			return "", err
		}
		replace[f.name] = out
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.work, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// errCompile holds the places at which mutated code does not compile.
type errCompile struct {
	lines map[string]bool // FILE:LINE
	text  string
}

// Error returns what the compiler said.
func (e *errCompile) Error() string { return "mutated code does not compile:\n" + e.text }

var compilerLine = regexp.MustCompile(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):\d+: `)

// build compiles the tests of a package and returns the binary, or "" where it has none.
func (b *builder) build(overlay, pkg string) (string, error) {
	out := filepath.Join(b.work, strings.ReplaceAll(pkg, "/", "_")+".test")
	args := []string{"test", "-c", "-vet=off", "-overlay", overlay, "-o", out}
	if b.race {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "./"+pkg)...)
	cmd.Dir = b.root
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stderr, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e := &errCompile{map[string]bool{}, stderr.String()}
		for _, m := range compilerLine.FindAllStringSubmatch(e.text, -1) {
			name := m[1]
			if rel, err := filepath.Rel(b.root, name); err == nil && filepath.IsAbs(name) {
				name = rel
			}
			e.lines[name+":"+m[2]] = true
		}
		return "", e
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(out); err != nil {
		return "", nil // no test files
	}
	return out, nil
}

// buildAll compiles the tests of all judges. Mutants that do not compile are left out of the sample, and the build begins anew.
func (b *builder) buildAll(files []*source, drawn []*site, judges []string) (map[string]string, []*site, error) {
	for {
		overlay, err := b.overlay(files, drawn)
		if err != nil {
			return nil, nil, err
		}
		binaries := map[string]string{}
		var failed *errCompile
		for _, pkg := range judges {
			binaries[pkg], err = b.build(overlay, pkg)
			if errors.As(err, &failed) {
				break
			} else if err != nil {
				return nil, nil, err
			}
		}
		if failed == nil {
			return binaries, drawn, nil
		}
		var kept []*site
		for _, s := range drawn {
			if !failed.lines[s.file+":"+strconv.Itoa(s.line)] {
				kept = append(kept, s)
			} else {
				fmt.Fprintf(os.Stderr, "left out, does not compile: %s:%d %s %s\n", s.file, s.line, s.kind, s.text)
			}
		}
		if len(kept) == len(drawn) {
			return nil, nil, failed
		}
		drawn = kept
	}
}

// flags returns the flags that keep a package's tests from leaving files in the tree when a mutant makes them fail: rapid
// stores the case, and would try it first in every later run.
func (b *builder) flags(pkg string) ([]string, error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "./"+pkg)
	cmd.Dir = b.root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("what the tests of %s import: %w", pkg, err)
	}
	if strings.Contains("\n"+string(out), "\npgregory.net/rapid\n") {
		return []string{"-rapid.nofailfile"}, nil
	}
	return nil, nil
}
