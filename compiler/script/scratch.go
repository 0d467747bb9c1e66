package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Scratch is memory for printing. It must not be used by two prints at once.
type Scratch struct {
	buf     []byte
	lines   []ir.Node
	names   nameTable
	extents ir.Memo[*tir.Var, tir.Expr]
	data    map[*tir.Var]bool
	loops   []*tir.Var
	ranges  []tir.Expr
	calls   ir.Memo[*ir.Op, intrinsic]
	scan    scan
	printer printer
}

// maxKept is how many names a Scratch keeps room for: clearing the tables takes as long as there is room.
const maxKept = 1 << 10

// take gives the printer the memory.
func (s *Scratch) take(p *printer) {
	p.buf, p.lines, p.loopVars, p.loopExtents = s.buf[:0], s.lines[:0], s.loops[:0], s.ranges[:0]
	p.names, p.extents, p.data, p.intrinsics = s.names, s.extents, s.data, s.calls
	s.names, s.extents, s.data = nameTable{}, ir.Memo[*tir.Var, tir.Expr]{}, nil
}

// put takes the memory back from the printer, whose text is copied.
func (s *Scratch) put(p *printer) {
	clear(p.lines)
	s.buf, s.lines, s.loops, s.ranges, s.calls = p.buf, p.lines[:0], p.loopVars, p.loopExtents, p.intrinsics
	if max(p.names.most, p.extents.Len()) <= maxKept {
		p.names.clear()
		p.extents.Clear()
		clear(p.data)
		s.names, s.extents, s.data = p.names, p.extents, p.data
	}
	*p = printer{} // which is part of s, and would hold what is not kept
}
