package cpu

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Watcher hears which rules applied to a block and which did not, and why. The place of a block
// is the store that it makes. The context of a pass is one.
type Watcher interface {
	Rewrite(name string, before, after ir.Node)
	Took(rule string, place ir.Node, reason string)
	Declined(rule string, place ir.Node, reason string)
}

// The names of the rules.
const (
	ruleInline   = "inline a block"
	rulePad      = "split a padded block"
	ruleTile     = "tile a reduction"
	ruleVectors  = "vectorize a block"
	ruleTurn     = "transpose in registers"
	rulePicked   = "pick lanes"
	ruleCases    = "split what is joined"
	ruleRows     = "merge nests over rows"
	rulePipeline = "overlap passes over rows"
	ruleBands    = "merge nests over bands"
	ruleSteps    = "take several steps in a turn"
	ruleSchedule = "schedule"

	// What the tile of a reduction is made of, see reasons.
	ruleResults   = "run vectors along results"
	ruleLanes     = "run vectors along a reduction"
	ruleFastest   = "take the fastest tile"
	ruleMatrix    = "multiply matrices in registers"
	ruleOtherTile = "take another tile"
	ruleNear      = "keep a factor in the first cache"
	ruleUnroll    = "unroll a reduction"
	ruleColumns   = "share columns"
	ruleShared    = "share rows"
	ruleBytes     = "share what steps read"
	ruleOrder     = "order loops for the second cache"
	ruleBlock     = "block rows for the second cache"
	ruleChunks    = "take a reduction in chunks"
	rulePack      = "copy a factor"
	rulePanel     = "compute a factor as it is copied"
	ruleSplat     = "spread elements over lanes ahead"
	ruleRuns      = "add terms in their own type"
	ruleThreads   = "share a loop among threads"
	ruleEdges     = "pad at the edges"
	ruleNearPad   = "pad in front of a reduction"
)

// applied reports that a rule applied to the block whose store was at.
func (r *rules) applied(rule string, at ir.Node) {
	if r.watch != nil {
		r.watch.Rewrite(rule, at, nil)
	}
}

// declined reports that a rule did not apply to b.
func (r *rules) declined(rule string, b *tir.Block, reason string) {
	if r.watch != nil {
		r.watch.Declined(rule, b.Body, reason)
	}
}
