package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// accessedWhen returns conditions of which one holds where a block accesses a buffer, in the variables of the block: what each block
// inside of it that accesses the buffer requires of where it runs. There are none where the block accesses the buffer outside of
// these, and where it takes what is defined inside of the block to tell. sideOf returns the regions of the side that counts.
func accessedWhen(b *tir.Block, buf *tir.Buffer, sideOf func(*tir.Block) []*tir.BufferRegion) []tir.Expr {
	var when []tir.Expr
	free := false
	inner := map[*tir.Var]bool{}
	always := func() { free = true }
	var walk func(ir.Node)
	walk = func(n ir.Node) {
		switch n := n.(type) {
		case *tir.BlockRealize:
			if regionOf(sideOf(n.Block), buf) == nil {
				return
			}
			cond := tir.SubstExpr(n.Predicate, bindings(n))
			if tir.IsTrue(cond) || readsMemory(cond) || arith.UsesVar(cond, func(v *tir.Var) bool { return inner[v] }) {
				always()
			} else {
				when = append(when, cond)
			}
			return
		case *tir.For:
			inner[n.LoopVar] = true
		case *tir.LetStmt:
			inner[n.Var] = true
		case *tir.BufferLoad:
			if n.Buffer == buf {
				always()
			}
		case *tir.BufferStore:
			if n.Buffer == buf {
				always()
			}
		case *tir.Var:
			if n == buf.Data { // a call that gets the address
				always()
			}
		}
		n.EachChild(walk)
	}
	walk(b.Body)
	if b.Init != nil {
		walk(b.Init)
	}
	if free {
		return nil
	}
	return when
}

// onlyReader reports whether b is the only block of a scope that reads a buffer.
func (s *State) onlyReader(scope, b *tir.Block, buf *tir.Buffer) bool {
	for _, r := range s.deps(scope).blocks {
		if r.Block != b && regionOf(r.Block.Reads, buf) != nil {
			return false
		}
	}
	return true
}

func readsOf(b *tir.Block) []*tir.BufferRegion  { return b.Reads }
func writesOf(b *tir.Block) []*tir.BufferRegion { return b.Writes }
