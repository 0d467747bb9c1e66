package ir

import (
	"fmt"
	"slices"
)

// Mismatch is the first place at which two modules or nodes differ.
type Mismatch struct {
	// Path leads to the difference from the roots, on one side at least; its longest prefix
	// that both sides have leads to nodes of one kind. ParsePath reads it, At follows it.
	Path   string
	Reason string
	// Left and Right are the innermost nodes of the two sides that hold the difference, nil
	// where a side has none there. The roots of modules are no nodes, so a difference in a
	// module's attributes has neither.
	Left, Right Node
}

// String writes the place and the reason.
func (m *Mismatch) String() string {
	if m.Path == "" {
		return m.Reason
	}
	return m.Path + ": " + m.Reason
}

// FirstMismatch returns the first difference of a and b in field order, nil if they are
// structurally equal. The cost is linear in the number of distinct nodes; subtrees that
// both share cost nothing as long as no variable is renamed, and are looked at once then.
func FirstMismatch(a, b Node, opts EqualOpts) *Mismatch {
	if a == b {
		return nil
	}
	c := newComparer(opts, &difference{})
	if c.node(a, b, false, false) {
		return nil
	}
	return c.diff.mismatch()
}

// FirstModuleMismatch returns the first difference of two modules: attributes, each function
// in a's order, functions that only b has, global infos. The order of functions does not
// matter.
func FirstModuleMismatch(a, b *Module, opts EqualOpts) *Mismatch {
	if a == b {
		return nil
	}
	c := newComparer(opts, &difference{})
	if c.modules(a, b) {
		return nil
	}
	return c.diff.mismatch()
}

// difference is what a comparer notes on its way out of the first difference.
type difference struct {
	reason      string
	path        Path // innermost step first
	at          bool // left and right are known
	left, right Node
}

func (d *difference) mismatch() *Mismatch {
	slices.Reverse(d.path)
	return &Mismatch{Path: d.path.String(), Reason: d.reason, Left: d.left, Right: d.right}
}

func onlyOneSide(first bool) string {
	if first {
		return "only the first side has it"
	}
	return "only the second side has it"
}

func (c *comparer) fail(format string, args ...any) bool {
	if c.diff != nil {
		c.diff.reason = fmt.Sprintf(format, args...)
	}
	return false
}

// failedAt notes that the difference is in a and b, if no inner nodes were noted before.
func (c *comparer) failedAt(a, b Node) bool {
	d := c.diff
	if d == nil || d.at {
		return false
	}
	d.at = true
	if !isNil(a) {
		d.left = a
	}
	if !isNil(b) {
		d.right = b
	}
	return false
}

func (c *comparer) failAt(a, b Node, format string, args ...any) bool {
	c.failedAt(a, b)
	return c.fail(format, args...)
}

func (c *comparer) leave(step Step) bool {
	if c.diff != nil {
		c.diff.path = append(c.diff.path, step)
	}
	return false
}

// common is the number of entries to compare of two lists: what both have. Where nobody asks
// for the place, lists of different length need no look inside.
func (c *comparer) common(n, m int) int {
	if c.diff == nil && n != m {
		return 0
	}
	return min(n, m)
}

// longer notes that a list of n entries, with x after what both have, differs from one of m.
func (c *comparer) longer(x, y Node, n, m int) bool {
	if x != nil || y != nil {
		c.failedAt(x, y)
	}
	c.fail("%s; a list of length %d differs from one of length %d", onlyOneSide(n > m), n, m)
	return c.leave(IndexStep(min(n, m)))
}
