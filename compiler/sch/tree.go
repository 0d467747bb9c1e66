package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// children calls f for the statements directly inside of x, without the init of a block.
func children(x tir.Stmt, f func(tir.Stmt)) {
	switch x := x.(type) {
	case *tir.For:
		f(x.Body)
	case *tir.BlockRealize:
		f(x.Block)
	case *tir.Block:
		f(x.Body)
	case *tir.SeqStmt:
		for _, c := range x.Seq {
			f(c)
		}
	case *tir.IfThenElse:
		f(x.Then)
		if x.Else != nil {
			f(x.Else)
		}
	case *tir.LetStmt:
		f(x.Body)
	case *tir.AttrStmt:
		f(x.Body)
	case *tir.AssertStmt:
		f(x.Body)
	case *tir.While:
		f(x.Body)
	case *tir.BufferRealize:
		f(x.Body)
	case *tir.Allocate:
		f(x.Body)
	case *tir.AllocateConst:
		f(x.Body)
	case *tir.DeclBuffer:
		f(x.Body)
	case *tir.BufferStore, *tir.Evaluate:
	default:
		panic(fmt.Sprintf("sch: unknown kind of statement %T", x))
	}
}

// find returns the statements from x to the first below it of which is holds, nil if there is none.
func find(x tir.Stmt, is func(tir.Stmt) bool, path []tir.Stmt) []tir.Stmt {
	path = append(path, x)
	if is(x) {
		return append([]tir.Stmt(nil), path...)
	}
	switch x := x.(type) { // the usual ones first
	case *tir.For:
		return find(x.Body, is, path)
	case *tir.BlockRealize:
		return find(x.Block, is, path)
	case *tir.Block:
		return find(x.Body, is, path)
	case *tir.BufferStore:
		return nil
	case *tir.SeqStmt:
		for _, c := range x.Seq {
			if out := find(c, is, path); out != nil {
				return out
			}
		}
		return nil
	}
	var out []tir.Stmt
	children(x, func(c tir.Stmt) {
		if out == nil {
			out = find(c, is, path)
		}
	})
	return out
}

// visit calls f for x and all statements below it in order, but for those below one of which f returns false.
func visit(x tir.Stmt, f func(tir.Stmt) bool) {
	if f(x) {
		children(x, func(c tir.Stmt) { visit(c, f) })
	}
}

// realizes returns what runs the blocks below x, a loop or block, without the blocks inside of these: its child blocks in TVM's words.
func realizes(x tir.Stmt) []*tir.BlockRealize {
	var out []*tir.BlockRealize
	children(x, func(c tir.Stmt) {
		visit(c, func(y tir.Stmt) bool {
			r, ok := y.(*tir.BlockRealize)
			if ok {
				out = append(out, r)
			}
			return !ok
		})
	})
	return out
}

// swap is a mapper that puts one statement in the place of another, and keeps all others.
func swap(old, by tir.Stmt) *tir.Mapper {
	return &tir.Mapper{Stmt: func(c tir.Stmt) tir.Stmt {
		if c == old {
			return by
		}
		return c
	}}
}

// exchanged returns a statement with one directly inside of it replaced.
func exchanged(x, old, by tir.Stmt) tir.Stmt {
	switch x := x.(type) {
	case *tir.For:
		return x.WithBody(by)
	case *tir.Block:
		if by != old && x.Init != old {
			return x.WithBody(by)
		}
	case *tir.BlockRealize:
		return x.WithBlock(by.(*tir.Block))
	}
	return swap(old, by).MapStmt(x)
}

// reuse says which blocks became which: references to the former refer to the latter from then on.
type reuse map[*tir.Block]*tir.Block

// replace puts a statement in the place of the site, and copies the statements around it.
func (s *State) replace(at site, by tir.Stmt, became reuse) *State {
	if became == nil {
		became = reuse{}
	}
	note := func(old, by tir.Stmt) {
		if b, ok := old.(*tir.Block); ok {
			became[b] = by.(*tir.Block)
		}
	}
	if _, ok := by.(*tir.Block); ok {
		note(at.stmt(), by)
	}
	for i := len(at.path) - 2; i >= 0; i-- {
		x := exchanged(at.path[i], at.path[i+1], by)
		note(at.path[i], x)
		by = x
	}
	out := *s
	out.mod = s.mod.With(at.fn, at.f.WithBody(by))
	out.blocks = make([]known, len(s.blocks))
	for i, k := range s.blocks {
		if x, ok := became[k.block]; ok {
			k.block = x
		}
		out.blocks[i] = k
	}
	return &out
}
