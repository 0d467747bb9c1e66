package graph

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/flow"
	"pgregory.net/rapid"
)

var kinds = []flow.Kind{
	flow.Param, flow.Constant, flow.Op, flow.Kernel, flow.Call, flow.Packed, flow.Shape, flow.Memory, flow.Tuple, flow.Control, flow.Return,
	flow.Function, flow.Loop, flow.Block, flow.Store, flow.Alloc, flow.Let, flow.Eval, flow.Group, "unheard",
}

var marks = []flow.Mark{flow.None, flow.Same, flow.Added, flow.Removed, flow.Changed}

// anyGraph draws a graph of any kind: with cycles, edges from a node to itself, several edges
// between two nodes, parts that hang together with nothing, clusters in clusters, and nothing.
func anyGraph(t *rapid.T) *flow.Graph {
	g := &flow.Graph{Name: "random", Form: rapid.SampledFrom([]flow.Form{flow.Dataflow, flow.Loops, "other"}).Draw(t, "form")}
	for i := range rapid.IntRange(0, 4).Draw(t, "clusters") {
		g.Clusters = append(g.Clusters, flow.Cluster{ID: fmt.Sprint("c", i), Label: rapid.String().Draw(t, "title"), Parent: rapid.IntRange(0, i).Draw(t, "parent")})
	}
	n := rapid.IntRange(0, 40).Draw(t, "nodes")
	for i := range n {
		g.Nodes = append(g.Nodes, flow.Node{
			ID: fmt.Sprint(i), Label: rapid.String().Draw(t, "label"), Info: rapid.StringN(0, 20, -1).Draw(t, "info"),
			Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Mark: rapid.SampledFrom(marks).Draw(t, "mark"),
			Cluster: rapid.IntRange(0, len(g.Clusters)).Draw(t, "cluster"),
		})
	}
	if n == 0 {
		return g
	}
	node := rapid.IntRange(0, n-1)
	acyclic := rapid.Bool().Draw(t, "acyclic")
	for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
		e := flow.Edge{From: node.Draw(t, "from"), To: node.Draw(t, "to"), Order: rapid.Bool().Draw(t, "order"), Mark: rapid.SampledFrom(marks).Draw(t, "mark")}
		if acyclic && e.From > e.To {
			e.From, e.To = e.To, e.From
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

// chain is a chain of n nodes.
func chain(n int) *flow.Graph {
	g := &flow.Graph{Name: "chain", Form: flow.Dataflow}
	for i := range n {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: "relu", Info: "(1, 64, 56, 56) f32", Kind: flow.Kernel})
		if i > 0 {
			g.Edges = append(g.Edges, flow.Edge{From: i - 1, To: i})
		}
	}
	return g
}

// residual is a net of n nodes with a parameter for every third one and an edge around every
// fourth, like a model with 1.25 edges for each node.
func residual(n int) *flow.Graph {
	g := &flow.Graph{Name: "residual", Form: flow.Dataflow}
	last, before := -1, -1
	for i := range n {
		kind := flow.Kernel
		if i%3 == 0 {
			kind = flow.Param
		}
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: "fused_conv2d_add_relu" + strings.Repeat("1", i%5), Info: "(1, 64, 56, 56) f32", Kind: kind})
		if i%3 == 0 {
			continue
		}
		if i%3 == 1 {
			g.Edges = append(g.Edges, flow.Edge{From: i - 1, To: i, Arg: 1})
		}
		if last >= 0 {
			g.Edges = append(g.Edges, flow.Edge{From: last, To: i})
		}
		if i%4 == 0 && before >= 0 {
			g.Edges = append(g.Edges, flow.Edge{From: before, To: i, Arg: 2})
			before = i
		}
		if before < 0 {
			before = i
		}
		last = i
	}
	return g
}

// scattered has n nodes and m edges from lower to higher numbers, up to span apart.
func scattered(n, m, span int) *flow.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	g := &flow.Graph{Name: "scattered", Form: flow.Dataflow}
	for i := range n {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: fmt.Sprint("node ", i), Kind: flow.Op})
	}
	for range m {
		a := r.IntN(n - 1)
		b := a + 1 + r.IntN(min(span, n-1-a))
		g.Edges = append(g.Edges, flow.Edge{From: a, To: b})
	}
	return g
}

// wide has one node that all others use, and one that uses all others.
func wide(n int) *flow.Graph {
	g := &flow.Graph{Name: "wide", Form: flow.Dataflow}
	for i := range n {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: fmt.Sprint("node ", i), Kind: flow.Op})
		if i > 0 && i < n-1 {
			g.Edges = append(g.Edges, flow.Edge{From: 0, To: i}, flow.Edge{From: i, To: n - 1})
		}
	}
	return g
}

// loops is a tree of n nodes with up to three below each.
func loops(n int) *flow.Graph {
	g := &flow.Graph{Name: "loops", Form: flow.Loops}
	for i := range n {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: fmt.Sprint("for i", i), Info: "16", Kind: flow.Loop})
		if i > 0 {
			g.Edges = append(g.Edges, flow.Edge{From: (i - 1) / 3, To: i})
		}
	}
	return g
}

var shapes = []struct {
	name string
	g    *flow.Graph
}{
	{"chain", chain(2000)},
	{"residual", residual(2000)},
	{"local", scattered(2000, 2500, 40)},
	{"random", scattered(2000, 2500, 2000)},
	{"wide", wide(1251)},
	{"skips", skips(2000)},
	{"loops", loops(2000)},
	{"deep loops", deep(2000)},
}

// skips is a chain with an edge from every fourth node to one far below.
func skips(n int) *flow.Graph {
	g := chain(n)
	r := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < n-2; i += 4 {
		g.Edges = append(g.Edges, flow.Edge{From: i, To: i + 2 + r.IntN(n-i-2), Arg: 1})
	}
	return g
}

// deep is a nest of n loops.
func deep(n int) *flow.Graph {
	g := chain(n)
	g.Form = flow.Loops
	return g
}

func BenchmarkLayout(b *testing.B) {
	for _, s := range shapes {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Of(b.Context(), s.g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
