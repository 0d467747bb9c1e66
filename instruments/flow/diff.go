package flow

import "slices"

// Diff returns the nodes and edges of both graphs with marks, in the order of after with what
// was removed where it stood. Either graph may be nil for a function that was not there.
//
// Nodes are the same if their ids are, or else if they do the same to the same values, so that
// renaming variables is no change. A node that does something else under its old id is
// changed: when a kernel is fused under the name of its last part, the other parts are removed
// and their edges lead to it.
func Diff(before, after *Graph) *Graph {
	switch {
	case before == nil && after == nil:
		return &Graph{Form: Dataflow, Diff: true}
	case before == nil:
		before = &Graph{Name: after.Name, Form: after.Form}
	case after == nil:
		after = &Graph{Name: before.Name, Form: before.Form}
	}
	d := &differ{matcher: match(before, after), before: before, after: after}
	d.out = &Graph{Name: after.Name, Form: after.Form, Diff: true}
	if before.Form != after.Form && len(before.Nodes) > 0 && len(after.Nodes) > 0 {
		d.out.Form = Dataflow
	}
	d.clusters()
	d.nodes()
	d.edges()
	return d.out
}

type differ struct {
	*matcher
	before, after *Graph
	out           *Graph
	cluster       [2][]int // number in out of the clusters of each side
	index         [2][]int // index in out of the nodes of each side
}

// clusters joins the clusters of both sides by id.
func (d *differ) clusters() {
	number := map[string]int{}
	for k, g := range []*Graph{d.before, d.after} {
		d.cluster[k] = make([]int, len(g.Clusters)+1)
		for i, c := range g.Clusters {
			n, ok := number[c.ID]
			if !ok {
				d.out.Clusters = append(d.out.Clusters, Cluster{ID: c.ID, Label: c.Label, Parent: d.cluster[k][c.Parent]})
				n = len(d.out.Clusters)
				number[c.ID] = n
			}
			d.cluster[k][i+1] = n
		}
	}
}

func (d *differ) nodes() {
	b, a := d.side[0], d.side[1]
	d.index = [2][]int{make([]int, len(b.to)), make([]int, len(a.to))}
	used := make(map[string]bool, len(b.to)+len(a.to))
	for _, n := range d.after.Nodes {
		used[n.ID] = true
	}
	next := 0
	removed := func(end int) {
		for ; next < end; next++ {
			if b.to[next] >= 0 {
				continue
			}
			n := d.before.Nodes[next]
			n.Mark, n.Cluster = Removed, d.cluster[0][n.Cluster]
			for used[n.ID] { // a node of after that was matched by its neighbours has the id
				n.ID += "~"
			}
			used[n.ID] = true
			d.index[0][next] = len(d.out.Nodes)
			d.out.Nodes = append(d.out.Nodes, n)
		}
	}
	for j := range a.to {
		n := d.after.Nodes[j]
		n.Cluster = d.cluster[1][n.Cluster]
		n.Mark = Added
		if i := a.to[j]; i >= 0 {
			removed(i)
			old := &d.before.Nodes[i]
			n.Mark, n.WasLine = Same, old.Line
			if old.Name != n.Name {
				n.WasName = old.Name
			}
			if !d.alike(i, j) {
				n.Mark = Changed
				switch {
				case old.Label != n.Label:
					n.Was = old.Label
				case old.Kind != n.Kind:
					n.Was = string(old.Kind)
				}
			}
			d.index[0][i] = len(d.out.Nodes)
		}
		d.index[1][j] = len(d.out.Nodes)
		d.out.Nodes = append(d.out.Nodes, n)
	}
	removed(len(b.to))
}

// alike reports whether two nodes of a pair do the same to the same values.
func (d *differ) alike(i, j int) bool {
	x, y := &d.before.Nodes[i], &d.after.Nodes[j]
	if x.Label != y.Label || x.Kind != y.Kind || x.Info != y.Info || x.Detail != y.Detail || !slices.Equal(x.Inline, y.Inline) {
		return false
	}
	b, a := d.side[0], d.side[1]
	if len(b.in[i]) != len(a.in[j]) {
		return false
	}
	for k, e := range b.in[i] {
		e, f := d.before.Edges[e], d.after.Edges[a.in[j][k]]
		if e.Arg != f.Arg || e.Order != f.Order || b.to[e.From] != f.From {
			return false
		}
	}
	return true
}

// edges puts the edges of after, and then those that only before has.
func (d *differ) edges() {
	type ends struct {
		from, to, arg int
		order         bool
	}
	old := make(map[ends]int, len(d.before.Edges))
	place := func(side int, e Edge) ends {
		return ends{d.index[side][e.From], d.index[side][e.To], e.Arg, e.Order}
	}
	for _, e := range d.before.Edges {
		old[place(0, e)]++
	}
	for _, e := range d.after.Edges {
		k := place(1, e)
		e.From, e.To, e.Mark = k.from, k.to, Added
		if old[k] > 0 {
			old[k]--
			e.Mark = Same
		}
		d.out.Edges = append(d.out.Edges, e)
	}
	for _, e := range d.before.Edges {
		k := place(0, e)
		if old[k] > 0 {
			old[k]--
			e.From, e.To, e.Mark = k.from, k.to, Removed
			d.out.Edges = append(d.out.Edges, e)
		}
	}
}
