package graph

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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

func overlap(a, b Box) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

func inside(a, b Box) bool {
	return a.X >= b.X && a.Y >= b.Y && a.X+a.W <= b.X+b.W && a.Y+a.H <= b.Y+b.H
}

// checkBoxes checks that no two boxes overlap, that what is in a cluster is in its frame and
// nothing else is, and that all is in the drawing.
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
			if overlap(a, b) {
				t.Fatalf("nodes %d and %d overlap: %+v, %+v", j, i, b, a)
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
