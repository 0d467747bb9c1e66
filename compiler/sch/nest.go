package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// nestSite returns the outermost loop around a block in its scope, or what runs the block if there is none.
func nestSite(at site) site {
	top := at
	for q, ok := at.up(); ok; q, ok = q.up() {
		if _, loop := q.stmt().(*tir.For); !loop {
			break
		}
		top = q
	}
	if top.stmt() == at.stmt() {
		top.path = top.path[:len(top.path)-1]
	}
	return top
}

// plainNest reports whether loops are serial, begin at 0, and hold nothing but the next one and in the end one block.
func plainNest(loops []*tir.For) bool {
	for k, l := range loops {
		if l.Kind != tir.Serial || l.Annotations.Len() > 0 || l.Step != nil && !tir.IsConst(l.Step, 1) || !tir.IsConst(l.Min, 0) {
			return false
		}
		if k+1 < len(loops) && l.Body != tir.Stmt(loops[k+1]) {
			return false
		}
	}
	if len(loops) == 0 {
		return true
	}
	_, ok := loops[len(loops)-1].Body.(*tir.BlockRealize)
	return ok
}

// loopOf returns the loop with a variable, nil if there is none.
func loopOf(loops []*tir.For, v *tir.Var) *tir.For {
	for _, l := range loops {
		if l.LoopVar == v {
			return l
		}
	}
	return nil
}

// usesLoops reports whether e uses the variable of a loop.
func usesLoops(e tir.Expr, loops []*tir.For) bool {
	return arith.UsesVar(e, func(v *tir.Var) bool { return loopOf(loops, v) != nil })
}

// Original reports whether each iteration variable of a block is bound to a loop of its own that runs over its domain, in order, as in a function
// that was just created.
func (s *State) Original(b *Block) bool {
	at, err := s.block(b)
	return err == nil && original(at)
}

func original(at site) bool {
	b, r, loops := at.Block(), at.Realize(), at.loops()
	if !plainNest(loops) || len(loops) != len(b.IterVars) || !tir.IsTrue(r.Predicate) || len(realizes(b)) > 0 {
		return false
	}
	for k, iv := range b.IterVars {
		if r.Values[k] != tir.Expr(loops[k].LoopVar) || !tir.IsConst(iv.Dom.Min, 0) || !arith.Equal(iv.Dom.Extent, loops[k].Extent) {
			return false
		}
	}
	return true
}

// checkOriginal returns an error for a block that is not as it was created.
func (s *State) checkOriginal(at site) error {
	if original(at) && len(at.Block().MatchBuffers)+len(at.Block().AllocBuffers) == 0 {
		return s.checkClosed(at)
	}
	return s.fail("NotOriginalError", "The block {0} is required to have a loop of its own for each iteration variable, which runs over its domain", at.Block())
}

// blockNames are the names that the blocks of a function have.
type blockNames map[string]bool

func namesOf(f *tir.PrimFunc) blockNames {
	out := blockNames{}
	visit(f.Body, func(x tir.Stmt) bool {
		if b, ok := x.(*tir.Block); ok {
			out[b.Name] = true
		}
		return true
	})
	return out
}

// fresh returns name, with a number behind it where it is taken, and takes it.
func (n blockNames) fresh(name string) string {
	out := name
	for k := 1; n[out]; k++ {
		out = fmt.Sprintf("%s_%d", name, k)
	}
	n[out] = true
	return out
}

// replaceNests puts statements in the place of others in the body of a block, outside of the blocks there. The block allocates buffers from now on,
// and those that are gone no longer.
func (s *State) replaceNests(root site, change map[tir.Stmt]tir.Stmt, became reuse, gone map[*tir.Buffer]bool, buffers []*tir.Buffer) *State {
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		if by, ok := change[x]; ok {
			return by
		}
		switch x := x.(type) {
		case *tir.BlockRealize:
			return x
		case *tir.SeqStmt:
			return tir.Seq(ir.MapSame(x.Seq, m.Stmt)...)
		}
		return m.MapStmt(x)
	}
	b := root.Block()
	allocs := slices.DeleteFunc(slices.Clone(b.AllocBuffers), func(x *tir.Buffer) bool { return gone[x] })
	now := b.WithBody(m.Stmt(b.Body)).WithAllocBuffers(append(allocs, buffers...))
	return s.replace(root, now, became)
}
