//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"math/rand/v2"
	"os"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// modulePath begins the import path of every package of ours.
const modulePath = "github.com/irscope/irscope/"

// mutantPackage is what mutated files import.
const mutantPackage = modulePath + "e2e/mutants/mutant"

// source is a file that can be mutated.
type source struct {
	pkg   *packages.Package
	file  *ast.File
	name  string
	text  []byte
	sites []*site
}

// load reads the packages and finds the sites of all their files but tests and generated ones.
func load(root string, patterns []string) ([]*source, error) {
	list, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(list) > 0 {
		return nil, fmt.Errorf("the packages do not compile")
	}
	var files []*source
	for _, p := range list {
		for _, file := range p.Syntax {
			if ast.IsGenerated(file) {
				continue
			}
			name := p.Fset.Position(file.Package).Filename
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			f := &finder{info: p.TypesInfo, fset: p.Fset, src: text, pkg: p.PkgPath, file: strings.TrimPrefix(name, root+"/"), paired: map[ast.Stmt]bool{}}
			f.find(file)
			files = append(files, &source{p, file, name, text, f.sites})
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	return files, nil
}

// draw returns n of all sites: one of each file, as far as n goes, and the rest evenly from all. It numbers them.
func draw(files []*source, n int, seed uint64) []*site {
	r := rand.New(rand.NewPCG(seed, 1))
	var chosen, rest []*site
	for _, f := range files {
		if len(f.sites) == 0 {
			continue
		}
		i := r.IntN(len(f.sites))
		chosen = append(chosen, f.sites[i])
		rest = append(rest, f.sites[:i]...)
		rest = append(rest, f.sites[i+1:]...)
	}
	r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	chosen = append(chosen, rest...)
	chosen = chosen[:min(n, len(chosen))]
	sort.SliceStable(chosen, func(i, j int) bool {
		if chosen[i].file != chosen[j].file {
			return chosen[i].file < chosen[j].file
		}
		return chosen[i].line < chosen[j].line
	})
	for i, s := range chosen {
		s.id = i
	}
	return chosen
}
