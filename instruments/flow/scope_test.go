package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/flow"
	"pgregory.net/rapid"
)

func TestScopeOf(t *testing.T) {
	for _, tt := range []struct {
		names   []string
		nodes   string
		weights string
	}{
		{nil, "", ""},
		{[]string{"/layer1/conv1/Conv"}, "layer1/conv1", "layer1/conv1"},
		{[]string{"/layer1/conv1/Conv", "/layer1/relu/Relu"}, "layer1", "layer1"},
		{[]string{"/layer1/conv1/Conv", "/layer10/Conv"}, "", ""},
		{[]string{"Conv_1", "/layer1/Conv"}, "", "layer1"},
		{[]string{"layer1.0.conv1.weight", "bias"}, "", "layer1/0/conv1"},
		{[]string{"conv2_1/x1/bn_b_0", "conv2_1/x2_w_0"}, "conv2_1", "conv2_1"},
		{[]string{"/layer1/layer1.0/layer1.0.bn/Add", "/layer1/layer1.0/Relu"}, "layer1/0", "layer1/layer1/0"},
		{[]string{"/block1.conv1/Conv", "/block1.bn1/Add"}, "block1", "block1"},
		{[]string{"/"}, "", ""},
	} {
		if got := flow.ScopeOf(tt.names); got != tt.nodes {
			t.Errorf("ScopeOf(%q) is %q, expected %q", tt.names, got, tt.nodes)
		}
		if got := flow.ScopeOfWeights(tt.names); got != tt.weights {
			t.Errorf("ScopeOfWeights(%q) is %q, expected %q", tt.names, got, tt.weights)
		}
	}
}

// scopes makes a chain whose nodes have scopes.
func scopes(list ...string) *flow.Graph {
	g := &flow.Graph{Name: "main", Form: flow.Dataflow}
	for i, s := range list {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint("n", i), Name: fmt.Sprint("n", i), Label: "op", Kind: flow.Op, Line: i + 1, Scope: s})
		if i > 0 {
			g.Edges = append(g.Edges, flow.Edge{From: i - 1, To: i})
		}
	}
	return g
}

// within writes the clusters of a node, from the outside to the inside.
func within(g *flow.Graph, i int) string {
	var out []string
	for c := g.Nodes[i].Cluster; c > 0; c = g.Clusters[c-1].Parent {
		out = append([]string{g.Clusters[c-1].Label}, out...)
	}
	return strings.Join(out, " > ")
}

// TestScoped checks which scopes have a cluster, and what it is called.
func TestScoped(t *testing.T) {
	g := flow.Scoped(scopes("", "net/a/x", "net/a/x", "net/a/y", "net/b/z/w", "net/b/z/w", "net/c"))
	for i, want := range []string{"", "a > x", "a > x", "a", "b/z/w", "b/z/w", ""} {
		if got := within(g, i); got != want {
			t.Errorf("node %d is in %q, expected %q", i, got, want)
		}
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
	if g := flow.Scoped(scopes("a", "a", "a")); len(g.Clusters) != 0 {
		t.Errorf("a scope of all nodes has the clusters %v", g.Clusters)
	}
	many := scopes("a", "a", "b", "b")
	for i := range 7 {
		many.Nodes = append(many.Nodes, flow.Node{ID: fmt.Sprint("c", i), Label: "c", Kind: flow.Constant})
	}
	many = flow.Scoped(many)
	if fold := flow.FoldLevel(many, 100); within(many, 5) != "constants" || fmt.Sprint(fold) != "[false false true]" {
		t.Errorf("the constants are in %q; %v are folded", within(many, 5), fold)
	}
}

// TestSpread gives nodes the scope of their latest operand.
func TestSpread(t *testing.T) {
	g := scopes("a", "", "b", "", "")
	g.Edges = []flow.Edge{{From: 0, To: 1}, {From: 2, To: 3}, {From: 1, To: 3}, {From: 3, To: 4}}
	flow.SpreadScopes(g)
	for i, want := range []string{"a", "a", "b", "b", "b"} {
		if g.Nodes[i].Scope != want {
			t.Errorf("node %d is in %q, expected %q", i, g.Nodes[i].Scope, want)
		}
	}
}

// TestFoldLevel folds as little as the limit allows.
func TestFoldLevel(t *testing.T) {
	var list []string
	for i := range 5 {
		for j := range 4 {
			for range 3 {
				list = append(list, fmt.Sprintf("%d/%d", i, j))
			}
		}
	}
	g := flow.Scoped(scopes(list...))
	for limit, want := range map[int]int{60: 60, 59: 20, 20: 20, 19: 5, 3: 5} {
		folded := flow.FoldClusters(g, flow.FoldLevel(g, limit))
		if len(folded.Nodes) != want {
			t.Errorf("at most %d: %d nodes show, expected %d", limit, len(folded.Nodes), want)
		}
	}
	one := make([]bool, len(g.Clusters))
	one[0] = true
	folded := flow.FoldClusters(g, one)
	n := folded.Nodes[0]
	if n.ID != "scope:0" || n.Kind != flow.Group || n.Stands != "scope:0" || n.Info != "12 nodes" || n.Count != 12 || len(n.Names) != 12 || len(folded.Nodes) != 49 {
		t.Errorf("%d nodes; the first is %+v", len(folded.Nodes), n)
	}
	if len(folded.Clusters) != len(g.Clusters)-5 || folded.Clusters[0].ID != "scope:1" {
		t.Errorf("the clusters are %v", folded.Clusters)
	}
}

// TestFoldRandom folds any clusters of any graph: no node is lost, none is in a folded cluster, and the result is a graph.
func TestFoldRandom(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "nodes")
		list := make([]string, n)
		for i := range list {
			list[i] = rapid.SampledFrom([]string{"", "a", "a/b", "a/b/c", "d", "d/e", "f/g/h"}).Draw(t, "scope")
		}
		g := flow.Scoped(scopes(list...))
		fold := make([]bool, len(g.Clusters))
		for i := range fold {
			fold[i] = rapid.Bool().Draw(t, "fold")
		}
		out := flow.FoldClusters(g, fold)
		if err := out.Check(); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for i := range out.Nodes {
			sum += max(1, out.Nodes[i].Count)
		}
		if sum != n {
			t.Fatalf("%d of %d nodes are left", sum, n)
		}
		used := map[string]bool{}
		for i := range out.Nodes {
			for c := out.Nodes[i].Cluster; c > 0; c = out.Clusters[c-1].Parent {
				used[out.Clusters[c-1].ID] = true
			}
		}
		if len(used) != len(out.Clusters) {
			t.Fatalf("%d of the clusters %v hold something", len(used), out.Clusters)
		}
	})
}

// TestNear shows what is around a node, and how much is not.
func TestNear(t *testing.T) {
	g := scopes("", "", "", "", "", "", "")
	g.Edges = append(g.Edges, flow.Edge{From: 0, To: 4})
	near, ok := flow.Near(g, "n3", 1)
	if !ok || len(near.Nodes) != 3 || len(near.Edges) != 2 {
		t.Fatalf("%v: %+v", ok, near)
	}
	for i, want := range []string{"… 1 more", "", "… 2 more"} {
		if near.Nodes[i].Beyond != want {
			t.Errorf("%s says %q, expected %q", near.Nodes[i].ID, near.Nodes[i].Beyond, want)
		}
	}
	if near, _ := flow.Near(g, "n3", 2); len(near.Nodes) != 6 {
		t.Errorf("%d nodes are two steps around", len(near.Nodes))
	}
	if all, ok := flow.Near(g, "gone", 2); ok || all != g {
		t.Error("the neighborhood of nothing is not the whole graph")
	}
}

// TestLowered shows the diff of a function that becomes one of another kind.
func TestLowered(t *testing.T) {
	before, after := scopes("", ""), &flow.Graph{Name: "main", Form: flow.Loops, Nodes: []flow.Node{{ID: "function", Label: "main", Kind: flow.Function}, {ID: "s", Label: "store", Kind: flow.Store}}, Edges: []flow.Edge{{From: 0, To: 1}}}
	d := flow.Show(before, after)
	if d.Form != flow.Loops || len(d.Nodes) != 3 || d.Nodes[0].Mark != flow.Removed || d.Nodes[0].Info != "was a Relax function of 2 nodes" || d.Nodes[2].Mark != flow.Added {
		t.Errorf("the diff is %+v", d)
	}
	if e := d.Edges[0]; e.From != 1 || e.To != 2 || e.Mark != flow.Added {
		t.Errorf("its edge is %+v", e)
	}
	if c := d.Counts(); c[flow.Removed] != 2 || c[flow.Added] != 2 {
		t.Errorf("it counts %v", c)
	}
}
