package flow

import (
	"slices"
	"strconv"
)

// chainSizes are the lengths of chain that Fold tries, in order.
var chainSizes = [...]int{4, 16, 64}

// Fold returns g with groups of nodes folded into one each, so that no more than limit nodes
// are left, and g itself if there are no more. Graph.Folded then says how many do not show.
//
// Dataflow is folded along chains first, then by the function that is called, and then by
// runs of nodes in order. Of loop nests the deepest levels are folded. Nodes with different
// marks stay apart as long as that is possible.
func Fold(g *Graph, limit int) *Graph {
	limit = max(limit, 1)
	if len(g.Nodes) <= limit {
		return g
	}
	if g.Form == Loops {
		if out := foldDeep(g, limit); out != nil {
			return out
		}
		return collapse(g, runs(g, limit))
	}
	for _, size := range chainSizes {
		if out := collapse(g, chains(g, size)); len(out.Nodes) <= limit {
			return out
		}
	}
	if out := collapse(g, callees(g)); len(out.Nodes) <= limit {
		return out
	}
	return collapse(g, runs(g, limit))
}

// chains assigns the nodes of each chain to groups of at most size: nodes that only the next
// one uses, and that uses nothing else. A group is numbered by its first node.
func chains(g *Graph, size int) []int {
	in, out := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	next := make([]int, len(g.Nodes))
	for _, e := range g.Edges {
		in[e.To]++
		out[e.From]++
		next[e.From] = e.To
	}
	group := make([]int, len(g.Nodes))
	count := make([]int, len(g.Nodes))
	for i := range group {
		group[i] = i
		count[i] = 1
	}
	for i := range g.Nodes {
		if out[i] != 1 || in[next[i]] != 1 || next[i] <= i {
			continue
		}
		a, b, root := &g.Nodes[i], &g.Nodes[next[i]], group[i]
		if a.Cluster == b.Cluster && a.Mark == b.Mark && count[root] < size {
			group[next[i]] = root
			count[root]++
		}
	}
	return group
}

// callees assigns the calls of one function in one cluster and with one mark to one group.
func callees(g *Graph) []int {
	type what struct {
		group   string
		kind    Kind
		cluster int
		mark    Mark
	}
	first := map[what]int{}
	group := make([]int, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		group[i] = i
		if n.Kind == Return || n.Kind == Control {
			continue
		}
		k := what{n.Group, n.Kind, n.Cluster, n.Mark}
		if k.group == "" {
			k.group = n.Label
		}
		if n.Kind == Param || n.Kind == Constant {
			k.group = ""
		}
		if f, ok := first[k]; ok {
			group[i] = f
		} else {
			first[k] = i
		}
	}
	return group
}

// runs assigns nodes that follow one another to groups of one size.
func runs(g *Graph, limit int) []int {
	size := (len(g.Nodes) + limit - 1) / limit
	group := make([]int, len(g.Nodes))
	for i := range group {
		group[i] = i / size * size
	}
	return group
}

// foldDeep folds what stands below the deepest level at which all nodes still fit: one group
// for each node of that level. It returns nil where not even the roots fit.
func foldDeep(g *Graph, limit int) *Graph {
	parent, depth := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for i := range parent {
		parent[i] = -1
	}
	for _, e := range g.Edges {
		if e.From < e.To && (parent[e.To] < 0 || e.Mark != Removed) { // a parent comes before what is in it
			parent[e.To] = e.From
		}
	}
	var at []int // nodes by depth
	for i, p := range parent {
		if p >= 0 {
			depth[i] = depth[p] + 1
		}
		if depth[i] == len(at) {
			at = append(at, 0)
		}
		at[depth[i]]++
	}
	deepest, sum := -1, 0
	for d, n := range at {
		// What is below level d adds a group for each of its nodes at most.
		if sum += n; sum+n > limit {
			break
		}
		deepest = d
	}
	if deepest < 0 {
		return nil
	}
	group, below := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for i := range group {
		group[i], below[i] = i, -1
		if depth[i] <= deepest {
			continue
		}
		p := parent[i]
		if depth[i] > deepest+1 {
			group[i] = group[p]
			continue
		}
		if below[p] < 0 {
			below[p] = i
		}
		group[i] = below[p]
	}
	return collapse(g, group)
}

// collapse makes one node of each group. Groups are numbered by their first node.
func collapse(g *Graph, group []int) *Graph {
	out := &Graph{Name: g.Name, Form: g.Form, Clusters: slices.Clone(g.Clusters), Diff: g.Diff, Folded: g.Folded}
	index := make([]int, len(g.Nodes))
	var first, last []int // nodes of each group
	for i := range g.Nodes {
		n := g.Nodes[i]
		if group[i] == i {
			index[i] = len(out.Nodes)
			out.Nodes = append(out.Nodes, n)
			first, last = append(first, i), append(last, i)
			continue
		}
		k := index[group[i]]
		index[i] = k
		join(&out.Nodes[k], &n)
		last[k] = i
	}
	for k := range out.Nodes {
		if first[k] == last[k] {
			continue
		}
		n, end := &out.Nodes[k], &g.Nodes[last[k]]
		label := g.Nodes[first[k]].Label
		*n = Node{ID: "group:" + n.ID, Kind: Group, Line: n.Line, Cluster: n.Cluster, Group: n.Group, Count: n.Count, Mark: n.Mark, Info: end.Info}
		n.Label = label + " ×" + strconv.Itoa(n.Count)
		if n.Group == "" {
			n.Label = strconv.Itoa(n.Count) + " nodes"
			n.Inline = []string{label + " … " + end.Label}
		}
	}
	out.Folded += len(g.Nodes) - len(out.Nodes)
	type ends struct {
		from, to int
		order    bool
	}
	at := make(map[ends]int, len(g.Edges))
	for _, e := range g.Edges {
		e.From, e.To = index[e.From], index[e.To]
		k := ends{e.From, e.To, e.Order}
		if x, ok := at[k]; ok {
			if f := &out.Edges[x]; f.Mark != e.Mark {
				f.Mark = Changed
			}
		} else if e.From != e.To {
			at[k] = len(out.Edges)
			out.Edges = append(out.Edges, e)
		}
	}
	return out
}

// join adds n to the group that begins with g. Until all are in, Group says which function
// all of them call and is empty if they differ.
func join(g, n *Node) {
	if g.Kind != Group {
		g.Count = max(1, g.Count)
		if g.Group == "" {
			g.Group = g.Label
		}
		g.Kind = Group
	}
	called := n.Group
	if called == "" {
		called = n.Label
	}
	if called != g.Group {
		g.Group = ""
	}
	g.Count += max(1, n.Count)
	if n.Mark != g.Mark {
		g.Mark = Changed
	}
	if n.Cluster != g.Cluster {
		g.Cluster = 0
	}
}
