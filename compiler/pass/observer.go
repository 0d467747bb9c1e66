package pass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
)

// Observer hears of what passes do inside of their steps: which rewrites they made and which
// decisions they took. It is called from the goroutine of the pass, in an order that follows
// from the module alone. The nodes that it is given may be parts of the module before or after
// the pass, or stand between the two: a pass may rewrite what it has rewritten already.
type Observer interface {
	Rewrite(s *Step, r Rewrite)
	Decision(s *Step, d Decision)
}

// Rewrite is one application of a rule that changed something.
type Rewrite struct {
	Name string // of the rule, in a few words: "fold constant call"
	Func string // function that the pass was working on; empty if it did not say
	// Before are the nodes that went, After those that took their place. Either may be empty: of
	// what was added or removed.
	Before, After []ir.Node
}

// Decision is a question that a rule was asked about a place, and its answer.
type Decision struct {
	Rule  string // in a few words: "fuse"
	Func  string // function that the pass was working on; empty if it did not say
	Place ir.Node
	Taken bool
	// Reason is the condition that held or failed: "extent 100 is above the limit of 16".
	Reason string
}

// Observe sets who hears of rewrites and decisions; nil is nobody.
func Observe(o Observer) ContextOption {
	return func(c *Context) error { c.observer = o; return nil }
}

// Observed reports whether anyone hears of rewrites and decisions. Passes ask before they
// compute what only an observer needs, such as the text of a reason with numbers in it.
func (c *Context) Observed() bool { return c != nil && c.observer != nil && c.step != nil }

// Rewrite reports that the running pass put after in the place of before. One of them is nil
// where something was added or removed; where they are the same node nothing is reported. It
// costs a comparison if nobody listens.
func (c *Context) Rewrite(name string, before, after ir.Node) {
	if c.Observed() && before != after {
		c.observer.Rewrite(c.step, Rewrite{name, c.step.function, nodes(before), nodes(after)})
	}
}

// RewriteAll reports that the running pass put several nodes in the place of several others.
// It is called where Observed says that someone listens.
func (c *Context) RewriteAll(name string, before, after []ir.Node) {
	if c.Observed() {
		c.observer.Rewrite(c.step, Rewrite{name, c.step.function, before, after})
	}
}

// Took reports that a rule applied at a place, and why, where no rewrite says so.
func (c *Context) Took(rule string, place ir.Node, reason string) {
	if c.Observed() {
		c.observer.Decision(c.step, Decision{rule, c.step.function, place, true, reason})
	}
}

// Declined reports that a rule did not apply at a place, and which condition failed.
func (c *Context) Declined(rule string, place ir.Node, reason string) {
	if c.Observed() {
		c.observer.Decision(c.step, Decision{rule, c.step.function, place, false, reason})
	}
}

// Declinedf is Declined with a reason that is formatted only if someone listens. The numbers
// stand for themselves, so that nothing is allocated for them otherwise.
func (c *Context) Declinedf(rule string, place ir.Node, format string, a, b int64) {
	if c.Observed() {
		c.Declined(rule, place, fmt.Sprintf(format, a, b))
	}
}

func nodes(n ir.Node) []ir.Node {
	if n == nil {
		return nil
	}
	return []ir.Node{n}
}
