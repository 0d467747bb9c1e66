package graph

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/flow"
	"pgregory.net/rapid"
)

// layout lays g out and checks what holds of every layout.
func layout(t interface {
	Fatalf(string, ...any)
	Helper()
}, g *flow.Graph,
) *Layout {
	t.Helper()
	l, err := Of(context.Background(), g)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if len(l.Boxes) != len(l.Graph.Nodes) || len(l.Paths) != len(l.Graph.Edges) {
		t.Fatalf("%d boxes and %d paths for %d nodes and %d edges", len(l.Boxes), len(l.Paths), len(l.Graph.Nodes), len(l.Graph.Edges))
	}
	checkBoxes(t, l)
	checkPaths(t, l)
	return l
}

// around reports whether node j of a loop nest is a frame that node i stands in.
func (l *Layout) around(i, j int) bool {
	if l.Parents == nil {
		return false
	}
	for i = l.Parents[i]; i >= 0; i = l.Parents[i] {
		if i == j {
			return l.Boxes[j].Frame
		}
	}
	return false
}

func overlap(a, b Box) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

func inside(a, b Box) bool {
	return a.X >= b.X && a.Y >= b.Y && a.X+a.W <= b.X+b.W && a.Y+a.H <= b.Y+b.H
}

// checkBoxes checks that no two boxes overlap unless one stands in the other, that texts are in
// their boxes, that what is in a cluster is in its frame and nothing else is, and that all is in the
// drawing.
func checkBoxes(t interface {
	Fatalf(string, ...any)
	Helper()
}, l *Layout,
) {
	t.Helper()
	all := Box{W: l.W, H: l.H}
	for i, a := range l.Boxes {
		if !inside(a, all) {
			t.Fatalf("node %d at %+v is outside the drawing of %d by %d", i, a, l.W, l.H)
		}
		for j, b := range l.Boxes[:i] {
			if around := l.around(i, j); around && !inside(a, b) || !around && overlap(a, b) {
				t.Fatalf("nodes %d at %+v and %d at %+v, the one is in the other: %v", j, b, i, a, around)
			}
		}
		for _, line := range a.Lines {
			left := line.X
			if l.Parents == nil {
				left -= textWidth(line) / 2
			}
			if left < 0 || left+textWidth(line) > a.W+1 || line.Y < labelBase || line.Y > a.H {
				t.Fatalf("the text %+v leaves node %d of %d by %d", line, i, a.W, a.H)
			}
			for _, b := range l.Boxes[i+1:] {
				text := Box{X: a.X + line.X, Y: a.Y + line.Y - labelBase, W: textWidth(line), H: labelBase}
				if l.Parents != nil && overlap(text, b) {
					t.Fatalf("the text %+v of node %d lies under the box %+v", line, i, b)
				}
			}
		}
	}
	if l.Graph.Form == flow.Loops {
		return
	}
	within := func(c, of int) bool { // cluster numbers
		for ; c != 0; c = l.Graph.Clusters[c-1].Parent {
			if c == of {
				return true
			}
		}
		return false
	}
	for c, f := range l.Frames {
		if !inside(f, all) {
			t.Fatalf("frame %d at %+v is outside the drawing", c, f)
		}
		for i, b := range l.Boxes {
			if in := within(l.Graph.Nodes[i].Cluster, c+1); in && !inside(b, f) || !in && overlap(b, f) {
				t.Fatalf("node %d at %+v, frame %d at %+v, belongs in it: %v", i, b, c, f, in)
			}
		}
		for d, e := range l.Frames[:c] {
			if in := within(c+1, d+1); in && !inside(f, e) || !in && overlap(e, f) {
				t.Fatalf("frame %d at %+v, frame %d at %+v, belongs in it: %v", c, f, d, e, in)
			}
		}
	}
}

// checkPaths checks that each path begins and ends at its nodes and goes through no other.
// A curve stays between the heights of its ends, so its box stands for it.
func checkPaths(t interface {
	Fatalf(string, ...any)
	Helper()
}, l *Layout,
) {
	t.Helper()
	for i, p := range l.Paths {
		e := l.Graph.Edges[i]
		if len(p.Points) == 0 {
			if l.Graph.Form != flow.Loops {
				t.Fatalf("edge %d from %d to %d is not drawn", i, e.From, e.To)
			}
			continue
		}
		last := p.Points
		if len(p.Rest) > 0 {
			last = p.Rest
		}
		if !touches(p.Points[0], l.Boxes[e.From]) || !touches(last[len(last)-1], l.Boxes[e.To]) {
			t.Fatalf("edge %d from %d %+v to %d %+v has the path %+v", i, e.From, l.Boxes[e.From], e.To, l.Boxes[e.To], p)
		}
		for _, list := range [][]Point{p.Points, p.Rest} {
			for k := 1; k < len(list); k++ {
				a, b := list[k-1], list[k]
				s := Box{X: min(a.X, b.X), Y: min(a.Y, b.Y), W: abs(a.X - b.X), H: abs(a.Y - b.Y)}
				for n, box := range l.Boxes {
					if crosses(s, box) {
						t.Fatalf("edge %d from %d to %d goes from %v to %v through node %d at %+v", i, e.From, e.To, a, b, n, box)
					}
				}
			}
		}
	}
}

func touches(p Point, b Box) bool {
	return p.X >= b.X && p.X <= b.X+b.W && p.Y >= b.Y && p.Y <= b.Y+b.H
}

// crosses reports whether a stretch of a path runs inside a box, not along it.
func crosses(s, b Box) bool {
	return s.X < b.X+b.W && b.X < s.X+s.W+1 && s.X+s.W > b.X && s.Y < b.Y+b.H && b.Y < s.Y+s.H ||
		s.W == 0 && s.X > b.X && s.X < b.X+b.W && s.Y < b.Y+b.H && b.Y < s.Y+s.H ||
		s.H == 0 && s.Y > b.Y && s.Y < b.Y+b.H && s.X < b.X+b.W && b.X < s.X+s.W
}

// TestRandom lays out graphs of every kind.
func TestRandom(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		l := layout(t, g)
		again, err := Of(context.Background(), g)
		if err != nil || !reflect.DeepEqual(l, again) {
			t.Fatalf("the second layout differs: %v", err)
		}
	})
}

// TestShapes lays out the graphs of the benchmark.
func TestShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("large graphs, one after the other")
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			l := layout(t, s.g)
			t.Logf("%d by %d", l.W, l.H)
		})
	}
}

func TestEmpty(t *testing.T) {
	for _, form := range []flow.Form{flow.Dataflow, flow.Loops} {
		if l := layout(t, &flow.Graph{Form: form}); l.W <= 0 || l.H <= 0 {
			t.Errorf("%s: an empty graph is %d by %d", form, l.W, l.H)
		}
	}
}

// TestPerfectNest checks that loops directly in one another share a box, and that what they hold
// stands in it in order: buffers beside one another, all else below.
func TestPerfectNest(t *testing.T) {
	node := func(kind flow.Kind, id, name, label, info string) flow.Node {
		return flow.Node{ID: id, Name: name, Label: label, Info: info, Kind: kind}
	}
	g := &flow.Graph{Name: "conv", Form: flow.Loops, Nodes: []flow.Node{
		node(flow.Function, "f", "", "conv", ""),
		node(flow.Loop, "i", "i", "for i", "16"), node(flow.Loop, "j", "j", "for j", "32"), node(flow.Loop, "k", "k", "for k", "4, vectorized"),
		node(flow.Alloc, "a", "a", "a", "(4) f32"), node(flow.Alloc, "b", "b", "b", "(4) f32"),
		node(flow.Store, "s", "", "C[i, j]", "= A[i, j]"), node(flow.Store, "t", "", "D[i, j]", "= "+strings.Repeat("A[i, j] + ", 40)+"1"),
	}, Edges: []flow.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}, {From: 3, To: 5}, {From: 3, To: 6}, {From: 3, To: 7}}}
	l := layout(t, g)
	frames := 0
	for _, b := range l.Boxes {
		if b.Frame {
			frames++
		}
	}
	i, j, k, a, b, s, u := l.Boxes[1], l.Boxes[2], l.Boxes[3], l.Boxes[4], l.Boxes[5], l.Boxes[6], l.Boxes[7]
	if frames != 2 || !inside(j, i) || !inside(k, i) || j.Y != k.Y || j.X+j.W > k.X || j.H > 30 {
		t.Errorf("%d frames; the loops stand at %+v, %+v, %+v", frames, i, j, k)
	}
	if k.Lines[0].Text != "k" || k.Lines[1].Text != "4, vectorized" || i.Lines[0].Text != "for i" {
		t.Errorf("the labels are %+v, %+v", i.Lines, k.Lines)
	}
	if a.Y <= k.Y+k.H || a.Y != b.Y || b.X <= a.X || s.Y <= a.Y+a.H || u.Y <= s.Y+s.H || !inside(u, i) {
		t.Errorf("the statements stand at %+v, %+v, %+v, %+v", a, b, s, u)
	}
	if len(u.Lines) < 3 || s.W != u.W {
		t.Errorf("a long statement has %d lines; the widths are %d and %d", len(u.Lines), s.W, u.W)
	}
	if out := render(t, g); !strings.Contains(out, `aria-level="3" data-parent="1"`) || strings.Contains(out, "g-edge") {
		t.Errorf("the drawing is %s", out)
	}
}

// TestFolds checks that a graph beyond the limits is folded and says so.
func TestFolds(t *testing.T) {
	for _, g := range []*flow.Graph{chain(MaxNodes + 1), scattered(10_000, 12_000, 50), scattered(500, 60_000, 500), loops(9000), deep(9000)} {
		l, err := Of(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(l.Graph.Nodes); n > MaxNodes || n+l.Graph.Folded != len(g.Nodes) || len(l.Graph.Edges) > MaxEdges {
			t.Errorf("%s: %d of %d nodes, %d folded, %d edges", g.Name, n, len(g.Nodes), l.Graph.Folded, len(l.Graph.Edges))
		}
	}
}

// TestClusters checks that clusters beyond the limits are left out.
func TestClusters(t *testing.T) {
	for _, parent := range []func(i int) int{func(int) int { return 0 }, func(i int) int { return i }} {
		g := chain(50)
		for i := range 20_000 {
			g.Clusters = append(g.Clusters, flow.Cluster{ID: fmt.Sprint(i), Parent: parent(i)})
		}
		for i := range g.Nodes {
			g.Nodes[i].Cluster = 20_000 - i
		}
		if l := layout(t, g); len(l.Frames) != 0 || len(l.Boxes) != 50 {
			t.Errorf("%d frames and %d boxes", len(l.Frames), len(l.Boxes))
		}
	}
}

func TestCancel(t *testing.T) {
	why := errors.New("the page went away")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	for _, s := range shapes {
		if _, err := Of(ctx, s.g); !errors.Is(err, why) {
			t.Errorf("%s: %v, expected the cause of the context", s.name, err)
		}
	}
}

func TestMalformed(t *testing.T) {
	for name, g := range map[string]*flow.Graph{
		"edge":    {Nodes: []flow.Node{{ID: "a"}}, Edges: []flow.Edge{{From: 0, To: 1}}},
		"cluster": {Nodes: []flow.Node{{ID: "a", Cluster: 1}}},
		"parent":  {Clusters: []flow.Cluster{{ID: "a", Parent: 1}}},
		"id":      {Nodes: []flow.Node{{ID: "a"}, {ID: "a"}}},
	} {
		if _, err := Of(context.Background(), g); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}

// TestMovedBox checks that a statement that a pass moved from one loop to another stands in the latter.
func TestMovedBox(t *testing.T) {
	nest := func(in string) *flow.Graph {
		g := &flow.Graph{Name: "f", Form: flow.Loops, Nodes: []flow.Node{
			{ID: "f", Label: "f", Kind: flow.Function},
			{ID: "i", Label: "for i", Kind: flow.Loop},
			{ID: "a", Label: "A[i]", Kind: flow.Store},
			{ID: "j", Label: "for j", Kind: flow.Loop},
			{ID: "b", Label: "B[j]", Kind: flow.Store},
			{ID: "s", Label: "S", Kind: flow.Store},
		}, Edges: []flow.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 3}, {From: 3, To: 4}}}
		g.Edges = append(g.Edges, flow.Edge{From: map[string]int{"i": 1, "j": 3}[in], To: 5})
		return g
	}
	l := layout(t, flow.Diff(nest("i"), nest("j")))
	if p := l.Parents[5]; l.Graph.Nodes[p].ID != "j" || !inside(l.Boxes[5], l.Boxes[p]) {
		t.Errorf("the statement stands in %s", l.Graph.Nodes[p].ID)
	}
}
