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
	nodes := newFuseNodes(len(graph))
	for i, n := range graph {
		nodes[i].binding, nodes[i].pattern, nodes[i].extern = n.Binding, opPattern(n.Pattern), n.Extern
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
	partition(nodes, maxDepth).intoTuples(nodes)
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

// intoTuples is the last phase of TVM's: fields join a tuple that joined the injective operators which take it.
func (t *partitioner) intoTuples(nodes []*fuseNode) {
	injective := func(k opPattern, _ bool) bool { return k <= patInjective }
	for _, n := range nodes {
		p := n.parent
		if p == nil || n.group.pattern > patInjective || p.group.pattern != patTuple || p.group.root().pattern > patInjective ||
			n.group.root() == p.group.root() {
			continue
		}
		if size, _ := t.sizeUpTo(n, p); size <= t.maxDepth && t.pathBlocks(n, p, injective) == nil {
			t.commit(n, p)
		}
	}
}
