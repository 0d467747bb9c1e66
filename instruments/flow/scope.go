package flow

import (
	"slices"
	"strconv"
	"strings"
)

// ScopeOf returns the path that names of nodes of a model have in common, without their own
// last parts: "/layer1/conv1/Conv" and "/layer1/relu/Relu" are in "layer1". It is empty where
// they have none. Modules in modules are written with dots, and PyTorch repeats the outer ones:
// "/layer1/layer1.0/Conv" is in "layer1/0".
func ScopeOf(names []string) string {
	paths := make([][]string, len(names))
	for i, name := range names {
		var before []string
		for _, part := range pathOf(name, "/") {
			parts := strings.Split(part, ".")
			if len(parts) > len(before) && slices.Equal(parts[:len(before)], before) {
				paths[i] = append(paths[i], parts[len(before):]...)
			} else {
				paths[i] = append(paths[i], parts...)
			}
			before = parts
		}
	}
	return common(paths)
}

// ScopeOfWeights returns the path that names of weights have in common, with slashes or dots
// between its parts: "layer1.0.conv1.weight" is in "layer1/0/conv1". Names without a path do
// not count.
func ScopeOfWeights(names []string) string {
	var paths [][]string
	for _, name := range names {
		if path := pathOf(name, "/."); len(path) > 0 {
			paths = append(paths, path)
		}
	}
	return common(paths)
}

// pathOf splits a name into parts and drops the last.
func pathOf(name, separators string) []string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(separators, r) })
	return parts[:max(0, len(parts)-1)]
}

func common(paths [][]string) string {
	if len(paths) == 0 {
		return ""
	}
	out := paths[0]
	for _, p := range paths[1:] {
		k := 0
		for k < min(len(out), len(p)) && out[k] == p[k] {
			k++
		}
		out = out[:k]
	}
	return strings.Join(out, "/")
}

// SpreadScopes gives each node without a scope that of the operand that was computed last of those
// that have one.
func SpreadScopes(g *Graph) {
	in := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		if e.From < e.To {
			in[e.To] = append(in[e.To], e.From)
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Scope != "" || n.Kind == Return {
			continue
		}
		latest := -1
		for _, k := range in[i] {
			if g.Nodes[k].Scope != "" {
				latest = max(latest, k)
			}
		}
		if latest >= 0 {
			n.Scope = g.Nodes[latest].Scope
		}
	}
}

// scope is a path in the names of a model with the nodes of a graph that belong to it.
type scope struct {
	path, name string
	nodes      int // in it and below
	direct     int
	parts      []*scope
	byName     map[string]*scope
	cluster    int
}

// Scoped returns g with a cluster for each scope that holds two nodes or more: the clusters of
// scopes stand in each other as their paths say. A scope that holds nothing but another one is
// joined with it, and one that holds all nodes which have a scope is left out, since it tells
// nothing. Nodes that are in a cluster already, such as a branch, stay there. Many constants without
// edges, which are told where they are used, have a cluster of their own.
func Scoped(g *Graph) *Graph {
	root := &scope{byName: map[string]*scope{}}
	of := make([]*scope, len(g.Nodes))
	linked := make([]bool, len(g.Nodes))
	for _, e := range g.Edges {
		linked[e.From], linked[e.To] = true, true
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Scope != "" && n.Cluster == 0 && linked[i] {
			of[i] = root.add(n.Scope)
		}
	}
	top := root
	for len(top.parts) == 1 && top.direct == 0 {
		top = top.parts[0]
	}
	out := *g
	out.Nodes, out.Clusters = slices.Clone(g.Nodes), slices.Clone(g.Clusters)
	for _, s := range top.parts {
		out.enclose(s, 0, "")
	}
	for i, s := range of {
		if s != nil {
			out.Nodes[i].Cluster = s.cluster
		}
	}
	out.encloseConstants(linked)
	return &out
}

// constants is the ID of the cluster of constants without edges, of which there are leastConstants
// or more.
const (
	constants      = "constants"
	leastConstants = 6
)

func (g *Graph) encloseConstants(linked []bool) {
	var list []int
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == Constant && !linked[i] && n.Cluster == 0 {
			list = append(list, i)
		}
	}
	if len(list) < leastConstants {
		return
	}
	g.Clusters = append(g.Clusters, Cluster{ID: constants, Label: "constants"})
	for _, i := range list {
		g.Nodes[i].Cluster = len(g.Clusters)
	}
}

// add counts a node in the scope of a path below s and returns it.
func (s *scope) add(path string) *scope {
	s.nodes++
	for name := range strings.SplitSeq(path, "/") {
		next := s.byName[name]
		if next == nil {
			next = &scope{name: name, path: strings.TrimPrefix(s.path+"/"+name, "/"), byName: map[string]*scope{}}
			s.byName[name] = next
			s.parts = append(s.parts, next)
		}
		s = next
		s.nodes++
	}
	s.direct++
	return s
}

// enclose makes the clusters of a scope and of those in it. Scopes that get none belong to the
// cluster around them.
func (g *Graph) enclose(s *scope, parent int, prefix string) {
	s.cluster = parent
	switch {
	case s.nodes < 2:
	case s.direct == 0 && len(s.parts) == 1:
		prefix += s.name + "/"
	default:
		g.Clusters = append(g.Clusters, Cluster{ID: "scope:" + s.path, Label: prefix + s.name, Parent: parent})
		s.cluster, prefix = len(g.Clusters), ""
	}
	for _, x := range s.parts {
		g.enclose(x, s.cluster, prefix)
	}
}

// FoldLevel says which clusters of g are to be folded so that about limit nodes are left: none
// where all fit, else those of the deepest level at which they do, and the outermost ones where
// even these are more. The constants that have a cluster are folded in any case.
func FoldLevel(g *Graph, limit int) []bool {
	fold := make([]bool, len(g.Clusters))
	hidden := 0 // the number of the cluster of constants
	for i, c := range g.Clusters {
		if c.ID == constants {
			fold[i], hidden = true, i+1
		}
	}
	rest := 0
	for i := range g.Nodes {
		if hidden == 0 || g.Nodes[i].Cluster != hidden {
			rest++
		}
	}
	if rest <= limit {
		return fold
	}
	depth := make([]int, len(g.Clusters)+1) // from 1; 0 is in no cluster
	most := 0
	for i, c := range g.Clusters {
		depth[i+1] = depth[c.Parent] + 1
		most = max(most, depth[i+1])
	}
	// shown[d] counts what shows while the clusters of level d and above are open: nodes down
	// to level d, and the clusters below it.
	nodes, clusters := make([]int, most+2), make([]int, most+2)
	for i := range g.Nodes {
		if c := g.Nodes[i].Cluster; c == 0 || c != hidden {
			nodes[depth[c]]++
		}
	}
	for _, d := range depth[1:] {
		clusters[d]++
	}
	open, sum := 0, 0
	for d := 0; d <= most; d++ {
		if sum += nodes[d]; sum+clusters[d+1] > limit {
			break
		}
		open = d
	}
	for i := range fold {
		fold[i] = fold[i] || depth[i+1] == open+1
	}
	return fold
}

// FoldClusters returns g with one node for each cluster that is to be folded, and g itself if
// there is none. A cluster that holds one node is left open. Clusters that nothing stands in
// any more are dropped.
func FoldClusters(g *Graph, fold []bool) *Graph {
	// The outermost folded cluster around each, plus one.
	outer := make([]int, len(g.Clusters)+1)
	for i, c := range g.Clusters {
		if outer[i+1] = outer[c.Parent]; outer[i+1] == 0 && fold[i] {
			outer[i+1] = i + 1
		}
	}
	first := make(map[int]int)
	group := make([]int, len(g.Nodes))
	parts := map[int][]int{} // nodes of each group
	for i := range g.Nodes {
		group[i] = i
		if c := outer[g.Nodes[i].Cluster]; c > 0 {
			if _, ok := first[c]; !ok {
				first[c] = i
			}
			group[i] = first[c]
			parts[first[c]] = append(parts[first[c]], i)
		}
	}
	out := g
	if len(first) > 0 {
		out = collapse(g, group)
		k := 0
		for i := range g.Nodes {
			if group[i] != i {
				continue
			}
			if list := parts[i]; len(list) > 1 {
				c := outer[g.Nodes[i].Cluster]
				out.Nodes[k] = standIn(g, c, list, out.Nodes[k].Mark)
			}
			k++
		}
		out.Folded = g.Folded // what stands in groups can be opened, so nothing is lost
	}
	return withoutEmpty(out)
}

// standIn is the node for a folded cluster.
func standIn(g *Graph, cluster int, list []int, mark Mark) Node {
	c := &g.Clusters[cluster-1]
	n := Node{ID: c.ID, Label: c.Label, Kind: Group, Cluster: c.Parent, Count: len(list), Mark: mark, Stands: c.ID, Line: g.Nodes[list[0]].Line}
	counts := map[Mark]int{}
	for _, i := range list {
		counts[g.Nodes[i].Mark]++
		switch x := &g.Nodes[i]; x.Kind {
		case Op, Kernel, Call, Packed:
			if x.Name != "" && x.Mark != Removed {
				n.Names = append(n.Names, x.Name)
			}
		}
	}
	n.Info = strconv.Itoa(len(list)) + " nodes"
	for _, m := range []Mark{Added, Removed, Changed} {
		if counts[m] > 0 {
			n.Inline = append(n.Inline, strconv.Itoa(counts[m])+" "+string(m))
		}
	}
	return n
}

// withoutEmpty drops the clusters that neither a node nor another cluster is in.
func withoutEmpty(g *Graph) *Graph {
	used := make([]bool, len(g.Clusters)+1)
	for i := range g.Nodes {
		used[g.Nodes[i].Cluster] = true
	}
	for i := len(g.Clusters) - 1; i >= 0; i-- {
		if used[i+1] {
			used[g.Clusters[i].Parent] = true
		}
	}
	to := make([]int, len(used))
	out := *g
	out.Clusters, out.Nodes = nil, slices.Clone(g.Nodes)
	for i, c := range g.Clusters {
		if used[i+1] {
			c.Parent = to[c.Parent]
			out.Clusters = append(out.Clusters, c)
			to[i+1] = len(out.Clusters)
		}
	}
	for i := range out.Nodes {
		out.Nodes[i].Cluster = to[out.Nodes[i].Cluster]
	}
	return &out
}
