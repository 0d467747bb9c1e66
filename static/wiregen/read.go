package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is the path of our module; what is imported from elsewhere is no type of the wire, but for a few of the standard library.
const module = "github.com/irscope/irscope/"

// pack is what the generator knows of a package.
type pack struct {
	path  string // from the root of the module
	types map[string]*decl
	// order lists the types in the order of their declarations, by file.
	order []string
	// bodies maps a type with a method EventType to the constant that it returns.
	bodies map[string]string
	// constants are those of string types, with their value in quotes.
	constants map[string]string
}

// decl is the declaration of a type.
type decl struct {
	pkg  *pack
	name string
	doc  string
	// form is what a line //wire:type says.
	form string
	expr ast.Expr
	// alias says that it is another name of the type expr.
	alias bool
	// imports maps names of packages in its file to paths from the root of the module; those of others are absent.
	imports map[string]string
	// values are the constants of the type, in order, if it is a string.
	values []value
}

// value is a constant of a string type.
type value struct{ name, text, doc string }

// reader reads packages, each once.
type reader struct {
	root  string
	packs map[string]*pack
}

func (r *reader) pack(path string) (*pack, error) {
	if p := r.packs[path]; p != nil {
		return p, nil
	}
	dir := filepath.Join(r.root, filepath.FromSlash(path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read package %s: %w", path, err)
	}
	p := &pack{path: path, types: map[string]*decl{}, bodies: map[string]string{}, constants: map[string]string{}}
	r.packs[path] = p
	var files []*ast.File
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	for _, f := range files {
		p.readTypes(f)
	}
	for _, f := range files {
		p.readConstants(f)
		p.readBodies(f)
	}
	return p, nil
}

// readTypes adds the types that a file declares.
func (p *pack) readTypes(f *ast.File) {
	imports := map[string]string{}
	for _, s := range f.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		if ours, ok := strings.CutPrefix(path, module); ok {
			imports[filepath.Base(path)] = ours
			if s.Name != nil {
				imports[s.Name.Name] = ours
			}
		}
	}
	each(f, token.TYPE, func(g *ast.GenDecl, s ast.Spec) {
		t := s.(*ast.TypeSpec)
		doc, form := comment(t.Doc, g.Doc)
		p.types[t.Name.Name] = &decl{pkg: p, name: t.Name.Name, doc: doc, form: form, expr: t.Type, alias: t.Assign.IsValid(), imports: imports}
		p.order = append(p.order, t.Name.Name)
	})
}

// readConstants adds the constants of string types to these.
func (p *pack) readConstants(f *ast.File) {
	each(f, token.CONST, func(_ *ast.GenDecl, s ast.Spec) {
		c := s.(*ast.ValueSpec)
		name, ok := c.Type.(*ast.Ident)
		if !ok || p.types[name.Name] == nil {
			return
		}
		doc, _ := comment(c.Doc, c.Comment)
		for i, v := range c.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				t := p.types[name.Name]
				t.values = append(t.values, value{c.Names[i].Name, text, doc})
				p.constants[c.Names[i].Name] = lit.Value
			}
		}
	})
}

// readBodies adds the types that have a method EventType, which returns a constant.
func (p *pack) readBodies(f *ast.File) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Name.Name != "EventType" || fn.Body == nil || len(fn.Body.List) != 1 {
			continue
		}
		star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
		ret, isReturn := fn.Body.List[0].(*ast.ReturnStmt)
		if ok && isReturn && len(ret.Results) == 1 {
			if id, ok := ret.Results[0].(*ast.Ident); ok {
				p.bodies[star.X.(*ast.Ident).Name] = id.Name
			}
		}
	}
}

// each calls f for the specs of the declarations of one kind in a file.
func each(file *ast.File, kind token.Token, f func(*ast.GenDecl, ast.Spec)) {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == kind {
			for _, s := range g.Specs {
				f(g, s)
			}
		}
	}
}

// comment returns the text of the first of some comments that is there, and what its line //wire:type says. A doc of a whole
// group is not taken for that of one of its members where the member has one.
func comment(groups ...*ast.CommentGroup) (text, form string) {
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			if f, ok := strings.CutPrefix(c.Text, "//wire:type "); ok {
				form = strings.TrimSpace(f)
			}
		}
		return strings.TrimSpace(g.Text()), form
	}
	return "", ""
}

// field is a field of a struct as JSON has it.
type field struct {
	goName, name, doc string
	// form is what a line //wire:type says.
	form     string
	optional bool
	expr     ast.Expr
	in       *decl // whose file says what the type means
}

// fields lists the fields of a struct type that JSON shows, those of embedded structs in their places.
func (r *reader) fields(d *decl, st *ast.StructType) ([]field, error) {
	var out []field
	for _, f := range st.Fields.List {
		var tag string
		if f.Tag != nil {
			raw, _ := strconv.Unquote(f.Tag.Value)
			tag = structTag(raw)
		}
		if tag == "-" {
			continue
		}
		if len(f.Names) == 0 && tag == "" {
			in, err := r.resolve(d, f.Type)
			if err != nil {
				return nil, err
			}
			inner, ok := in.expr.(*ast.StructType)
			if !ok {
				return nil, fmt.Errorf("%s.%s embeds %s, which is no struct", d.pkg.path, d.name, in.name)
			}
			fs, err := r.fields(in, inner)
			if err != nil {
				return nil, err
			}
			out = append(out, fs...)
			continue
		}
		doc, form := comment(f.Doc, f.Comment)
		name, opts, _ := strings.Cut(tag, ",")
		for _, id := range f.Names {
			if !id.IsExported() {
				continue
			}
			if name == "" {
				return nil, fmt.Errorf("%s.%s: field %s has no name for JSON", d.pkg.path, d.name, id.Name)
			}
			optional := slices.ContainsFunc(strings.Split(opts, ","), func(o string) bool { return o == "omitempty" || o == "omitzero" })
			out = append(out, field{id.Name, name, doc, form, optional, f.Type, d})
		}
	}
	return out, nil
}

// structTag returns the part of a struct tag that is about JSON.
func structTag(raw string) string {
	for part := range strings.FieldsSeq(raw) {
		if v, ok := strings.CutPrefix(part, "json:"); ok {
			s, _ := strconv.Unquote(v)
			return s
		}
	}
	return ""
}

// resolve returns the declaration that a name means in the file of d, or nil for a type that is not declared by us. A name for
// another type means that type.
func (r *reader) resolve(d *decl, e ast.Expr) (*decl, error) {
	found, err := r.lookup(d, e)
	if err != nil || found == nil || !found.alias {
		return found, err
	}
	return r.resolve(found, found.expr)
}

// lookup is resolve for the declaration of the name itself.
func (r *reader) lookup(d *decl, e ast.Expr) (*decl, error) {
	switch e := e.(type) {
	case *ast.Ident:
		return d.pkg.types[e.Name], nil
	case *ast.SelectorExpr:
		path := d.imports[e.X.(*ast.Ident).Name]
		if path == "" {
			return nil, nil
		}
		p, err := r.pack(path)
		if err != nil {
			return nil, err
		}
		if p.types[e.Sel.Name] == nil {
			return nil, fmt.Errorf("package %s has no type %s", path, e.Sel.Name)
		}
		return p.types[e.Sel.Name], nil
	}
	return nil, fmt.Errorf("%s.%s names a type by a %T", d.pkg.path, d.name, e)
}
