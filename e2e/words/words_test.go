// Package words holds the program to its glossary.
package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// forbidden reads the terms that docs/glossary.md rules out, with what is to be said instead.
func forbidden(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 {
			continue
		}
		for _, word := range strings.Split(cells[3], ",") {
			if word = strings.TrimSpace(word); word != "" && word != "not" && !strings.HasPrefix(word, "-") {
				out[word] = strings.TrimSpace(cells[1])
			}
		}
	}
	if len(out) < 6 {
		t.Fatalf("the glossary rules out only %v", out)
	}
	return out
}

// pattern finds a term, one or many of them, in a text; in a name, it is written in capitals.
func pattern(term string) *regexp.Regexp {
	words := strings.FieldsFunc(term, notLetter)
	name := ""
	for _, w := range words {
		name += strings.ToUpper(w[:1]) + w[1:]
	}
	if len(words) == 1 { // PrimFunc is a term, primfunc is none
		return regexp.MustCompile(`\b` + term + `s?\b|` + name)
	}
	return regexp.MustCompile(`(?i:\b` + regexp.QuoteMeta(term) + `s?\b)|` + name)
}

func notLetter(r rune) bool { return r == ' ' || r == '-' }

// exempt are names that others have given, decorators of TVM, and the word with which logs of every version say that a run was canceled.
var exempt = regexp.MustCompile("dataflowblock_pass|^cancelled$|[\"`]cancelled[\"`]")

// TestWords looks for terms that the glossary rules out in names, strings and comments of the program, in the templates and scripts of
// the page, in the documents and in the Makefile. A term may be broken over two lines. Strings of tests are theirs to choose.
func TestWords(t *testing.T) {
	patterns := map[*regexp.Regexp][3]string{}
	for term, instead := range forbidden(t) {
		patterns[pattern(term)] = [3]string{term, instead, strings.ToLower(strings.FieldsFunc(term, notLetter)[0])}
	}
	check := func(place, text string) {
		lower := strings.ToLower(text)
		for p, x := range patterns {
			if !strings.Contains(lower, x[2]) {
				continue // most texts: patterns are slow
			}
			text := exempt.ReplaceAllString(text, "")
			if at := p.FindString(text); at != "" {
				t.Errorf("%s: %q in %.80q: say %s", place, at, text, x[1])
			}
		}
	}
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.Contains(" .git node_modules testdata dist vendor bin words ", " "+d.Name()+" "):
			return filepath.SkipDir
		case d.IsDir() || d.Name() == "glossary.md":
			return nil
		}
		seen++
		switch filepath.Ext(path) {
		case ".go":
			return eachText(path, check)
		case ".md", ".templ", ".ts", "":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			eachPair(path, string(text), check)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 500 {
		t.Errorf("only %d files were read", seen)
	}
}

// eachPair calls check for every line of a text together with the one before it, without the marks of
// comments, lists and quotations at their beginnings.
func eachPair(path, text string, check func(place, text string)) {
	n, last := 0, ""
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/*#>-"))
		check(path+":"+strconv.Itoa(n), last+" "+line)
		last = line
	}
}

// eachText calls check for the comments of a file in Go, for the names that it exports, and for its
// strings unless it is a test. A sum of strings is one string.
func eachText(path string, check func(place, text string)) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, c := range f.Comments {
		check(fset.Position(c.Pos()).String(), strings.Join(strings.Fields(c.Text()), " "))
	}
	test := strings.HasSuffix(path, "_test.go")
	name := func(n *ast.Ident) {
		if n.IsExported() {
			check(fset.Position(n.Pos()).String(), n.Name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit, *ast.BinaryExpr:
			if text, ok := stringOf(n.(ast.Expr)); ok {
				if !test {
					check(fset.Position(n.Pos()).String(), text)
				}
				return false
			}
		case *ast.FuncDecl:
			name(n.Name)
		case *ast.TypeSpec:
			name(n.Name)
		case *ast.Field:
			for _, x := range n.Names {
				name(x)
			}
		}
		return true
	})
	return nil
}

// stringOf is a string as it is written: a literal, or the sum of some.
func stringOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, left := stringOf(e.X)
		y, right := stringOf(e.Y)
		return x + y, e.Op == token.ADD && left && right
	}
	return "", false
}

// TestWordsAreFound holds the patterns to examples.
func TestWordsAreFound(t *testing.T) {
	for term, text := range map[string]string{
		"loop-level function": "Two Loop-Level functions", "mistake": "there is 1 mistake", "graph function": "type MyGraphFunction", "primfunc": "a primfunc pass",
	} {
		if !pattern(term).MatchString(text) {
			t.Errorf("%q is not found in %q", term, text)
		}
	}
	if pattern("primfunc").MatchString("a PrimFunc, tir.PrimFunc") {
		t.Error("PrimFunc is taken for primfunc")
	}
}

// TestBrokenTermsAreFound looks for a term over two lines of comments, of a document and of a sum of strings.
func TestBrokenTermsAreFound(t *testing.T) {
	p := pattern("graph function")
	found := 0
	check := func(_, text string) {
		if p.MatchString(text) {
			found++
		}
	}
	eachPair("x.md", "> what a graph\n> function is\n", check)
	eachPair("x.ts", "  // what a graph\n  // function is\n", check)
	for _, code := range []string{
		"package x\n\n// X is a graph\n// function.\ntype X int\n",
		"package x\n\nconst x = \"a graph \" +\n\t\"function\"\n",
		"package x\n\nfunc GraphFunction() {}\n",
	} {
		path := filepath.Join(t.TempDir(), "x.go")
		if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := eachText(path, check); err != nil {
			t.Fatal(err)
		}
	}
	if found != 5 {
		t.Errorf("%d of 5 terms are found", found)
	}
}
