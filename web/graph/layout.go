package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/irscope/irscope/instruments/flow"
)

// Limits of what is drawn. A graph with more nodes or edges is folded first; one with more
// clusters, or with clusters deeper in each other, is drawn without clusters.
const (
	MaxNodes    = 4000
	MaxEdges    = 16000
	MaxClusters = 400
	MaxNesting  = 12
)

// Point is a place in pixels from the upper left corner.
type Point struct{ X, Y int }

// Box is the place of a node or the frame of a cluster.
type Box struct {
	X, Y, W, H int
	Lines      []Line // what is written in it
	// Frame says that the boxes of other nodes stand in it.
	Frame bool
}

// Line is one line of text in a box, at its baseline: its middle in dataflow, its beginning in
// a loop nest.
type Line struct {
	Text  string
	Small bool
	X, Y  int // from the upper left corner of the box
}

// Path is the way of an edge, from From to To. Between points with one X or Y it is straight,
// else a curve that begins and ends upright and stays between their heights.
type Path struct {
	Points []Point
	// Rest is the part of a cut edge that arrives: an edge is cut where it would run along
	// too many layers, and its ends then say where it goes. It is empty for a whole edge.
	Rest []Point
}

// Layout is a graph with the places of all its parts.
type Layout struct {
	// Graph is what is shown: the graph that was given, or that folded.
	Graph  *flow.Graph
	W, H   int
	Boxes  []Box  // by node
	Paths  []Path // by edge; a path without points is not drawn
	Frames []Box  // by cluster
	// Parents has the node that each node of a loop nest stands in, -1 for none; nil for dataflow.
	Parents []int
}

// Of lays a graph out: dataflow in layers from the top to the bottom, a loop nest as boxes in
// boxes. It depends on nothing but the graph. No two boxes overlap, unless one stands in the
// other. A graph beyond MaxNodes or
// MaxEdges is folded until it fits. It returns the cause of ctx where that ends first, and an
// error for a graph whose numbers point nowhere.
func Of(ctx context.Context, g *flow.Graph) (*Layout, error) {
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("lay out: %w", err)
	}
	for limit := MaxNodes; ; limit /= 2 {
		if g = flow.Fold(g, limit); len(g.Edges) <= MaxEdges || limit <= 1 {
			break
		}
	}
	g = shallow(g)
	l := &Layout{Graph: g, Boxes: make([]Box, len(g.Nodes)), Paths: make([]Path, len(g.Edges)), Frames: make([]Box, len(g.Clusters))}
	if g.Form == flow.Loops {
		if err := l.boxes(ctx); err != nil {
			return nil, err
		}
		return l, nil
	}
	for i := range g.Nodes {
		l.Boxes[i] = measure(&g.Nodes[i])
	}
	if err := l.nest(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// shallow returns g without clusters if there are too many of them.
func shallow(g *flow.Graph) *flow.Graph {
	depth, most := make([]int, len(g.Clusters)+1), 0
	for i, c := range g.Clusters {
		depth[i+1] = depth[c.Parent] + 1
		most = max(most, depth[i+1])
	}
	if len(g.Clusters) <= MaxClusters && most <= MaxNesting {
		return g
	}
	out := *g
	out.Clusters, out.Nodes = nil, slices.Clone(g.Nodes)
	for i := range out.Nodes {
		out.Nodes[i].Cluster = 0
	}
	return &out
}
