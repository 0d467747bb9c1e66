// Command nodegen writes the traversal methods of IR nodes from their struct definitions,
// so that no node is described twice: EachChild for walking and mapChildren for rewriting in
// nodes_gen.go, and a With method for each field in with_gen.go.
//
// A node is a struct that embeds ir.Base. One that declares EachChild itself gets no traversal,
// and a With method that is written by hand is not written again. Run it by go generate in the
// package of the nodes.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// A rule says how one field type is visited and mapped.
type rule struct {
	mapper string // expression that maps x; "" keeps the field
	slice  bool
	iface  bool // may be nil: visit only if set
}

type level struct {
	rules map[string]rule
	// kindOf gives the result type of mapChildren for each node, by the method that marks it.
	kindOf func(name string) string
}

var tirStmts = set("LetStmt AttrStmt AssertStmt BufferStore BufferRealize Allocate AllocateConst DeclBuffer SeqStmt Evaluate IfThenElse For While Block BlockRealize")

var tirAux = set("CommReducer Range IterVar BufferRegion MatchBufferRegion PrimFunc IndexMap Array")

var levels = map[string]level{
	"tir": {
		kindOf: func(name string) string {
			switch {
			case tirStmts[name]:
				return "Stmt"
			case tirAux[name]:
				return "*" + name
			}
			return "Expr"
		},
		rules: map[string]rule{
			"Expr":                 {mapper: "m.expr(%s)", iface: true},
			"[]Expr":               {mapper: "m.expr", slice: true},
			"Stmt":                 {mapper: "m.stmt(%s)", iface: true},
			"[]Stmt":               {mapper: "m.stmt", slice: true},
			"*Var":                 {mapper: "m.variable(%s)", iface: true},
			"[]*Var":               {mapper: "m.variable", slice: true},
			"*Buffer":              {mapper: "m.buffer(%s)", iface: true},
			"[]*Buffer":            {mapper: "m.buffer", slice: true},
			"*Block":               {mapper: "m.block(%s)", iface: true},
			"*Range":               {mapper: "%s.mapChildren(m)", iface: true},
			"[]*Range":             {mapper: "func(x *Range) *Range { return x.mapChildren(m) }", slice: true},
			"*IterVar":             {mapper: "%s.mapChildren(m)", iface: true},
			"[]*IterVar":           {mapper: "func(x *IterVar) *IterVar { return x.mapChildren(m) }", slice: true},
			"*BufferRegion":        {mapper: "%s.mapChildren(m)", iface: true},
			"[]*BufferRegion":      {mapper: "func(x *BufferRegion) *BufferRegion { return x.mapChildren(m) }", slice: true},
			"[]*MatchBufferRegion": {mapper: "func(x *MatchBufferRegion) *MatchBufferRegion { return x.mapChildren(m) }", slice: true},
			"*CommReducer":         {mapper: "%s.mapChildren(m)", iface: true},
			"*IndexMap":            {mapper: "%s.mapChildren(m)", iface: true},
			"ir.Node":              {mapper: "m.attrNode(%s)", iface: true},
			"[]ir.Node":            {mapper: "m.attrNode", slice: true},
			"ir.Callee":            {iface: true},
			"Producer":             {},
		},
	},
	"relax": {
		kindOf: func(name string) string {
			switch {
			case strings.HasSuffix(name, "StructInfo"):
				return "StructInfo"
			case name == "VarBinding" || name == "MatchCast":
				return "Binding"
			case name == "BindingBlock":
				return "*BindingBlock"
			}
			return "Expr"
		},
		rules: map[string]rule{
			"Expr":            {mapper: "m.expr(%s)", iface: true},
			"[]Expr":          {mapper: "m.expr", slice: true},
			"*Var":            {mapper: "m.variable(%s)", iface: true},
			"[]*Var":          {mapper: "m.variable", slice: true},
			"StructInfo":      {mapper: "m.sinfo(%s)", iface: true},
			"[]StructInfo":    {mapper: "m.sinfo", slice: true},
			"tir.Expr":        {mapper: "m.prim(%s)", iface: true},
			"[]tir.Expr":      {mapper: "m.prim", slice: true},
			"*SeqExpr":        {mapper: "m.seq(%s)", iface: true},
			"[]*BindingBlock": {mapper: "m.block", slice: true},
			"[]Binding":       {mapper: "m.binding", slice: true},
			"*VDevice":        {iface: true},
			"*Sharding":       {iface: true},
		},
	},
}

func set(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

func main() {
	log.SetFlags(0)
	name := flag.String("level", "", "tir or relax")
	flag.Parse()
	lv, ok := levels[*name]
	if !ok {
		log.Fatalf("nodegen: unknown level %q: expected tir or relax", *name)
	}
	nodes, err := readNodes(".")
	if err != nil {
		log.Fatal("nodegen: ", err)
	}
	write("nodes_gen.go")(generate(*name, nodes, lv))
	write("with_gen.go")(generateWith(*name, nodes))
}

func write(name string) func([]byte, error) {
	return func(text []byte, err error) {
		if err == nil {
			err = os.WriteFile(name, text, 0o644)
		}
		if err != nil {
			log.Fatal("nodegen: ", err)
		}
	}
}

type field struct{ name, typ string }

type node struct {
	name    string
	fields  []field
	methods map[string]bool // written by hand
}

func readNodes(dir string) ([]node, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var nodes []node
	methods := map[string]map[string]bool{}
	fset := token.NewFileSet()
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_gen.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					continue
				}
				recv := strings.TrimPrefix(typeString(d.Recv.List[0].Type), "*")
				if methods[recv] == nil {
					methods[recv] = map[string]bool{}
				}
				methods[recv][d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if n, ok := readNode(s); ok {
						nodes = append(nodes, n)
					}
				}
			}
		}
	}
	for i, n := range nodes {
		nodes[i].methods = methods[n.name]
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].name < nodes[j].name })
	return nodes, nil
}

func readNode(s ast.Spec) (node, bool) {
	ts, ok := s.(*ast.TypeSpec)
	if !ok {
		return node{}, false
	}
	st, ok := ts.Type.(*ast.StructType)
	if !ok {
		return node{}, false
	}
	n, isNode := node{name: ts.Name.Name}, false
	for _, f := range st.Fields.List {
		typ := typeString(f.Type)
		if len(f.Names) == 0 && typ == "ir.Base" {
			isNode = true
		}
		for _, id := range f.Names {
			n.fields = append(n.fields, field{id.Name, typ})
		}
	}
	return n, isNode
}

func typeString(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeString(e.X)
	case *ast.ArrayType:
		return "[]" + typeString(e.Elt)
	case *ast.SelectorExpr:
		return typeString(e.X) + "." + e.Sel.Name
	}
	return fmt.Sprintf("%T", e)
}

func generate(pkg string, nodes []node, lv level) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by nodegen from the node structs; DO NOT EDIT.\n\npackage %s\n\nimport \"github.com/irscope/irscope/compiler/ir\"\n", pkg)
	for _, n := range nodes {
		if !n.methods["EachChild"] {
			writeEachChild(&b, n, lv)
			writeMap(&b, n, lv)
		}
	}
	return format.Source(b.Bytes())
}

func writeEachChild(b *bytes.Buffer, n node, lv level) {
	var body bytes.Buffer
	for _, f := range n.fields {
		r, ok := lv.rules[f.typ]
		switch {
		case !ok:
		case r.slice:
			fmt.Fprintf(&body, "for _, c := range n.%s {\nif c != nil {\nf(c)\n}\n}\n", f.name)
		case r.iface:
			fmt.Fprintf(&body, "if n.%[1]s != nil {\nf(n.%[1]s)\n}\n", f.name)
		default:
			fmt.Fprintf(&body, "f(n.%s)\n", f.name)
		}
	}
	fmt.Fprintf(b, "\n// EachChild calls f for each direct child.\n")
	if body.Len() == 0 {
		fmt.Fprintf(b, "func (*%s) EachChild(func(ir.Node)) {}\n", n.name)
		return
	}
	fmt.Fprintf(b, "func (n *%s) EachChild(f func(ir.Node)) {\n%s}\n", n.name, body.String())
}

func writeMap(b *bytes.Buffer, n node, lv level) {
	kind := lv.kindOf(n.name)
	var decls, conds, sets []string
	for _, f := range n.fields {
		r, ok := lv.rules[f.typ]
		if !ok || r.mapper == "" {
			continue
		}
		v := "x" + f.name
		if r.slice {
			decls = append(decls, fmt.Sprintf("%s := ir.MapSame(n.%s, %s)", v, f.name, r.mapper))
			conds = append(conds, fmt.Sprintf("same(%s, n.%s)", v, f.name))
		} else {
			decls = append(decls, fmt.Sprintf("%s := "+r.mapper, v, "n."+f.name))
			conds = append(conds, fmt.Sprintf("%s == n.%s", v, f.name))
		}
		sets = append(sets, fmt.Sprintf("out.%s = %s", f.name, v))
	}
	if len(decls) == 0 {
		fmt.Fprintf(b, "\nfunc (n *%s) mapChildren(*Mapper) %s { return n }\n", n.name, kind)
		return
	}
	fmt.Fprintf(b, "\nfunc (n *%s) mapChildren(m *Mapper) %s {\n", n.name, kind)
	if strings.HasPrefix(kind, "*") {
		fmt.Fprintf(b, "if n == nil {\nreturn nil\n}\n")
	}
	fmt.Fprintf(b, "%s\nif %s {\nreturn n\n}\nout := *n\n%s\nreturn &out\n}\n",
		strings.Join(decls, "\n"), strings.Join(conds, " && "), strings.Join(sets, "\n"))
}
