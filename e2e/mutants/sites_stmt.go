//go:build unix

package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// literal adds a mutant for each field of a literal of a struct, and visits the values of any literal.
func (f *finder) literal(n *ast.CompositeLit) {
	_, isStruct := core(f.info.TypeOf(n)).(*types.Struct)
	_, isMap := core(f.info.TypeOf(n)).(*types.Map)
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			f.walk(e)
			continue
		}
		if isMap {
			f.walk(kv.Key)
		}
		if tv := f.info.Types[kv.Value]; isStruct && tv.Value == nil && !tv.IsNil() && tv.IsValue() && !hasFunc(kv.Value) {
			f.add(zero, kv.Value)
		}
		f.walk(kv.Value)
	}
}

func core(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem().Underlying()
	}
	return t.Underlying()
}

// returned adds a mutant for an error that is returned.
func (f *finder) returned(n *ast.ReturnStmt) {
	for _, r := range n.Results {
		if tv := f.info.Types[r]; tv.IsValue() && !tv.IsNil() && types.Identical(tv.Type, types.Universe.Lookup("error").Type()) {
			f.add(zero, r)
		}
	}
}

// statements adds the deletion of those statements of a list that can go without the rest failing to compile.
func (f *finder) statements(list []ast.Stmt) {
	for i, s := range list {
		if f.paired[s] {
			continue
		}
		if i+1 < len(list) && locks(s, list[i+1]) {
			f.paired[list[i+1]] = true
			f.add(remove, s)
			continue
		}
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok {
				if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "panic" {
					continue
				}
				f.add(remove, s)
			}
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && !blank(s.Lhs) {
				f.add(remove, s)
			}
		case *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt:
			f.add(remove, s)
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
				f.add(remove, s)
			}
		}
	}
}

func blank(lhs []ast.Expr) bool {
	for _, e := range lhs {
		if name, ok := e.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	return true
}

// locks tells whether two statements lock something and defer unlocking it: without one of them the other panics or waits for ever.
func locks(a, b ast.Stmt) bool {
	lock, ok := a.(*ast.ExprStmt)
	unlock, ok2 := b.(*ast.DeferStmt)
	if !ok || !ok2 {
		return false
	}
	x, ok := lock.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	m, ok := x.Fun.(*ast.SelectorExpr)
	n, ok2 := unlock.Call.Fun.(*ast.SelectorExpr)
	return ok && ok2 && types.ExprString(m.X) == types.ExprString(n.X) && strings.HasSuffix(m.Sel.Name, "Lock") &&
		n.Sel.Name == strings.Replace(m.Sel.Name, "Lock", "Unlock", 1)
}

// hasFunc tells whether a function is written inside of a node.
func hasFunc(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			found = true
		}
		return !found
	})
	return found
}
