package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// checkInputsLast returns an error where what a block reads no longer holds what it read by the time that a consumer reads what the block wrote to
// buf: another block writes it, in a loop around both of them and not around the consumer, and what it writes to one place differs from iteration to
// iteration. So does the local memory of a tile, whose result cannot be taken from there behind the tiles.
func (s *State) checkInputsLast(block *tir.Block, scope *tir.Block, buf *tir.Buffer) error {
	deps := s.deps(scope)
	if !slices.ContainsFunc(block.Reads, func(r *tir.BufferRegion) bool { return len(deps.writers[r.Buffer]) > 0 }) {
		return nil
	}
	in := childrenOf(scope)
	at := in[block]
	shared := len(at.loops) // loops around the block that are around all consumers too
	for _, x := range in {
		if x.block != block && readsInside(x.block, buf) {
			shared = min(shared, commonLoops(at.loops, x.loops))
		}
	}
	for _, r := range block.Reads {
		for _, w := range deps.writers[r.Buffer] {
			if w == block {
				continue
			}
			writer := in[w]
			for _, l := range at.loops[shared:max(shared, commonLoops(at.loops, writer.loops))] {
				if v := changesWith(writer.realize, r.Buffer, l); v != nil {
					return s.fail("InputOverwritten", fmt.Sprintf(
						"The block {0} cannot be inlined: it reads %s, which block {1} overwrites in the next iteration of loop %s (by its variable %s), before a consumer reads %s",
						r.Buffer.Name, l.LoopVar.Name, v.Name, buf.Name), block, w)
				}
			}
		}
	}
	return nil
}

// readsInside reports whether a block reads a buffer, or a block inside of it does: those that LoopPartition puts around others list nothing.
func readsInside(b *tir.Block, buf *tir.Buffer) bool {
	if regionOf(b.Reads, buf) != nil {
		return true
	}
	found := false
	visit(b.Body, func(x tir.Stmt) bool {
		if r, ok := x.(*tir.BlockRealize); ok {
			found = found || regionOf(r.Block.Reads, buf) != nil
		}
		return !found
	})
	return found
}

// commonLoops counts the outer loops that two lists share.
func commonLoops(a, b []*tir.For) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// changesWith returns a variable by which what a block writes to one place of a buffer depends on a loop, nil if there is none.
func changesWith(r *tir.BlockRealize, buf *tir.Buffer, l *tir.For) *tir.Var {
	to := regionOf(r.Block.Writes, buf)
	for i, iv := range r.Block.IterVars {
		if !usesVar(r.Values[i], l.LoopVar) {
			continue
		}
		place := iv.Kind == tir.DataPar && to != nil && slices.ContainsFunc(to.Region, func(x *tir.Range) bool { return usesVar(x.Min, iv.Var) })
		if !place {
			return iv.Var
		}
	}
	return nil
}
