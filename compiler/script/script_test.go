package script_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

func samples() []sample {
	return append(append(exprSamples(), stmtSamples()...), graphSamples()...)
}

// TestConstructs compares how each construct prints with testdata/constructs.txtar.
func TestConstructs(t *testing.T) {
	const file = "testdata/constructs.txtar"
	ar := &txtar.Archive{Comment: []byte("How each construct prints. Written by go test -update.\n")}
	for _, s := range samples() {
		text := script.Node(s.node, script.Options{})
		if again := script.Node(s.node, script.Options{}); again != text {
			t.Errorf("%s prints differently the second time:\n%s\n%s", s.name, text, again)
		}
		ar.Files = append(ar.Files, txtar.File{Name: s.name, Data: []byte(text)})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := txtar.Parse(txtar.Format(ar))
	if len(got.Files) != len(want.Files) {
		t.Fatalf("%d constructs, %s has %d", len(got.Files), file, len(want.Files))
	}
	for i, f := range got.Files {
		if f.Name != want.Files[i].Name || string(f.Data) != string(want.Files[i].Data) {
			t.Errorf("%s prints as\n%swant\n%s", f.Name, f.Data, want.Files[i].Data)
		}
	}
}

// nodeTypes returns the names of the structs of a package that embed ir.Base.
func nodeTypes(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok || len(s.Fields.List) == 0 || len(s.Fields.List[0].Names) > 0 {
				return true
			}
			switch e := s.Fields.List[0].Type.(type) {
			case *ast.SelectorExpr:
				if e.Sel.Name == "Base" {
					out = append(out, spec.Name.Name)
				}
			case *ast.Ident:
				if e.Name == "Base" {
					out = append(out, spec.Name.Name)
				}
			}
			return true
		})
	}
	return out
}

// TestEveryNodeThroughEverySwitch feeds a node of each type to the printer, the walker, the
// mappers, equality and hash, none of which may meet a type that it does not know.
func TestEveryNodeThroughEverySwitch(t *testing.T) {
	seen := map[string]bool{}
	list := samples()
	f := &tir.PrimFunc{Params: nil, RetType: ir.VoidType(), Body: store(vx)}
	list = append(list, sample{"PrimFunc", f}, sample{"IndexMap", &tir.IndexMap{Initial: []*tir.Var{vi}, Final: []tir.Expr{vi}}})
	for _, s := range list {
		ir.Walk(s.node, func(n ir.Node) bool {
			seen[reflect.TypeOf(n).Elem().String()] = true
			return true
		})
		if text := script.Node(s.node, script.Options{}); strings.Contains(text, "<") && strings.HasPrefix(text, "<") {
			t.Errorf("%s has no form: %s", s.name, text)
		}
		if !ir.StructuralEqual(s.node, s.node, ir.EqualOpts{MapFreeVars: true}) {
			t.Errorf("%s differs from itself", s.name)
		}
		if h := ir.StructuralHash(s.node); h != ir.StructuralHash(s.node) {
			t.Errorf("%s has two hashes", s.name)
		}
		if !sameAfterMapping(s.node) {
			t.Errorf("a mapping that changes nothing copies %s", s.name)
		}
	}
	for dir, pkg := range map[string]string{"../ir": "ir", "../tir": "tir", "../relax": "relax"} {
		for _, name := range nodeTypes(t, dir) {
			if !seen[pkg+"."+name] {
				t.Errorf("no sample holds a %s.%s", pkg, name)
			}
		}
	}
}

// sameAfterMapping maps all below n to itself.
func sameAfterMapping(n ir.Node) bool {
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr { return m.MapExpr(e) }
	m.SInfo = func(s relax.StructInfo) relax.StructInfo { return m.MapSInfo(s) }
	m.Prim = func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr { return e }) }
	m.Var = func(v *relax.Var) *relax.Var { return v }
	switch n := n.(type) {
	case tir.Stmt:
		return tir.RewriteStmt(n, func(s tir.Stmt) tir.Stmt { return s }, func(e tir.Expr) tir.Expr { return e }) == n
	case tir.Expr:
		return tir.RewriteExpr(n, func(e tir.Expr) tir.Expr { return e }) == n
	case relax.Binding:
		return m.MapBinding(n) == n
	case *relax.BindingBlock:
		return m.MapBlock(n) == n
	case relax.Expr:
		return m.Expr(n) == n
	case relax.StructInfo:
		return m.SInfo(n) == n
	}
	return true
}

// TestLines checks the table of lines: as many entries as lines, and at each the node that
// the line shows.
func TestLines(t *testing.T) {
	m := layers(t, 3)
	text := script.Module(m, script.Options{})
	lines := strings.Split(strings.TrimSuffix(text.Source, "\n"), "\n")
	if len(lines) != len(text.Lines) {
		t.Fatalf("%d lines, %d entries", len(lines), len(text.Lines))
	}
	kinds := map[string]int{}
	for i, n := range text.Lines {
		line := strings.TrimSpace(lines[i])
		var want string
		switch n := n.(type) {
		case nil:
			continue
		case *relax.Function:
			want = "@R.function"
		case *tir.PrimFunc:
			want = "@T.prim_func"
		case *relax.VarBinding:
			want = n.Var.Name + ": "
		case *relax.BindingBlock:
			want = "with R.dataflow():"
		case *tir.For:
			want = "for "
		case *tir.BlockRealize:
			want = "with T.block("
		case *tir.BufferStore:
			want = n.Buffer.Name
		case *relax.Var:
			want = "return " + n.Name
			if !strings.HasPrefix(line, "return") {
				want = n.Name + ": "
			}
		default:
			continue
		}
		kinds[reflect.TypeOf(n).Elem().Name()]++
		if !strings.HasPrefix(line, want) {
			t.Errorf("line %d %q does not show its node, want %q", i+1, line, want)
		}
	}
	for _, k := range []string{"Function", "PrimFunc", "VarBinding", "BindingBlock", "For", "BlockRealize", "BufferStore"} {
		if kinds[k] == 0 {
			t.Errorf("no line shows a %s", k)
		}
	}
}

func TestModuleOrderAndDeterminism(t *testing.T) {
	m := layers(t, 11)
	m = m.With("ext", &relax.ExternFunc{Symbol: "sym"}).With("another", m.Lookup("main"))
	if got := strings.Join(script.FuncNames(m), " "); got != "main another ext kernel0 kernel1 kernel10 kernel2 kernel3 kernel4 kernel5 kernel6 kernel7 kernel8 kernel9" {
		t.Errorf("order: %s", got)
	}
	text := script.Module(m, script.Options{}).Source
	for range 5 {
		if script.Module(m, script.Options{}).Source != text {
			t.Fatal("a module prints differently each time")
		}
	}
	for _, part := range []string{"# from tvm.script import relax as R\n", "@I.ir_module\nclass Module:\n", `    ext = R.ExternFunc("sym")`} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing", part)
		}
	}
	attrs := script.Module(ir.NewModule().WithAttrs(ir.NewAttrs("a", 1)).WithGlobalInfos("vdevice", []ir.Node{&relax.VDevice{Target: "llvm", Scope: "global"}}), script.Options{Name: "Mine"}).Source
	for _, part := range []string{"class Mine:", `I.module_attrs({"a": 1})`, `I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global")]})`} {
		if !strings.Contains(attrs, part) {
			t.Errorf("%q is missing in\n%s", part, attrs)
		}
	}
	if empty := script.Module(ir.NewModule(), script.Options{}).Source; !strings.HasSuffix(empty, "    pass\n") {
		t.Errorf("an empty module prints as\n%s", empty)
	}
}

// TestNames checks that names are identifiers, no keywords, and unique within a function.
func TestNames(t *testing.T) {
	info := relax.StaticTensor(f32, 4)
	hints := []string{"x", "x", "", "for", "R", "1st", "a/b:c", "é", "x_1", "cls"}
	var params []*relax.Var
	for _, h := range hints {
		params = append(params, &relax.Var{Name: h, SInfo: info})
	}
	f := &relax.Function{Params: params, Body: &relax.SeqExpr{Body: params[1]}, Ret: info, Pure: true}
	text := script.Function("f", f, script.Options{}).Source
	seen := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ": R.Tensor((4,)")
		if !ok || !strings.HasPrefix(rest, ", dtype") {
			continue
		}
		if seen[name] || !token.IsIdentifier(name) && name != "for_" || name == "R" || name == "cls" {
			t.Errorf("parameter name %q", name)
		}
		seen[name] = true
	}
	if len(seen) != len(hints) {
		t.Errorf("%d names of %d in\n%s", len(seen), len(hints), text)
	}
	if !strings.Contains(text, "return x_1\n") {
		t.Errorf("the result is not the second x:\n%s", text)
	}
}
