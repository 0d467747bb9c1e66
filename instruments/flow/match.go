package flow

import (
	"slices"
	"strconv"
	"strings"
)

// matcher finds for each node of two graphs the node of the other that it is the same as.
type matcher struct {
	side [2]*side
}

// side is one of the two graphs.
type side struct {
	g       *Graph
	in, out [][]int // edges by node, those into a node by argument
	to      []int   // index in the other graph, -1 for none
}

func newSide(g *Graph) *side {
	s := &side{g: g, in: make([][]int, len(g.Nodes)), out: make([][]int, len(g.Nodes)), to: make([]int, len(g.Nodes))}
	for i, e := range g.Edges {
		s.in[e.To] = append(s.in[e.To], i)
		s.out[e.From] = append(s.out[e.From], i)
	}
	for i := range s.to {
		s.to[i] = -1
		slices.SortStableFunc(s.in[i], func(a, b int) int { return g.Edges[a].Arg - g.Edges[b].Arg })
	}
	return s
}

// match pairs nodes of one id, and then nodes that do the same to the same values: forwards
// from what they use, backwards from what uses them.
func match(before, after *Graph) *matcher {
	m := &matcher{side: [2]*side{newSide(before), newSide(after)}}
	byID := make(map[string]int, len(after.Nodes))
	for j := range after.Nodes {
		byID[after.Nodes[j].ID] = j
	}
	for i := range before.Nodes {
		if j, ok := byID[before.Nodes[i].ID]; ok {
			m.pair(i, j)
		}
	}
	m.sweep(func(s *side, e Edge) int { return e.From }, func(s *side, i int) []int { return s.in[i] }, false)
	m.sweep(func(s *side, e Edge) int { return e.To }, func(s *side, i int) []int { return s.out[i] }, true)
	return m
}

func (m *matcher) pair(i, j int) { m.side[0].to[i], m.side[1].to[j] = j, i }

// sweep pairs nodes that have no partner by their label and their neighbours. It goes through
// both graphs in step with the pairs that it makes: the nodes of after are put down under
// keys of what is known, those of before look theirs up.
func (m *matcher) sweep(end func(*side, Edge) int, edges func(*side, int) []int, backwards bool) {
	b, a := m.side[0], m.side[1]
	// Keys name neighbours by their index in before, so a key is known once all neighbours
	// have partners. A node waits for the last of them.
	free := make(map[string][]int) // nodes of before by key
	waits := func(s *side) []int {
		w := make([]int, len(s.g.Nodes))
		for i := range w {
			for _, e := range edges(s, i) {
				if s.to[end(s, s.g.Edges[e])] < 0 {
					w[i]++
				}
			}
		}
		return w
	}
	wb, wa := waits(b), waits(a)
	var ready [2][]int
	for k, s := range m.side {
		w := [][]int{wb, wa}[k]
		for i := range s.to {
			if w[i] == 0 && s.to[i] < 0 {
				ready[k] = append(ready[k], i)
			}
		}
	}
	for len(ready[0])+len(ready[1]) > 0 {
		for _, i := range ready[0] {
			if k, ok := key(b, i, end, edges, func(x int) int { return x }); ok {
				free[k] = append(free[k], i)
			}
		}
		list := ready[1]
		ready = [2][]int{}
		for _, j := range list {
			k, ok := key(a, j, end, edges, func(x int) int { return a.to[x] })
			if !ok || len(free[k]) == 0 {
				continue
			}
			i := free[k][0]
			if free[k] = free[k][1:]; b.to[i] >= 0 || a.to[j] >= 0 {
				continue
			}
			m.pair(i, j)
			ready[0] = append(ready[0], release(b, i, wb, backwards)...)
			ready[1] = append(ready[1], release(a, j, wa, backwards)...)
		}
	}
}

// release returns the neighbours of a node that wait for nothing now that it has a partner.
func release(s *side, i int, waits []int, backwards bool) []int {
	var out []int
	list := s.out[i]
	if backwards {
		list = s.in[i]
	}
	for _, e := range list {
		n := s.g.Edges[e].To
		if backwards {
			n = s.g.Edges[e].From
		}
		if waits[n]--; waits[n] == 0 && s.to[n] < 0 {
			out = append(out, n)
		}
	}
	return out
}

// key describes a node by what it is and its neighbours in before. It is not ok for a node
// without neighbours: nothing but its label would tell it.
func key(s *side, i int, end func(*side, Edge) int, edges func(*side, int) []int, name func(int) int) (string, bool) {
	list := edges(s, i)
	if len(list) == 0 {
		return "", false
	}
	n := &s.g.Nodes[i]
	var b strings.Builder
	b.WriteString(string(n.Kind) + "\x00" + n.Label + "\x00" + n.Info + "\x00" + strings.Join(n.Inline, "\x00"))
	at := make([]string, len(list))
	for k, x := range list {
		e := s.g.Edges[x]
		at[k] = strconv.Itoa(e.Arg) + ":" + strconv.Itoa(name(end(s, e)))
	}
	slices.Sort(at)
	for _, t := range at {
		b.WriteString("\x00" + t)
	}
	return b.String(), true
}
