package dlight

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
)

// tryInline moves blocks into their consumers, or else into their producers, as long as one can be, and returns those that are left.
func (p *program) tryInline(blocks []*blockInfo) []*blockInfo {
	blocks = slices.Clone(blocks)
	one := func(f func(*sch.Block)) bool {
		for i, b := range blocks {
			if try(func() { f(b.block) }) == nil {
				blocks = slices.Delete(blocks, i, i+1)
				return true
			}
		}
		return false
	}
	for one(p.computeInline) || one(p.reverseComputeInline) {
	}
	return blocks
}

// tryInlineSpatial is tryInline for each run of spatial blocks.
func (p *program) tryInlineSpatial(blocks []*blockInfo) []*blockInfo {
	var out, run []*blockInfo
	for _, b := range blocks {
		if b.isInjective() {
			run = append(run, b)
			continue
		}
		out = append(out, p.tryInline(run)...)
		out = append(out, b)
		run = nil
	}
	return append(out, p.tryInline(run)...)
}

// upstream returns the producers of a block and theirs, in TVM's order, which may repeat.
func (p *program) upstream(b *sch.Block) []*sch.Block { return closure(b, p.producers) }

// downstream returns the consumers of a block and theirs.
func (p *program) downstream(b *sch.Block) []*sch.Block { return closure(b, p.consumers) }

// maxRelated bounds how many blocks closure returns: where paths join, blocks repeat.
const maxRelated = 4096

func closure(b *sch.Block, next func(*sch.Block) []*sch.Block) []*sch.Block {
	var out []*sch.Block
	var visit func(*sch.Block)
	visit = func(b *sch.Block) {
		for _, x := range next(b) {
			declineIf(len(out) >= maxRelated, "there are too many paths between its blocks")
			out = append(out, x)
			visit(x)
		}
	}
	visit(b)
	return out
}

// inlineProducers moves what a block reads into it, as far as possible.
func (p *program) inlineProducers(b *sch.Block) {
	for again := true; again; {
		again = false
		for _, x := range p.upstream(b) {
			again = try(func() { p.computeInline(x) }) == nil || again
		}
	}
}

// inlineConsumers moves what reads a block into it, as far as possible.
func (p *program) inlineConsumers(b *sch.Block) {
	for again := true; again; {
		again = false
		list := p.downstream(b)
		for _, x := range list {
			again = try(func() { p.computeInline(x) }) == nil || again
		}
		for _, x := range list {
			again = try(func() { p.reverseComputeInline(x) }) == nil || again
		}
	}
}

// inlineConsumerChain moves all that reads a block into it. A consumer with another producer waits until that one is inlined.
func (p *program) inlineConsumerChain(b *sch.Block) {
	p.inlineConsumers(b)
	if left := p.consumers(b); len(left) > 0 {
		for _, c := range left {
			for _, x := range p.producers(c) {
				if p.block(x) != p.block(b) {
					p.inlineProducers(x)
					p.computeInline(x)
				}
			}
		}
		p.inlineConsumers(b)
	}
	left := p.consumers(b)
	declineIf(len(left) > 0, "what reads block %s cannot be moved into it", p.block(b).Name)
}
