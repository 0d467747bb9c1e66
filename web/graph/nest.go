package graph

import "context"

// Around a cluster.
const (
	framePad   = 16
	frameTitle = 24
	margin     = 12 // around the drawing
)

// nest lays dataflow out. The inside of each cluster is a drawing of its own, which stands in
// the drawing around it as one box. An edge that goes through a frame is one piece on each
// side, and the pieces meet at a port: an item without size in the first or last layer inside.
func (l *Layout) nest(ctx context.Context) error {
	g := l.Graph
	n := &nester{Layout: l, region: make([]*region, len(g.Clusters)+1), node: make([]int, len(g.Nodes)), child: make([]int, len(g.Clusters)+1)}
	for i := range n.region {
		n.region[i] = &region{}
	}
	for i := range g.Nodes {
		r := n.region[g.Nodes[i].Cluster]
		n.node[i] = r.item(l.Boxes[i].W, l.Boxes[i].H)
	}
	for c := range g.Clusters {
		n.child[c+1] = n.region[g.Clusters[c].Parent].item(0, 0)
	}
	n.pieces = make([][]piece, len(g.Edges))
	for i := range g.Edges {
		n.split(i)
	}
	// Clusters come after those around them, so the inner ones are laid out first.
	for c := len(n.region) - 1; c >= 0; c-- {
		r := n.region[c]
		r.fix()
		if err := r.solve(ctx); err != nil {
			return err
		}
		if c > 0 {
			around := n.region[g.Clusters[c-1].Parent]
			w := max(r.w+2*framePad, 2*framePad+int(labelWidth*float64(len(g.Clusters[c-1].Label)+2)))
			w += w & 1
			around.items[n.child[c]].w, around.items[n.child[c]].h = w, r.h+2*framePad+frameTitle
		}
	}
	n.place()
	return nil
}

// region is the inside of a cluster, or all that is in none.
type region struct {
	layered
	ports []portOf
	x, y  int // of the inside, once it has a place
}

// portOf says that an end of a link of this region is the port of a region inside.
type portOf struct {
	link  int
	from  bool
	inner *region
	port  int // item there
}

// piece is a link of a region that is part of an edge.
type piece struct {
	cluster, link int
}

type nester struct {
	*Layout
	region []*region // by cluster
	node   []int     // the item of each node
	child  []int     // the item of each cluster in the region around
	pieces [][]piece // of each edge, from its start to its end
}

func (r *layered) item(w, h int) int {
	r.items = append(r.items, item{w: w, h: h})
	return len(r.items) - 1
}

func (r *layered) link(from, to int) int {
	r.links = append(r.links, link{from: from, to: to, fromX: -1, toX: -1})
	return len(r.links) - 1
}

// split makes the pieces of an edge: up from its start to the innermost cluster that holds
// both ends, and down to its end.
func (n *nester) split(edge int) {
	e := n.Graph.Edges[edge]
	from, to := n.Graph.Nodes[e.From].Cluster, n.Graph.Nodes[e.To].Cluster
	up, down := end{item: n.node[e.From]}, end{item: n.node[e.To]}
	var head, tail []piece
	for from != to {
		if from > to { // the one with the higher number is not around the other
			head = append(head, n.leave(from, &up, true))
			from = n.Graph.Clusters[from-1].Parent
		} else {
			tail = append(tail, n.leave(to, &down, false))
			to = n.Graph.Clusters[to-1].Parent
		}
	}
	r := n.region[from]
	k := r.link(up.item, down.item)
	r.join(k, up, true)
	r.join(k, down, false)
	head = append(head, piece{from, k})
	for i := len(tail) - 1; i >= 0; i-- {
		head = append(head, tail[i])
	}
	n.pieces[edge] = head
}

// end is where an edge has got to: an item, and the port in it if it is a cluster.
type end struct {
	item  int
	inner *region
	port  int
}

// join notes that an end of link k is a port of a region inside r.
func (r *region) join(k int, e end, from bool) {
	if e.inner != nil {
		r.ports = append(r.ports, portOf{k, from, e.inner, e.port})
	}
}

// leave adds the piece from an end in a cluster to a port of it, and moves the end there.
func (n *nester) leave(cluster int, e *end, out bool) piece {
	r := n.region[cluster]
	port := r.item(2, 0)
	r.items[port].port = true
	a, b := port, e.item
	if out {
		a, b = e.item, port
	}
	k := r.link(a, b)
	r.items[port].last = out
	r.join(k, *e, out)
	*e = end{item: n.child[cluster], inner: r, port: port}
	return piece{cluster, k}
}

// fix gives the ends of links that are ports their places on the frame.
func (r *region) fix() {
	for _, p := range r.ports {
		x := framePad + p.inner.items[p.port].x + 1
		if p.from {
			r.links[p.link].fromX = x
		} else {
			r.links[p.link].toX = x
		}
	}
}

// place moves everything from places in a region to places in the drawing.
func (n *nester) place() {
	top := n.region[0]
	top.x, top.y = margin, margin
	n.W, n.H = top.w+2*margin, top.h+2*margin
	for c := range n.Graph.Clusters {
		around := n.region[n.Graph.Clusters[c].Parent]
		it := around.items[n.child[c+1]]
		f := Box{X: around.x + it.x, Y: around.y + it.y, W: it.w, H: it.h}
		n.Frames[c] = f
		n.region[c+1].x, n.region[c+1].y = f.X+framePad, f.Y+framePad+frameTitle
	}
	for i := range n.Graph.Nodes {
		r := n.region[n.Graph.Nodes[i].Cluster]
		it := r.items[n.node[i]]
		n.Boxes[i].X, n.Boxes[i].Y = r.x+it.x, r.y+it.y
	}
	for i, list := range n.pieces {
		n.Paths[i] = n.route(list)
	}
}

// route joins the pieces of an edge. An edge that cannot be followed through all frames, since
// a piece of it goes up or is cut, is drawn as its two ends.
func (n *nester) route(list []piece) Path {
	var all []Point
	whole := true
	for _, p := range list {
		r := n.region[p.cluster]
		k := &r.links[p.link]
		if len(k.rest) > 0 || len(list) > 1 && k.up {
			whole = false
		}
	}
	if !whole {
		return Path{Points: n.stub(list[0], true), Rest: n.stub(list[len(list)-1], false)}
	}
	for _, p := range list {
		r := n.region[p.cluster]
		for _, q := range r.links[p.link].points {
			all = append(all, Point{q.X + r.x, q.Y + r.y})
		}
	}
	return Path{Points: straighten(all)}
}

// stub returns the short end of a piece at its start or its end.
func (n *nester) stub(p piece, start bool) []Point {
	r := n.region[p.cluster]
	k := &r.links[p.link]
	list := k.points
	if len(k.rest) > 0 && !start {
		list = k.rest
	}
	if len(list) < 2 {
		return nil
	}
	a, b := list[0], list[1]
	if !start {
		a, b = list[len(list)-2], list[len(list)-1]
	}
	a, b = Point{a.X + r.x, a.Y + r.y}, Point{b.X + r.x, b.Y + r.y}
	if len(k.rest) > 0 {
		return []Point{a, b}
	}
	down := stubLength
	if a.Y > b.Y {
		down = -stubLength
	}
	if start {
		return []Point{a, {a.X, a.Y + down}}
	}
	return []Point{{b.X, b.Y - down}, b}
}

// straighten takes out the points in the middle of straight lines.
func straighten(list []Point) []Point {
	out := list[:0]
	for _, p := range list {
		if k := len(out); k > 0 && out[k-1] == p {
			continue
		} else if k > 1 && out[k-1].X == p.X && out[k-2].X == p.X && (out[k-1].Y > out[k-2].Y) == (p.Y > out[k-1].Y) {
			out[k-1] = p
			continue
		}
		out = append(out, p)
	}
	return out
}
