package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/abi"
)

// whyApart says what kept a node from joining the node that all its users lead to.
type whyApart uint8

// The conditions of fusion, in the order in which they are asked.
const (
	apartOpaque     whyApart = iota // the node itself fuses with nothing
	apartUsers                      // no node is on all paths to the outputs
	apartOpaqueUser                 // that node fuses with nothing
	apartTuple                      // that node is a tuple
	apartSize                       // the group would be too large
	apartArgs                       // it would take too many tensors
	apartOutput                     // a reduction takes elementwise users only
	apartEdge                       // a user takes the value in another order
	apartReduction                  // a reduction takes nothing
	apartPath                       // a node between the two may not join
)

// ruleFuse is the name of the rule in decisions.
const ruleFuse = "fuse"

// reportApart reports the kernels of a block that did not join the node that all their users
// lead to. It is asked after the groups were formed, so a node that joined in a later phase is
// not reported.
func reportApart(c *pass.Context, nodes []*fuseNode, maxDepth int) {
	if !c.Observed() {
		return
	}
	for _, n := range nodes {
		g := n.group.root()
		switch {
		case n.binding == nil || opName(n.binding.Value) == "":
			continue
		case n.parent != nil && n.parent.group.root() == g, n.parent == nil && g.size > 1:
			continue // it joined, or others joined it
		}
		c.Declined(ruleFuse, n.binding, n.reason(maxDepth))
	}
}

// reportGroup reports that call took the place of the members of a group.
func reportGroup(c *pass.Context, members []*fuseNode, call relax.Binding) {
	if !c.Observed() {
		return
	}
	before := make([]ir.Node, len(members))
	for i, n := range members {
		before[i] = n.binding
	}
	c.RewriteAll("fuse a group of kernels", before, []ir.Node{call})
}

// reason writes why n stands apart.
func (n *fuseNode) reason(maxDepth int) string {
	over := "the value that all its users lead to"
	if n.over != nil && n.over.binding != nil {
		over = n.over.binding.Var.Name
	}
	switch n.why {
	case apartOpaque:
		if n.call == nil {
			return "it is not a call of a kernel whose result is one tensor"
		}
		return "its kernel is opaque"
	case apartUsers:
		switch {
		case n.extern:
			return "it is an output of its block"
		case len(n.outs) == 0:
			return "nothing uses it"
		}
		return "its users lead to different outputs"
	case apartOpaqueUser:
		return over + ", to which its users lead, is opaque"
	case apartTuple:
		return over + ", to which its users lead, is a tuple"
	case apartSize:
		return fmt.Sprintf("with %s there would be more than %d kernels in the group (relax.FuseOps.max_depth)", over, maxDepth)
	case apartArgs:
		return fmt.Sprintf("with %s the group could take more than the %d tensors that can be passed to a kernel", over, abi.MaxArgs)
	case apartOutput:
		return fmt.Sprintf("it is a %s, which only elementwise operations may follow, and the way to %s is %s", n.group.root().pattern, over, n.edge)
	case apartEdge:
		return fmt.Sprintf("it is %s and the way to %s is %s", n.group.root().pattern, over, n.edge)
	case apartReduction:
		return fmt.Sprintf("it is a %s, which nothing may follow", n.group.root().pattern)
	}
	if n.over == n.parent {
		return fmt.Sprintf("%s, to which its users lead, is %s: it takes nothing that is %s before it", over, n.over.group.root().pattern, n.group.root().pattern)
	}
	return fmt.Sprintf("%s, which lies on the way, is %s and may not join", over, n.over.group.root().pattern)
}
