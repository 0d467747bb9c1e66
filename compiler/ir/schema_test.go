package ir_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// allNodes has a zero node of each type of the two levels and of package ir.
var allNodes = []ir.Node{
	&ir.GlobalVar{}, &ir.Op{}, &ir.PrimType{}, &ir.PointerType{}, &ir.TupleType{}, &ir.FuncType{},
	&tir.Var{}, &tir.IntImm{}, &tir.FloatImm{}, &tir.StringImm{}, &tir.Cast{}, &tir.Binary{}, &tir.Not{},
	&tir.Select{}, &tir.BufferLoad{}, &tir.ProducerLoad{}, &tir.Ramp{}, &tir.Broadcast{}, &tir.Let{}, &tir.Call{},
	&tir.Shuffle{}, &tir.CommReducer{}, &tir.Reduce{}, &tir.Range{}, &tir.IterVar{}, &tir.LetStmt{}, &tir.AttrStmt{},
	&tir.AssertStmt{}, &tir.BufferStore{}, &tir.BufferRealize{}, &tir.Allocate{}, &tir.AllocateConst{},
	&tir.DeclBuffer{}, &tir.SeqStmt{}, &tir.Evaluate{}, &tir.IfThenElse{}, &tir.For{}, &tir.While{}, &tir.Block{},
	&tir.BlockRealize{}, &tir.PrimFunc{}, &tir.Buffer{}, &tir.BufferRegion{}, &tir.MatchBufferRegion{}, &tir.IndexMap{}, &tir.Array{},
	&relax.Var{}, &relax.Call{}, &relax.Tuple{}, &relax.TupleGetItem{}, &relax.ShapeExpr{}, &relax.Constant{},
	&relax.PrimValue{}, &relax.StringImm{}, &relax.DataTypeImm{}, &relax.SeqExpr{}, &relax.If{}, &relax.Function{},
	&relax.ExternFunc{}, &relax.VarBinding{}, &relax.MatchCast{}, &relax.BindingBlock{}, &relax.ObjectStructInfo{},
	&relax.PrimStructInfo{}, &relax.ShapeStructInfo{}, &relax.TensorStructInfo{}, &relax.TupleStructInfo{},
	&relax.FuncStructInfo{}, &relax.VDevice{}, &relax.DeviceMesh{}, &relax.Sharding{},
}

// nodeStructs lists the structs in a package folder that embed the node base.
func nodeStructs(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			ts, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			st, ok := ts.Type.(*ast.StructType)
			if !ok || len(st.Fields.List) == 0 || len(st.Fields.List[0].Names) > 0 {
				return true
			}
			switch x := st.Fields.List[0].Type.(type) {
			case *ast.Ident:
				ok = x.Name == "Base"
			case *ast.SelectorExpr:
				ok = x.Sel.Name == "Base"
			default:
				ok = false
			}
			if ok {
				out = append(out, ts.Name.Name)
			}
			return true
		})
	}
	return out
}

func TestSchemaCoversEveryNodeType(t *testing.T) {
	listed := map[string]int{}
	for _, n := range allNodes {
		s := ir.SchemaOf(n)
		listed[s.Name]++
		for _, f := range s.Fields {
			if _, ok := s.Field(n, f.Name); !ok {
				t.Errorf("%s has no field %s by name", s.Name, f.Name)
			}
		}
		if !ir.StructuralEqual(n, n, ir.EqualOpts{MapFreeVars: true}) {
			t.Errorf("a %s does not equal itself", s.Name)
		}
		ir.StructuralHash(n)
	}
	for _, dir := range []string{".", "../tir", "../relax"} {
		for _, name := range nodeStructs(t, dir) {
			if listed[name] == 0 {
				t.Errorf("node type %s of %s is not in allNodes", name, dir)
			}
			listed[name]--
		}
	}
}

func TestSchemaNamesAndOrder(t *testing.T) {
	names := func(n ir.Node) string {
		var out []string
		for _, f := range ir.SchemaOf(n).Fields {
			out = append(out, f.Name)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		n    ir.Node
		want string
	}{
		{&relax.Call{}, "op args attrs sinfo_args"},
		{&tir.For{}, "loop_var min extent kind body thread annotations step"},
		{&tir.CommReducer{}, "lhs rhs result identity"},
		{&relax.TensorStructInfo{}, "shape dtype vdevice ndim sharding"},
		{&tir.Block{}, "iter_vars alloc_buffers reads writes name match_buffers annotations init body"},
		{&relax.VDevice{}, "target id scope"},
	} {
		if got := names(c.n); got != c.want {
			t.Errorf("fields of %T are %q, expected %q", c.n, got, c.want)
		}
	}
}
