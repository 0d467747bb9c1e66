package transform

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// FuseNode is a value of a graph that Partition groups, for passes of other packages.
type FuseNode struct {
	// Binding is what decisions name, nil where there is none to name.
	Binding *relax.VarBinding
	Pattern op.Pattern
	// Extern says that something outside of the graph uses the value.
	Extern bool
	// Users are the nodes that use it, in order, all of them behind it.
	Users []FuseUse
}

// FuseUse is a use of a value: Pattern says how the user takes it.
type FuseUse struct {
	Node    int
	Pattern op.Pattern
}

// Partition groups the nodes of a graph as FuseOps does, at most maxDepth in a group, and returns for each node the last node of its group. It
// reports what stays apart.
func Partition(c *pass.Context, graph []FuseNode, maxDepth int) []int {
	nodes := make([]*fuseNode, len(graph))
	for i, n := range graph {
		nodes[i] = &fuseNode{index: i, binding: n.Binding, pattern: opPattern(n.Pattern), extern: n.Extern}
		if n.Binding != nil {
			nodes[i].call, _ = n.Binding.Value.(*relax.Call)
		}
	}
	for i, n := range graph {
		for _, u := range n.Users {
			nodes[i].outs = append(nodes[i].outs, fuseEdge{nodes[u.Node], opPattern(u.Pattern)})
		}
	}
	postDominate(nodes)
	partition(nodes, maxDepth)
	fuseIntoTuples(nodes, maxDepth)
	reportApart(c, nodes, maxDepth)
	last := map[*fuseGroup]int{}
	for i, n := range nodes {
		last[n.group.root()] = i
	}
	out := make([]int, len(nodes))
	for i, n := range nodes {
		out[i] = last[n.group.root()]
	}
	return out
}

// fuseIntoTuples is the last phase of TVM's: fields join a tuple that joined the injective operators which take it.
func fuseIntoTuples(nodes []*fuseNode, maxDepth int) {
	injective := func(k opPattern, _ bool) bool { return k <= patInjective }
	for _, n := range nodes {
		p := n.parent
		if p == nil || n.group.pattern > patInjective || p.group.pattern != patTuple || p.group.root().pattern > patInjective ||
			n.group.root() == p.group.root() || sizeUpTo(n, p, maxDepth) > maxDepth {
			continue
		}
		if pathBlocks(n, p, injective) == nil {
			commitFuse(n, p)
		}
	}
}

// sizeUpTo counts the nodes in the groups on the paths from n to sink, as far as limit.
func sizeUpTo(n, sink *fuseNode, limit int) int {
	sum := sink.group.root().size
	seen := map[*fuseNode]bool{}
	var visit func(x *fuseNode)
	visit = func(x *fuseNode) {
		if x == sink || seen[x] || sum > limit {
			return
		}
		seen[x] = true
		sum += x.group.size
		for _, e := range x.outs {
			visit(e.to)
		}
	}
	visit(n)
	return sum
}
