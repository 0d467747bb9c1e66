package parse_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"golang.org/x/tools/txtar"
)

// TestEveryNodeHasASpan reads the goldens: each function, statement, binding and call points
// at the text that it was made from.
func TestEveryNodeHasASpan(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if strings.HasSuffix(f.Name, " want") {
				continue
			}
			mods, _ := parse.File(f.Name, string(f.Data), parse.Options{})
			for _, m := range mods {
				for _, fn := range m.Module.Funcs() {
					ir.Walk(fn, func(n ir.Node) bool {
						if want, wanted := spelled(n); wanted {
							seen++
							if text, ok := spanned(n, string(f.Data)); !ok || !strings.Contains(text, want) {
								t.Errorf("%s: %s: a %T points at %q, expected text with %q", path, f.Name, n, text, want)
							}
						}
						return true
					})
				}
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d nodes were looked at", seen)
	}
}

// spelled returns what the text of a node must hold, and whether it must have a text.
func spelled(n ir.Node) (string, bool) {
	switch n := n.(type) {
	case *tir.PrimFunc, *relax.Function:
		return "def ", true
	case *tir.For:
		return "for ", true
	case *tir.While:
		return "while ", true
	case *tir.IfThenElse:
		return "if ", true
	case *tir.BlockRealize:
		return "", true
	case *tir.LetStmt, *tir.BufferStore, *tir.Evaluate, *tir.AttrStmt, *tir.AssertStmt, *tir.Allocate, *tir.AllocateConst, *tir.DeclBuffer, *tir.BufferRealize:
		return "", true
	case *tir.Call:
		return "", true
	case *relax.Call:
		return "", true
	case *relax.MatchCast:
		return "match_cast", true
	case *relax.VarBinding:
		if _, local := n.Value.(*relax.Function); local {
			return "def ", true
		}
		return "", true
	case *relax.If:
		return "", true
	}
	return "", false
}

// spanned returns the text of a node, and whether it has one.
func spanned(n ir.Node, src string) (string, bool) {
	s := n.Meta().Span
	if s == nil {
		return "", false
	}
	lines := strings.Split(src, "\n")
	if s.Line < 1 || s.EndLine < s.Line || int(s.EndLine) > len(lines) || s.Col < 1 || int(s.Col) > len(lines[s.Line-1])+1 || int(s.EndCol) > len(lines[s.EndLine-1])+1 {
		return "", false
	}
	text := strings.Join(lines[s.Line-1:s.EndLine], "\n")
	text = text[s.Col-1:]
	if s.EndLine == s.Line {
		text = text[:s.EndCol-s.Col]
	}
	return text, strings.TrimSpace(text) != ""
}
