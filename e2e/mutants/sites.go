//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// kind is what a mutant does to the code.
type kind string

const (
	negate    kind = "negate"     // a condition becomes its opposite
	boundary  kind = "boundary"   // < becomes <=, and the like
	dropLeft  kind = "drop left"  // a && b becomes b
	dropRight kind = "drop right" // a && b becomes a
	operator  kind = "operator"   // + becomes -, and the like
	next      kind = "next"       // a constant becomes the next one
	flip      kind = "flip"       // true becomes false
	remove    kind = "delete"     // a statement goes
	zero      kind = "zero"       // a field of a literal, or a returned error, is zero
	swap      kind = "swap"       // two arguments change places
)

// site is a place in the code and what a mutant does there.
type site struct {
	id   int // in the drawn sample
	kind kind
	node ast.Node
	pkg  string // import path
	file string // as the compiler names it
	line int
	fn   string // the function around it
	text string // the source of the node, on one line
}

// key names a site in a way that outlives changes elsewhere in the file.
func (s *site) key() string { return fmt.Sprintf("%s\t%s\t%s\t%s", s.kind, s.file, s.fn, s.text) }

// finder collects the sites of a file.
type finder struct {
	info  *types.Info
	fset  *token.FileSet
	src   []byte
	pkg   string
	file  string
	fn    string
	sites []*site
	// paired holds unlocking statements that are deleted together with the locking one before.
	paired map[ast.Stmt]bool
}

func (f *finder) add(k kind, n ast.Node) {
	text := strings.Join(strings.Fields(string(f.src[f.offset(n.Pos()):f.offset(n.End())])), " ")
	if len(text) > 120 {
		text = text[:117] + "..."
	}
	f.sites = append(f.sites, &site{kind: k, node: n, pkg: f.pkg, file: f.file, line: f.fset.Position(n.Pos()).Line, fn: f.fn, text: text})
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// find collects the sites in the bodies of functions and the initial values of variables.
func (f *finder) find(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil || d.Name.Name == "init" {
				continue
			}
			f.fn = d.Name.Name
			if d.Recv != nil {
				f.fn = receiver(d.Recv.List[0].Type) + "." + f.fn
			}
			f.walk(d.Body)
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				spec := s.(*ast.ValueSpec)
				f.fn = spec.Names[0].Name
				for _, v := range spec.Values {
					f.walk(v)
				}
			}
		}
	}
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// walk visits a node and what is below it, and passes over types, constants' declarations and keys that must be constant.
func (f *finder) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.BlockStmt:
			f.statements(n.List)
		case *ast.CaseClause:
			f.statements(n.Body)
		case *ast.CommClause:
			f.statements(n.Body)
		case *ast.ReturnStmt:
			f.returned(n)
		case *ast.IfStmt:
			f.condition(n.Cond)
		case *ast.CompositeLit:
			f.literal(n)
			return false
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			// Cases are looked at on their own; a constant case must stay one, or duplicates would not be found.
		case ast.Expr:
			if tv, ok := f.info.Types[n]; ok && (tv.IsType() || tv.IsBuiltin()) {
				return false
			} else if ok && tv.Value != nil {
				f.constant(n, tv)
				return false
			}
			return f.expression(n)
		}
		return true
	})
}

// expression adds the mutants of an expression that is not constant, and tells whether to go on below it.
func (f *finder) expression(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.binary(n)
		if n.Op == token.SHL || n.Op == token.SHR {
			if f.info.Types[n.X].Value == nil { // a constant on the left takes its type from around
				f.walk(n.X)
			}
			f.walk(n.Y)
			return false
		}
	case *ast.CallExpr:
		f.call(n)
	}
	return true
}

func (f *finder) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		f.add(negate, n)
		if n.Op != token.EQL && n.Op != token.NEQ && !hasFunc(n) && n.End()-n.Pos() < 200 && f.fset.Position(n.Pos()).Line == f.fset.Position(n.End()).Line {
			f.add(boundary, n)
		}
	case token.LAND, token.LOR:
		f.add(dropLeft, n)
		f.add(dropRight, n)
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if f.isBasic(n, types.IsInteger|types.IsFloat) && f.sameTypes(n) {
			f.add(operator, n)
		}
	case token.REM, token.AND, token.OR:
		if f.isBasic(n, types.IsInteger) && f.sameTypes(n) {
			f.add(operator, n)
		}
	}
}

func (f *finder) isBasic(e ast.Expr, what types.BasicInfo) bool {
	t := f.info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&what != 0 && b.Info()&types.IsUntyped == 0
}

func (f *finder) sameTypes(n *ast.BinaryExpr) bool {
	return types.Identical(f.info.TypeOf(n.X), f.info.TypeOf(n.Y))
}

// condition adds the opposite of a condition that is neither a comparison nor a combination, which have their own mutants.
func (f *finder) condition(e ast.Expr) {
	if _, ok := ast.Unparen(e).(*ast.BinaryExpr); !ok && f.info.Types[e].Value == nil {
		f.add(negate, e)
	}
}

// constant adds the mutants of a constant expression of a predeclared type.
func (f *finder) constant(e ast.Expr, tv types.TypeAndValue) {
	b, ok := tv.Type.(*types.Basic)
	if !ok || b.Info()&types.IsUntyped != 0 {
		return
	}
	switch {
	case b.Kind() == types.Bool:
		f.add(flip, e)
	case b.Info()&types.IsInteger != 0 || b.Info()&types.IsFloat != 0:
		f.add(next, e)
	}
}

// call adds the swaps of neighbouring arguments of one type, where they are plain enough to be evaluated twice.
func (f *finder) call(n *ast.CallExpr) {
	if tv := f.info.Types[n.Fun]; tv.IsType() || tv.IsBuiltin() || symmetric(n.Fun) {
		return
	}
	for i := 0; i+1 < len(n.Args); i++ {
		a, b := n.Args[i], n.Args[i+1]
		if plain(a) && plain(b) && types.ExprString(a) != types.ExprString(b) && f.info.Types[a].IsValue() && f.info.Types[b].IsValue() && f.info.Types[a].Value == nil && f.info.Types[b].Value == nil &&
			!f.info.Types[a].IsNil() && !f.info.Types[b].IsNil() && types.Identical(f.info.TypeOf(a), f.info.TypeOf(b)) && !(n.Ellipsis.IsValid() && i+2 == len(n.Args)) {
			f.add(swap, pair{n, i})
			return // one swap a call: two would touch the same argument
		}
	}
}

// symmetric tells whether a function asks for equality, which is the same both ways round.
func symmetric(fun ast.Expr) bool {
	name := ""
	switch fun := fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "equal") || strings.HasPrefix(name, "same")
}

// plain tells whether evaluating an expression has no effect: a name or a field of one.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name != "_"
	case *ast.SelectorExpr:
		return plain(e.X)
	}
	return false
}

// pair stands for two neighbouring arguments of a call.
type pair struct {
	call *ast.CallExpr
	i    int
}

// Pos returns where the call begins.
func (p pair) Pos() token.Pos { return p.call.Pos() }

// End returns where the call ends.
func (p pair) End() token.Pos { return p.call.End() }
