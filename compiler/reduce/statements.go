package reduce

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// statements makes the PrimFuncs smaller. The sites of a function are its statements and then its expressions, each list with what is
// outside first; what a site can become is tried in turn. A change leaves the sites before it as they were, so each
// is visited once, and once more for each change of it.
func (s *search) statements() {
	var names []string
	for gv, fn := range s.best.Funcs() {
		if _, ok := fn.(*tir.PrimFunc); ok {
			names = append(names, gv.Name)
		}
	}
	for _, name := range names {
		s.each(name, stmtsOf, smallerStmt)
		s.each(name, exprsOf, smallerExpr)
	}
}

// each tries the smaller forms of each site of a function.
func (s *search) each(name string, sites func(*tir.PrimFunc) []ir.Node, forms func(ir.Node) []ir.Node) {
	f, ok := s.best.Lookup(name).(*tir.PrimFunc)
	if !ok {
		return
	}
	list := sites(f)
	for i := 0; i < len(list) && !s.over(); {
		changed := false
		for _, form := range forms(list[i]) {
			if s.try(s.best.With(name, replaced(f, list[i], form))) {
				changed = true
				break
			}
		}
		if !changed {
			i++
			continue
		}
		if f, ok = s.best.Lookup(name).(*tir.PrimFunc); !ok {
			return
		}
		list = sites(f)
	}
}

// stmtsOf returns the statements of f, each once, outer ones first.
func stmtsOf(f *tir.PrimFunc) []ir.Node {
	return nodesOf(f, func(n ir.Node) bool { _, ok := n.(tir.Stmt); return ok })
}

// exprsOf returns the expressions of f that are neither variables nor constants, each once.
func exprsOf(f *tir.PrimFunc) []ir.Node {
	return nodesOf(f, func(n ir.Node) bool {
		switch n.(type) {
		case *tir.Var, *tir.IntImm, *tir.FloatImm, *tir.StringImm:
			return false
		case tir.Expr:
			return true
		}
		return false
	})
}

func nodesOf(f *tir.PrimFunc, want func(ir.Node) bool) (out []ir.Node) {
	seen := map[ir.Node]bool{}
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n.(type) {
		case tir.Stmt, tir.Expr:
			if seen[n] {
				return false
			}
			seen[n] = true
			if want(n) {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}

// replaced returns f with a node in the place of another, wherever that stands in the body.
func replaced(f *tir.PrimFunc, old, by ir.Node) *tir.PrimFunc {
	m := &tir.Mapper{}
	m.Expr = tir.Memo(func(e tir.Expr) tir.Expr {
		if ir.Node(e) == old {
			return by.(tir.Expr)
		}
		return m.MapExpr(e)
	})
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		if ir.Node(x) == old {
			return by.(tir.Stmt)
		}
		return m.MapStmt(x)
	}
	return f.WithBody(m.Stmt(f.Body))
}

// maxSingle is the number of statements of a sequence up to which single ones are removed.
const maxSingle = 64

// smallerStmt returns what can take the place of a statement, the smallest first.
func smallerStmt(n ir.Node) (out []ir.Node) {
	s := n.(tir.Stmt)
	add := func(list ...tir.Stmt) {
		for _, x := range list {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	if b, ok := s.(*tir.Block); ok { // only a block can take the place of a block
		for _, x := range smallerBlock(b) {
			out = append(out, x)
		}
		return out
	}
	if tir.IsNoOp(s) {
		return nil
	}
	add(tir.NoOp())
	switch s := s.(type) {
	case *tir.SeqStmt:
		for size := len(s.Seq) / 2; size > 0 && (size > 1 || len(s.Seq) <= maxSingle); size /= 2 {
			for lo := 0; lo < len(s.Seq); lo += size {
				rest := append(append([]tir.Stmt{}, s.Seq[:lo]...), s.Seq[min(lo+size, len(s.Seq)):]...)
				add(tir.Seq(rest...))
			}
		}
	case *tir.For:
		add(tir.SubstStmt(s.Body, map[*tir.Var]tir.Expr{s.LoopVar: s.Min}))
		if s.Kind != tir.Serial && s.Kind != tir.ThreadBinding {
			add(s.WithKind(tir.Serial))
		}
		if s.Annotations.Len() > 0 {
			add(s.WithAnnotations(nil))
		}
	case *tir.While:
		add(s.Body)
	case *tir.IfThenElse:
		add(s.Then, s.Else)
		if s.Else != nil {
			add(s.WithElse(nil))
		}
	case *tir.AttrStmt:
		add(s.Body)
	case *tir.AssertStmt:
		add(s.Body)
	case *tir.LetStmt:
		add(s.Body, tir.SubstStmt(s.Body, map[*tir.Var]tir.Expr{s.Var: s.Value}))
	case *tir.BufferRealize:
		add(s.Body)
	case *tir.Allocate:
		add(s.Body)
	case *tir.AllocateConst:
		add(s.Body)
	case *tir.DeclBuffer:
		add(s.Body)
	case *tir.BlockRealize:
		add(unblocked(s))
	}
	return out
}

// unblocked returns the body of the block with the values of its iteration variables, nil where the block declares something.
func unblocked(r *tir.BlockRealize) tir.Stmt {
	b := r.Block
	if len(b.AllocBuffers)+len(b.MatchBuffers) > 0 {
		return nil
	}
	sub := map[*tir.Var]tir.Expr{}
	for i, v := range b.IterVars {
		sub[v.Var] = r.Values[i]
	}
	return tir.SubstStmt(b.Body, sub)
}

// smallerBlock returns the block without one of its parts.
func smallerBlock(b *tir.Block) (out []*tir.Block) {
	if b.Init != nil {
		out = append(out, b.WithInit(nil))
	}
	if b.Annotations.Len() > 0 {
		out = append(out, b.WithAnnotations(nil))
	}
	for i := range b.AllocBuffers {
		out = append(out, b.WithAllocBuffers(append(append([]*tir.Buffer{}, b.AllocBuffers[:i]...), b.AllocBuffers[i+1:]...)))
	}
	for i := range b.MatchBuffers {
		out = append(out, b.WithMatchBuffers(append(append([]*tir.MatchBufferRegion{}, b.MatchBuffers[:i]...), b.MatchBuffers[i+1:]...)))
	}
	return out
}

// smallerExpr returns what can take the place of an expression: zero, and operands of its type.
func smallerExpr(n ir.Node) (out []ir.Node) {
	e := n.(tir.Expr)
	d := e.DType()
	switch {
	case !d.IsScalar():
	case d.IsFloat():
		out = append(out, tir.FloatConst(d, 0))
	case d.IsInteger(), d.IsBool():
		out = append(out, tir.Const(d, 0))
	}
	e.EachChild(func(x ir.Node) {
		if y, ok := x.(tir.Expr); ok && y.DType() == d {
			out = append(out, y)
		}
	})
	return out
}
