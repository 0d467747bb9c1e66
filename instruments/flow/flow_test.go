package flow_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/flow"
	"pgregory.net/rapid"
)

// chainOf makes a chain of nodes "id label", each using the one before.
func chainOf(nodes ...[2]string) *flow.Graph {
	g := &flow.Graph{Name: "main", Form: flow.Dataflow}
	for i, n := range nodes {
		g.Nodes = append(g.Nodes, flow.Node{ID: n[0], Name: n[0], Label: n[1], Kind: flow.Op, Line: i + 1})
		if i > 0 {
			g.Edges = append(g.Edges, flow.Edge{From: i - 1, To: i})
		}
	}
	return g
}

func marks(g *flow.Graph) map[string]flow.Mark {
	out := map[string]flow.Mark{}
	for _, n := range g.Nodes {
		out[n.ID] = n.Mark
	}
	return out
}

// TestFused checks the diff of a chain whose parts become one node under the last name.
func TestFused(t *testing.T) {
	before := chainOf([2]string{"x", "x"}, [2]string{"a", "conv2d"}, [2]string{"b", "add"}, [2]string{"c", "relu"}, [2]string{"d", "softmax"})
	after := chainOf([2]string{"x", "x"}, [2]string{"c", "fused_conv2d_add_relu"}, [2]string{"d", "softmax"})
	d := flow.Diff(before, after)
	want := map[string]flow.Mark{"x": flow.Same, "a": flow.Removed, "b": flow.Removed, "c": flow.Changed, "d": flow.Same}
	if got := marks(d); !reflect.DeepEqual(got, want) {
		t.Errorf("marks are %v, expected %v", got, want)
	}
	order := ""
	for _, n := range d.Nodes {
		order += n.ID
		if n.ID == "c" && (n.Was != "relu" || n.Line != 2 || n.WasLine != 4) {
			t.Errorf("the fused node is %+v", n)
		}
	}
	if order != "xabcd" {
		t.Errorf("the order is %s, expected what was removed where it stood", order)
	}
	edges := map[flow.Mark]int{}
	for _, e := range d.Edges {
		edges[e.Mark]++
	}
	if want := (map[flow.Mark]int{flow.Same: 1, flow.Added: 1, flow.Removed: 3}); !reflect.DeepEqual(edges, want) {
		t.Errorf("edges are %v, expected %v", edges, want)
	}
}

// TestRenamed checks that nodes with other names are found by what they do.
func TestRenamed(t *testing.T) {
	before := chainOf([2]string{"x", "x"}, [2]string{"lv", "conv2d"}, [2]string{"lv1", "add"}, [2]string{"lv2", "relu"}, [2]string{"gv", "exp"})
	after := chainOf([2]string{"x", "x"}, [2]string{"a", "conv2d"}, [2]string{"lv", "bias_add"}, [2]string{"b", "relu"}, [2]string{"gv", "exp"})
	d := flow.Diff(before, after)
	for _, n := range d.Nodes {
		switch {
		case n.ID == "b" && (n.Mark != flow.Changed || n.WasName != "lv2"): // matched by what uses it
			t.Errorf("relu is %+v", n)
		case n.ID == "a" && n.Mark != flow.Added: // its old name went to another node
			t.Errorf("conv2d is %+v", n)
		}
	}
	all := chainOf([2]string{"x", "x"}, [2]string{"p", "conv2d"}, [2]string{"q", "add"}, [2]string{"r", "relu"}, [2]string{"gv", "exp"})
	for _, n := range flow.Diff(before, all).Nodes {
		if n.Mark != flow.Same {
			t.Errorf("%s is %s, expected renaming to change nothing", n.ID, n.Mark)
		}
	}
}

func TestDiffOfNothing(t *testing.T) {
	g := chainOf([2]string{"x", "x"}, [2]string{"y", "relu"})
	for want, d := range map[flow.Mark]*flow.Graph{flow.Added: flow.Diff(nil, g), flow.Removed: flow.Diff(g, nil), flow.Same: flow.Diff(g, g)} {
		if len(d.Nodes) != 2 || d.Counts()[want] != 2 || len(d.Edges) != 1 || d.Edges[0].Mark != want {
			t.Errorf("%s: %+v", want, d)
		}
	}
	if d := flow.Diff(nil, nil); len(d.Nodes) != 0 {
		t.Errorf("%+v", d)
	}
}

func TestHide(t *testing.T) {
	g := chainOf([2]string{"x", "x"}, [2]string{"m", "alloc"}, [2]string{"y", "relu"})
	g.Nodes[1].Kind = flow.Memory
	g.Edges = append(g.Edges, flow.Edge{From: 0, To: 2})
	h := flow.Hide(g, flow.Memory)
	if len(h.Nodes) != 2 || len(h.Edges) != 1 || h.Edges[0] != (flow.Edge{From: 0, To: 1}) || len(g.Nodes) != 3 {
		t.Errorf("%+v", h)
	}
	if flow.Hide(g, flow.Tuple) != g {
		t.Error("hiding what is not there made another graph")
	}
}

// randomGraph draws a graph with labels of few kinds, so that much can be matched.
func randomGraph(t *rapid.T, name string) *flow.Graph {
	g := &flow.Graph{Name: "f", Form: rapid.SampledFrom([]flow.Form{flow.Dataflow, flow.Loops}).Draw(t, name+" form")}
	n := rapid.IntRange(0, 30).Draw(t, name+" nodes")
	id := rapid.Permutation(ids()).Draw(t, name+" ids")
	for i := range n {
		g.Nodes = append(g.Nodes, flow.Node{
			ID: id[i], Label: rapid.SampledFrom([]string{"add", "relu", "conv2d"}).Draw(t, "label"), Kind: flow.Op,
			Group: rapid.SampledFrom([]string{"", "f", "g"}).Draw(t, "group"),
		})
	}
	if n > 0 {
		for range rapid.IntRange(0, 2*n).Draw(t, name+" edges") {
			g.Edges = append(g.Edges, flow.Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to"), Arg: rapid.IntRange(0, 2).Draw(t, "arg")})
		}
	}
	return g
}

func ids() []string {
	out := make([]string, 40)
	for i := range out {
		out[i] = fmt.Sprint("v", i)
	}
	return out
}

// TestDiffKeepsBoth checks on random graphs, cycles included, that both sides can be read off
// their diff.
func TestDiffKeepsBoth(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		before, after := randomGraph(t, "before"), randomGraph(t, "after")
		d := flow.Diff(before, after)
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(d, flow.Diff(before, after)) {
			t.Fatal("a second diff differs")
		}
		for _, s := range []struct {
			g   *flow.Graph
			not flow.Mark
		}{{before, flow.Added}, {after, flow.Removed}} {
			nodes, edges := 0, 0
			for _, n := range d.Nodes {
				if n.Mark != s.not {
					nodes++
				}
			}
			for _, e := range d.Edges {
				if e.Mark != s.not {
					edges++
				}
			}
			if nodes != len(s.g.Nodes) || edges != len(s.g.Edges) {
				t.Fatalf("without what is %s there are %d nodes and %d edges, expected %d and %d", s.not, nodes, edges, len(s.g.Nodes), len(s.g.Edges))
			}
		}
		for _, n := range flow.Diff(before, before).Nodes {
			if n.Mark != flow.Same {
				t.Fatalf("node %s differs from itself: %s", n.ID, n.Mark)
			}
		}
	})
}

// TestFoldCounts checks that a folded graph is within its limit and counts all nodes.
func TestFoldCounts(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		g := randomGraph(t, "graph")
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		f := flow.Fold(g, limit)
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, n := range f.Nodes {
			count += max(1, n.Count)
		}
		if len(f.Nodes) > limit || count != len(g.Nodes) || f.Folded != len(g.Nodes)-len(f.Nodes) {
			t.Fatalf("%d nodes for a limit of %d, which stand for %d of %d; %d folded", len(f.Nodes), limit, count, len(g.Nodes), f.Folded)
		}
		if again := flow.Fold(f, limit); again != f {
			t.Fatal("a folded graph was folded again")
		}
	})
}

// TestFoldByFunction checks that calls of one function become one node.
func TestFoldByFunction(t *testing.T) {
	g := &flow.Graph{Form: flow.Dataflow}
	for i := range 100 {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: "call", Kind: flow.Kernel, Group: fmt.Sprint("kernel", i%5)})
		for j := range min(i, 2) {
			g.Edges = append(g.Edges, flow.Edge{From: i - 1 - j, To: i})
		}
	}
	f := flow.Fold(g, 10)
	if len(f.Nodes) != 5 || f.Nodes[0].Count != 20 || f.Nodes[0].Group != "kernel0" || f.Folded != 95 {
		t.Errorf("%d nodes, the first is %+v", len(f.Nodes), f.Nodes[0])
	}
}

func BenchmarkDiff(b *testing.B) {
	for _, n := range []int{2000, 20_000} {
		var x, y [][2]string
		for i := range n {
			x = append(x, [2]string{fmt.Sprint("lv", i), fmt.Sprint("op", i%7)})
			y = append(y, [2]string{fmt.Sprint("gv", i), fmt.Sprint("op", i%7)})
		}
		x[0][0], y[0][0] = "x", "x"
		before, after := chainOf(x...), chainOf(y...)
		b.Run(fmt.Sprint("renamed ", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				flow.Diff(before, after)
			}
		})
		b.Run(fmt.Sprint("same ", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				flow.Diff(before, before)
			}
		})
	}
}
