package flow

import "strconv"

// Near returns the part of g that is within some steps of the node called id, along edges in
// either direction, and false if there is no such node. Nodes with neighbours outside of the
// part say how many.
func Near(g *Graph, id string, steps int) (*Graph, bool) {
	start := -1
	next := make([][]int, len(g.Nodes))
	for i := range g.Nodes {
		if g.Nodes[i].ID == id {
			start = i
		}
	}
	if start < 0 {
		return g, false
	}
	for _, e := range g.Edges {
		next[e.From] = append(next[e.From], e.To)
		next[e.To] = append(next[e.To], e.From)
	}
	far := make([]int, len(g.Nodes)) // steps from the start, counted from 1
	far[start] = 1
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if far[i] > steps {
			continue
		}
		for _, k := range next[i] {
			if far[k] == 0 {
				far[k] = far[i] + 1
				queue = append(queue, k)
			}
		}
	}
	out := keep(g, func(i int) bool { return far[i] > 0 })
	k := 0
	for i := range g.Nodes {
		if far[i] == 0 {
			continue
		}
		hidden := map[int]bool{}
		for _, n := range next[i] {
			if far[n] == 0 {
				hidden[n] = true
			}
		}
		if len(hidden) > 0 {
			out.Nodes[k].Beyond = "… " + strconv.Itoa(len(hidden)) + " more"
		}
		k++
	}
	return out, true
}

// keep returns the nodes of g that are wanted, with the edges between them. Their order stays.
func keep(g *Graph, wanted func(i int) bool) *Graph {
	to := make([]int, len(g.Nodes))
	out := *g
	out.Nodes, out.Edges = nil, nil
	for i, n := range g.Nodes {
		to[i] = -1
		if wanted(i) {
			to[i] = len(out.Nodes)
			out.Nodes = append(out.Nodes, n)
		}
	}
	for _, e := range g.Edges {
		if e.From, e.To = to[e.From], to[e.To]; e.From >= 0 && e.To >= 0 {
			out.Edges = append(out.Edges, e)
		}
	}
	return &out
}
