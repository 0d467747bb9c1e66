package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// attrAutoCopy marks blocks that copy, which a pass spreads over the threads.
const attrAutoCopy = "auto_copy"

// ReadAt copies, in each iteration of a loop, what is read there of a buffer that a block reads to one in a memory scope, which is read in its
// place (TVM's read_at). It returns the block that copies, all in one and marked auto_copy.
func (s *State) ReadAt(l *Loop, b *Block, index int, scope string) (*State, *Block, error) {
	return s.copyAt(l, b, index, scope, readSide)
}

// WriteAt has what is written in an iteration of a loop to a buffer that a block writes go to one in a memory scope, and copies it from there at
// the end of the iteration (TVM's write_at).
func (s *State) WriteAt(l *Loop, b *Block, index int, scope string) (*State, *Block, error) {
	return s.copyAt(l, b, index, scope, writeSide)
}

func (s *State) copyAt(l *Loop, b *Block, index int, scope, side string) (*State, *Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	to, err := s.loop(l)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.nthRegion(at.Block(), index, side)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkStorageScope(scope); err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(to, true)
	if err != nil {
		return nil, nil, err
	}
	c := &copyingAt{s: s, to: to, root: root, src: r.Buffer, dst: withScope(r.Buffer, scope), side: side, an: arith.NewAnalyzer()}
	c.an.MarkShapes(at.f)
	for _, o := range append(allLoops(to), to.For()) {
		c.an.BindRange(o.LoopVar, rangeOf(o))
	}
	if err := c.find(); err != nil {
		return nil, nil, err
	}
	run, err := c.block(r.Buffer.Name + "_" + scope)
	if err != nil {
		return nil, nil, err
	}
	became := reuse{}
	list := slices.Insert(c.redirected(became), c.pos, tir.Stmt(run))
	loop := to.For().WithBody(tir.Seq(list...))
	now := root.Block().WithBody(swapAll(root.Block().Body, to.For(), loop, became)).WithAllocBuffers(append(slices.Clone(root.Block().AllocBuffers), c.dst))
	out, ref := s.replace(root, now, became).refer(l.fn, run.Block)
	return out, ref, nil
}

// copyingAt puts a copy between a buffer and another one into a loop.
type copyingAt struct {
	s        *State
	to, root site
	src, dst *tir.Buffer
	side     string
	an       *arith.Analyzer
	region   []*tir.Range // that is copied
	pos      int          // of the copy among the statements of the loop
	lo, hi   int          // the statements that access the other buffer
}

// find derives the region and the places, and returns an error where the copy would change a result.
func (c *copyingAt) find() error {
	list := c.accesses()
	first, last := -1, -1 // read, written
	for _, a := range list {
		if a.read && first < 0 {
			first = a.stmt
		}
		if a.write {
			last = a.stmt
		}
	}
	n := len(statements(c.to.For().Body))
	if c.side == readSide {
		if first < 0 {
			return fmt.Errorf("nothing in loop %s reads %s", c.to.For().LoopVar.Name, c.src.Name)
		}
		if last >= first {
			return fmt.Errorf("in loop %s buffer %s is written behind the first block that reads it, where its copy would be older", c.to.For().LoopVar.Name, c.src.Name)
		}
		c.pos, c.lo, c.hi = first, first, n
	} else {
		if last < 0 {
			return fmt.Errorf("nothing in loop %s writes %s", c.to.For().LoopVar.Name, c.src.Name)
		}
		for _, a := range list {
			if a.read && a.stmt > last {
				return fmt.Errorf("in loop %s block %s reads %s behind the last block that writes it", c.to.For().LoopVar.Name, a.Block().Name, c.src.Name)
			}
			if a.read && (!a.write || a.Block().Init == nil) {
				return fmt.Errorf("block %s in loop %s reads of %s what may not be written in the same iteration", a.Block().Name, c.to.For().LoopVar.Name, c.src.Name)
			}
		}
		c.pos, c.lo, c.hi = last+1, 0, last+1
	}
	return c.domain(list)
}
