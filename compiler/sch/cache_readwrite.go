package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// consumers returns the blocks that references refer to, and the blocks inside of them.
func (s *State) consumersOf(list []*Block) (map[*tir.Block]bool, error) {
	out := map[*tir.Block]bool{}
	for _, b := range list {
		at, err := s.block(b)
		if err != nil {
			return nil, err
		}
		out[at.Block()] = true
		for _, r := range realizes(at.Block()) {
			out[r.Block] = true
		}
	}
	return out, nil
}

// readersAfter returns the blocks of a scope that read what a block writes.
func (s *State) readersAfter(scope, b *tir.Block) map[*tir.Block]bool {
	out := map[*tir.Block]bool{}
	for _, x := range s.deps(scope).bySrc[b] {
		if x.kind == readAfterWrite {
			out[x.dst] = true
		}
	}
	return out
}

// checkReadersCovered returns an error if a block of a scope reads elements of a buffer that nothing wrote before.
func (s *State) checkReadersCovered(root site, b *tir.Buffer) error {
	d, kids := s.deps(root.Block()), childrenOf(root.Block())
	for _, r := range d.blocks {
		if regionOf(r.Block.Reads, b) != nil && !s.regionCover(root, d, kids, r.Block) {
			return s.fail("NotRegionCoverError", "The scope {0} 's region cover is not complete.\nThe region cover property require to hold for every of its child blocks\n", root.Block())
		}
	}
	return nil
}

// CacheRead copies a buffer that a block reads to one in a memory scope, and has the consumers, all if none are given, read the copy (TVM's
// cache_read). It returns the block that copies.
func (s *State) CacheRead(b *Block, index int, scope string, consumers []*Block) (*State, *Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkStorageScope(scope); err != nil {
		return nil, nil, err
	}
	r, err := s.nthRegion(at.Block(), index, readSide)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkReadersCovered(root, r.Buffer); err != nil {
		return nil, nil, err
	}
	readers, err := s.consumersOf(consumers)
	if err != nil {
		return nil, nil, err
	}
	c := &cacheStage{from: r.Buffer, root: root, loc: root.Block(), region: regionOf(root.Block().Reads, r.Buffer), base: at.Block().Base}
	writer, err := s.onlyWriter(root.Block(), r.Buffer)
	if err != nil {
		return nil, nil, err
	}
	if writer != nil {
		related := readers
		if len(related) == 0 {
			related = s.readersAfter(root.Block(), writer)
		}
		if err := s.checkReadersFollow(root.Block(), writer, r.Buffer, readers); err != nil {
			return nil, nil, err
		}
		c.detect(writer, related)
		w, _ := s.below(root, writer)
		c.region = c.relax(w, regionOf(writer.Writes, r.Buffer), nil)
	} else if when := accessedWhen(at.Block(), r.Buffer, readsOf); len(when) > 0 && s.onlyReader(root.Block(), at.Block(), r.Buffer) {
		c.region = c.relax(at, r, when)
	} else if c.region == nil {
		c.region = tir.FullRegion(r.Buffer)
	}
	whole := c.sized(r.Buffer, scope, &c.to)
	c.copyBlock(scope, whole, true)
	rd := &redirect{old: r.Buffer, now: c.to}
	rd.same()
	if !whole {
		rd.less(c.region.Region)
	}
	rd.enter = func(x *tir.Block, _ bool) (rewrite, below bool) {
		if regionOf(x.Writes, r.Buffer) != nil {
			return false, false
		}
		return len(readers) == 0 || readers[x], true
	}
	out, ref := c.rewrite(s, rd, c.to).refer(at.fn, c.block)
	return out, ref, nil
}

// sized makes the cache: as large as the buffer, unless the copy stands in the scope itself with all that read the buffer, where it is as large as the
// region that is copied.
func (c *cacheStage) sized(b *tir.Buffer, scope string, cache **tir.Buffer) (whole bool) {
	whole = c.loc != tir.Stmt(c.root.Block()) || !allReadersUnder(c.root.Block(), c.loc, b)
	*cache = withScope(b, scope)
	(*cache).Base, (*cache).Data.Base = c.base, c.base // a copy comes from who makes it, not from who filled the original
	if !whole {
		shape := make([]tir.Expr, len(c.region.Region))
		for i, r := range c.region.Region {
			shape[i] = r.Extent
		}
		(*cache).Shape = shape
	}
	return whole
}

// CacheWrite has a block write to a buffer in a memory scope, which is copied to the one that it wrote (TVM's cache_write). The consumers that are
// given read the new one. It returns the block that copies.
func (s *State) CacheWrite(b *Block, index int, scope string, consumers []*Block) (*State, *Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkStorageScope(scope); err != nil {
		return nil, nil, err
	}
	r, err := s.nthRegion(at.Block(), index, writeSide)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, nil, err
	}
	readers, err := s.consumersOf(consumers)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkOnlyWriter(root.Block(), at.Block(), r.Buffer); err != nil {
		return nil, nil, err
	}
	if err := s.checkWritesFirst(at, r.Buffer); err != nil {
		return nil, nil, err
	}
	c := &cacheStage{to: r.Buffer, root: root, base: at.Block().Base}
	related := s.readersAfter(root.Block(), at.Block())
	for x := range readers {
		delete(related, x)
	}
	c.detect(at.Block(), related)
	c.region = c.relax(at, r, accessedWhen(at.Block(), r.Buffer, writesOf))
	if err := s.checkWritesAll(at, root, c.below(at), r, r, c.region.Region); err != nil {
		return nil, nil, err
	}
	whole := c.sized(r.Buffer, scope, &c.from)
	c.copyBlock(scope, whole, false)
	rd := &redirect{old: r.Buffer, now: c.from, writes: true}
	rd.same()
	if !whole {
		rd.less(c.region.Region)
	}
	rd.enter = func(x *tir.Block, under bool) (rewrite, below bool) {
		here := x == at.Block() || under || readers[x]
		return here, here
	}
	out, ref := c.rewrite(s, rd, c.from).refer(at.fn, c.block)
	return out, ref, nil
}

// checkOnlyWriter returns an error if another block of the scope writes the buffer too.
func (s *State) checkOnlyWriter(scope, b *tir.Block, buf *tir.Buffer) error {
	w, err := s.onlyWriter(scope, buf)
	if err == nil && w != b {
		err = fmt.Errorf("block %s is not the one that writes %s in its scope", b.Name, buf.Name)
	}
	return err
}
