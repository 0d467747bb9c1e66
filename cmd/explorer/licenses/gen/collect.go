package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are those whose binaries the text covers: they link different packages.
var systems = []string{"linux", "darwin", "windows"}

// licenceFile matches the names of files that a licence asks to pass on.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|copyright|patents)`)

// vendored are the licence files of scripts and fonts that are committed with the program, by what they are for.
var vendored = []struct{ title, path string }{
	{"CodeMirror 6, the editor of the page", "static/vendor/codemirror.LICENSE"},
	{"Inter, a font of the page", "static/fonts/inter.LICENSE"},
	{"JetBrains Mono, a font of the page", "static/fonts/jetbrains-mono.LICENSE"},
}

// section is the text of one licence file and what it is for.
type section struct {
	titles []string
	text   string
}

// goPackage is what go list tells of a package.
type goPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// collect returns the licences of the program whose module is in the folder root. Texts that are equal but for
// white space stand once, below all their titles.
func collect(root string) (string, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	var list []section
	add := func(title, path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("licence of %s: %w", title, err)
		}
		list = merge(list, title, string(text))
		return nil
	}
	if err := add("irscope", filepath.Join(root, "LICENSE")); err != nil {
		return "", err
	}
	if err := add("the Go standard library and runtime", filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE")); err != nil {
		return "", err
	}
	files, err := moduleFiles(root)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if err := add(f.title, f.path); err != nil {
			return "", err
		}
	}
	for _, v := range vendored {
		if err := add(v.title, filepath.Join(root, v.path)); err != nil {
			return "", err
		}
	}
	return render(list), nil
}

// licence is a licence file and what it is for.
type licence struct{ title, path string }

// moduleFiles returns the licence files of all modules that irscope links, sorted: those at a module's root and
// those in the folders from there down to a package that is linked. A module without any is an error.
func moduleFiles(root string) ([]licence, error) {
	found := map[licence]bool{}
	licensed := map[string]bool{}
	for _, system := range systems {
		packages, err := linked(root, system)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Standard || p.Module == nil || p.Module.Main {
				continue
			}
			module := p.Module.Path + " " + p.Module.Version
			licensed[module] = licensed[module] || false
			for dir := p.Dir; ; dir = filepath.Dir(dir) {
				entries, err := os.ReadDir(dir)
				if err != nil {
					return nil, err
				}
				for _, e := range entries {
					if e.IsDir() || !licenceFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
						continue
					}
					path := filepath.Join(dir, e.Name())
					title := module
					if rel, err := filepath.Rel(p.Module.Dir, path); err == nil && rel != "LICENSE" {
						title += " (" + filepath.ToSlash(rel) + ")"
					}
					found[licence{title, path}] = true
					licensed[module] = true
				}
				if dir == p.Module.Dir || len(dir) <= len(p.Module.Dir) {
					break
				}
			}
		}
	}
	for module, ok := range licensed {
		if !ok {
			return nil, fmt.Errorf("%s has no licence file", module)
		}
	}
	var files []licence
	for f := range found {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b licence) int { return strings.Compare(a.title, b.title) })
	return files, nil
}

// linked returns the packages of which irscope consists on a system.
func linked(root, system string) ([]goPackage, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", "./cmd/explorer")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w\n%s", system, err, stderr.String())
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		packages = append(packages, p)
	}
}

// merge adds a text to the list, or its title to the section that has the same text.
func merge(list []section, title, text string) []section {
	key := strings.Join(strings.Fields(text), " ")
	for i := range list {
		if strings.Join(strings.Fields(list[i].text), " ") == key {
			list[i].titles = append(list[i].titles, title)
			return list
		}
	}
	return append(list, section{[]string{title}, text})
}

// render writes the sections with a rule between them.
func render(list []section) string {
	rule := strings.Repeat("=", 80)
	var b strings.Builder
	b.WriteString("Licences of irscope and of everything that its binary contains.\n")
	for _, s := range list {
		fmt.Fprintf(&b, "\n%s\n", rule)
		for _, t := range s.titles {
			fmt.Fprintf(&b, "%s\n", t)
		}
		fmt.Fprintf(&b, "%s\n\n", rule)
		for line := range strings.Lines(strings.Trim(strings.ReplaceAll(s.text, "\r\n", "\n"), "\n") + "\n") {
			b.WriteString(strings.TrimRight(line, " \t\n") + "\n")
		}
	}
	return b.String()
}
