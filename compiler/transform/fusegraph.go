package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Fusion decides which kernels become one. Two may, if nothing else needs the value between them: every
// path from the first must lead to the second before it leaves the group. That is what post-dominance
// says, so the question "can n be fused with what consumes it" becomes "can n be fused with its immediate
// post-dominator, along all paths to it".
//
//	a = conv(x); b = relu(a); c = sigmoid(a); d = add(b, c)     d post-dominates a: all four fuse
//
// Whether kinds of kernels fit is a matter of their pattern (element-wise, broadcast, injective, reduction,
// ...), an order in which larger is harder to fuse: each edge of the tree notes the worst pattern on the
// way to the parent. Groups are a union-find forest (fusepartition.go), grown in the phases of TVM:
// reductions take their element-wise outputs first, then injective kernels join.
//
// Post-dominators of a graph without circles need one sweep from the outputs back: a node's parent is
// where its users meet in the tree so far. The cost is edges times the depth of the tree. After TVM's
// src/relax/analysis/graph_partitioner.cc.

// fuseNode is a binding of a dataflow block in the graph that fusion partitions.
type fuseNode struct {
	index   int
	binding *relax.VarBinding
	call    *relax.Call // call_tir of a classified kernel; nil for other values
	pattern opPattern
	outs    []fuseEdge  // users, in order
	one     [1]fuseEdge // room for outs: most values have one user
	extern  bool        // used outside the block, or by what is not in the graph

	// Post-dominator tree: parent is the node that all paths to the outputs go through
	// first, edge the worst pattern on the way to it.
	parent *fuseNode
	edge   opPattern
	depth  int

	group *fuseGroup
	seen  int // the number of the last search that came here

	// why says what kept the node from joining its post-dominator when that was last tried,
	// over is what it was about: another node, or nil.
	why  whyApart
	over *fuseNode
}

type fuseEdge struct {
	to      *fuseNode
	pattern opPattern
}

// fuseGroup is an element of a union-find forest of groups.
type fuseGroup struct {
	up      *fuseGroup
	pattern opPattern
	size    int
	args    int // tensors that its kernels take, but for those that they hand on: at least as many as it takes
	// members are the calls of a root, in order, once the groups are known; apart says that they are not fused after all.
	members []*fuseNode
	apart   bool
}

func (g *fuseGroup) root() *fuseGroup {
	for g.up != nil {
		if g.up.up != nil {
			g.up = g.up.up
		}
		g = g.up
	}
	return g
}

// fuseGraph builds the graph of a dataflow block, bindings in order. A group runs where its last node is: what reads a value that is written over
// later does not wait.
func fuseGraph(m *ir.Module, b *relax.BindingBlock, over *overwrites) []*fuseNode {
	byVar := make(map[*relax.Var]*fuseNode, len(b.Bindings))
	nodes := newFuseNodes(len(b.Bindings))
	later := over.overwrittenLater(b)
	var n *fuseNode
	var bound *relax.Var
	use := func(v *relax.Var) {
		from := byVar[v]
		if from == nil {
			return
		}
		// A kernel may take one argument element by element and broadcast another, so
		// the pattern between two nodes depends on their shapes, as in Relay.
		p := n.pattern
		if p == patBroadcast || p == patElemWise {
			p = patBroadcast
			if sameShape(v, bound) {
				p = patElemWise
			}
		}
		from.outs = append(from.outs, fuseEdge{n, p})
	}
	for i, x := range b.Bindings {
		n, bound = nodes[i], x.Bound()
		n.pattern, n.extern = patOpaque, !bound.Dataflow || later[x]
		if vb, ok := x.(*relax.VarBinding); ok {
			n.binding = vb
			n.classify(m, vb)
		}
		usedVars(x.BoundValue(), use)
		byVar[bound] = n
	}
	return nodes
}

// newFuseNodes returns nodes without edges.
func newFuseNodes(count int) []*fuseNode {
	all, nodes := make([]fuseNode, count), make([]*fuseNode, count)
	for i := range all {
		nodes[i] = &all[i]
		nodes[i].index, nodes[i].outs = i, all[i].one[:0]
	}
	return nodes
}

func (n *fuseNode) classify(m *ir.Module, vb *relax.VarBinding) {
	c := callsOp(vb.Value, opCallTIR)
	if c == nil {
		return
	}
	gv, ok := c.Args[0].(*ir.GlobalVar)
	if !ok {
		return
	}
	f, ok := m.Lookup(gv.Name).(*tir.PrimFunc)
	if !ok {
		return
	}
	if _, tuple := vb.Var.SInfo.(*relax.TupleStructInfo); tuple || len(c.Args) > 2 {
		return
	}
	n.call = c
	n.pattern = opPattern(f.Attrs.Int(attrOpPattern, int64(patOpaque)))
}

func sameShape(a, b *relax.Var) bool {
	x, ok := a.SInfo.(*relax.TensorStructInfo)
	if !ok {
		return false
	}
	y, ok := b.SInfo.(*relax.TensorStructInfo)
	if !ok || x.Shape == nil || y.Shape == nil {
		return false
	}
	if x.Shape == y.Shape {
		return true
	}
	if m, ok := x.StaticDims(); ok {
		if n, ok := y.StaticDims(); ok {
			return slices.Equal(m, n)
		}
	}
	return ir.StructuralEqual(x.Shape, y.Shape, ir.EqualOpts{})
}

// postDominate computes the tree of immediate post-dominators from the outputs back
// (Cooper, Harvey, Kennedy: a simple, fast dominance algorithm; the graph is acyclic, so
// one sweep suffices).
func postDominate(nodes []*fuseNode) {
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		n.depth = 1
		if n.extern || len(n.outs) == 0 {
			continue
		}
		parent, worst := n.outs[0].to, n.outs[0].pattern
		for _, e := range n.outs[1:] {
			worst = max(worst, e.pattern)
			parent = commonDominator(parent, e.to, &worst)
			if parent == nil {
				break
			}
		}
		if parent != nil {
			n.parent, n.edge, n.depth = parent, worst, parent.depth+1
		}
	}
}

// commonDominator climbs from a and b to where they meet and widens worst by the edges on
// the way; nil if they do not meet.
func commonDominator(a, b *fuseNode, worst *opPattern) *fuseNode {
	for a != b {
		if a == nil || b == nil {
			return nil
		}
		if a.depth <= b.depth {
			*worst = max(*worst, b.edge)
			b = b.parent
		} else {
			*worst = max(*worst, a.edge)
			a = a.parent
		}
	}
	return a
}
