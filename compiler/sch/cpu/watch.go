package cpu

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Watcher hears which rules applied to a block and which did not, and why. The place of a block
// is the store that it makes. The context of a pass is one.
type Watcher interface {
	Rewrite(name string, before, after ir.Node)
	Declined(rule string, place ir.Node, reason string)
}

// The names of the rules.
const (
	ruleInline   = "inline a block"
	rulePad      = "split a padded block"
	ruleTile     = "tile a reduction"
	ruleVectors  = "vectorize a block"
	ruleSchedule = "schedule"
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
