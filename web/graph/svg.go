package graph

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/irscope/irscope/instruments/flow"
)

// Options say how to draw.
type Options struct {
	// Label names the drawing to those who do not see it; empty is the name of the function.
	Label string
}

// maxTitle bounds the text that shows over a node.
const maxTitle = 600

// Render writes a layout as an <svg> element. All texts are escaped. The first node is in the
// tab order, the others take the focus from a script. Frames and edges are hidden from
// assistive technology, to which the drawing is a list of nodes.
func Render(w io.Writer, l *Layout, o Options) error {
	b := bufio.NewWriter(w)
	label := o.Label
	if label == "" {
		label = summary(l.Graph)
	}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="g-svg f-%s" width="%d" height="%d" viewBox="0 0 %d %d" role="list" aria-label="%s">`,
		class(string(l.Graph.Form)), l.W, l.H, l.W, l.H, escape(label))
	b.WriteString(`<g aria-hidden="true">`)
	for i, f := range l.Frames {
		fmt.Fprintf(b, `<g class="g-cluster" data-group="%s"><rect class="g-frame" x="%d" y="%d" width="%d" height="%d" rx="8"/><text class="g-title" x="%d" y="%d">%s</text></g>`,
			escape(l.Graph.Clusters[i].ID), f.X, f.Y, f.W, f.H, f.X+framePad, f.Y+18, escape("− "+clean(l.Graph.Clusters[i].Label)))
	}
	for _, m := range markOrder {
		l.edges(b, m)
	}
	b.WriteString(`</g>`)
	depth := l.depths()
	for i := range l.Boxes {
		l.node(b, i, depth)
	}
	b.WriteString(`</svg>`)
	return b.Flush()
}

// markOrder has what shall be seen last: it is drawn over the rest.
var markOrder = [...]flow.Mark{flow.Removed, flow.None, flow.Same, flow.Changed, flow.Added}

// summary describes the drawing in a sentence.
func summary(g *flow.Graph) string {
	s := fmt.Sprintf("%s of %s: %d nodes", map[flow.Form]string{flow.Loops: "Loop nest"}[g.Form], g.Name, len(g.Nodes))
	if g.Form != flow.Loops {
		s = "Dataflow" + s
	}
	if g.Diff {
		c := g.Counts()
		s += fmt.Sprintf(", %d added, %d removed, %d changed", c[flow.Added], c[flow.Removed], c[flow.Changed])
	}
	if g.Folded > 0 {
		s += fmt.Sprintf(", %d more folded into groups", g.Folded)
	}
	return s
}

// edges writes the edges with one mark, and all their heads as one path.
func (l *Layout) edges(b *bufio.Writer, m flow.Mark) {
	var heads strings.Builder
	for i := range l.Paths {
		e, p := &l.Graph.Edges[i], &l.Paths[i]
		if e.Mark != m || len(p.Points) < 2 {
			continue
		}
		names := "g-edge" + markClass(m)
		if e.Order {
			names += " g-order"
		}
		if len(p.Rest) > 0 {
			names += " g-cut"
		}
		fmt.Fprintf(b, `<path class="%s" data-from="%d" data-to="%d" data-arg="%d" d="%s%s"/>`, names, e.From, e.To, e.Arg, curve(p.Points), curve(p.Rest))
		last := p.Points
		if len(p.Rest) > 1 {
			last = p.Rest
		}
		heads.WriteString(head(last))
	}
	if heads.Len() > 0 {
		fmt.Fprintf(b, `<path class="g-head%s" d="%s"/>`, markClass(m), heads.String())
	}
}

// curve writes the points of a path: straight lines where they are level or upright, else
// curves that begin and end upright.
func curve(list []Point) string {
	if len(list) < 2 {
		return ""
	}
	d := make([]byte, 0, 32*len(list))
	num := func(cmd byte, x int) {
		d = strconv.AppendInt(append(d, cmd), int64(x), 10)
	}
	num('M', list[0].X)
	num(' ', list[0].Y)
	for i, q := range list[1:] {
		p := list[i]
		switch {
		case p.X == q.X:
			num('V', q.Y)
		case p.Y == q.Y:
			num('H', q.X)
		default:
			mid := (p.Y + q.Y) / 2
			num('C', p.X)
			num(' ', mid)
			num(' ', q.X)
			num(' ', mid)
			num(' ', q.X)
			num(' ', q.Y)
		}
	}
	return string(d)
}

// head writes the arrow head at the end of a path.
func head(list []Point) string {
	p, q := list[len(list)-2], list[len(list)-1]
	switch {
	case p.Y == q.Y && p.X > q.X:
		return fmt.Sprintf("M%d %dl7 -4v8z", q.X, q.Y)
	case p.Y == q.Y:
		return fmt.Sprintf("M%d %dl-7 -4v8z", q.X, q.Y)
	case p.Y > q.Y:
		return fmt.Sprintf("M%d %dl-4 7h8z", q.X, q.Y)
	}
	return fmt.Sprintf("M%d %dl-4 -7h8z", q.X, q.Y)
}

// depths returns how many boxes each node of a loop nest stands in.
func (l *Layout) depths() []int {
	out := make([]int, len(l.Parents))
	for i, p := range l.Parents { // which come first
		if p >= 0 {
			out[i] = out[p] + 1
		}
	}
	return out
}

// depthClass tells boxes in boxes apart: every second one has another ground.
func depthClass(l *Layout, i int, depth []int) string {
	if l.Boxes[i].Frame && depth[i]%2 == 1 {
		return " d-odd"
	}
	return ""
}

// told reports whether the box around a node says already that it was added or removed.
func (l *Layout) told(i int) bool {
	if l.Parents == nil || l.Parents[i] < 0 {
		return false
	}
	m := l.Graph.Nodes[i].Mark
	return (m == flow.Added || m == flow.Removed) && l.Graph.Nodes[l.Parents[i]].Mark == m
}

func (l *Layout) node(b *bufio.Writer, i int, depth []int) {
	n, box := &l.Graph.Nodes[i], &l.Boxes[i]
	tab := -1
	if i == 0 {
		tab = 0
	}
	fmt.Fprintf(b, `<g class="g-node k-%s%s%s" role="listitem" tabindex="%d" transform="translate(%d %d)" data-index="%d" data-id="%s" data-kind="%s"`,
		class(string(n.Kind)), markClass(n.Mark), depthClass(l, i, depth), tab, box.X, box.Y, i, escape(n.ID), escape(string(n.Kind)))
	if l.Parents != nil {
		fmt.Fprintf(b, ` aria-level="%d" data-parent="%d"`, depth[i]+1, l.Parents[i])
	}
	if n.Stands != "" {
		fmt.Fprintf(b, ` data-group="%s" data-names="%s"`, escape(n.Stands), escape(strings.Join(n.Names, " ")))
	}
	if c := n.Cluster; c > 0 {
		fmt.Fprintf(b, ` data-in="%s"`, escape(l.Graph.Clusters[c-1].ID))
	}
	if n.Group != "" && n.Kind != flow.Group {
		fmt.Fprintf(b, ` data-callee="%s"`, escape(n.Group))
	}
	if n.Name != "" {
		fmt.Fprintf(b, ` data-name="%s"`, escape(n.Name))
	}
	if n.Line > 0 {
		fmt.Fprintf(b, ` data-line="%d"`, n.Line)
	}
	if n.WasLine > 0 {
		fmt.Fprintf(b, ` data-was-line="%d"`, n.WasLine)
	}
	if n.Mark != flow.None {
		fmt.Fprintf(b, ` data-mark="%s"`, escape(string(n.Mark)))
	}
	fmt.Fprintf(b, ` aria-label="%s"><title>%s</title>`, escape(describe(n)), escape(elideEnd(title(n), maxTitle)))
	fmt.Fprintf(b, `<path class="g-shape" d="%s"/>`, outlinePath(l.shapeOf(i), box.W, box.H, 0))
	told := l.told(i)
	if n.Mark == flow.Added && !told {
		fmt.Fprintf(b, `<path class="g-second" d="%s"/>`, outlinePath(l.shapeOf(i), box.W, box.H, 3))
	}
	for _, t := range box.Lines {
		name := "g-label"
		if t.Small {
			name = "g-small"
		}
		fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`, name, t.X, t.Y, escape(t.Text))
	}
	if s := sign(n.Mark); s != "" && !told {
		fmt.Fprintf(b, `<circle class="g-badge" cx="1" cy="1" r="8"/><text class="g-sign" x="1" y="5">%s</text>`, s)
	}
	b.WriteString(`</g>`)
}
