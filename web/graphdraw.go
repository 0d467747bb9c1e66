package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/web/graph"
)

// drawing is the answer to a request for a graph.
type drawing struct {
	Before  string    `json:"before"`
	After   string    `json:"after"`
	Name    string    `json:"name"`
	Form    flow.Form `json:"form"`
	Diff    bool      `json:"diff"`
	Nodes   int       `json:"nodes"`
	Edges   int       `json:"edges"`
	Added   int       `json:"added"`
	Removed int       `json:"removed"`
	Changed int       `json:"changed"`
	Folded  int       `json:"folded"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	SVG     string    `json:"svg"`
	Minimap string    `json:"minimap"`
	// Near is the node around which the graph is shown; empty for all of it, also where it has no such node.
	Near string `json:"near,omitempty"`
	// Groups are those that the nodes stand in, from the outside to the inside.
	Groups []groupState `json:"groups,omitempty"`
}

// groupState is a group of nodes, and whether one node stands for it.
type groupState struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Folded bool   `json:"folded,omitempty"`
}

// draw lays a graph out and draws it. Of two equal hashes it draws the graph without marks.
func draw(ctx context.Context, key drawingKey, groups *grouping, before, after *flow.Graph) ([]byte, error) {
	before, after = withScopes(before, groups.before), withScopes(after, groups.after)
	g := after
	if key.before != key.after {
		g = flow.Show(before, after)
	}
	if key.memory {
		g = flow.Hide(g, flow.Memory, flow.Alloc)
	}
	if key.constants {
		g = withoutConstants(g)
	}
	near := ""
	if g.Form == flow.Dataflow && key.near != "" {
		var found bool
		if g, found = flow.Near(g, key.near, key.steps); found {
			near = key.near
		}
	}
	counts := g.Counts()
	g, states := fold(flow.Scoped(g), groups)
	l, err := graph.Of(ctx, g)
	if err != nil {
		return nil, err
	}
	var svg, small bytes.Buffer
	if err := graph.Render(&svg, l, graph.Options{}); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	if err := graph.Minimap(&small, l); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	body, err := json.Marshal(drawing{
		Before: key.before, After: key.after, Name: g.Name, Form: g.Form, Diff: g.Diff,
		Nodes: len(l.Graph.Nodes), Edges: len(l.Graph.Edges), Folded: l.Graph.Folded,
		Added: counts[flow.Added], Removed: counts[flow.Removed], Changed: counts[flow.Changed],
		Width: l.W, Height: l.H, SVG: svg.String(), Minimap: small.String(),
		Near: near, Groups: states,
	})
	if err != nil {
		return nil, fmt.Errorf("encode drawing: %w", err)
	}
	return append(body, '\n'), nil
}

// withoutConstants leaves constants out, those that are told in the nodes that use them too.
func withoutConstants(g *flow.Graph) *flow.Graph {
	out := *flow.Hide(g, flow.Constant)
	out.Nodes = slices.Clone(out.Nodes)
	for i := range out.Nodes {
		out.Nodes[i].Inline = nil
	}
	return &out
}
