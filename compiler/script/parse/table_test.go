package parse

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// printedNames returns the constructs that the printer writes: what it hands to its functions t and
// r, which write a name of T or R, and the names of all operators and intrinsics.
func printedNames(t *testing.T) []string {
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no printer", err)
	}
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			fn, _ := call.Fun.(*ast.SelectorExpr)
			lit, _ := call.Args[0].(*ast.BasicLit)
			if fn == nil || lit == nil || fn.Sel.Name != "t" && fn.Sel.Name != "r" {
				return true
			}
			name := regexp.MustCompile(`^[\w.]*`).FindString(strings.Trim(lit.Value, `"`))
			if name != "" && strings.Contains(lit.Value, "(") {
				names[strings.ToUpper(fn.Sel.Name)+"."+name] = true
			}
			return true
		})
	}
	if len(names) < 30 {
		t.Fatalf("found %d names in the printer", len(names))
	}
	for _, o := range op.All() {
		names["R."+strings.TrimPrefix(o.Name, "relax.")] = true
	}
	for _, name := range tir.Builtins() {
		names["T."+script.LookupCall(name).Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// TestTableHasWhatIsPrinted checks that every construct of the printer, and every name in its goldens,
// is in the table, so that the two do not part.
func TestTableHasWhatIsPrinted(t *testing.T) {
	known := constructs()
	for _, name := range printedNames(t) {
		if known[name] == nil {
			t.Errorf("the printer writes %s, which the table does not have", name)
		}
	}
	golden, err := os.ReadFile("../testdata/constructs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`\b([TRI]\.[\w.]+)\(`)
	seen := 0
	for _, m := range calls.FindAllStringSubmatch(string(golden), -1) {
		seen++
		_, typ := dtypeName(strings.TrimPrefix(m[1], "T."))
		if known[m[1]] == nil && !typ && !slices.Contains([]string{"T.prim_func", "R.function"}, m[1]) {
			t.Errorf("a golden of the printer has %s, which the table does not have", m[1])
		}
	}
	if seen < 100 {
		t.Errorf("the goldens have %d calls", seen)
	}
}

// TestSignatures checks the rows: no name stands twice, every parameter has a kind, those that must
// be given come first, and what builds them is there.
func TestSignatures(t *testing.T) {
	names := map[string]bool{}
	for _, group := range [][]row{binaryRows(), exprRows, typeRows, lambdaRows, scopeRows, blockRows, loopRows, bufferRows, infoRows, graphRows, distributedRows, packedRows, moduleRows, classRows, hostRows, methodRows, refusedRows} {
		for _, r := range group {
			for _, s := range signaturesOf(r, argumentKinds()) {
				if names[s.name] {
					t.Errorf("%s stands in two rows", s.name)
				}
				names[s.name] = true
			}
		}
	}
	for name, s := range constructs() {
		if s.build == nil {
			t.Errorf("%s builds nothing", name)
		}
		params := map[string]bool{}
		optional := false
		for i := range s.params {
			p := &s.params[i]
			if p.kind == nil || p.name == "" || params[p.name] {
				t.Errorf("%s: parameter %d is %+v", name, i, p)
			}
			params[p.name] = true
			if p.need && optional && !p.named && s.intrinsic == nil {
				t.Errorf("%s: %s must be given, and stands behind one that need not", name, p.name)
			}
			optional = optional || !p.need && i != s.rest
		}
	}
}

// TestReadRow reads one row with everything that a row can have.
func TestReadRow(t *testing.T) {
	got := signaturesOf(row{"T.a|T.b(x|old: expr, n: int = 3, s: str = 'q', f: bool = True, o: dtype = None, *rest: value, named: value, **info, **)", nil}, argumentKinds())
	if len(got) != 2 || got[0].name != "T.a" || got[1].name != "T.b" || !got[0].open || !got[0].infos || got[0].rest != 5 {
		t.Fatalf("the signatures are %+v", got)
	}
	var text []string
	for _, p := range got[0].params {
		text = append(text, fmt.Sprint(p.name, p.older, p.def, p.need, p.null, p.named))
	}
	want := []string{
		"x[old] <nil> true false false", "n[] 3 false false false", "s[]qfalse false false", "f[] true false false false",
		"o[] <nil> false true false", "rest[] <nil> false false false", "named[] <nil> true false true",
	}
	if !slices.Equal(text, want) {
		t.Errorf("the parameters are\n%q\nwant\n%q", text, want)
	}
	if takes := got[0].takes(); takes != "it takes x, n, s, f, o, *rest, named" {
		t.Error(takes)
	}
	for _, bad := range []string{"T.a", "T.a(x)", "T.a(x: nothing)", "T.a(x: int = y)"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is read", bad)
				}
			}()
			signaturesOf(row{bad, nil}, argumentKinds())
		}()
	}
}
