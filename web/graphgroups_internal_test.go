package web

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/history"
)

// TestScopesOf takes the scopes of nodes, and those of weights where the nodes have none.
func TestScopesOf(t *testing.T) {
	named := scopesOf(map[int]*history.Line{3: {Nodes: []string{"/a/b/Conv"}, Weights: []string{"w.x"}}, 4: {Nodes: []string{"Relu_1"}, Weights: []string{"w.y"}}})
	if fmt.Sprint(named) != "{map[3:a/b] false}" {
		t.Errorf("of named nodes: %v", named)
	}
	weights := scopesOf(map[int]*history.Line{3: {Nodes: []string{"n1"}, Weights: []string{"a/b/w_0"}}, 4: {Nodes: []string{"n2"}}})
	if fmt.Sprint(weights) != "{map[3:a/b] true}" {
		t.Errorf("of weights: %v", weights)
	}
	if none := scopesOf(map[int]*history.Line{3: {Nodes: []string{"n1"}}}); len(none.Of) != 0 || none.Spread {
		t.Errorf("of nothing: %v", none)
	}
}

// TestFoldGroups folds what is large, unless the reader says otherwise.
func TestFoldGroups(t *testing.T) {
	g := &flow.Graph{Name: "main", Form: flow.Dataflow}
	lines := map[int]string{}
	for i := range 90 {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: "op", Kind: flow.Op, Line: i + 1})
		lines[i+1] = fmt.Sprint("s", i/30)
		if i > 0 {
			g.Edges = append(g.Edges, flow.Edge{From: i - 1, To: i})
		}
	}
	scoped := flow.Scoped(withScopes(g, scopes{Of: lines}))
	if g.Nodes[0].Scope != "" {
		t.Error("the graph that is kept for other runs was changed")
	}
	for _, tt := range []struct {
		name   string
		groups grouping
		nodes  int
	}{
		{"large", grouping{}, 3},
		{"one opened", grouping{open: map[string]bool{"scope:s1": true}}, 32},
		{"all open", grouping{all: "open"}, 90},
		{"all open but one", grouping{all: "open", shut: map[string]bool{"scope:s2": true}}, 61},
		{"folded but one", grouping{all: "folded", open: map[string]bool{"scope:s2": true}}, 32},
	} {
		folded, states := fold(scoped, &tt.groups)
		if len(folded.Nodes) != tt.nodes || len(states) != 3 || states[0].ID != "scope:s0" {
			t.Errorf("%s: %d nodes, expected %d; %v", tt.name, len(folded.Nodes), tt.nodes, states)
		}
	}
}
