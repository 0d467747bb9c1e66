package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// checkNotWritten returns an error if a block writes the buffer that it is to read from a copy: the copy would not follow what it writes, or what it
// writes would stay in the copy. TVM does not look.
func (s *State) checkNotWritten(b *tir.Block, buf *tir.Buffer) error {
	if _, writes := declared(b); regionOf(writes, buf) == nil {
		return nil
	}
	return s.fail("InPlaceUpdateError", fmt.Sprintf(
		"The block {0} reads buffer %s and writes it too, so that it cannot read a copy instead. cache_inplace makes a copy for both.", buf.Name), b)
}

// checkWritesFirst returns an error if a block reads elements of a buffer before it wrote them itself: a copy that it is to write instead would not
// hold them yet. TVM does not look.
func (s *State) checkWritesFirst(at site, buf *tir.Buffer) error {
	if !s.readsBeforeWriting(at, buf) {
		return nil
	}
	return s.fail("InPlaceUpdateError", fmt.Sprintf(
		"The block {0} reads what buffer %s held before, so that it cannot write a copy that holds nothing yet. cache_inplace makes a copy for both.", buf.Name), at.Block())
}

// readsBeforeWriting reports whether a block may read elements of a buffer before it wrote them. The init of a reduction writes them.
func (s *State) readsBeforeWriting(at site, buf *tir.Buffer) bool {
	b := at.Block()
	if reads, _ := declared(b); regionOf(reads, buf) == nil || b.Init != nil {
		return false
	}
	d, kids := s.deps(b), childrenOf(b)
	if len(d.writers[buf]) == 0 {
		return true
	}
	for _, r := range d.blocks {
		below, _ := s.below(at, r.Block)
		if reads, _ := declared(r.Block); regionOf(reads, buf) == nil {
			continue
		}
		written := false
		for _, x := range d.byDst[r.Block] {
			if x.kind == readAfterWrite {
				_, writes := declared(x.src)
				written = written || regionOf(writes, buf) != nil
			}
		}
		if written && s.regionCover(at, d, kids, r.Block) {
			continue
		}
		if s.readsBeforeWriting(below, buf) {
			return true
		}
	}
	return false
}

// checkReadersFollow returns an error if a block that is to read a copy of a buffer, all of the scope if none are given, runs before the block that
// writes it: there the copy, which is made behind that one, holds nothing yet. TVM does not look.
func (s *State) checkReadersFollow(scope, writer *tir.Block, buf *tir.Buffer, readers map[*tir.Block]bool) error {
	after := s.readersAfter(scope, writer)
	for _, r := range realizes(scope) {
		reads, writes := declared(r.Block)
		if after[r.Block] || regionOf(reads, buf) == nil || regionOf(writes, buf) != nil || len(readers) > 0 && !readers[r.Block] {
			continue
		}
		return s.fail("EarlyReadError", fmt.Sprintf("The block {0} reads buffer %s before block {1} writes it, so that it cannot read a copy of what that writes", buf.Name), r.Block, writer)
	}
	return nil
}
