package parse

import (
	"fmt"

	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/analysis"
)

// blockHead is a block under construction.
type blockHead struct {
	realize       *tir.BlockRealize
	reads, writes bool // were given
	noRealize     bool
}

func (b *builder) blockBody(s *syntax.Stmt, h *blockHead, as *syntax.Node, body []*syntax.Stmt) {
	blk := h.realize.Block
	depth := len(b.tf.blocks)
	b.tf.blocked = true
	b.tf.blocks = append(b.tf.blocks, h)
	mark := b.env.mark()
	if as != nil {
		names := as.Kids
		if as.Kind == syntax.Name {
			names = []*syntax.Node{as}
		}
		for _, n := range names {
			b.env.define(n.Text, poison{})
		}
	}
	b.guard(s, func() { blk.Body = b.tirBody(body) })
	b.env.release(mark)
	b.tf.blocks = b.tf.blocks[:depth]
	if blk.Body == nil {
		blk.Body = tir.NoOp()
	}
	b.checkBindings(s, h, depth)
	if depth == 0 && len(blk.IterVars) == 0 {
		b.tf.pending = append(b.tf.pending, h) // it may turn out to be the root
	} else {
		b.complete(h)
	}
	if h.noRealize {
		h.realize.Values = nil
	}
	b.emit(h.realize)
}

// checkBindings checks that each axis of a block is bound, but where the text says that the
// block stands for itself.
func (b *builder) checkBindings(s *syntax.Stmt, h *blockHead, depth int) {
	got, want := len(h.realize.Values), len(h.realize.Block.IterVars)
	switch {
	case b.d.Failed():
	case h.noRealize && depth > 0 && want > 0:
		b.d.Add(s.At, s.End, "a block inside of another one needs the bindings of its axes", "take no_realize=True away")
		panic(failure{})
	case !h.noRealize && got != want:
		b.d.Add(s.At, s.End, fmt.Sprintf("%d of %s of this block are bound", got, count(want, "axis", "axes")), "write T.axis.spatial(extent, value) for each")
		panic(failure{})
	}
}

// complete fills in the regions that a block reads and writes where the text leaves them out.
func (b *builder) complete(h *blockHead) {
	if h.reads && h.writes || b.d.Failed() {
		return
	}
	blk := h.realize.Block
	reads, writes, opaque := analysis.BlockAccessRegion(blk, b.tf.byData)
	if !h.reads {
		blk.Reads = append(reads, opaque...)
	}
	if !h.writes {
		blk.Writes = append(writes, opaque...)
	}
	h.reads, h.writes = true, true
}

func (b *builder) initBody(n *syntax.Node, body []*syntax.Stmt) {
	h := b.top(n)
	if h.realize.Block.Init != nil {
		b.fail(n, "", "the block has two init statements")
	}
	h.realize.Block.Init = b.tirBody(body)
}
