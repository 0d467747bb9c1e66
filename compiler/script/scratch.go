package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Scratch is memory for printing. It must not be used by two prints at once.
type Scratch struct {
	buf     []byte
	front   []byte
	lines   []ir.Node
	names   nameTable
	extents ir.Memo[*tir.Var, tir.Expr]
	data    map[*tir.Var]bool
	loops   []*tir.Var
	ranges  []tir.Expr
	calls   ir.Memo[*ir.Op, intrinsic]
	scan    scan
	printer printer
	opts    Options
	memory  lineMemory
}

// kept returns the options in memory that stays, that of the Scratch if there is one.
func (o Options) kept() *Options {
	if o.Scratch == nil {
		own := o
		return &own
	}
	o.Scratch.opts = o
	return &o.Scratch.opts
}

// maxKept is how many names a Scratch keeps room for.
const maxKept = 1 << 12

// take gives the printer the memory.
func (s *Scratch) take(p *printer) {
	p.buf, p.scratch, p.lines, p.loopVars, p.loopExtents = s.buf[:0], s.front[:0], s.lines[:0], s.loops[:0], s.ranges[:0]
	p.names, p.extents, p.data, p.intrinsics = s.names, s.extents, s.data, s.calls
	s.names, s.extents, s.data = nameTable{}, ir.Memo[*tir.Var, tir.Expr]{}, nil
}

// put takes the memory back from the printer, whose text is copied.
func (s *Scratch) put(p *printer) {
	clear(p.lines)
	s.buf, s.front, s.lines, s.loops, s.ranges, s.calls = p.buf, p.scratch, p.lines[:0], p.loopVars, p.loopExtents, p.intrinsics
	if max(p.names.most, p.extents.Len()) <= maxKept {
		p.names.clear()
		p.extents.Clear()
		clear(p.data)
		s.names, s.extents, s.data = p.names, p.extents, p.data
	}
	*p, s.opts = printer{}, Options{} // which are part of s, and would hold what is not kept
}
